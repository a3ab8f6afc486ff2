"""What a test set can tell; and what confusions alone do: how large it must be, and the scores of one matrix."""

from pathlib import Path
from typing import Annotated

import typer

from audit.cli import campaign_commands
from audit.cli.output import answer
from audit.cli.parameters import (
    DEFAULT_STORE,
    ClusterAddress,
    Json,
    MetricName,
    OverallRule,
    PrevalenceName,
    RowsOf,
    Store,
    Track,
)
from audit.cli.program import command
from audit.cli.steps import executor_of
from audit.errors import UsageError


@command("audit power flood-posts && audit power --pilot confusion.csv --difference .02 --teams 20")
def power(  # noqa: PLR0913 - a command's parameters are its interface
    task: Annotated[
        str | None,
        typer.Argument(metavar="[TASK]", help="The task's slug in the store.", show_default=False),
    ] = None,
    metric: MetricName = None,
    prevalence: PrevalenceName = None,
    store: Store = DEFAULT_STORE,
    *,
    pilot: Annotated[
        list[Path] | None,
        typer.Option(
            "--pilot",
            help="Before a campaign: a file with a system's confusion; may be given twice.",
        ),
    ] = None,
    difference: Annotated[
        float | None,
        typer.Option(
            "--difference",
            help="Which true difference is to be found.",
            show_default="that of two pilots",
        ),
    ] = None,
    teams: Annotated[
        int,
        typer.Option(
            "--teams", min=2, max=1000, help="How many teams will be compared in all pairs."
        ),
    ] = 20,
    rows: RowsOf = None,
    track: Track = None,
    by: OverallRule = None,
    cluster: ClusterAddress = None,
    as_json: Json = False,
) -> None:
    """Say what test sets can tell."""
    from audit import workflow
    from audit.report.power import plan_blocks, power_blocks
    from audit.writers.data.command_data import plan_data, power_data

    if pilot:
        if task is not None:
            raise UsageError(
                "A plan is made from --pilot files alone: a task is told about without them."
            )
        plan = workflow.plan_items(
            pilot,
            metric=metric,
            prevalence=prevalence,
            difference=difference,
            n_teams=teams,
            rows=rows,
        )
        answer(lambda: plan_data(*plan), lambda: plan_blocks(*plan), as_json=as_json)
        return
    if task is None or difference is not None or rows is not None:
        raise UsageError(
            "Name a task, or one or two --pilot files; --difference and --rows go with these."
        )
    named = workflow.resolve(task, store, track)
    if named.is_campaign:
        campaign_commands.refuse_for_tracks(metric=metric, prevalence=prevalence)
        found = campaign_commands.read(named, store, cluster, by)
        campaign_commands.power(found, as_json=as_json)
        return
    campaign_commands.refuse_rule(by)
    evaluation = workflow.read_evaluation(
        named.slugs[0], store, metric=metric, prevalence=prevalence, executor=executor_of(cluster)
    )
    key = workflow.score_key(evaluation.task, metric, prevalence)
    answer(
        lambda: power_data(evaluation, key), lambda: power_blocks(evaluation, key), as_json=as_json
    )


@command("audit score confusion.csv && audit score confusion.csv --rows gold --metric mcc --json")
def score(
    confusion: Annotated[
        Path,
        typer.Argument(
            metavar="CONFUSION", help="A file with a confusion matrix.", show_default=False
        ),
    ],
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            "-m",
            help="Only this score; may be given several times.",
            show_default="every one",
        ),
    ] = None,
    *,
    rows: RowsOf = None,
    as_json: Json = False,
) -> None:
    """Score one confusion matrix."""
    from audit import workflow
    from audit.report.matrix_scores import matrix_blocks
    from audit.writers.data.command_data import confusion_data

    scores, said_by = workflow.score_file(confusion, metrics=metric or [], rows=rows)
    answer(
        lambda: {"file": confusion.name, "orientation_said_by": said_by, **confusion_data(scores)},
        lambda: matrix_blocks(confusion.name, scores, axis_said=said_by != "default"),
        as_json=as_json,
    )
