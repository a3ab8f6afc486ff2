"""Files into the store; and whether a file would be accepted there."""

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from audit.cli.failures import BAD_INPUT
from audit.cli.output import print_json, print_parts, progress_bar
from audit.cli.parameters import (
    DEFAULT_STORE,
    Aliases,
    BetterEnd,
    GoldFile,
    GroupColumn,
    ItemId,
    Json,
    KindOfTask,
    LabelColumn,
    MissingItems,
    NamePattern,
    OfficialMetric,
    OfScale,
    PartName,
    Places,
    RangeOfColumn,
    RankedRuns,
    Save,
    SkipRejected,
    Store,
    Strict,
)
from audit.cli.program import command
from audit.cli.steps import (
    executor_of,
    loaded_data,
    print_loaded_parts,
    print_not_used,
    print_opening,
    refuse_without_gold,
    said_of,
    source_of,
)
from audit.errors import UsageError

if TYPE_CHECKING:
    from audit.formats.campaign.single_file import AnswerKey


@command(
    "audit load --gold gold.csv predictions/*.csv && audit load sample_submissions/flood-posts --store flood.db"
)
def load(  # noqa: PLR0913 - a command's parameters are its interface
    places: Places,
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
    missing: MissingItems = None,
    better: BetterEnd = None,
    range_: RangeOfColumn = None,
    alias: Aliases = None,
    name: NamePattern = None,
    save: Save = False,
    skip_rejected: SkipRejected = False,
    strict: Strict = None,
    as_json: Json = False,
) -> None:
    """Put gold and submissions into the store."""
    from audit import workflow

    said = said_of(
        id=item_id,
        label=label,
        kind=kind,
        scale=scale,
        group=group,
        official_metric=official_metric,
        runs=runs,
        missing=missing,
        better=better,
        range=range_,
        alias=alias,
        name=name,
    )
    source = source_of(places, gold, said, skip_rejected=skip_rejected, save=save)
    if not as_json:
        print_opening(source)
    with progress_bar() as on_step:
        here = executor_of(None)
        parts = workflow.load(
            source,
            store,
            skip_rejected=skip_rejected,
            strict=strict,
            keep_others=True,
            executor=here,
            on_step=on_step,
        )
    if as_json:
        print_parts(list(map(loaded_data, parts)))
        return
    print_loaded_parts(parts)
    print_not_used(parts)


@command("audit check predictions.csv --task flood-posts")
def check(  # noqa: PLR0913 - a command's parameters are its interface
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Files of predictions.", show_default=False),
    ],
    *,
    task: Annotated[
        str | None, typer.Option("--task", help="Check against this task of the store.")
    ] = None,
    campaign: Annotated[
        Path | None,
        typer.Option("--campaign", help="Check against a campaign's folder; needs no store."),
    ] = None,
    part: PartName = None,
    gold: Annotated[
        Path | None, typer.Option("--gold", help="Check against a gold file; needs no store.")
    ] = None,
    item_id: ItemId = None,
    label: LabelColumn = None,
    kind: KindOfTask = None,
    scale: OfScale = None,
    group: GroupColumn = None,
    official_metric: OfficialMetric = None,
    runs: RankedRuns = None,
    missing: MissingItems = None,
    better: BetterEnd = None,
    range_: RangeOfColumn = None,
    alias: Aliases = None,
    name: NamePattern = None,
    kit: Annotated[
        Path | None, typer.Option("--kit", help="Check against what participants were given.")
    ] = None,
    place: Annotated[
        str | None,
        typer.Option("--as", help="Where in the campaign's folder the file would stand."),
    ] = None,
    reader: Annotated[
        Literal["organisers", "participants"] | None,
        typer.Option(
            "--for",
            help="For participants: nothing of gold.",
            show_default="participants with --kit",
        ),
    ] = None,
    store: Store = DEFAULT_STORE,
    form: Annotated[
        Literal["text", "github"],
        typer.Option("--format", help="github: annotations of a pull request."),
    ] = "text",
    as_json: Json = False,
) -> None:
    """Check files as a load would; score nothing."""
    from audit import workflow
    from audit.cli.checks import check_data, print_annotations, print_check

    if part is not None and campaign is None:
        raise UsageError("--part names a test set of the folder that --campaign names.")
    if sum(each is not None for each in (task, campaign, gold, kit)) != 1:
        raise UsageError(
            "Say what to check against: --task TASK, --campaign FOLDER, --gold FILE or --kit FOLDER, one of them."
        )
    said = said_of(
        id=item_id,
        label=label,
        kind=kind,
        scale=scale,
        group=group,
        official_metric=official_metric,
        runs=runs,
        missing=missing,
        better=better,
        range=range_,
        alias=alias,
        name=name,
    )
    for_participants = reader == "participants" or (kit is not None and reader is None)
    if for_participants and place is not None:
        raise UsageError("--as is for organisers: it says which team a file would be of.")

    hidden = workflow.without_reference() if for_participants and kit is None else nullcontext()
    with hidden:
        if gold is not None:
            against = workflow.key_of_gold(gold, files, said)
        else:
            refuse_without_gold(said)
            against = _key(task, campaign, kit, part=part, store=store)
    labels = against.gold.label_set
    # beside its empty sets nothing is right
    has_no_hits = kit is not None and labels.nothing_code is not None
    shown_gold = None if for_participants or has_no_hits else against.gold
    checked = [
        workflow.check_for_participants(file, against)
        if for_participants
        else workflow.check(file, against, place)
        for file in files
    ]
    if as_json:
        data = [check_data(each, each.counts(labels, shown_gold)) for each in checked]
        print_json(data[0] if len(data) == 1 else {"files": data})
    elif form == "github":
        print_annotations(list(zip(map(str, files), checked, strict=True)))
    else:
        for each in checked:
            print_check(each, each.counts(labels, shown_gold))
    if not all(each.is_accepted for each in checked):
        raise typer.Exit(BAD_INPUT)


def _key(
    task: str | None, campaign: Path | None, kit: Path | None, *, part: str | None, store: Path
) -> "AnswerKey":
    """What the files are checked against, where no gold file is named."""
    from audit import workflow

    if task is not None:
        return workflow.key_of_task(task, store)
    if campaign is not None:
        return workflow.key_of_folder(campaign, part)
    return workflow.key_of_kit(kit or Path())
