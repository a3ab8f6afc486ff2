"""What the program knows: its metrics, flags and issues."""

from audit.cli.failures import reporting_errors
from audit.cli.output import print_entries
from audit.cli.parameters import Json
from audit.cli.program import app
from audit.errors import ISSUE_KINDS


@app.command(epilog="Example: audit metrics")
@reporting_errors
def metrics(*, as_json: Json = False) -> None:
    """List every metric, with formula and range."""
    from audit.metrics import METRICS

    print_entries(
        [
            {
                "slug": metric.slug,
                "title": metric.label,
                "explanation": metric.explanation,
                "formula": metric.formula,
                "range": [metric.lower, metric.upper],
                "better": "higher" if metric.greater_is_better else "lower",
                "chance": metric.baseline,
                "scored": "in every evaluation" if metric.standard else "where it is asked for",
                "source": metric.source,
            }
            for metric in METRICS.values()
        ],
        ("formula", "range", "better", "chance", "scored", "source"),
        as_json=as_json,
    )


@app.command(epilog="Example: audit flags")
@reporting_errors
def flags(*, as_json: Json = False) -> None:
    """List every flag, and when it fires."""
    from audit.flags import FLAG_KINDS

    print_entries(
        [
            {
                "slug": kind.slug,
                "title": kind.title,
                "severity": kind.severity.label,
                "explanation": kind.explanation,
            }
            for kind in FLAG_KINDS.values()
        ],
        ("severity",),
        as_json=as_json,
    )


@app.command(epilog="Example: audit issues")
@reporting_errors
def issues(*, as_json: Json = False) -> None:
    """List everything that can be wrong with files."""
    print_entries(
        [
            {
                "slug": kind.slug,
                "title": kind.title,
                "explanation": kind.explanation,
                "expected": kind.expected,
                "to do": kind.remedy,
                "rejects": kind.fatal,
            }
            for kind in ISSUE_KINDS.values()
        ],
        ("expected", "to do"),
        as_json=as_json,
    )
