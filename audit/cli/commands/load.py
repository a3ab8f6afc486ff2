"""Files into the store; and whether a file would be accepted there."""

from pathlib import Path
from typing import Annotated

import typer

from audit.cli.failures import BAD_INPUT
from audit.cli.output import print_json, print_parts
from audit.cli.parameters import DEFAULT_STORE, Folder, Json, SkipRejected, Store, Strict
from audit.cli.program import command
from audit.cli.steps import load_folder, loaded_data, print_loaded_parts, print_not_used
from audit.errors import UsageError


@command("audit load sample_submissions/flood-posts --store flood.db")
def load(
    folder: Folder,
    store: Store = DEFAULT_STORE,
    *,
    skip_rejected: SkipRejected = False,
    strict: Strict = None,
    as_json: Json = False,
) -> None:
    """Put gold and submissions into the store."""
    from audit.cli.progress_bar import progress_bar

    with progress_bar() as on_step:
        parts = load_folder(folder, store, skip_rejected=skip_rejected, strict=strict, on_step=on_step)
    if as_json:
        print_parts(list(map(loaded_data, parts)))
        return
    print_loaded_parts(parts)
    print_not_used(parts)


@command("audit check predictions.csv --task flood-posts")
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
    place: Annotated[
        str | None, typer.Option("--as", help="Where in the campaign's folder the file would stand.")
    ] = None,
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
    checked, labels = workflow.check(file, against, place), against.gold.label_set
    if as_json:
        print_json(check_data(checked, labels))
    else:
        print_check(checked, labels)
    if not checked.is_accepted:
        raise typer.Exit(BAD_INPUT)
