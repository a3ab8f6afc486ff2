"""Parts of an evaluation as plain data, which the whole and each slice of it share."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from audit.domain import Evaluation, Verdict
from audit.domain.evaluation import Floats, Ints


def claim_data(evaluation: Evaluation, verdict: Verdict) -> dict[str, Any]:
    """What may be said of the first place, of all items or of a part of them."""
    return {
        "claim": verdict.claim.value,
        "sentence": verdict.sentence,
        "more": verdict.more,
        "winners": [evaluation.names[entry] for entry in verdict.winners],
        "could_be_best": [evaluation.names[entry] for entry in verdict.could_be_best],
    }


def by_entry(evaluation: Evaluation, values: Iterable[Any]) -> dict[str, Any]:
    """A value for each entry, under its name."""
    return dict(zip(evaluation.names, values, strict=True))


def ranks_among_all(evaluation: Evaluation, scores: Floats, ranks: Ints) -> list[int | None]:
    """Ranks of the entries by some scores of theirs; None where one is undefined or the entry takes none."""
    without = np.isnan(scores) | ~evaluation.competing
    return [None if none else rank for rank, none in zip(ranks.tolist(), without.tolist(), strict=True)]


def nullable(value: float) -> float | None:
    """A number as JSON has it; None where it is undefined."""
    return None if math.isnan(value) else value
