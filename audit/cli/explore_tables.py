"""What the exploring commands print."""

from collections.abc import Sequence

from rich.padding import Padding
from rich.text import Text

from audit.cli.terminal import console, heading, print_table
from audit.domain import Evaluation, ScoreKey, WinnerMap
from audit.flags.wording import shown_name
from audit.metrics import AGGREGATES, Holds, metric_name, named_metric, phrase
from audit.ranking import RULES, Projection, Scenario, holds, outcomes_of, printed_ranks, winner_maps
from audit.report import (
    NUMERALS,
    Table,
    held_by_metric_table,
    held_by_team_table,
    map_statements,
    printing,
    reached,
    witness_sentence,
)
from audit.text import listed, number, quoted, sentence_case, visible

_NAME_LIMIT = 40


def print_map(
    evaluation: Evaluation, key: ScoreKey, scenarios: Sequence[Scenario], winner_map: WinnerMap | None
) -> None:
    """Print the winner at every named prevalence, and the share of the simplex that each team would win."""
    _title(evaluation, key)
    rows = [
        [each.prevalence.name, _names(evaluation, each.winners(key.metric)), _best(evaluation, each, key)]
        for each in scenarios
    ]
    print_table(["prevalence", "first", str(ScoreKey(key.metric))], rows, numeric=frozenset({2}))
    if winner_map is None:
        named = named_metric(key.metric, evaluation.task.label_set)
        if not named.moves_with(int(evaluation.present.sum())):
            _say(f"{sentence_case(phrase(key, evaluation.task.label_set))} does not depend on the class distribution.")
        elif named.metric.of_ranks:
            _say("Who would be first over all class distributions is not computed for a mean of ranks.")
        elif named.metric.of_item_scores:
            _say("Who would be first over all class distributions is not computed for a score of single items.")
        else:
            _say("Nobody else could win: there is one team, one class, or no defined score.")
        return
    show = printing(evaluation)
    for statement in map_statements(evaluation, winner_map):
        _say(statement)
    console().print()
    _table(held_by_team_table(show, winner_map))
    _table(held_by_metric_table(show, winner_maps(evaluation, [ScoreKey(metric.slug) for metric in AGGREGATES])))


def print_scenarios(evaluation: Evaluation, key: ScoreKey, scenarios: Sequence[Scenario]) -> None:
    """The ranking under each class distribution beside the one at hand."""
    decimals = evaluation.task.printed_decimals
    here, ranks_here = evaluation.scores_of(key), evaluation.ranks_of(key)
    printed_here = printed_ranks(evaluation.goodness_of(key), evaluation.competing)
    for each in scenarios:
        row = each.row(key.metric)
        printed = printed_ranks(evaluation.goodness(key, each.values[row]), evaluation.competing)
        _title(evaluation, ScoreKey(key.metric, each.prevalence.name))
        rows = [
            [
                printed[team],
                shown_name(evaluation, team),
                number(each.values[row, team], decimals),
                number(here[team], decimals),
                printed_here[team],
                _rank_change(int(ranks_here[team] - each.rank_values[row, team])),
            ]
            for team in each.order(key.metric)
        ]
        print_table(["rank", "team", "there", "here", "rank here", "moves"], rows, numeric=frozenset({0, 2, 3, 4, 5}))
        _print_precision(evaluation, each, each.winners(key.metric))


def _print_precision(evaluation: Evaluation, scenario: Scenario, winners: Sequence[int]) -> None:
    """The first team's precision there, which follows from how it answers the items of each class."""
    if not winners:
        return
    labels, team = evaluation.task.label_set, winners[0]
    rows = []
    for code in range(len(labels)):
        recall, precision = (metric_name(slug, (code,), labels) for slug in ("recall", "precision"))
        here = [float(evaluation.scores_of(ScoreKey(name))[team]) for name in (recall, precision)]
        shifted = float(scenario.values[scenario.row(precision), team])
        rows.append([visible(labels.shown[code], _NAME_LIMIT), *map(number, (*here, shifted))])
    _say(f"Precision of {shown_name(evaluation, team)}, as its recall lets one expect it there:")
    print_table(["class", "recall", "precision here", "precision there"], rows, numeric=frozenset({1, 2, 3}))


def print_projection(evaluation: Evaluation, projection: Projection) -> None:
    """Precision projected from recall, and the scores that follow."""
    team = shown_name(evaluation, projection.team)
    console().print(Text(f"{visible(evaluation.task.title)}: {team} on data without gold labels", style="bold"))
    columns = (
        projection.shares,
        projection.predicted,
        projection.recall,
        projection.precision_here,
        projection.precision,
    )
    rows = [
        [visible(label, _NAME_LIMIT), *(number(float(column[code])) for column in columns)]
        for code, label in enumerate(evaluation.task.label_set.shown)
    ]
    heads = ["class", "expected", "predicted", "recall", "precision here", "precision there"]
    print_table(heads, rows, numeric=frozenset(range(1, len(heads))))
    scores = zip(projection.names, projection.scores_here.tolist(), projection.scores.tolist(), strict=True)
    rows = [[name, number(here), number(projected)] for name, here, projected in scores]
    print_table(["metric", "here", "there"], rows, numeric=frozenset({1, 2}))
    if projection.contradictory:
        classes = listed([quoted(evaluation.task.label_set.named[code]) for code in projection.contradictory])
        _say(
            f"The precision of {classes} would exceed 1: recall, the expected class distribution and the predictions "
            "contradict each other, so one of them is another on these data."
        )


def print_elections(evaluation: Evaluation, keys: tuple[ScoreKey, ...]) -> None:
    """The winners under each rule, and what the rule assumes."""
    console().print(
        Text(f"{visible(evaluation.task.title)}: winners over {listed(list(map(str, keys)))}", style="bold")
    )
    outcomes = outcomes_of(evaluation, keys)
    rows = [
        [RULES[outcome.rule].title, _names(evaluation, outcome.winners) or "nobody", reached(evaluation, outcome)]
        for outcome in outcomes
    ]
    print_table(["rule", "first", "with"], rows)
    for outcome in outcomes:
        rule = RULES[outcome.rule]
        console().print(Padding(Text(f"{rule.title} assumes: {rule.assumes}", style="dim"), (0, 0, 0, 4), expand=False))


def print_properties(evaluation: Evaluation) -> None:
    """Print the properties that each metric lacks, each with a counterexample from this campaign."""
    demonstrations = evaluation.demonstrations
    names = list(NUMERALS)
    rows = [[metric.slug, *map(metric.mark, names)] for metric in AGGREGATES if metric.properties]
    print_table(["metric", *(" ".join(NUMERALS[name]) for name in names)], rows)
    _say(f"Has the property: {', '.join(f'{mark.value} {mark.words}' for mark in Holds)}.")
    for each in demonstrations:
        mark = holds(each)
        if mark is not Holds.YES:
            numeral, words = NUMERALS[each.property_]
            claim = f"is not {words} ({numeral})" if mark is Holds.NO else f"is {words} ({numeral}) {mark.words} only"
            shown = "no case was found here." if each.witness is None else witness_sentence(evaluation, each.witness)
            _say(f"{each.metric} {claim}: {shown}")


def _title(evaluation: Evaluation, key: ScoreKey) -> None:
    console().print(heading(evaluation, key))


def _say(text: str) -> None:
    console().print(Padding(Text(text), 0, expand=False))


def _table(table: Table) -> None:
    """A table of the report, in the terminal."""
    heads = [column.label for column in table.columns]
    numeric = frozenset(place for place, column in enumerate(table.columns) if column.numeric)
    _say(table.caption)
    print_table(heads, [[cell.text for cell in row] for row in table.rows], numeric)


def _names(evaluation: Evaluation, teams: Sequence[int]) -> str:
    return listed([shown_name(evaluation, team) for team in teams], limit=5) or "–"


def _best(evaluation: Evaluation, scenario: Scenario, key: ScoreKey) -> str:
    first = scenario.winners(key.metric)
    score = float(scenario.values[scenario.row(key.metric), first[0]]) if first else float("nan")
    return number(score, evaluation.task.printed_decimals)


def _rank_change(ranks: int) -> str:
    return f"{ranks:+d}".replace("-", "−") if ranks else ""
