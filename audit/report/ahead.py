"""Who is ahead of whom? Any two teams, the whole ranking as a paper would print it, and what is promised of both."""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from audit.document import Cell, Column, Table
from audit.domain import Baseline, Certainty, Comparison, Evaluation, ScoreKey
from audit.findings.against_baselines import by_score
from audit.findings.comparisons import comparison_of, family_of, undecided, what_few_groups_decide
from audit.findings.numbers_in_words import difference_ends, p_text
from audit.findings.ranking_rows import FURTHER_COLUMNS, ranking_rows
from audit.findings.wording import entrant, entrants, groups_of, name, names, of
from audit.metrics import metric_of
from audit.ranking.ranks import printed_ranks
from audit.report.baseline_rows import COMPUTED_NOTE, baseline_name, baseline_rank, baseline_score
from audit.report.printing import (
    INTERVAL_TITLE,
    Cells,
    Printing,
    best_text,
    further_texts,
    interval_texts,
    metric_column,
    rank_notes,
    ranking_notes,
    score_cells,
)
from audit.sentences import say
from audit.text import agreeing, range_text, sentence_case
from audit.vocabulary import FIRST_AHEAD, IN_SET_TITLE, PAIRS_SIGNIFICANT, SEVERAL_BEST

_NAMED = 2
PROMISE = (
    "The 95% confidence set contains the true best team in 95% of test sets, so that a single team in it counts as "
    "significantly ahead of all others; all pairwise claims hold together in 95%."
)
BEHIND_NOTE = (
    "Behind the first: the difference and its 95% CI; this and the adjusted p are of all pairs at once, or of the "
    "comparison with the best where that decided."
)
AGAINST_BEST = "against the best"
BEHIND_BASELINES = "A baseline is in no pair; its interval is as wide as that of a pair would be."


def pairs_answer(evaluation: Evaluation) -> str:
    """How many differences are significant, of all pairs and of neighbouring ranks, or why none is."""
    key = evaluation.task.ranking_metric
    if evaluation.certainty is None:
        return say("Which differences are significant was not tested.")
    comparison = comparison_of(evaluation, key)
    if comparison is None:
        of_ranks = metric_of(key.metric, evaluation.task.label_set).of_ranks
        by_itself = "a mean of ranks depends on who takes part, and no item adds to it by itself"
        if of_ranks:
            reason = by_itself
        else:
            reason = undecided(evaluation, evaluation.certainty.comparisons[0])
        return say(f"By {of(evaluation, key)} nothing is compared in pairs: {reason}.")
    order = family_of(evaluation, comparison)
    n_pairs = len(order) * (len(order) - 1) // 2
    n_neighbours = len(order) - 1
    if n_pairs == 1:
        are = "pairwise difference is"
    else:
        are = "pairwise differences are"
    told = say(
        PAIRS_SIGNIFICANT,
        k=f"{int(comparison.ahead.sum()):,}",
        pairs=f"{n_pairs:,} {are}",
        j=f"{int(comparison.ahead[order[:-1], order[1:]].sum()):,}",
        neighbours=f"{n_neighbours:,}",
    )
    few = what_few_groups_decide(evaluation)
    if few:
        return f"{told}. {few}"
    return told


def pairs_notes(show: Printing) -> Iterator[str]:
    """What is promised, who is not compared, what was drawn, and what classes that are seldom predicted leave open."""
    evaluation = show.evaluation
    certainty = show.evaluation.certainty
    if certainty is None:
        return
    comparison = certainty.comparisons[0]
    worded = evaluation.task.label_set.worded
    if not undecided(evaluation, comparison):
        yield say(PROMISE)
        if comparison.is_bounded:
            metric = of(evaluation, comparison.key)
            n = int(comparison.ahead_given.sum())
            seldom = say(
                f"Where a team never predicts a class, its precision there is unknown: its {metric} could be "
                "better by all that this class can add, and only a larger lead over it counts."
            )
            decided = say(
                f"Given that teams never predict what they do not predict here, {n:,} more "
                f"{agreeing(n, 'pair', 'pairs')} would be decided by {metric}; nothing else here takes this as given."
            )
            yield f"{worded(seldom)} {decided}" if n else worded(seldom)
    beside = [team for team in show.order if not evaluation.comparable[team]]
    if beside:
        yield say(
            "Baselines, entries without a rank, and those scored on fewer items are compared in no pair: "
            f"{names(evaluation, beside)}."
        )
    yield from _sampling_unit(show, certainty, comparison)
    if not (evaluation.cells.answers[:, :-1] > 0)[:, evaluation.present].all():
        seldom = say(
            "Of a class that a team predicts fewer than 5 times little is known: averages that divide by a class’s "
            "answers move it to the ends of its own interval, and a precision to 1 where the class is never predicted. "
            "Elsewhere a class that a team never predicts counts as one that it never would."
        )
        yield worded(seldom)


def _sampling_unit(show: Printing, certainty: Certainty, comparison: Comparison) -> Iterator[str]:
    """What was drawn where it is groups, and the leader's interval with them and without."""
    evaluation = show.evaluation
    leader = comparison.leader
    ungrouped = certainty.ungrouped
    if ungrouped is None or certainty.n_groups is None or leader is None:
        return
    row = evaluation.row(comparison.key)
    with_them, without = (
        range_text(float(each.lower[row, leader]), float(each.upper[row, leader]), show.decimals)
        for each in (certainty.intervals, ungrouped)
    )
    if "–" not in {with_them, without}:
        yield say(
            f"What was drawn are {groups_of(evaluation, certainty.n_groups)}, not items: {name(evaluation, leader)}’s "
            f"interval, not corrected for selection, is {with_them}; if items were independent, it would "
            f"be {without}."
        )


# The whole ranking


def ranking_table(show: Printing, *, with_computed: bool = True) -> Table:
    """The official ranking: score and interval, the confidence set, possible ranks, distance to the first."""
    evaluation = show.evaluation
    key = show.evaluation.task.ranking_metric
    comparison = comparison_of(evaluation, key)
    title = "On full precision; shared ranks carry =, in parentheses a rank that is not taken"
    ranks = printed_ranks(evaluation.goodness_of(key), evaluation.competing)
    columns = _columns(show, key, comparison)
    table = show.by_team(
        "table-ranking", _caption(show, comparison), columns, [(Column("Rank", title=title), ranks)]
    )
    if with_computed:
        baselines = by_score(evaluation)
    else:
        baselines = []
    computed = (_computed(show, baseline, table.columns) for baseline in baselines)
    notes = () if comparison is None else _notes_on_pairs(evaluation, comparison)
    table = replace(table, rows=(*table.rows, *computed)).noting(
        *notes, *ranking_notes(evaluation, key, show.order)
    )
    of_ranks = rank_notes(evaluation, with_computed=with_computed)
    return table.noting(show.legend, *of_ranks, say(COMPUTED_NOTE) if baselines else "")


def _columns(show: Printing, key: ScoreKey, comparison: Comparison | None) -> Iterator[Cells]:
    """The columns behind the names; what was not computed has none."""
    evaluation = show.evaluation
    teams = range(len(show.evaluation.entries))
    rows = ranking_rows(evaluation, key)
    yield metric_column(key, evaluation, sentence_case(of(evaluation, key))), score_cells(show, key)
    if evaluation.certainty is not None:
        yield Column("95% CI", title=say(INTERVAL_TITLE)), interval_texts(show, key)
    if comparison is None:
        behind = (best_goodness(evaluation) - evaluation.goodness_of(key)).tolist()
        texts = [
            "" if team in evaluation.winners(key) else show.score(behind[team]) for team in teams
        ]
        yield Column("Behind the first", title="Distance to the best score"), texts
    else:
        yield (
            Column("In the confidence set", title=say(IN_SET_TITLE)),
            [best_text(comparison, team) for team in teams],
        )
        possible_ranks = [row.printed_possible_ranks for row in rows]
        yield (
            Column("Possible ranks", title=say("Ranks that these claims leave open")),
            possible_ranks,
        )
        title = say(
            "How much better the first’s score is, and the 95% CI of that by the test that decides the pair"
        )
        yield (
            Column("Behind the first", title=title),
            [_behind_text(show, comparison, team) for team in teams],
        )
        title = say("Of the difference from the first, by the test that decides the pair")
        yield Column("Adjusted p", title=title), [_p(show, comparison, team) for team in teams]
    published = [row.published_rank for row in rows]
    if any(published):
        yield Column("As published", title="Rank on scores rounded as published"), published
    unanswered = [row.printed_unanswered for row in rows]
    yield Column("Unanswered", title="Items without a usable label"), unanswered
    for column, texts in zip(
        FURTHER_COLUMNS, further_texts(rows, show.decimals).values(), strict=True
    ):
        yield Column(column.head, title=column.title), texts


def _computed(show: Printing, baseline: Baseline, columns: tuple[Column, ...]) -> tuple[Cell, ...]:
    """A built-in baseline as a row of the ranking, below the teams."""
    evaluation = show.evaluation
    key = show.evaluation.task.ranking_metric
    row = evaluation.row(key)
    behind = best_goodness(evaluation) - evaluation.goodness(key, float(baseline.values[row]))
    cells = {
        "Rank": Cell(baseline_rank(evaluation, baseline, key)),
        "Team": baseline_name(baseline),
        columns[2].label: Cell(baseline_score(baseline, row, show.decimals), style="beside"),
        "Behind the first": Cell(show.score(behind), style="beside"),
        "Unanswered": Cell(""),
    }
    return tuple(cells.get(column.label, Cell("–", style="quiet")) for column in columns)


def best_goodness(evaluation: Evaluation) -> float:
    """The winner's score by the ranking metric, turned so that higher is better; NaN where nobody has one."""
    key = evaluation.task.ranking_metric
    return max(
        evaluation.goodness_of(key)[list(evaluation.winners(key))].tolist(), default=math.nan
    )


def _notes_on_pairs(evaluation: Evaluation, comparison: Comparison) -> Iterator[str]:
    """The distances from the first, why it is ahead of all where the p of pairs leave some open, and the marks."""
    yield say(BEHIND_NOTE)
    leader = comparison.leader
    if comparison.against_best.any() and leader is not None:
        first = name(evaluation, leader)
        n_pairs = int(comparison.against_best.sum())
        others = agreeing(n_pairs, "one other", f"{n_pairs:,} others")
        yield say(
            f"That {first} is ahead of {others} is decided by the test of the first team against each other one, which "
            f"adjusts for fewer comparisons than the test of all pairs: p {AGAINST_BEST}."
        )
    if not np.isnan(comparison.standard_error[~evaluation.comparable]).all():
        yield say(BEHIND_BASELINES)


def _behind_text(show: Printing, comparison: Comparison, team: int) -> str:
    """How far a team is behind the first, with the interval of that; nothing for the first itself."""
    leader = comparison.leader
    if leader is None or team == leader or np.isnan(comparison.standard_error[leader, team]):
        return ""
    goodness = show.evaluation.goodness_of(comparison.key)
    behind = float(goodness[leader] - goodness[team])
    lower = comparison.difference_lower[leader, team]
    upper = comparison.difference_upper[leader, team]
    return f"{show.score(behind)} ({difference_ends(float(lower), float(upper), show.decimals)})"


def _p(show: Printing, comparison: Comparison, team: int) -> str:
    """The adjusted p of a team's difference from the first; nothing for who is in no pair."""
    leader = comparison.leader
    family = family_of(show.evaluation, comparison)
    if leader is None or team == leader or team not in family:
        return ""
    if comparison.against_best[leader, team]:
        against = f" {AGAINST_BEST}"
    else:
        against = ""
    return p_text(float(comparison.adjusted_p[leader, team])) + against


def _caption(show: Printing, comparison: Comparison | None) -> str:
    """What the ranking shows of the first place."""
    evaluation = show.evaluation
    by = of(evaluation, evaluation.task.ranking_metric)
    if comparison is None:
        return f"Ranking by {by}."
    return f"{best_of(evaluation, comparison)} by {by}."


def best_of(evaluation: Evaluation, comparison: Comparison) -> str:
    """How many teams may be the best one, or who is significantly ahead of all others: no sentence end."""
    contenders = [
        team for team in evaluation.order(comparison.key) if comparison.could_be_best[team]
    ]
    noun = entrant(evaluation)
    if len(contenders) == 1:
        return say(FIRST_AHEAD, leader=names(evaluation, contenders), entrant=noun)
    n_compared = int(comparison.is_compared.sum())
    return say(
        SEVERAL_BEST,
        n_best=f"{len(contenders):,}",
        teams=entrants(evaluation, n_compared),
        entrant=noun,
    )
