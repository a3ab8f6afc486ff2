"""Before the deadline: what goes to a platform and to participants, and one submission scored there."""

from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

import typer

from audit.cli.failures import BAD_INPUT
from audit.cli.parameters import DEFAULT_STORE, PartName, Store, TaskSlug
from audit.cli.program import command
from audit.errors import AuditError, UsageError
from audit.text import listed, plural, visible

_TIMES = ["%Y-%m-%d", "%Y-%m-%d %H:%M"]
ItemsFile = Annotated[
    Path | None,
    typer.Option(
        "--items", help="The test set as it was published, with the items that are not scored."
    ),
]


@command("audit participants flood-posts check-kit --items test.csv")
def participants(
    task: TaskSlug,
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="The folder to write.", show_default=False)
    ],
    store: Store = DEFAULT_STORE,
    *,
    items: ItemsFile = None,
) -> None:
    """Write what participants check files with."""
    from audit import workflow

    n_items = workflow.write_kit(task, folder, store, items)
    typer.echo(
        f"Written: {visible(str(folder), 1000)}, of {plural(n_items, 'published item')} and no gold."
    )


@command(
    "audit platform codabench flood-posts upload --image me/scorer:1 --start 2027-01-10 --end 2027-01-20"
)
def platform(  # noqa: PLR0913 - a command's parameters are its interface
    name: Annotated[
        Literal["codabench"],
        typer.Argument(metavar="PLATFORM", help="codabench.", show_default=False),
    ],
    task: TaskSlug,
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="The folder to write.", show_default=False)
    ],
    store: Store = DEFAULT_STORE,
    *,
    image: Annotated[
        str, typer.Option("--image", help="The scoring container, as you will push it.")
    ],
    start: Annotated[
        datetime, typer.Option("--start", formats=_TIMES, help="When the test phase begins.")
    ],
    end: Annotated[datetime, typer.Option("--end", formats=_TIMES, help="When it ends.")],
    items: ItemsFile = None,
    solution: Annotated[
        Path | None,
        typer.Option("--solution", help="A file to try it with.", show_default="the best baseline"),
    ] = None,
) -> None:
    """Write a competition that can be uploaded."""
    from audit import workflow

    del name  # there is one
    times = {"start": str(start), "end": str(end)}
    written = workflow.write_competition(
        task, folder, store, image=image, **times, items=items, solution=solution
    )
    typer.echo(
        f"Written: {visible(str(written), 1000)}. bundle.zip holds gold: upload it, and hand it to nobody."
    )


@command("audit score-one predictions.csv --campaign my-campaign --out scores")
def score_one(
    path: Annotated[
        Path,
        typer.Argument(metavar="PATH", help="A file, or the folder it is in.", show_default=False),
    ],
    *,
    campaign: Annotated[
        Path, typer.Option("--campaign", help="The folder with gold and task.toml.")
    ],
    out: Annotated[Path, typer.Option("--out", help="The folder for scores.json and the page.")],
    part: PartName = None,
    fewest: Annotated[
        float,
        typer.Option(
            "--fewest",
            min=0,
            max=1,
            help="Refuse a file that answers less than this share of items.",
        ),
    ] = 0.5,
) -> None:
    """Score one submission for its team."""
    from audit import workflow
    from audit.cli.checks import print_check

    try:
        scored = workflow.score_one(path, campaign, out, part, fewest=fewest)
    except AuditError:
        raise
    except Exception as error:  # noqa: BLE001 - a traceback could quote gold, and participants read it
        raise UsageError(
            f"The scoring program failed ({type(error).__name__}): write to the organisers."
        ) from None
    if scored.left_aside:
        tables = listed([f"[{name}]" for name in scored.left_aside])
        typer.echo(
            f"Note: {tables} of task.toml name teams that are not here, and are left aside.",
            err=True,
        )
    print_check(scored.checked, scored.checked.counts(scored.label_set, None))
    for title, score in scored.rows:
        typer.echo(f"    {score}  {title}")
    if scored.why:
        typer.echo(f"Not scored. {scored.why}", err=True)
        raise typer.Exit(BAD_INPUT)
