"""What the store knows of a task: its ranking, two of its teams, what a change did to it, its submissions and loads."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from audit.cli import campaign_commands
from audit.cli.failures import fail_on
from audit.cli.output import answer, print_evaluation, print_json, print_records, progress_bar
from audit.cli.parameters import (
    DEFAULT_STORE,
    Aliases,
    ClusterAddress,
    Fail,
    GoldFile,
    GroupColumn,
    ItemId,
    Json,
    KindOfTask,
    LabelColumn,
    MetricName,
    NamePattern,
    Notes,
    OfficialMetric,
    OfScale,
    OverallRule,
    PrevalenceName,
    RankedRuns,
    SkipRejected,
    Store,
    TaskOrCampaign,
    TaskSlug,
    Track,
)
from audit.cli.program import command
from audit.cli.steps import executor_of, refuse_without_gold, said_of
from audit.errors import UsageError

if TYPE_CHECKING:
    from audit.formats.door.opening import Opening

_SIDE = "number of a load, as audit history counts them, or a campaign's folder"


@command("audit show flood-posts --metric f1_of_averages --prevalence balanced")
def show(  # noqa: PLR0913 - a command's parameters are its interface
    task: Annotated[
        str | None,
        typer.Argument(
            metavar="[TASK]", help="The slug of a task or campaign; the only one if there is one."
        ),
    ] = None,
    metric: MetricName = None,
    prevalence: PrevalenceName = None,
    store: Store = DEFAULT_STORE,
    *,
    part: Annotated[
        str | None,
        typer.Option(
            "--slice",
            metavar="COLUMN[=VALUE]",
            help="One part of the test set, or all by one column.",
        ),
    ] = None,
    as_json: Json = False,
    as_csv: Annotated[
        bool, typer.Option("--csv", help="Print every metric of every team as CSV.")
    ] = False,
    track: Track = None,
    by: OverallRule = None,
    tracks: Annotated[
        bool, typer.Option("--tracks", help="List the tracks of a campaign.")
    ] = False,
    notes: Notes = False,
    cluster: ClusterAddress = None,
    fail: Fail = None,
) -> None:
    """Print ranking and findings."""
    from audit import workflow
    from audit.domain import find_slice
    from audit.report.page import question_blocks
    from audit.report.short import show_blocks
    from audit.report.slices import slice_blocks, sliced_blocks
    from audit.writers.bundle.sheets import slices_csv
    from audit.writers.data.export import findings_data, ranking_data, scores_csv
    from audit.writers.data.plain import slice_data, sliced_data

    if as_json and as_csv:
        raise UsageError("--json and --csv exclude each other.")
    named = workflow.resolve(task, store, track)
    if named.is_campaign:
        campaign_commands.refuse_for_tracks(
            metric=metric, prevalence=prevalence, slice=part, notes=notes
        )
        found = campaign_commands.read(named, store, cluster, by)
        campaign_commands.show(found, store, tracks=tracks, as_json=as_json, as_csv=as_csv)
        fail_on(tuple(flag for evaluation in found.evaluations for flag in evaluation.flags), fail)
        return
    campaign_commands.refuse_rule(by)
    (slug,) = named.slugs
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
    if part is None:
        sliced = None
        one = None
    else:
        sliced, one = find_slice(evaluation.slices, part)
    if as_csv and sliced:
        typer.echo(slices_csv(evaluation, [sliced], one), nl=False)
    elif as_csv:
        keys = [other for other in evaluation.keys if other.prevalence == key.prevalence]
        typer.echo(scores_csv(evaluation, keys, by=key), nl=False)
    elif sliced:
        answer(
            lambda: slice_data(evaluation, one) if one else sliced_data(evaluation, sliced),
            lambda: (
                slice_blocks(evaluation, key, one)
                if one
                else sliced_blocks(evaluation, key, sliced)
            ),
            as_json=as_json,
        )
    elif as_json or notes:
        answer(
            lambda: ranking_data(evaluation, key) | findings_data(evaluation),
            lambda: (*show_blocks(evaluation, key), *question_blocks(evaluation)),
            as_json=as_json,
        )
    else:
        print_evaluation(evaluation, key, store)
    fail_on(evaluation.flags, fail)


@command("audit compare flood-posts Kingfisher Plumbline --metric f1_of_averages")
def compare(  # noqa: PLR0913 - a command's parameters are its interface
    task: TaskOrCampaign,
    first: Annotated[
        str, typer.Argument(metavar="FIRST", help="A team, or TEAM/RUN.", show_default=False)
    ],
    second: Annotated[
        str, typer.Argument(metavar="SECOND", help="Another one.", show_default=False)
    ],
    *,
    metric: MetricName = None,
    prevalence: PrevalenceName = None,
    store: Store = DEFAULT_STORE,
    track: Track = None,
    by: OverallRule = None,
    cluster: ClusterAddress = None,
    as_json: Json = False,
) -> None:
    """Compare two teams."""
    from audit import workflow
    from audit.document import Paragraph
    from audit.report.pairs import pair_sentences
    from audit.writers.data.export import pair_data

    named = workflow.resolve(task, store, track)
    if named.is_campaign:
        campaign_commands.refuse_for_tracks(metric=metric, prevalence=prevalence)
        found = campaign_commands.read(named, store, cluster, by)
        campaign_commands.compare(found, first, second, as_json=as_json)
        return
    campaign_commands.refuse_rule(by)
    pair, name = workflow.compare_entries(
        named.slugs[0],
        store,
        (first, second),
        metric=metric,
        prevalence=prevalence,
        executor=executor_of(cluster),
    )
    answer(
        lambda: pair_data(pair),
        lambda: (Paragraph(sentence, "lead") for sentence in pair_sentences(pair, name)),
        as_json=as_json,
    )


@command("audit diff flood-posts && audit diff flood-posts 1 3 --json")
def diff(  # noqa: PLR0913 - a command's parameters are its interface
    task: TaskOrCampaign,
    sides: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[OLD] [NEW]",
            help=f"Before and now: {_SIDE}; with --gold the submissions as they are now.",
            show_default="the last two loads",
        ),
    ] = None,
    store: Store = DEFAULT_STORE,
    *,
    gold: GoldFile = None,
    item_id: ItemId = None,
    label: LabelColumn = None,
    kind: KindOfTask = None,
    scale: OfScale = None,
    group: GroupColumn = None,
    official_metric: OfficialMetric = None,
    runs: RankedRuns = None,
    alias: Aliases = None,
    name: NamePattern = None,
    skip_rejected: SkipRejected = False,
    track: Track = None,
    cluster: ClusterAddress = None,
    as_json: Json = False,
) -> None:
    """Compare a task before and after a change.

    A new gold file, a late or withdrawn submission, another policy: both states are evaluated by this version of the
    program, and ranks, the first place and the findings stand side by side, with sentences for an erratum. The
    exit code is 0, whether anything differs or not.
    """
    from audit import workflow
    from audit.report.correction import difference_blocks
    from audit.writers.data.difference_data import difference_data

    task_or_campaign = workflow.resolve(task, store, track)
    if task_or_campaign.is_campaign:
        if sides or gold is not None:
            raise UsageError(
                "Of a campaign the last loads of its tracks are compared; name one: --track NAME."
            )
        campaign_commands.diff(task_or_campaign, store, cluster, as_json=as_json)
        return
    (task,) = task_or_campaign.slugs
    said = said_of(
        id=item_id,
        label=label,
        kind=kind,
        scale=scale,
        group=group,
        official_metric=official_metric,
        runs=runs,
        alias=alias,
        name=name,
    )
    old: Path | int | None
    new: Path | int | Opening | None
    if gold is not None:
        named = list(map(Path, sides or ()))
        old = None
        new = workflow.open_named(gold, named, said, skip_rejected=skip_rejected)
    else:
        refuse_without_gold(said)
        old, new = _two_sides(sides or ())
    with progress_bar() as on_step:
        compared = workflow.compare_loads(
            task,
            store,
            old,
            new,
            skip_rejected=skip_rejected,
            executor=executor_of(cluster),
            on_step=on_step,
        )
    answer(
        lambda: difference_data(*compared), lambda: difference_blocks(*compared), as_json=as_json
    )


def _two_sides(texts: Sequence[str]) -> tuple[int | Path | None, int | Path | None]:
    """The state before and the one now, as far as they are named."""
    if len(texts) > 2:  # noqa: PLR2004 - before and now
        raise UsageError("A difference has two sides: audit diff TASK OLD NEW.")
    old, new = [*texts, None, None][:2]
    return _side(old), _side(new)


def _side(text: str | None) -> int | Path | None:
    """A number is a load, anything else a folder."""
    if text is None:
        return None
    if text.isascii() and text.isdigit():
        return int(text)
    return Path(text)


@command("audit tasks --json")
def tasks(store: Store = DEFAULT_STORE, *, as_json: Json = False) -> None:
    """List the tasks in the store."""
    from audit.store import open_store
    from audit.writers.data.plain import picked

    with open_store(store, create=False) as opened:
        summaries = opened.tasks()
    sizes = {"items": "n_items", "classes": "n_classes", "submissions": "n_submissions"}
    names = {
        "task": "slug",
        "title": "title",
        **sizes,
        "official_metric": "official_metric",
        "family": "family",
    }
    records = [picked(task, **names, part="part", loaded="loaded_at") for task in summaries]
    print_records(records, as_json=as_json)


_OF_SUBMISSION = {
    "file": "path",
    "sha256": "sha256",
    "missing": "n_missing",
    "unusable": "n_unusable",
}
_OF_SUBMISSION |= {"loaded": "loaded_at", "replaced": "replaced_at"}


@command("audit submissions flood-posts")
def submissions(task: TaskSlug, store: Store = DEFAULT_STORE, *, as_json: Json = False) -> None:
    """List a task's submissions, past ones too."""
    from audit.store import open_store
    from audit.writers.data.plain import picked

    with open_store(store, create=False) as opened:
        summaries = opened.submissions(task)
    records = [picked(each, "team", "run", "role", **_OF_SUBMISSION) for each in summaries]
    for record in records if not as_json else ():
        record["sha256"] = (record["sha256"] or "")[:12]
    print_records(records, as_json=as_json)


@command("audit history flood-posts")
def history(
    task: TaskOrCampaign,
    store: Store = DEFAULT_STORE,
    *,
    track: Track = None,
    as_json: Json = False,
) -> None:
    """Show what each load of a task changed."""
    from audit import workflow
    from audit.cli.load_log import history_lines
    from audit.store import open_store

    named = workflow.resolve(task, store, track)
    if named.is_campaign:
        campaign_commands.history(named, store, as_json=as_json)
        return
    (task,) = named.slugs
    with open_store(store, create=False) as opened:
        events = opened.history(task)
    if as_json:
        print_json([asdict(event) for event in events])
    else:
        typer.echo("\n".join(history_lines(events)))
