"""The commands. Heavy libraries are imported by the command that needs them, so that ``audit --help`` is quick."""

import sys
from enum import StrEnum
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from audit.cli.failures import BAD_INPUT, FailOn, fail_on, reporting_errors
from audit.errors import ISSUE_KINDS, UsageError
from audit.text import visible
from audit.version import __version__

if TYPE_CHECKING:
    from audit.domain import Evaluation, ScoreKey
    from audit.workflow import Loaded

app = typer.Typer(
    name="audit",
    help="Audit the leaderboard of a classification shared task.",
    epilog="Example: audit run sample_submissions/flood-posts. Exit codes: 0 done, 1 bad input or store, "
    "2 wrong usage, 3 --fail-on fired, 130 interrupted.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)

Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="The campaign's folder.", show_default=False)]
TaskSlug = Annotated[str, typer.Argument(metavar="TASK", help="The task's slug in the store.", show_default=False)]
Store = Annotated[Path, typer.Option("--store", envvar="AUDIT_STORE", help="The SQLite file that keeps everything.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="The HTML file to write.", show_default="audit-TASK.html")
]
SkipRejected = Annotated[bool, typer.Option("--skip-rejected", help="Load the rest where files are rejected.")]
Strict = Annotated[
    bool | None,
    typer.Option("--strict/--lenient", help="Reject a submission with an unanswered item, or count it as wrong."),
]
Replicates = Annotated[
    int | None,
    typer.Option("--replicates", min=0, max=1_000_000, help="Bootstrap replicates; 0 for no intervals and rank sets."),
]
Seed = Annotated[int | None, typer.Option("--seed", min=0, max=2**32 - 1, help="Seed of every random draw.")]
MetricName = Annotated[
    str | None, typer.Option("--metric", "-m", help="Rank by this metric.", show_default="the official one")
]
PrevalenceName = Annotated[
    str | None, typer.Option("--prevalence", "-p", help="observed, balanced, or a name from task.toml.")
]
Fail = Annotated[FailOn | None, typer.Option("--fail-on", help="Exit with 3 if a flag changes the winner, or order.")]
DEFAULT_STORE = Path("audit.db")


class Engine(StrEnum):
    """What sets the LaTeX files of an export."""

    pdflatex = "pdflatex"
    lualatex = "lualatex"


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # what the encoding lacks is shown as an escape
            stream.reconfigure(errors="backslashreplace")
    app()


def _version(*, wanted: bool) -> None:
    if wanted:
        typer.echo(f"audit {__version__}")
        raise typer.Exit


@app.callback()
def _global(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=lambda value: _version(wanted=value), is_eager=True, help="Version.")
    ] = False,
) -> None:
    pass


@app.command(epilog="Example: audit run sample_submissions/flood-posts -o report.html")
@reporting_errors
def run(  # noqa: PLR0913 - a command's parameters are its interface
    folder: Folder,
    output: Output = None,
    store: Store = DEFAULT_STORE,
    *,
    skip_rejected: SkipRejected = False,
    strict: Strict = None,
    replicates: Replicates = None,
    seed: Seed = None,
    fail: Fail = None,
    as_json: Json = False,
) -> None:
    """Load, evaluate and report a campaign."""
    from audit import workflow

    loaded = _load(folder, store, skip_rejected=skip_rejected, strict=strict, n_replicates=replicates, seed=seed)
    evaluation = _evaluate(loaded.campaign.task.slug, store)
    report_path = workflow.write_report(evaluation, output or workflow.default_report(evaluation.task.slug))
    if as_json:
        ranking = _ranking_data(evaluation, evaluation.task.ranking_metric)
        _print_json(_loaded_data(loaded) | ranking | {"report": str(report_path)})
    else:
        _print_loaded(loaded)
        _print_evaluation(evaluation, evaluation.task.ranking_metric)
        typer.echo(f"Report: {visible(str(report_path), 1000)}")
    fail_on(evaluation.flags, fail)


@app.command(epilog="Example: audit init my-campaign && audit run my-campaign")
@reporting_errors
def init(
    folder: Folder, *, force: Annotated[bool, typer.Option("--force", help="Overwrite a task.toml.")] = False
) -> None:
    """Draft a commented task.toml for a folder."""
    from audit import workflow

    path = workflow.draft(folder, overwrite=force)
    then = f"audit run {visible(str(folder), 1000)}"
    typer.echo(f"Written: {visible(str(path), 1000)}. Read it, decide what it leaves open, then: {then}")


@app.command(epilog="Example: audit sample flood-posts && audit run flood-posts")
@reporting_errors
def sample(
    name: Annotated[str, typer.Argument(metavar="NAME", help="flood-posts or semeval2017-task4a.")] = "flood-posts",
) -> None:
    """Copy a sample campaign to try the audit on."""
    from audit import workflow

    folder = workflow.copy_sample(name, Path.cwd())
    typer.echo(f"Copied to {visible(str(folder), 1000)}. Its README.md tells the story. Now: audit run {folder.name}")


@app.command(epilog="Example: audit load sample_submissions/flood-posts --store flood.db")
@reporting_errors
def load(  # noqa: PLR0913 - likewise
    folder: Folder,
    store: Store = DEFAULT_STORE,
    *,
    skip_rejected: SkipRejected = False,
    strict: Strict = None,
    replicates: Replicates = None,
    seed: Seed = None,
    as_json: Json = False,
) -> None:
    """Put gold and submissions into the store."""
    loaded = _load(folder, store, skip_rejected=skip_rejected, strict=strict, n_replicates=replicates, seed=seed)
    if as_json:
        _print_json(_loaded_data(loaded))
    else:
        _print_loaded(loaded)
        typer.echo(f"Task: {visible(loaded.campaign.task.slug, 200)}")


@app.command(epilog="Example: audit evaluate flood-posts --fail-on winner")
@reporting_errors
def evaluate(task: TaskSlug, store: Store = DEFAULT_STORE, *, fail: Fail = None, as_json: Json = False) -> None:
    """Score every team by every metric; keep it."""
    evaluation = _evaluate(task, store)
    if as_json:
        from audit.report import evaluation_data

        _print_json(evaluation_data(evaluation))
    else:
        _print_evaluation(evaluation, evaluation.task.ranking_metric)
    fail_on(evaluation.flags, fail)


@app.command(epilog="Example: audit report flood-posts -o report.html")
@reporting_errors
def report(task: TaskSlug, output: Output = None, store: Store = DEFAULT_STORE) -> None:
    """Write the HTML report of a task."""
    from audit import workflow

    path = workflow.write_report(workflow.read_evaluation(task, store), output or workflow.default_report(task))
    typer.echo(f"Report: {visible(str(path), 1000)}")


@app.command(epilog="Example: audit show flood-posts --metric f1_of_averages --prevalence balanced")
@reporting_errors
def show(  # noqa: PLR0913 - a command's parameters are its interface
    task: TaskSlug,
    metric: MetricName = None,
    prevalence: PrevalenceName = None,
    store: Store = DEFAULT_STORE,
    *,
    as_json: Json = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print every metric of every team as CSV.")] = False,
    fail: Fail = None,
) -> None:
    """Print the ranking and the flags of a task."""
    from audit import workflow
    from audit.cli.terminal import progress

    if as_json and as_csv:
        raise UsageError("--json and --csv exclude each other.")
    with progress("Resampling") as on_progress:
        evaluation = workflow.read_evaluation(
            task, store, metric=metric, prevalence=prevalence, on_progress=on_progress
        )
    key = workflow.score_key(evaluation.task, metric, prevalence)
    if as_json:
        _print_json(_ranking_data(evaluation, key))
    elif as_csv:
        _print_csv(evaluation, key)
    else:
        _print_evaluation(evaluation, key)
    fail_on(evaluation.flags, fail)


@app.command(epilog="Example: audit compare flood-posts Kingfisher Plumbline --metric f1_of_averages")
@reporting_errors
def compare(  # noqa: PLR0913 - likewise
    task: TaskSlug,
    first: Annotated[str, typer.Argument(metavar="FIRST", help="A team, or TEAM/RUN.", show_default=False)],
    second: Annotated[str, typer.Argument(metavar="SECOND", help="Another one.", show_default=False)],
    *,
    metric: MetricName = None,
    prevalence: PrevalenceName = None,
    store: Store = DEFAULT_STORE,
    as_json: Json = False,
) -> None:
    """Compare two teams by one metric."""
    from audit import workflow

    found = workflow.compare_entries(task, store, (first, second), metric=metric, prevalence=prevalence)
    if as_json:
        from audit.report import pair_data

        _print_json(pair_data(found))
    else:
        from audit.cli.terminal import print_pair

        print_pair(found)


@app.command(epilog="Example: audit tasks --json")
@reporting_errors
def tasks(store: Store = DEFAULT_STORE, *, as_json: Json = False) -> None:
    """List the tasks in the store."""
    from audit.store import open_store

    with open_store(store, create=False) as opened:
        found = opened.tasks()
    _print_records(
        [
            {
                "task": task.slug,
                "title": task.title,
                "items": task.n_items,
                "classes": task.n_classes,
                "submissions": task.n_submissions,
                "official_metric": str(task.official_metric) if task.official_metric else None,
                "loaded": task.loaded_at,
            }
            for task in found
        ],
        as_json=as_json,
    )


@app.command(epilog="Example: audit submissions flood-posts")
@reporting_errors
def submissions(task: TaskSlug, store: Store = DEFAULT_STORE, *, as_json: Json = False) -> None:
    """List a task's submissions, past ones too."""
    from audit.store import open_store

    with open_store(store, create=False) as opened:
        found = opened.submissions(task)
    _print_records(
        [
            {
                "team": submission.team,
                "run": submission.run,
                "file": submission.path,
                "sha256": submission.sha256 if as_json else (submission.sha256 or "")[:12],
                "missing": submission.n_missing,
                "unusable": submission.n_unusable,
                "loaded": submission.loaded_at,
                "replaced": submission.replaced_at,
            }
            for submission in found
        ],
        as_json=as_json,
    )


@app.command(epilog="Example: audit metrics")
@reporting_errors
def metrics(*, as_json: Json = False) -> None:
    """List every metric, with formula and range."""
    from audit.metrics import METRICS

    _print_entries(
        [
            {
                "slug": metric.slug,
                "title": metric.label,
                "explanation": metric.explanation,
                "formula": metric.formula,
                "range": [metric.lower, metric.upper],
                "chance": metric.baseline,
                "source": metric.source,
            }
            for metric in METRICS.values()
        ],
        ("formula", "range", "chance", "source"),
        as_json=as_json,
    )


@app.command(epilog="Example: audit flags")
@reporting_errors
def flags(*, as_json: Json = False) -> None:
    """List every flag, and when it fires."""
    from audit.flags import FLAG_KINDS

    _print_entries(
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
    _print_entries(
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


@app.command(epilog="Example: audit export flood-posts flood-posts-paper")
@reporting_errors
def export(  # noqa: PLR0913 - a command's parameters are its interface
    task: TaskSlug,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder to write.", show_default=False)],
    store: Store = DEFAULT_STORE,
    *,
    engine: Annotated[Engine, typer.Option("--engine", help="What will set the LaTeX files.")] = Engine.pdflatex,
    figures: Annotated[bool, typer.Option("--figures/--no-figures", help="Draw figures as PDF and SVG.")] = True,
    include_inputs: Annotated[
        bool, typer.Option("--include-inputs", help="Put gold and submissions into bundle.zip.")
    ] = False,
    with_items: Annotated[
        bool, typer.Option("--with-items", help="Write item ids and gold labels: not for a test set in use.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace an earlier export.")] = False,
) -> None:
    """Write all for a paper and for machines."""
    from audit import workflow
    from audit.cli.terminal import progress
    from audit.report.bundle import ExportOptions

    options = ExportOptions(engine.value, figures=figures, include_inputs=include_inputs, with_items=with_items)
    with progress("Drawing") as on_progress:
        path = workflow.export_task(task, folder, store, options, overwrite=force, on_progress=on_progress)
    typer.echo(f"Written: {visible(str(path), 1000)}. Its README.txt says what each file is.")


@app.command(epilog="Example: audit verify bundle.zip --inputs my-campaign")
@reporting_errors
def verify(
    bundle: Annotated[Path, typer.Argument(metavar="BUNDLE", help="A bundle.zip.", show_default=False)],
    inputs: Annotated[
        Path | None,
        typer.Option("--inputs", help="The campaign's folder.", show_default="the inputs in the bundle, if any"),
    ] = None,
    *,
    as_json: Json = False,
) -> None:
    """Compute a bundle's numbers again; compare."""
    from audit.cli.terminal import print_sentences, progress
    from audit.verification import verification_data, verification_sentences, verify_bundle

    with progress("Resampling") as on_progress:
        found = verify_bundle(bundle, inputs, on_progress=on_progress)
    for issue in found.issues:
        typer.echo(str(issue), err=True)
    if as_json:
        _print_json(verification_data(found))
    else:
        print_sentences(verification_sentences(found))
    if not found.same:
        raise typer.Exit(BAD_INPUT)


def _load(folder: Path, store: Path, **settings: Any) -> "Loaded":  # noqa: ANN401 - those of workflow.load
    from audit import workflow
    from audit.cli.terminal import progress

    with progress("Reading") as on_progress:
        return workflow.load(folder, store, on_progress=on_progress, **settings)


def _evaluate(task: str, store: Path) -> "Evaluation":
    from audit import workflow
    from audit.cli.terminal import progress

    with progress("Resampling") as on_progress:
        return workflow.evaluate_task(task, store, on_progress=on_progress)


def _loaded_data(loaded: "Loaded") -> dict[str, Any]:
    summary, campaign = loaded.summary, loaded.campaign
    return {
        "task": campaign.task.slug,
        "created": summary.created,
        "added": list(summary.added),
        "replaced": list(summary.replaced),
        "unchanged": list(summary.unchanged),
        "removed": list(summary.removed),
        "assumptions": list(campaign.task.assumptions),
        "ignored": list(campaign.ignored),
        "rejected": [rejection.path for rejection in campaign.rejections],
        "issues": [
            {
                "slug": issue.slug,
                "file": issue.file,
                "lines": list(issue.lines),
                "count": issue.count,
                "found": issue.found,
                "items": issue.items,
                "expected": issue.expected,
                "to_do": issue.remedy,
            }
            for issue in campaign.issues
        ],
    }


def _ranking_data(evaluation: "Evaluation", key: "ScoreKey") -> dict[str, Any]:
    from audit.report import ranking_data

    return ranking_data(evaluation, key)


def _print_loaded(loaded: "Loaded") -> None:
    from audit.cli.terminal import print_loaded

    for issue in loaded.campaign.issues:
        typer.echo(str(issue), err=True)
    for rejection in loaded.campaign.rejections:
        typer.echo(f"Not loaded: {visible(rejection.path, 200)}", err=True)
    print_loaded(loaded.summary, loaded.campaign.task.assumptions, loaded.campaign.ignored)


def _print_evaluation(evaluation: "Evaluation", key: "ScoreKey") -> None:
    from audit.cli.terminal import print_flags, print_ranking

    print_ranking(evaluation, key)
    print_flags(evaluation.flags)


def _print_csv(evaluation: "Evaluation", key: "ScoreKey") -> None:
    from audit.report import scores_csv

    keys = [other for other in evaluation.keys if other.prevalence == key.prevalence]
    typer.echo(scores_csv(evaluation, keys, by=key), nl=False)


def _print_json(data: object) -> None:
    from audit.report import to_json

    typer.echo(to_json(data), nl=False)


def _print_records(records: list[dict[str, Any]], *, as_json: bool) -> None:
    """Records of one shape as a table, or as JSON."""
    if as_json:
        _print_json(records)
        return
    from audit.cli.terminal import print_table

    if not records:
        typer.echo("Nothing here yet. Load a campaign: audit load FOLDER")
        return
    rows = [["" if value is None else str(value) for value in record.values()] for record in records]
    numeric = frozenset(column for column, value in enumerate(records[0].values()) if isinstance(value, int))
    print_table(list(records[0]), rows, numeric)


def _print_entries(entries: list[dict[str, Any]], details: tuple[str, ...], *, as_json: bool) -> None:
    """Entries of a registry: slug and title, the explanation, then the details one a line."""
    if as_json:
        _print_json(entries)
        return
    for entry in entries:
        typer.echo(f"{entry['slug']}: {entry['title']}\n    {entry['explanation']}")
        for name in details:
            typer.echo(f"    {name}: {entry[name]}")
        typer.echo()
