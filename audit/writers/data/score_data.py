"""The scores of one confusion matrix as data for other programs."""

from typing import Any

from audit.inference.confusions_alone import ConfusionScores
from audit.writers.data.plain import nullable, reasons


def confusion_data(scores: ConfusionScores) -> dict[str, Any]:
    """Labels, counts and scores as plain data; undefined numbers are None."""
    ends = zip(scores.lower.tolist(), scores.upper.tolist(), strict=True)
    rows = zip(scores.keys, scores.values.tolist(), ends, scores.marks, strict=True)
    return {
        "items": int(scores.confusion.sum()),
        "labels": list(scores.labels),
        "confusion": scores.confusion.tolist(),
        "scores": {
            str(key): {
                "score": nullable(value),
                "interval": None if nullable(lower) is None else [lower, upper],
                **reasons(lower, mark),
            }
            for key, value, (lower, upper), mark in rows
        },
        "macro_f1": {
            "averaged_f1": nullable(scores.averaged_f1),
            "f1_of_averages": nullable(scores.f1_of_averages),
            "gap": nullable(scores.gap),
            "class_pairs": [
                {"classes": list(pair.labels), "part": pair.part, "share": pair.share} for pair in scores.gap_pairs
            ],
        },
    }
