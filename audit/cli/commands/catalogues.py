"""What the program knows: its metrics, flags and issues."""

from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from audit.cli.output import print_entries, print_json
from audit.cli.parameters import Json
from audit.cli.program import command
from audit.errors import ISSUE_KINDS

if TYPE_CHECKING:
    from audit.metrics import Metric


@command("audit metrics")
def metrics(*, as_json: Json = False) -> None:
    """List every metric, with formula and range.

    The numbers of averaged_f2, f2[LABEL] and macro_recall_p2 are examples. ~ behind a name: with balanced classes.
    mean(A,B) and mean_rank(A,B) make one score of several.
    """
    from audit.metrics import ITEM_SCORE_METRICS, METRICS, SCALE_METRICS, UNIT_METRICS
    from audit.writers.data.plain import picked

    registries = METRICS, ITEM_SCORE_METRICS, SCALE_METRICS, UNIT_METRICS
    entries = [
        {
            **picked(
                metric, "slug", "explanation", "formula", "source", title="label", chance="baseline"
            ),
            "named": " or ".join(metric.forms),
            "range": [
                metric.lower,
                metric.upper if isfinite(metric.upper) else "length of the scale",
            ],
            "better": "higher" if metric.greater_is_better else "lower",
            "scored": _where_scored(metric),
        }
        for registry in registries
        for metric in registry.values()
    ]
    print_entries(
        entries,
        ("named", "formula", "range", "better", "chance", "scored", "source"),
        as_json=as_json,
    )


def _where_scored(metric: "Metric") -> str:
    if metric.over == "units":
        return "where sets are scored, if asked for"
    if metric.of_item_scores:
        return "where files give scores of single items"
    if metric.of_scale:
        return "where labels are on a scale"
    if metric.standard:
        return "in every evaluation"
    return "where it is asked for"


@command("audit flags")
def flags(*, as_json: Json = False) -> None:
    """List every flag, and when it fires."""
    from audit.findings.catalogue import FLAG_KINDS

    entries = [
        {
            "slug": each.slug,
            "title": each.title,
            "severity": each.severity.label,
            "explanation": each.explanation,
        }
        for each in FLAG_KINDS.values()
    ]
    print_entries(entries, ("severity",), as_json=as_json)


@command("audit issues")
def issues(
    folder: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FOLDER]",
            help="A campaign's folder: each issue of its files.",
            show_default=False,
        ),
    ] = None,
    *,
    as_json: Json = False,
) -> None:
    """List what can be wrong with files, or is."""
    if folder is not None:
        from audit import workflow

        found = workflow.issues_of(folder)
        if as_json:
            print_json([issue.data() for issue in found])
        else:
            typer.echo("\n".join(map(str, found)) or "Nothing is wrong with these files.")
        return
    from audit.writers.data.plain import picked

    renamed = {"to do": "remedy", "rejects": "fatal"}
    kinds = ISSUE_KINDS.values()
    entries = [
        picked(kind, "slug", "title", "explanation", "expected", **renamed) for kind in kinds
    ]
    print_entries(entries, ("expected", "to do"), as_json=as_json)
