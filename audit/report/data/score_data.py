"""The scores of one confusion matrix as data for other programs."""

from typing import Any

from audit.inference.one_confusion import ConfusionScores
from audit.report.data.plain import nullable


def confusion_data(found: ConfusionScores) -> dict[str, Any]:
    """Labels, counts and scores as plain data; undefined numbers are None."""
    ends = zip(found.lower.tolist(), found.upper.tolist(), strict=True)
    rows = zip(found.keys, found.values.tolist(), ends, found.marks, strict=True)
    return {
        "items": int(found.confusion.sum()),
        "labels": list(found.labels),
        "confusion": found.confusion.tolist(),
        "scores": {
            str(key): {
                "score": nullable(value),
                "interval": None if nullable(lower) is None else [lower, upper],
                "no_interval_because": mark.value or None,
            }
            for key, value, (lower, upper), mark in rows
        },
        "macro_f1": {
            "averaged_f1": nullable(found.averaged_f1),
            "f1_of_averages": nullable(found.f1_of_averages),
            "gap": nullable(found.gap),
            "class_pairs": [
                {"classes": list(pair.labels), "part": pair.part, "share": pair.share} for pair in found.gap_pairs
            ],
        },
    }
