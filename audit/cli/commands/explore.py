"""The commands that ask what else could have been: other class distributions, other rules, and why metrics differ."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from audit.cli.failures import reporting_errors
from audit.cli.output import print_json
from audit.cli.parameters import DEFAULT_STORE, Json, Store, TaskSlug
from audit.cli.program import app

if TYPE_CHECKING:
    from audit.domain import Evaluation, Prevalence, ScoreKey

Prevalences = Annotated[
    list[str] | None,
    typer.Option("--prevalence", "-p", help="LABEL=SHARE,… or a name from task.toml; may be given several times."),
]


@app.command(epilog="Example: audit whatif semeval2017-task4a --prevalence negative=.5,neutral=.3,positive=.2")
@reporting_errors
def whatif(
    task: TaskSlug,
    prevalence: Prevalences = None,
    metric: Annotated[
        str | None, typer.Option("--metric", "-m", help="Rank by this metric.", show_default="the official one")
    ] = None,
    store: Store = DEFAULT_STORE,
    *,
    as_json: Json = False,
) -> None:
    """Rank under other class distributions."""
    from audit import workflow
    from audit.questions.distributions import map_blocks, scenario_blocks
    from audit.writers.data.exploring import shift_data
    from audit.writers.terminal import write

    shifted = workflow.rank_shifted(task, store, prevalence or (), metric=metric)
    if as_json:
        print_json(shift_data(shifted.evaluation, shifted.key, shifted.scenarios, shifted.map))
    elif prevalence:
        write(*scenario_blocks(shifted.evaluation, shifted.key, shifted.scenarios))
    else:
        write(*map_blocks(shifted.evaluation, shifted.key, shifted.scenarios, shifted.map))


@app.command(
    epilog="Example: audit project semeval2017-task4a A --prevalence negative=.5,neutral=.3,positive=.2 "
    "--predicted negative=.55,neutral=.2,positive=.25"
)
@reporting_errors
def project(  # noqa: PLR0913 - a command's parameters are its interface
    task: TaskSlug,
    team: Annotated[str, typer.Argument(metavar="TEAM", help="Whose scores.", show_default=False)],
    prevalence: Annotated[
        str, typer.Option("--prevalence", "-p", help="LABEL=SHARE,…: the class distribution to expect there.")
    ],
    predicted: Annotated[
        str, typer.Option("--predicted", help="LABEL=SHARE,…: how often the team predicts each class there.")
    ],
    store: Store = DEFAULT_STORE,
    *,
    as_json: Json = False,
) -> None:
    """Project precision onto data without gold."""
    import numpy as np

    from audit.metrics import parse_shares
    from audit.questions.distributions import projection_blocks
    from audit.ranking import project as project_onto
    from audit.writers.data.exploring import projection_data
    from audit.writers.terminal import write

    evaluation = _read(task, store)
    labels = evaluation.task.label_set
    shares = parse_shares(predicted, labels)
    answers = np.array([shares.get(label, 0.0) for label in labels])
    projection = project_onto(evaluation, evaluation.entry_number(team), _prevalence(evaluation, prevalence), answers)
    if as_json:
        print_json({"task": evaluation.task.slug, **projection_data(evaluation, projection)})
    else:
        write(*projection_blocks(evaluation, projection))


@app.command(epilog="Example: audit winners flood-posts --metrics accuracy,averaged_f1,mcc")
@reporting_errors
def winners(
    task: TaskSlug,
    metrics: Annotated[
        str | None,
        typer.Option("--metrics", help="Which metrics vote, with commas between.", show_default="all aggregates"),
    ] = None,
    store: Store = DEFAULT_STORE,
    *,
    as_json: Json = False,
) -> None:
    """Show who wins by each rank-aggregation rule."""
    from audit.questions.rules import elections_blocks
    from audit.ranking import default_voters
    from audit.writers.data.exploring import elections_data
    from audit.writers.terminal import write

    names = _split(metrics) if metrics else []
    evaluation = _read(task, store, names)
    keys = tuple(dict.fromkeys(_score_key(evaluation, name) for name in names)) or default_voters()
    if as_json:
        print_json({"task": evaluation.task.slug, **elections_data(evaluation, keys)})
    else:
        write(*elections_blocks(evaluation, keys))


@app.command(epilog="Example: audit properties flood-posts")
@reporting_errors
def properties(task: TaskSlug, store: Store = DEFAULT_STORE, *, as_json: Json = False) -> None:
    """Show which metric has which property."""
    from audit.questions.properties import properties_blocks
    from audit.writers.data.exploring import properties_data
    from audit.writers.terminal import write

    evaluation = _read(task, store)
    if as_json:
        print_json({"task": evaluation.task.slug, "properties": properties_data(evaluation)})
    else:
        write(*properties_blocks(evaluation))


def _read(task: str, store: Path, also: Sequence[str] = ()) -> "Evaluation":
    from audit import workflow

    return workflow.read_scores(task, store, also=also)


def _prevalence(evaluation: "Evaluation", text: str) -> "Prevalence":
    from audit.metrics import parse_prevalence

    return parse_prevalence(text, evaluation.prevalences, evaluation.prevalence_counts, evaluation.task.label_set)


def _score_key(evaluation: "Evaluation", metric: str | None) -> "ScoreKey":
    from audit import workflow

    return workflow.score_key(evaluation.task, metric, None)


def _split(names: str) -> list[str]:
    """Metrics with commas between, where a comma inside brackets parts the classes or choices of one metric."""
    parts, depth = [""], 0
    for character in names:
        depth += {"[": 1, "(": 1, "]": -1, ")": -1}.get(character, 0)
        if character == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]
