"""Arguments and options that several commands have."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from audit.cli.failures import FailOn
from audit.formats.door.said import SETTINGS

DEFAULT_STORE = Path("audit.db")

Track = Annotated[
    str | None,
    typer.Option("--track", metavar="NAME", help="One track of a campaign, by its name."),
]
OverallRule = Annotated[
    Literal["mean-score", "mean-rank", "borda"] | None,
    typer.Option(
        "--by", help="Sum up a campaign's tracks by this rule.", show_default="task.toml's"
    ),
]
Folder = Annotated[
    Path, typer.Argument(metavar="FOLDER", help="The campaign's folder.", show_default=False)
]
TaskSlug = Annotated[
    str, typer.Argument(metavar="TASK", help="The task's slug in the store.", show_default=False)
]
TaskOrCampaign = Annotated[
    str,
    typer.Argument(
        metavar="TASK", help="The slug of a task, or of a campaign.", show_default=False
    ),
]
Store = Annotated[
    Path,
    typer.Option("--store", envvar="AUDIT_STORE", help="The SQLite file that keeps everything."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
SkipRejected = Annotated[
    bool, typer.Option("--skip-rejected", help="Load the rest where files are rejected.")
]
Strict = Annotated[
    bool | None,
    typer.Option(
        "--strict/--lenient",
        help="Reject a submission with an unanswered item, or count it as wrong.",
    ),
]
NoCertainty = Annotated[
    bool, typer.Option("--no-certainty", help="Leave out intervals and comparisons.")
]
Seed = Annotated[
    int | None, typer.Option("--seed", min=0, max=2**32 - 1, help="Seed of every random draw.")
]
MetricName = Annotated[
    str | None,
    typer.Option("--metric", "-m", help="Rank by this metric.", show_default="the official one"),
]
PrevalenceName = Annotated[
    str | None,
    typer.Option("--prevalence", "-p", help="observed, balanced, or a name from task.toml."),
]
RowsOf = Annotated[
    Literal["gold", "predicted"] | None,
    typer.Option("--rows", help="What stands in the rows of the confusion.", show_default="gold"),
]
WithItems = Annotated[
    bool,
    typer.Option("--with-items", help="With item ids and gold labels: not for a test set in use."),
]
ClusterAddress = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="tcp://HOST:PORT",
        help="Compute a large campaign on this Dask cluster.",
        show_default="processes of this machine",
    ),
]
PartName = Annotated[
    str | None, typer.Option("--part", help="Which test set of the folder, where it has several.")
]
Fail = Annotated[
    FailOn | None,
    typer.Option("--fail-on", help="Exit with 3 if a flag changes the winner, or order."),
]
Notes = Annotated[
    bool, typer.Option("--notes", help="Print each note in full; of a run also what was assumed.")
]

Places = Annotated[
    list[Path],
    typer.Argument(
        metavar="FOLDER | SUBMISSIONS...",
        help="A campaign's folder; with --gold the submissions: files, folders, archives.",
        show_default=False,
    ),
]
GoldFile = Annotated[
    Path | None, typer.Option("--gold", metavar="GOLD", help="The file with the gold labels.")
]
ItemId = Annotated[str | None, typer.Option("--id", metavar="COLUMN", help=SETTINGS["id"])]
LabelColumn = Annotated[
    str | None, typer.Option("--label", metavar="COLUMN", help=SETTINGS["label"])
]
KindOfTask = Annotated[
    Literal["labels", "sets", "spans", "scores", "ratings"] | None,
    typer.Option("--kind", help=SETTINGS["kind"]),
]
OfScale = Annotated[str | None, typer.Option("--scale", metavar="STEPS", help=SETTINGS["scale"])]
GroupColumn = Annotated[
    str | None, typer.Option("--group", metavar="COLUMN", help=SETTINGS["group"])
]
OfficialMetric = Annotated[
    str | None,
    typer.Option("--official-metric", metavar="METRIC", help=SETTINGS["official_metric"]),
]
RankedRuns = Annotated[
    Literal["all", "best", "last", "primary"] | None, typer.Option("--runs", help=SETTINGS["runs"])
]
Aliases = Annotated[
    list[str] | None, typer.Option("--alias", metavar="SPELLING=LABEL", help=SETTINGS["alias"])
]
MissingItems = Annotated[
    Literal["wrong", "drop", "reject", "mean", "worst"] | None,
    typer.Option("--missing", help=SETTINGS["missing"]),
]
BetterEnd = Annotated[
    list[str] | None, typer.Option("--better", metavar="COLUMN=END", help=SETTINGS["better"])
]
RangeOfColumn = Annotated[
    list[str] | None, typer.Option("--range", metavar="COLUMN=LOW,HIGH", help=SETTINGS["range"])
]
NamePattern = Annotated[
    str | None, typer.Option("--name", metavar="PATTERN", help=SETTINGS["name"])
]
Save = Annotated[
    bool, typer.Option("--save", help="Write files.csv and task.toml beside gold and submissions.")
]
