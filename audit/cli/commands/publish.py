"""A task scored; what is handed out: the report, the export for a paper; and whether a bundle’s numbers are right."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from audit.cli import campaign_commands
from audit.cli.failures import BAD_INPUT, fail_on
from audit.cli.output import answer, print_evaluation, print_json, progress_bar
from audit.cli.parameters import (
    DEFAULT_STORE,
    ClusterAddress,
    Fail,
    Json,
    NoCertainty,
    OverallRule,
    Seed,
    Store,
    TaskOrCampaign,
    TaskSlug,
    Track,
    WithItems,
)
from audit.cli.program import command
from audit.cli.steps import executor_of, stated_options
from audit.errors import UsageError, told
from audit.text import visible


@command("audit evaluate flood-posts --fail-on winner")
def evaluate(  # noqa: PLR0913 - a command's parameters are its interface
    task: TaskSlug,
    store: Store = DEFAULT_STORE,
    *,
    seed: Seed = None,
    no_certainty: NoCertainty = False,
    cluster: ClusterAddress = None,
    fail: Fail = None,
    as_json: Json = False,
) -> None:
    """Score every team by every metric; keep it."""
    from audit import workflow
    from audit.writers.data.export import evaluation_data

    chosen_options = stated_options(seed, no_certainty=no_certainty)
    with progress_bar() as on_step:
        evaluation = workflow.evaluate_task(
            task, store, chosen_options, executor=executor_of(cluster), on_step=on_step
        )
    if as_json:
        print_json(evaluation_data(evaluation))
    else:
        print_evaluation(evaluation, evaluation.task.ranking_metric, store)
    fail_on(evaluation.flags, fail)


@command("audit report flood-posts -o report.html")
def report(  # noqa: PLR0913 - a command's parameters are its interface
    task: TaskOrCampaign,
    output: Annotated[
        Path | None,
        typer.Option(
            *("--output", "-o"),
            help="The HTML file to write; a folder for a campaign.",
            show_default="audit-TASK.html",
        ),
    ] = None,
    store: Store = DEFAULT_STORE,
    *,
    track: Track = None,
    by: OverallRule = None,
    with_items: WithItems = False,
    cluster: ClusterAddress = None,
) -> None:
    """Write the HTML report of a task."""
    from audit import workflow

    named = workflow.resolve(task, store, track)
    if named.is_campaign:
        campaign_commands.refuse_for_tracks(**{"with-items": with_items})
        found = campaign_commands.read(named, store, cluster, by)
        with progress_bar() as on_step:
            page, _ = workflow.write_campaign_pages(found, output, on_step=on_step)
        typer.echo(f"Report: {visible(str(page), 1000)}")
        return
    campaign_commands.refuse_rule(by)
    (slug,) = named.slugs
    path = output or workflow.default_report(slug)
    workflow.check_replaceable(path)
    with progress_bar() as on_step:
        evaluation = workflow.read_evaluation(
            slug, store, executor=executor_of(cluster), on_step=on_step
        )
        if with_items:
            items = workflow.read_items(evaluation, store)
        else:
            items = None
        workflow.write_report(evaluation, path, items, on_step=on_step)
    typer.echo(f"Report: {visible(str(path), 1000)}")


@command("audit export flood-posts flood-posts-paper")
def export(  # noqa: PLR0913 - a command's parameters are its interface
    task: TaskOrCampaign,
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="The folder to write.", show_default=False)
    ],
    store: Store = DEFAULT_STORE,
    *,
    engine: Annotated[
        Literal["pdflatex", "lualatex"],
        typer.Option("--engine", help="What will set the LaTeX files."),
    ] = "pdflatex",
    figures: Annotated[
        Literal["pdf", "svg", "none"],
        typer.Option("--figures", help="Draw figures as PDF, as SVG, or not at all."),
    ] = "pdf",
    include_inputs: Annotated[
        bool, typer.Option("--include-inputs", help="Put gold and submissions into bundle.zip.")
    ] = False,
    with_items: WithItems = False,
    force: Annotated[
        bool, typer.Option("--force", help="Replace an earlier export, if it is as it was.")
    ] = False,
    track: Track = None,
    teams: Annotated[
        Path | None,
        typer.Option(
            "--teams",
            metavar="FILE",
            help="teams.csv: team, institution, paper, method; of a campaign.",
        ),
    ] = None,
    cluster: ClusterAddress = None,
) -> None:
    """Write all for a paper and for machines."""
    from audit import workflow
    from audit.writers.bundle.folder import ExportOptions

    formats = () if figures == "none" else (figures,)
    options = ExportOptions(engine, formats, include_inputs=include_inputs, with_items=with_items)
    named = workflow.resolve(task, store, track)
    if teams is not None and not named.is_campaign:
        raise UsageError("--teams goes with a campaign of several tracks.")
    here = executor_of(cluster)
    with progress_bar() as on_step:
        if named.is_campaign:
            path = workflow.export_campaign(
                named,
                folder,
                store,
                options,
                teams=teams,
                overwrite=force,
                executor=here,
                on_step=on_step,
            )
        else:
            (slug,) = named.slugs
            path = workflow.export_task(
                slug, folder, store, options, overwrite=force, executor=here, on_step=on_step
            )
    typer.echo(f"Written: {visible(str(path), 1000)}. Its README.txt says what each file is.")


@command("audit verify bundle.zip --inputs my-campaign")
def verify(
    bundle: Annotated[
        Path, typer.Argument(metavar="BUNDLE", help="A bundle.zip.", show_default=False)
    ],
    inputs: Annotated[
        Path | None,
        typer.Option(
            "--inputs",
            help="The campaign's folder.",
            show_default="the inputs in the bundle, if any",
        ),
    ] = None,
    *,
    cluster: ClusterAddress = None,
    as_json: Json = False,
) -> None:
    """Compute a bundle's numbers again; compare."""
    from audit.document import Paragraph
    from audit.verification.campaign_bundle import verify_any
    from audit.verification.verifying import verification_data, verification_sentences

    with progress_bar() as on_step:
        verification = verify_any(bundle, inputs, executor=executor_of(cluster), on_step=on_step)
    if verification.issues:
        typer.echo(told(verification.issues), err=True)
    answer(
        lambda: verification_data(verification),
        lambda: (Paragraph(sentence, "lead") for sentence in verification_sentences(verification)),
        as_json=as_json,
    )
    if not verification.same:
        raise typer.Exit(BAD_INPUT)
