"""Which reading of a metric was meant: of the macro F1, or of published scores."""

from pathlib import Path
from typing import Annotated

import typer

from audit.cli.failures import reporting_errors
from audit.cli.output import print_entries, print_json
from audit.cli.parameters import DEFAULT_STORE, Json, Store, TaskSlug
from audit.cli.program import app
from audit.errors import UsageError
from audit.text import quoted


@app.command(epilog="Example: audit readings flood-posts")
@reporting_errors
def readings(
    task: Annotated[
        str | None, typer.Argument(metavar="[TASK]", help="Audit this task's macro F1.", show_default=False)
    ] = None,
    store: Store = DEFAULT_STORE,
    *,
    as_json: Json = False,
) -> None:
    """List readings, or audit a task's macro F1."""
    if task is None:
        _print_presets(as_json=as_json)
        return
    from audit import workflow
    from audit.questions.macro_f1 import readings_blocks
    from audit.writers.data.readings_data import macro_f1_data
    from audit.writers.terminal import write

    evaluation = workflow.read_scores(task, store)
    macro_f1 = evaluation.macro_f1
    if macro_f1 is None:
        raise UsageError(f"No entry of {quoted(task)} takes a rank.")
    if as_json:
        print_json(macro_f1_data(macro_f1, evaluation, whole=True))
    else:
        write(*readings_blocks(evaluation, macro_f1))


@app.command(epilog="Example: audit identify flood-posts published.csv")
@reporting_errors
def identify(
    task: TaskSlug,
    published: Annotated[
        Path, typer.Argument(metavar="PUBLISHED", help="A CSV file: team, and columns of scores.", show_default=False)
    ],
    store: Store = DEFAULT_STORE,
    *,
    as_json: Json = False,
) -> None:
    """Find which reading published scores are of."""
    from audit import workflow

    identification = workflow.identify_scores(task, published, store)
    if as_json:
        from audit.writers.data.readings_data import identification_data

        print_json(identification_data(identification))
    else:
        from audit.questions.published import identification_blocks
        from audit.writers.terminal import write

        write(*identification_blocks(identification))


def _print_presets(*, as_json: bool) -> None:
    from audit.writers.data.readings_data import preset_data

    print_entries(preset_data(), ("reading", "differs in", "used by", "source"), as_json=as_json)
