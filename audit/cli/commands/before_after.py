"""A corrected gold file, a late or withdrawn submission, another policy: what became of the ranking."""

from pathlib import Path
from typing import Annotated

import typer

from audit.cli.failures import reporting_errors
from audit.cli.output import print_json
from audit.cli.parameters import DEFAULT_STORE, ClusterAddress, Json, SkipRejected, Store, TaskSlug
from audit.cli.program import app
from audit.cli.steps import executor_of

_SIDE = "number of a load, as audit history counts them, or a campaign's folder"


@app.command(epilog="Example: audit diff flood-posts && audit diff flood-posts 1 3 --json")
@reporting_errors
def diff(  # noqa: PLR0913 - a command's parameters are its interface
    task: TaskSlug,
    old: Annotated[
        str | None, typer.Argument(metavar="[OLD]", help=f"Before: {_SIDE}.", show_default="the load before NEW")
    ] = None,
    new: Annotated[
        str | None, typer.Argument(metavar="[NEW]", help=f"Now: {_SIDE}.", show_default="the latest load")
    ] = None,
    store: Store = DEFAULT_STORE,
    *,
    skip_rejected: SkipRejected = False,
    cluster: ClusterAddress = None,
    as_json: Json = False,
) -> None:
    """Compare a task before and after a change.

    A new gold file, a late or withdrawn submission, another policy: both states are evaluated by this version of the
    program, and ranks, tiers, the first place and the findings stand side by side, with sentences for an erratum. The
    exit code is 0, whether anything differs or not.
    """
    from audit import workflow
    from audit.cli.progress_bar import progress_bar

    with progress_bar() as on_step:
        compared_sides = workflow.compare_loads(
            task,
            store,
            _side(old),
            _side(new),
            skip_rejected=skip_rejected,
            executor=executor_of(cluster),
            on_step=on_step,
        )
    if as_json:
        from audit.writers.data.difference_data import difference_data

        print_json(difference_data(compared_sides.difference, compared_sides.sides))
    else:
        from audit.questions.correction import difference_blocks
        from audit.writers.terminal import write

        write(*difference_blocks(compared_sides.difference, compared_sides.sides))


def _side(text: str | None) -> int | Path | None:
    """A number is a load, anything else a folder."""
    if text is None:
        return None
    return int(text) if text.isascii() and text.isdigit() else Path(text)
