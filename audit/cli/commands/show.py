"""What the store knows of a task: its ranking, two of its teams, its submissions and loads."""

from typing import TYPE_CHECKING, Annotated

import typer

from audit.cli.failures import fail_on, reporting_errors
from audit.cli.output import print_json, print_records
from audit.cli.parameters import (
    DEFAULT_STORE,
    ClusterAddress,
    Fail,
    Json,
    MetricName,
    Notes,
    PrevalenceName,
    Store,
    TaskSlug,
)
from audit.cli.program import app
from audit.cli.steps import executor_of
from audit.errors import UsageError

if TYPE_CHECKING:
    from audit.domain import Evaluation, ScoreKey


@app.command(epilog="Example: audit show flood-posts --metric f1_of_averages --prevalence balanced")
@reporting_errors
def show(  # noqa: PLR0913 - a command's parameters are its interface
    task: Annotated[
        str | None,
        typer.Argument(metavar="[TASK]", help="The task's slug in the store; the only task if there is one."),
    ] = None,
    metric: MetricName = None,
    prevalence: PrevalenceName = None,
    store: Store = DEFAULT_STORE,
    *,
    part: Annotated[
        str | None,
        typer.Option("--slice", metavar="COLUMN[=VALUE]", help="One part of the test set, or all by one column."),
    ] = None,
    as_json: Json = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print every metric of every team as CSV.")] = False,
    notes: Notes = False,
    cluster: ClusterAddress = None,
    fail: Fail = None,
) -> None:
    """Print the ranking and findings of a task."""
    from audit import workflow
    from audit.cli.progress_bar import progress_bar
    from audit.questions.report import question_blocks
    from audit.questions.short import show_blocks
    from audit.writers.terminal import write

    if as_json and as_csv:
        raise UsageError("--json and --csv exclude each other.")
    slug = task or workflow.only_task(store)
    with progress_bar() as on_step:
        evaluation = workflow.read_evaluation(
            slug,
            store,
            metric=metric,
            prevalence=prevalence,
            executor=executor_of(cluster),
            on_step=on_step,
        )
    key = workflow.score_key(evaluation.task, metric, prevalence)
    if part is not None:
        _show_slice(evaluation, key, part, as_json=as_json, as_csv=as_csv)
    elif as_json:
        from audit.writers.data.export import findings_data, ranking_data

        print_json(ranking_data(evaluation, key) | findings_data(evaluation))
    elif as_csv:
        _print_csv(evaluation, key)
    else:
        write(*show_blocks(evaluation, key, in_full=notes), *question_blocks(evaluation))
    fail_on(evaluation.flags, fail)


@app.command(epilog="Example: audit compare flood-posts Kingfisher Plumbline --metric f1_of_averages")
@reporting_errors
def compare(  # noqa: PLR0913 - a command's parameters are its interface
    task: TaskSlug,
    first: Annotated[str, typer.Argument(metavar="FIRST", help="A team, or TEAM/RUN.", show_default=False)],
    second: Annotated[str, typer.Argument(metavar="SECOND", help="Another one.", show_default=False)],
    *,
    metric: MetricName = None,
    prevalence: PrevalenceName = None,
    store: Store = DEFAULT_STORE,
    cluster: ClusterAddress = None,
    as_json: Json = False,
) -> None:
    """Compare two teams by one metric."""
    from audit import workflow

    pair, name = workflow.compare_entries(
        task, store, (first, second), metric=metric, prevalence=prevalence, executor=executor_of(cluster)
    )
    if as_json:
        from audit.writers.data.export import pair_data

        print_json(pair_data(pair))
    else:
        from audit.document import Paragraph
        from audit.questions.pairs import pair_sentences
        from audit.writers.terminal import write

        write(*(Paragraph(sentence, "lead") for sentence in pair_sentences(pair, name)))


@app.command(epilog="Example: audit tasks --json")
@reporting_errors
def tasks(store: Store = DEFAULT_STORE, *, as_json: Json = False) -> None:
    """List the tasks in the store."""
    from audit.store import open_store

    with open_store(store, create=False) as opened:
        summaries = opened.tasks()
    print_records(
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
            for task in summaries
        ],
        as_json=as_json,
    )


@app.command(epilog="Example: audit submissions flood-posts")
@reporting_errors
def submissions(task: TaskSlug, store: Store = DEFAULT_STORE, *, as_json: Json = False) -> None:
    """List a task's submissions, past ones too."""
    from audit.store import open_store

    with open_store(store, create=False) as opened:
        summaries = opened.submissions(task)
    print_records(
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
            for submission in summaries
        ],
        as_json=as_json,
    )


@app.command(epilog="Example: audit history flood-posts")
@reporting_errors
def history(task: TaskSlug, store: Store = DEFAULT_STORE, *, as_json: Json = False) -> None:
    """Show what each load of a task changed."""
    from audit.cli.load_log import history_data, history_lines
    from audit.store import open_store

    with open_store(store, create=False) as opened:
        events = opened.history(task)
    if as_json:
        print_json(history_data(events))
    else:
        for line in history_lines(events):
            typer.echo(line)


def _print_csv(evaluation: "Evaluation", key: "ScoreKey") -> None:
    from audit.writers.data.export import scores_csv

    keys = [other for other in evaluation.keys if other.prevalence == key.prevalence]
    typer.echo(scores_csv(evaluation, keys, by=key), nl=False)


def _show_slice(evaluation: "Evaluation", key: "ScoreKey", named: str, *, as_json: bool, as_csv: bool) -> None:
    from audit.domain import find_slice
    from audit.questions.slices import slice_blocks, sliced_blocks
    from audit.writers.bundle.sheets import sliced_csv
    from audit.writers.data.plain import slice_data, sliced_data
    from audit.writers.terminal import write

    sliced, part = find_slice(evaluation.slices, named)
    if as_json:
        print_json(sliced_data(evaluation, sliced) if part is None else slice_data(evaluation, part))
    elif as_csv:
        typer.echo(sliced_csv(evaluation, sliced, part), nl=False)
    elif part is None:
        write(*sliced_blocks(evaluation, key, sliced))
    else:
        write(*slice_blocks(evaluation, key, part))
