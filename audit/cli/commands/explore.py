"""What else could have been meant, or could have been: other readings, class distributions, rules and properties."""

from pathlib import Path
from typing import Annotated

import typer

from audit.cli import campaign_commands
from audit.cli.output import answer, print_entries
from audit.cli.parameters import (
    DEFAULT_STORE,
    Json,
    MetricName,
    OverallRule,
    Store,
    TaskOrCampaign,
    TaskSlug,
    Track,
)
from audit.cli.program import command
from audit.errors import UsageError
from audit.text import quoted


@command("audit readings flood-posts")
def readings(
    task: Annotated[
        str | None,
        typer.Argument(metavar="[TASK]", help="Audit this task's macro F1.", show_default=False),
    ] = None,
    store: Store = DEFAULT_STORE,
    *,
    as_json: Json = False,
) -> None:
    """List readings, or audit a task's macro F1."""
    from audit import workflow
    from audit.report.macro_f1 import readings_blocks
    from audit.writers.data.command_data import macro_f1_data, preset_data

    if task is None:
        print_entries(
            preset_data(), ("reading", "differs in", "used by", "source"), as_json=as_json
        )
        return
    evaluation = workflow.read_scores(task, store)
    macro_f1 = evaluation.macro_f1
    if macro_f1 is None:
        raise UsageError(f"No entry of {quoted(task)} takes a rank.")
    answer(
        lambda: macro_f1_data(macro_f1, evaluation, whole=True),
        lambda: readings_blocks(evaluation, macro_f1),
        as_json=as_json,
    )


@command("audit identify flood-posts published.csv")
def identify(
    task: TaskSlug,
    tables: Annotated[
        list[Path],
        typer.Argument(
            metavar="TABLE…", help="CSV files: team, and columns of scores.", show_default=False
        ),
    ],
    store: Store = DEFAULT_STORE,
    *,
    as_json: Json = False,
) -> None:
    """Find which reading published scores are of."""
    from audit import workflow
    from audit.report.published import identification_blocks
    from audit.writers.data.command_data import identification_data

    found = workflow.identify_scores(task, tables, store)
    answer(
        lambda: identification_data(found), lambda: identification_blocks(found), as_json=as_json
    )


@command("audit whatif semeval2017-task4a --prevalence negative=.5,neutral=.3,positive=.2")
def whatif(  # noqa: PLR0913 - a command's parameters are its interface
    task: TaskOrCampaign,
    prevalence: Annotated[
        list[str] | None,
        typer.Option(
            "--prevalence",
            "-p",
            help="LABEL=SHARE,… or a name from task.toml; may be given several times.",
        ),
    ] = None,
    metric: MetricName = None,
    store: Store = DEFAULT_STORE,
    *,
    track: Track = None,
    by: OverallRule = None,
    as_json: Json = False,
) -> None:
    """Rank under other choices."""
    from audit import workflow
    from audit.report.distributions import map_blocks, scenario_blocks
    from audit.writers.data.command_data import shift_data

    named = workflow.resolve(task, store, track)
    if named.is_campaign:
        campaign_commands.refuse_for_tracks(prevalence=prevalence, metric=metric)
        campaign_commands.whatif(campaign_commands.read(named, store, by=by), as_json=as_json)
        return
    campaign_commands.refuse_rule(by)
    shifted = workflow.rank_shifted(named.slugs[0], store, prevalence or (), metric=metric)
    answer(
        lambda: shift_data(*shifted),
        lambda: scenario_blocks(*shifted[:3]) if prevalence else map_blocks(*shifted),
        as_json=as_json,
    )


@command("audit winners flood-posts --metrics accuracy,averaged_f1,mcc")
def winners(
    task: TaskOrCampaign,
    metrics: Annotated[
        str | None,
        typer.Option(
            "--metrics",
            help="Which metrics vote, with commas between.",
            show_default="all aggregates",
        ),
    ] = None,
    store: Store = DEFAULT_STORE,
    *,
    track: Track = None,
    as_json: Json = False,
) -> None:
    """Show who wins by each rank-aggregation rule."""
    from audit import workflow
    from audit.metrics.composites import split_at_commas
    from audit.ranking.rank_aggregation import default_voters
    from audit.report.rules import elections_blocks
    from audit.writers.data.command_data import elections_data

    named_task = workflow.resolve(task, store, track)
    if named_task.is_campaign:
        campaign_commands.refuse_for_tracks(metrics=metrics)
        campaign_commands.winners(campaign_commands.read(named_task, store), as_json=as_json)
        return
    # as those of a mean, which a parenthesis closes
    parts, _ = split_at_commas(f"{metrics or ''})", 0)
    names = [part.strip() for part in parts if part.strip()]
    evaluation = workflow.read_scores(named_task.slugs[0], store, also=names)
    named = dict.fromkeys(workflow.score_key(evaluation.task, name, None) for name in names)
    keys = tuple(named) or default_voters(evaluation.task.label_set)
    answer(
        lambda: {"task": evaluation.task.slug, **elections_data(evaluation, keys)},
        lambda: elections_blocks(evaluation, keys),
        as_json=as_json,
    )


@command("audit properties flood-posts")
def properties(task: TaskSlug, store: Store = DEFAULT_STORE, *, as_json: Json = False) -> None:
    """Show which metric has which property."""
    from audit import workflow
    from audit.report.properties import properties_blocks
    from audit.writers.data.command_data import properties_data

    evaluation = workflow.read_scores(task, store)
    answer(
        lambda: {
            "task": evaluation.task.slug,
            "properties": properties_data(evaluation.task.label_set),
        },
        lambda: properties_blocks(evaluation.task.label_set),
        as_json=as_json,
    )
