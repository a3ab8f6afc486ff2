"""The whole way in one command, and how to begin: a sample, or what each file of a folder is."""

from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from audit.cli.failures import fail_on
from audit.cli.output import print_parts, progress_bar, store_option
from audit.cli.parameters import (
    DEFAULT_STORE,
    Aliases,
    BetterEnd,
    ClusterAddress,
    Fail,
    Folder,
    GoldFile,
    GroupColumn,
    ItemId,
    Json,
    KindOfTask,
    LabelColumn,
    MissingItems,
    NamePattern,
    NoCertainty,
    Notes,
    OfficialMetric,
    OfScale,
    Places,
    RangeOfColumn,
    RankedRuns,
    Save,
    Seed,
    SkipRejected,
    Store,
    Strict,
    WithItems,
)
from audit.cli.program import command
from audit.cli.steps import (
    executor_of,
    loaded_data,
    print_loaded_parts,
    print_not_used,
    print_opening,
    print_uncounted,
    said_of,
    source_of,
    stated_options,
)
from audit.text import agreeing, listed, plural, quoted, visible


@command(
    "audit run --gold gold.csv predictions/*.csv && audit run sample_submissions/flood-posts -o report.html"
)
def run(  # noqa: PLR0913 - a command's parameters are its interface
    places: Places,
    output: Annotated[
        Path | None,
        typer.Option(
            *("--output", "-o"),
            help="The HTML file to write; a folder for several test sets.",
            show_default="audit-TASK.html",
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
    missing: MissingItems = None,
    better: BetterEnd = None,
    range_: RangeOfColumn = None,
    alias: Aliases = None,
    name: NamePattern = None,
    save: Save = False,
    skip_rejected: SkipRejected = False,
    strict: Strict = None,
    seed: Seed = None,
    no_certainty: NoCertainty = False,
    with_items: WithItems = False,
    cluster: ClusterAddress = None,
    notes: Notes = False,
    fail: Fail = None,
    as_json: Json = False,
) -> None:
    """Audit gold and submissions, or a folder."""
    from audit import workflow
    from audit.findings.campaign import CampaignFindings
    from audit.report.campaign_terminal import LINES, campaign_layouts
    from audit.report.short import show_blocks
    from audit.report.terminal_layout import LINES_OF_RUN, run_layouts
    from audit.writers.data.campaign_data import campaign_data
    from audit.writers.data.export import ranking_data
    from audit.writers.terminal import layout_width, write, write_layout

    if output is not None:
        workflow.check_replaceable(output)
    chosen_options = stated_options(seed, no_certainty=no_certainty)
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
        slugs = [loaded.task.slug for loaded in parts]
        evaluations = [
            workflow.evaluate_task(
                slug, store, chosen_options, executor=executor_of(cluster), on_step=on_step
            )
            for slug in slugs
        ]
        paths = workflow.report_paths(slugs, output)
        for evaluation, path in zip(evaluations, paths, strict=True):
            items = workflow.read_items(evaluation, store) if with_items else None
            workflow.write_report(evaluation, path, items, on_step=on_step)
    together = CampaignFindings(evaluations) if len(evaluations) > 1 else None
    page = None if together is None else workflow.write_campaign(together, paths)
    written = list(zip(parts, evaluations, paths, strict=True))
    if as_json:
        data = [
            loaded_data(loaded)
            | ranking_data(evaluation, evaluation.task.ranking_metric)
            | {"report": str(path)}
            for loaded, evaluation, path in written
        ]
        print_parts(
            data, **({"summary": campaign_data(together), "report": str(page)} if together else {})
        )
    else:
        print_not_used(parts)
        print_loaded_parts(parts, in_full=notes)
        for evaluation in evaluations:
            print_uncounted(evaluation)
        for _, evaluation, path in written:
            shown_path = visible(str(path), 1000)
            if notes:
                write(*show_blocks(evaluation, evaluation.task.ranking_metric))
                typer.echo(f"Report: {shown_path}\n")
            elif together is None:
                layouts = run_layouts(evaluation, shown_path, layout_width(), store_option(store))
                write_layout(layouts, LINES_OF_RUN)
        if together is not None:
            write_layout(
                campaign_layouts(
                    together, visible(str(page), 1000), layout_width(), store_option(store)
                ),
                LINES,
            )
    fail_on(tuple(flag for evaluation in evaluations for flag in evaluation.flags), fail)


@command("audit init my-campaign && audit run my-campaign")
def init(
    folder: Folder,
    *,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files.csv.")] = False,
) -> None:
    """Write what each file of a folder is."""
    from audit import workflow

    paths, rows = workflow.write_draft(folder, overwrite=force)
    waiting = [row for row in rows if not row.kind]
    golds = [quoted(row.file, 120) for row in rows if row.kind == "gold"]
    if golds:
        taken = f"; gold is {listed(golds, limit=3)}"
    else:
        taken = ""
    then = f"audit run {visible(quote(str(folder)), 1000)}"
    written = listed([visible(str(path), 1000) for path in paths])
    decide = "Read it"
    if waiting:
        if waiting[1:]:
            others = f" and {plural(len(waiting) - 1, 'more file')}"
        else:
            others = ""
        is_open = (
            f"what {quoted(waiting[0].file, 120)}{others} {agreeing(len(waiting), 'is', 'are')}"
        )
        decide = f"Say in the column kind of files.csv {is_open} ({waiting[0].why})"
    typer.echo(f"Written: {written}{taken}. {decide}, correct what is wrong, then: {then}")


@command("audit sample flood-posts && audit run flood-posts")
def sample(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="flood-posts, harbour-messages, ferry-ratings, pier-notices, tide-levels, quay-translations or "
            "semeval2017-task4a.",
        ),
    ] = "flood-posts",
) -> None:
    """Copy a sample campaign to try the audit on."""
    from audit import workflow

    folder = workflow.copy_sample(name, Path.cwd())
    typer.echo(
        f"Copied to {visible(str(folder), 1000)}. Its README.md tells the story. Now: audit run {quote(folder.name)}"
    )
