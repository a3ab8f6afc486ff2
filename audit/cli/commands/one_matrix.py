"""The command that scores one confusion matrix."""

from pathlib import Path
from typing import Annotated

import typer

from audit.cli.commands.sample_size import Rows
from audit.cli.failures import reporting_errors
from audit.cli.output import print_json
from audit.cli.parameters import Json
from audit.cli.program import app


@app.command(epilog="Example: audit score confusion.csv && audit score confusion.csv --rows gold --metric mcc --json")
@reporting_errors
def score(
    confusion: Annotated[
        Path, typer.Argument(metavar="CONFUSION", help="A file with a confusion matrix.", show_default=False)
    ],
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", "-m", help="Only this score; may be given several times.", show_default="every one"),
    ] = None,
    *,
    rows: Annotated[
        Rows | None, typer.Option("--rows", help="What stands in the rows of the confusion.", show_default="gold")
    ] = None,
    as_json: Json = False,
) -> None:
    """Score one confusion matrix."""
    from audit import workflow
    from audit.questions.matrix_scores import matrix_blocks
    from audit.writers.data.score_data import confusion_data
    from audit.writers.terminal import write

    scored_file = workflow.score_file(confusion, metrics=metric or [], rows=None if rows is None else rows.value)
    if as_json:
        file_data = {"file": scored_file.name, "orientation_said_by": scored_file.orientation_said_by}
        print_json({**file_data, **confusion_data(scored_file.scores)})
    else:
        axis_said = scored_file.orientation_said_by != "default"
        write(*matrix_blocks(scored_file.name, scored_file.scores, axis_said=axis_said))
