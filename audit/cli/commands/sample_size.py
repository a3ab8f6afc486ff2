"""The command that says what a test set can tell, and before there is one, how large it must be."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from audit.cli.failures import reporting_errors
from audit.cli.output import print_json
from audit.cli.parameters import DEFAULT_STORE, ClusterAddress, Json, MetricName, PrevalenceName, Store
from audit.cli.program import app
from audit.cli.steps import executor_of
from audit.errors import UsageError


class Rows(StrEnum):
    """What stands in the rows of a confusion file."""

    gold = "gold"
    predicted = "predicted"


@app.command(epilog="Example: audit power flood-posts && audit power --pilot confusion.csv --difference .02 --teams 20")
@reporting_errors
def power(  # noqa: PLR0913 - a command's parameters are its interface
    task: Annotated[
        str | None, typer.Argument(metavar="[TASK]", help="The task's slug in the store.", show_default=False)
    ] = None,
    metric: MetricName = None,
    prevalence: PrevalenceName = None,
    store: Store = DEFAULT_STORE,
    *,
    pilot: Annotated[
        list[Path] | None,
        typer.Option("--pilot", help="Before a campaign: a file with a system's confusion; may be given twice."),
    ] = None,
    difference: Annotated[
        float | None,
        typer.Option("--difference", help="Which true difference is to be found.", show_default="that of two pilots"),
    ] = None,
    teams: Annotated[
        int, typer.Option("--teams", min=2, max=1000, help="How many teams will be compared in all pairs.")
    ] = 20,
    rows: Annotated[
        Rows | None, typer.Option("--rows", help="What stands in the rows of the confusion.", show_default="gold")
    ] = None,
    cluster: ClusterAddress = None,
    as_json: Json = False,
) -> None:
    """Say what a test set can tell."""
    if pilot:
        if task is not None:
            raise UsageError("A plan is made from --pilot files alone: a task is told about without them.")
        _plan(pilot, metric, prevalence, difference, teams, rows, as_json=as_json)
        return
    if task is None or difference is not None or rows is not None:
        raise UsageError("Name a task, or one or two --pilot files; --difference and --rows go with these.")
    from audit import workflow
    from audit.questions.power import power_blocks
    from audit.writers.data.power_data import power_data
    from audit.writers.terminal import write

    evaluation = workflow.read_evaluation(
        task, store, metric=metric, prevalence=prevalence, executor=executor_of(cluster)
    )
    key = workflow.score_key(evaluation.task, metric, prevalence)
    if as_json:
        print_json(power_data(evaluation, key))
    else:
        write(*power_blocks(evaluation, key))


def _plan(  # noqa: PLR0913, PLR0917 - what the command was told
    pilot: list[Path],
    metric: str | None,
    prevalence: str | None,
    difference: float | None,
    teams: int,
    rows: Rows | None,
    *,
    as_json: bool,
) -> None:
    """How many items a difference needs, from the confusions of a pilot."""
    from audit import workflow
    from audit.questions.power import plan_blocks
    from audit.writers.data.power_data import plan_data
    from audit.writers.terminal import write

    planned = workflow.plan_items(
        pilot,
        metric=metric,
        prevalence=prevalence,
        difference=difference,
        n_teams=teams,
        rows=None if rows is None else rows.value,
    )
    if as_json:
        print_json(plan_data(planned.plan, planned.label_set, planned.files))
    else:
        write(*plan_blocks(planned.plan, planned.label_set, planned.files))
