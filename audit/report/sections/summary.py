"""The campaign on one screen: who is first by what, and what the test set supports."""

import math

import numpy as np

from audit.domain import Evaluation, ScoreKey
from audit.flags.certainty_rules import comparison_of, family_of
from audit.flags.first_place_rules import first_place
from audit.flags.power_sentences import power_of, short, typical
from audit.flags.wording import entrants
from audit.metrics import phrase
from audit.ranking import printed_ranks
from audit.report.figures.macro_f1_figures import flips
from audit.report.figures.metric_figures import bump_keys
from audit.report.page import Cell, Column, Fact, Summary, Table
from audit.report.table_printing import AVERAGED, NAME_LIMIT, OF_AVERAGES, Printing, metric_href
from audit.text import listed, number, plural, sentence_case, visible

_HEAD_LIMIT = 20


def summary_of(show: Printing) -> Summary:
    """The summary of an evaluation."""
    depends = tuple(found.sentence for found in first_place(show.evaluation))
    return Summary((*_supported(show), *_two_macro_f1s(show)), depends, _winners(show))


def _supported(show: Printing) -> tuple[Fact, ...]:
    """What the test set separates and detects; nothing where nothing is compared."""
    evaluation = show.evaluation
    comparison = comparison_of(evaluation, evaluation.task.ranking_metric)
    if comparison is None:
        return ()
    n_teams = len(family_of(evaluation, comparison))
    pairs = plural(n_teams * (n_teams - 1) // 2, "pair")
    best = f"{len(comparison.could_be_best):,} of {entrants(evaluation, n_teams)}"
    facts = [
        Fact("Could be best", best, "#certainty"),
        Fact("Statistically ahead", f"in {int(comparison.separable.sum()):,} of {pairs}", "#certainty"),
    ]
    power = power_of(evaluation, comparison.key)
    if power is not None:
        likely = short(typical(evaluation, power)[1])
        facts.append(Fact("Detected 80% of the time", f"a difference of {likely}", "#certainty"))
    return tuple(facts)


def _two_macro_f1s(show: Printing) -> tuple[Fact, ...]:
    evaluation = show.evaluation
    gaps = np.where(evaluation.competing, evaluation.scores_of(OF_AVERAGES) - evaluation.scores_of(AVERAGED), np.nan)
    if np.isnan(gaps).all():
        return ()
    team = int(np.nanargmax(gaps))
    n_flips = len(flips(evaluation))
    gap = f"{number(float(gaps[team]), max(show.decimals, 4))} ({visible(evaluation.names[team], NAME_LIMIT)})"
    swaps = f"{plural(n_flips, 'pair')} of teams" if n_flips else "no pair of teams"
    return (
        Fact("Swap between the two macro F1s", swaps, "#macro-f1"),
        Fact("Largest Δ between them", gap, "#macro-f1"),
    )


def _winners(show: Printing) -> Table:
    """Who is first, and who is next, by each of the metrics that most campaigns are ranked by."""
    evaluation = show.evaluation
    leader = evaluation.leader(evaluation.task.ranking_metric)
    own = () if leader is None else (Column(f"Rank of {visible(evaluation.names[leader], _HEAD_LIMIT)}"),)
    columns = (
        Column("Metric", numeric=False),
        Column("First", numeric=False),
        Column("Score"),
        Column("Next", numeric=False),
        Column("Score"),
        Column("Lead", title="Difference of the two scores"),
        *own,
    )
    rows = tuple(_row(show, key, leader) for key in bump_keys(evaluation))
    return Table("table-winners", _caption(evaluation), columns, rows, sortable=False)


def _row(show: Printing, key: ScoreKey, leader: int | None) -> tuple[Cell, ...]:
    evaluation = show.evaluation
    scores, first = evaluation.scores_of(key), evaluation.winners(key)
    following = next((team for team in evaluation.order(key) if team not in first and evaluation.competing[team]), None)
    named = Cell(sentence_case(phrase(key, evaluation.task.label_set)), href=metric_href(key, evaluation))
    rank = () if leader is None else (Cell(printed_ranks(scores, evaluation.competing)[leader]),)
    best = float(scores[first[0]]) if first else math.nan
    other = math.nan if following is None else float(scores[following])
    return (
        named,
        Cell(_names(evaluation, first), style="best"),
        Cell(show.score(best)),
        Cell("–" if math.isnan(other) or following is None else _names(evaluation, (following,))),
        Cell(show.score(other)),
        Cell(show.score(best - other)),
        *rank,
    )


def _names(evaluation: Evaluation, teams: tuple[int, ...]) -> str:
    return listed([visible(evaluation.names[team], NAME_LIMIT) for team in teams], limit=3) or "–"


def _caption(evaluation: Evaluation) -> str:
    keys = bump_keys(evaluation)
    leaders = {team for key in keys for team in evaluation.winners(key)}
    if not leaders:
        return "No team has a defined score by any of these metrics."
    if len(leaders) == 1:
        return f"{_names(evaluation, tuple(leaders))} is first by each of these metrics."
    return f"{plural(len(leaders), 'team')} are first by one of these metrics or more."
