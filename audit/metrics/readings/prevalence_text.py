"""Class distributions as a user types them."""

import csv
import math
from collections.abc import Mapping, Sequence

from audit.domain import LabelSet, Prevalence
from audit.domain.arrays import Counts
from audit.errors import UsageError
from audit.text import did_you_mean, listed, quoted


def parse_prevalence(text: str, prevalences: Sequence[Prevalence], counts: Counts, label_set: LabelSet) -> Prevalence:
    """The prevalence that a user names, or writes out as ``label=share,…``.

    Parameters
    ----------
    text : str
        The name of a known prevalence; or a positive share for every class in gold, which are scaled to sum to 1. A
        label with a comma stands in double quotes with its share: ``"a,b=.3"``.
    prevalences : sequence of Prevalence
        The prevalences that have a name.
    counts : ndarray of int, shape (C,)
        Gold items of each class.
    label_set : LabelSet
        The C labels.

    Raises
    ------
    UsageError
        When the name is unknown, a share is missing, is no positive number, or is of a class that gold lacks.

    Examples
    --------
    >>> labels = LabelSet(("negative", "neutral", "positive"))
    >>> import numpy as np
    >>> parse_prevalence("negative=5,neutral=3,positive=2", [], np.array([1, 1, 1]), labels).shares
    (('negative', 0.5), ('neutral', 0.3), ('positive', 0.2))
    """
    named = {prevalence.name: prevalence for prevalence in prevalences}
    if text in named:
        return named[text]
    if "=" not in text:
        near = did_you_mean(text, named)
        raise UsageError(
            f"There is no prevalence {quoted(text)}.{near} This task has {listed(list(named))}; write another out as "
            f"{_example(label_set)}"
        )
    shares = parse_shares(text, label_set)
    present = {label for label, count in zip(label_set, counts.tolist(), strict=True) if count}
    for label in label_set:
        if label in present and not shares.get(label):
            raise UsageError(f"{quoted(text, 200)} gives no share to {quoted(label)}; every class in gold needs one.")
        if label not in present and shares.get(label):
            raise UsageError(f"{quoted(text, 200)} gives a share to {quoted(label)}, of which gold has no item.")
    return Prevalence(text, tuple((label, shares[label]) for label in label_set if label in present))


def parse_shares(text: str, label_set: LabelSet) -> Mapping[str, float]:
    """Shares written out as ``label=share,…``, scaled to sum to 1.

    Raises
    ------
    UsageError
        When a label is not in the label set or stands there twice, or a share is no number from 0 on.

    Examples
    --------
    >>> dict(parse_shares("a=30%, b=70%", LabelSet(("a", "b"))))
    {'a': 0.3, 'b': 0.7}
    """
    shares: dict[str, float] = {}
    for cell in next(csv.reader([text], skipinitialspace=True)):
        written, equals, share = cell.rpartition("=")
        label = written if written in label_set.code_of else written.strip()
        if not equals or label not in label_set.code_of:
            near = did_you_mean(label, label_set)
            shown = listed(list(map(quoted, label_set)), "or", limit=10)
            raise UsageError(f"{quoted(cell)} in {quoted(text, 200)} names no label.{near} The labels are {shown}.")
        if label in shares:
            raise UsageError(f"{quoted(text, 200)} has {quoted(label)} twice.")
        shares[label] = _share(share, text)
    total = sum(shares.values())
    if not total:
        raise UsageError(f"{quoted(text, 200)}: some share must be above 0.")
    return {label: share / total for label, share in shares.items()}


def _share(written: str, text: str) -> float:
    number = written.strip().removesuffix("%")
    try:
        share = float(number)
    except ValueError:
        share = math.nan
    if not 0 <= share < math.inf:
        raise UsageError(f"{quoted(written)} in {quoted(text, 200)} is no share: a number from 0 on.")
    return share


def _example(label_set: LabelSet) -> str:
    shares = [f"{label}=…" for label in label_set.labels[:2]]
    return quoted(",".join(shares) + ("" if len(shares) == len(label_set) else ",…")) + "."
