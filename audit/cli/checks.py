"""What ``audit check`` prints: how a file is read and what it answers, and nothing of what is right.

Without the libraries of scores and reports, since a check takes less than a second.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import typer

from audit.domain import LabelSet
from audit.formats.campaign.submission import Checked
from audit.text import plural, visible


def check_data(checked: Checked, label_set: LabelSet) -> dict[str, Any]:
    """The result of a check, as data for JSON; counts only of a file that is accepted."""
    return {
        "file": checked.path,
        "accepted": checked.is_accepted,
        "read_as": checked.layout,
        "assumed": checked.is_assumed,
        **_counts(checked, label_set),
        "issues": [issue.data() for issue in checked.issues],
    }


def _counts(checked: Checked, label_set: LabelSet) -> dict[str, Any]:
    """Items, what of them is answered, and how often each label is given."""
    if checked.codes is None:
        return {}
    *label_counts, missing, unusable = np.bincount(checked.codes, minlength=len(label_set) + 2).tolist()
    return {
        "items": checked.codes.size,
        "answered": sum(label_counts),
        "missing": missing,
        "unusable": unusable,
        "labels": dict(zip(label_set, label_counts, strict=True)),
    }


def print_check(checked: Checked, label_set: LabelSet) -> None:
    """Issues on standard error, the verdict and the counts on standard output."""
    for issue in checked.issues:
        typer.echo(str(issue), err=True)
    verdict = "Accepted" if checked.is_accepted else "Not accepted"
    typer.echo(f"{verdict}: {visible(checked.path, 200)}")
    if checked.layout is not None:
        typer.echo(f"    read as: {visible(checked.layout, 1000)}{' (assumed)' if checked.is_assumed else ''}")
    if checked.is_accepted:
        _print_counts(_counts(checked, label_set))


def _print_counts(counts: Mapping[str, Any]) -> None:
    lacking = [f"{counts[kind]:,} {kind}" for kind in ("missing", "unusable") if counts[kind]]
    answered = f"{counts['answered']:,} answered of {plural(counts['items'], 'item')}"
    typer.echo(f"    {', '.join([answered, *lacking])}")
    width = len(f"{counts['items']:,}")
    for label, count in counts["labels"].items():
        typer.echo(f"    {count:>{width},}  {visible(label, 200)}")
