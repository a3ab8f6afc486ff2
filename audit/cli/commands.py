"""The commands. Heavy libraries are imported by the command that needs them, so that ``audit --help`` is quick."""

import gc
import sys
from enum import StrEnum
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from audit.cli.failures import BAD_INPUT, FailOn, fail_on, reporting_errors
from audit.errors import ISSUE_KINDS, UsageError
from audit.text import plural, quoted, visible
from audit.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from audit.domain import Evaluation, ScoreKey, StatedOptions
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
Outputs = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", help="The HTML file to write; a folder for several test sets.", show_default="audit-TASK.html"
    ),
]
SkipRejected = Annotated[bool, typer.Option("--skip-rejected", help="Load the rest where files are rejected.")]
Strict = Annotated[
    bool | None,
    typer.Option("--strict/--lenient", help="Reject a submission with an unanswered item, or count it as wrong."),
]
Replicates = Annotated[
    int | None,
    typer.Option(
        "--replicates", min=0, max=1_000_000, help="Replicates of item weights; they decide nothing.", show_default="0"
    ),
]
NoCertainty = Annotated[bool, typer.Option("--no-certainty", help="Leave out intervals and comparisons.")]
Seed = Annotated[int | None, typer.Option("--seed", min=0, max=2**32 - 1, help="Seed of every random draw.")]
MetricName = Annotated[
    str | None, typer.Option("--metric", "-m", help="Rank by this metric.", show_default="the official one")
]
PrevalenceName = Annotated[
    str | None, typer.Option("--prevalence", "-p", help="observed, balanced, or a name from task.toml.")
]
WithItems = Annotated[
    bool, typer.Option("--with-items", help="Show item ids and gold labels: not for a test set in use.")
]
Fail = Annotated[FailOn | None, typer.Option("--fail-on", help="Exit with 3 if a flag changes the winner, or order.")]
DEFAULT_STORE = Path("audit.db")
_OBJECTS_PER_COLLECTION = 100_000
"""Python looks for cycles after every 700 new objects, over and over through items and labels that are none."""


class Engine(StrEnum):
    """What sets the LaTeX files of an export."""

    pdflatex = "pdflatex"
    lualatex = "lualatex"


def main() -> None:
    """Run the command line."""
    gc.set_threshold(_OBJECTS_PER_COLLECTION)
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
    output: Outputs = None,
    store: Store = DEFAULT_STORE,
    *,
    skip_rejected: SkipRejected = False,
    strict: Strict = None,
    replicates: Replicates = None,
    seed: Seed = None,
    no_certainty: NoCertainty = False,
    with_items: WithItems = False,
    fail: Fail = None,
    as_json: Json = False,
) -> None:
    """Load, evaluate and report a campaign."""
    from audit import workflow
    from audit.domain import StatedOptions

    parts = _load(folder, store, skip_rejected=skip_rejected, strict=strict)
    stated = StatedOptions(replicates, seed, _certainty(left_out=no_certainty))
    evaluations = [_evaluate(loaded.task.slug, store, stated) for loaded in parts]
    paths = workflow.report_paths([evaluation.task.slug for evaluation in evaluations], output)
    for evaluation, path in zip(evaluations, paths, strict=True):
        workflow.write_report(evaluation, path, workflow.read_items(evaluation, store) if with_items else None)
    family = workflow.write_family(evaluations, paths)
    if as_json:
        _print_parts(list(map(_run_data, parts, evaluations, paths)), **_family_data(evaluations, family))
    else:
        _print_parts_loaded(parts)
        for evaluation, path in zip(evaluations, paths, strict=True):
            _print_evaluation(evaluation, evaluation.task.ranking_metric)
            typer.echo(f"\nReport: {visible(str(path), 1000)}\n")
        if family is not None:
            _print_family(evaluations, family)
    fail_on(tuple(flag for evaluation in evaluations for flag in evaluation.flags), fail)


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
def load(
    folder: Folder,
    store: Store = DEFAULT_STORE,
    *,
    skip_rejected: SkipRejected = False,
    strict: Strict = None,
    as_json: Json = False,
) -> None:
    """Put gold and submissions into the store."""
    parts = _load(folder, store, skip_rejected=skip_rejected, strict=strict)
    if as_json:
        _print_parts(list(map(_loaded_data, parts)))
        return
    _print_parts_loaded(parts)


@app.command(epilog="Example: audit evaluate flood-posts --fail-on winner")
@reporting_errors
def evaluate(  # noqa: PLR0913 - likewise
    task: TaskSlug,
    store: Store = DEFAULT_STORE,
    *,
    replicates: Replicates = None,
    seed: Seed = None,
    no_certainty: NoCertainty = False,
    fail: Fail = None,
    as_json: Json = False,
) -> None:
    """Score every team by every metric; keep it."""
    from audit.domain import StatedOptions

    evaluation = _evaluate(task, store, StatedOptions(replicates, seed, _certainty(left_out=no_certainty)))
    if as_json:
        from audit.report import evaluation_data

        _print_json(evaluation_data(evaluation))
    else:
        _print_evaluation(evaluation, evaluation.task.ranking_metric)
    fail_on(evaluation.flags, fail)


@app.command(epilog="Example: audit report flood-posts -o report.html")
@reporting_errors
def report(
    task: TaskSlug, output: Output = None, store: Store = DEFAULT_STORE, *, with_items: WithItems = False
) -> None:
    """Write the HTML report of a task."""
    from audit import workflow

    evaluation = workflow.read_evaluation(task, store)
    items = workflow.read_items(evaluation, store) if with_items else None
    path = workflow.write_report(evaluation, output or workflow.default_report(task), items)
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
    notes: Annotated[bool, typer.Option("--notes", help="Print notes in full too, not their titles only.")] = False,
    fail: Fail = None,
) -> None:
    """Print the ranking and findings of a task."""
    from audit import workflow
    from audit.cli.terminal import progress

    if as_json and as_csv:
        raise UsageError("--json and --csv exclude each other.")
    with progress("Evaluating") as on_progress:
        evaluation = workflow.read_evaluation(
            task, store, metric=metric, prevalence=prevalence, on_progress=on_progress
        )
    key = workflow.score_key(evaluation.task, metric, prevalence)
    if as_json:
        _print_json(_ranking_data(evaluation, key) | _findings_data(evaluation))
    elif as_csv:
        _print_csv(evaluation, key)
    else:
        _print_evaluation(evaluation, key, in_full=notes)
        _print_briefs(evaluation)
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

    found, name = workflow.compare_entries(task, store, (first, second), metric=metric, prevalence=prevalence)
    if as_json:
        from audit.report import pair_data

        _print_json(pair_data(found))
    else:
        from audit.cli.terminal import print_pair

        print_pair(found, name)


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
                "family": task.family,
                "part": task.part,
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
                "role": submission.role.value,
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


@app.command(epilog="Example: audit history flood-posts")
@reporting_errors
def history(task: TaskSlug, store: Store = DEFAULT_STORE, *, as_json: Json = False) -> None:
    """Show what each load of a task changed."""
    from audit.cli.history import history_data, history_lines
    from audit.store import open_store

    with open_store(store, create=False) as opened:
        events = opened.history(task)
    if as_json:
        _print_json(history_data(events))
    else:
        for line in history_lines(events):
            typer.echo(line)


@app.command(epilog="Example: audit check predictions.csv --task flood-posts")
@reporting_errors
def check(  # noqa: PLR0913 - a command's parameters are its interface
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file of predictions.", show_default=False)],
    *,
    task: Annotated[str | None, typer.Option("--task", help="Check it against this task of the store.")] = None,
    campaign: Annotated[
        Path | None, typer.Option("--campaign", help="Check it against a campaign's folder; needs no store.")
    ] = None,
    part: Annotated[
        str | None, typer.Option("--part", help="Which test set of the folder's campaign, where it has several.")
    ] = None,
    gold: Annotated[Path | None, typer.Option("--gold", help="Check it against a gold file; needs no store.")] = None,
    store: Store = DEFAULT_STORE,
    as_json: Json = False,
) -> None:
    """Check a file as a load would; score nothing."""
    from audit import workflow
    from audit.cli.checks import check_data, print_check

    if part is not None and campaign is None:
        raise UsageError("--part names a test set of the folder that --campaign names.")
    match (task, campaign, gold):
        case (str(), None, None):
            against = workflow.key_of_task(task, store)
        case (None, Path(), None):
            against = workflow.key_of_folder(campaign, part)
        case (None, None, Path()):
            against = workflow.key_of_gold(gold)
        case _:
            raise UsageError("Say what to check against: --task TASK, --campaign FOLDER or --gold FILE, one of them.")
    checked = workflow.check(file, against)
    if as_json:
        _print_json(check_data(checked, against.gold.label_set))
    else:
        print_check(checked, against.gold.label_set)
    if not checked.is_accepted:
        raise typer.Exit(BAD_INPUT)


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


@app.command(epilog="Example: audit readings flood-posts")
@reporting_errors
def readings(
    task: Annotated[
        str | None, typer.Argument(metavar="[TASK]", help="Audit this task's macro F1.", show_default=False)
    ] = None,
    store: Store = DEFAULT_STORE,
    *,
    as_json: Json = False,
) -> None:
    """List readings, or audit a task's macro F1."""
    if task is None:
        _print_presets(as_json=as_json)
        return
    from audit import workflow
    from audit.cli.terminal import print_macro_f1
    from audit.report import macro_f1_data

    evaluation = workflow.read_scores(task, store)
    found = evaluation.macro_f1
    if found is None:
        raise UsageError(f"No entry of {quoted(task)} takes a rank.")
    if as_json:
        _print_json(macro_f1_data(found, evaluation, whole=True))
    else:
        print_macro_f1(found, evaluation)


@app.command(epilog="Example: audit identify flood-posts published.csv")
@reporting_errors
def identify(
    task: TaskSlug,
    published: Annotated[
        Path, typer.Argument(metavar="PUBLISHED", help="A CSV file: team, and columns of scores.", show_default=False)
    ],
    store: Store = DEFAULT_STORE,
    *,
    as_json: Json = False,
) -> None:
    """Find which reading published scores are of."""
    from audit import workflow

    found = workflow.identify_scores(task, published, store)
    if as_json:
        from audit.report import identification_data

        _print_json(identification_data(found))
    else:
        from audit.cli.terminal import print_identification

        print_identification(found)


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

    with progress("Computing again") as on_progress:
        found = verify_bundle(bundle, inputs, on_progress=on_progress)
    for issue in found.issues:
        typer.echo(str(issue), err=True)
    if as_json:
        _print_json(verification_data(found))
    else:
        print_sentences(verification_sentences(found))
    if not found.same:
        raise typer.Exit(BAD_INPUT)


def _print_presets(*, as_json: bool) -> None:
    from audit.report import preset_data

    _print_entries(preset_data(), ("reading", "differs in", "used by", "source"), as_json=as_json)


def _load(folder: Path, store: Path, **settings: Any) -> "tuple[Loaded, ...]":  # noqa: ANN401 - those of workflow.load
    from audit import workflow
    from audit.cli.terminal import progress
    from audit.execution.processes import Processes

    with progress("Reading") as on_progress:
        return workflow.load(folder, store, executor=Processes.one_per_core(), on_progress=on_progress, **settings)


def _certainty(*, left_out: bool) -> bool | None:
    """Whether intervals are computed, where the command line says it: it can leave them out."""
    return False if left_out else None


def _evaluate(task: str, store: Path, stated: "StatedOptions") -> "Evaluation":
    from audit import workflow
    from audit.cli.terminal import progress

    with progress("Evaluating") as on_progress:
        return workflow.evaluate_task(task, store, stated, on_progress=on_progress)


def _print_parts(parts: list[dict[str, Any]], **summary: Any) -> None:  # noqa: ANN401 - whatever JSON writes
    """One test set as it is; several as a list under "parts", with what sums them up."""
    _print_json(parts[0] if len(parts) == 1 else {"parts": parts, **summary})


def _family_data(evaluations: list["Evaluation"], path: Path | None) -> dict[str, Any]:
    """What sums up several test sets; nothing for one."""
    from audit.report import family_data

    return {} if path is None else {"summary": family_data(evaluations), "report": str(path)}


def _print_family(evaluations: list["Evaluation"], path: Path) -> None:
    from audit.cli.terminal import print_family

    print_family(evaluations)
    typer.echo(f"Summary: {visible(str(path), 1000)}")


def _run_data(loaded: "Loaded", evaluation: "Evaluation", path: Path) -> dict[str, Any]:
    ranking = _ranking_data(evaluation, evaluation.task.ranking_metric)
    return _loaded_data(loaded) | ranking | {"report": str(path)}


def _loaded_data(loaded: "Loaded") -> dict[str, Any]:
    summary = loaded.summary
    return {
        "task": loaded.task.slug,
        "created": summary.created,
        "added": list(summary.added),
        "replaced": list(summary.replaced),
        "unchanged": list(summary.unchanged),
        "removed": list(summary.removed),
        "gold_changed": summary.gold_changed,
        "assumptions": list(loaded.task.assumptions),
        "ignored": list(loaded.ignored),
        "rejected": list(loaded.rejected),
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
            for issue in loaded.issues
        ],
    }


def _ranking_data(evaluation: "Evaluation", key: "ScoreKey") -> dict[str, Any]:
    from audit.report import ranking_data

    return ranking_data(evaluation, key)


def _findings_data(evaluation: "Evaluation") -> dict[str, Any]:
    from audit.report import findings_data

    return findings_data(evaluation)


def _print_briefs(evaluation: "Evaluation") -> None:
    from audit.cli.terminal import print_briefs

    print_briefs(evaluation)


def _print_parts_loaded(parts: "Sequence[Loaded]") -> None:
    """What was loaded of each test set; files that all of them ignore are told once."""
    from audit.cli.terminal import print_loaded

    told: tuple[str, ...] = ()
    for loaded in parts:
        _print_load_issues(loaded)
        ignored = () if loaded.ignored == told else loaded.ignored
        print_loaded(loaded.task.slug, loaded.summary, loaded.task.assumptions, ignored)
        told = loaded.ignored


def _print_load_issues(loaded: "Loaded") -> None:
    for issue in loaded.issues:
        typer.echo(str(issue), err=True)
    for path in loaded.rejected:
        typer.echo(f"Not loaded: {visible(path, 200)}", err=True)
    if loaded.summary.gold_changed:
        typer.echo(_gold_replaced(loaded), err=True)


def _gold_replaced(loaded: "Loaded") -> str:
    gone = plural(loaded.summary.n_retired, "submission")
    task = quoted(loaded.task.slug)
    return f"The gold of {task} was replaced: {gone} of the former gold went into history (audit history)."


def _print_evaluation(evaluation: "Evaluation", key: "ScoreKey", *, in_full: bool = False) -> None:
    from audit.cli.terminal import print_evaluation

    print_evaluation(evaluation, key, in_full=in_full)


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
    rows = [[_cell(name, value) for name, value in record.items()] for record in records]
    numeric = frozenset(column for column, value in enumerate(records[0].values()) if isinstance(value, int))
    print_table(list(records[0]), rows, numeric)


def _cell(name: str, value: object) -> str:
    """A value of a record as people read it."""
    from audit.cli.history import time_text

    if value is None:
        return ""
    if name in {"loaded", "replaced"}:
        return time_text(str(value))
    return f"{value:,}" if isinstance(value, int) else str(value)


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
