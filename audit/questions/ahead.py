"""Who is ahead of whom? What the comparisons say, and how they are made."""

import math
from collections.abc import Iterator

import numpy as np

from audit.document import Block, Cell, Column, Fold, Listing, Paragraph, Section, Span, Table, row_names
from audit.domain import FAMILY_WISE_ERROR, Certainty, Comparison, Evaluation, Resampled, ScoreKey
from audit.inference.resampling import FEWEST_USABLE
from audit.metrics import metric_of
from audit.questions.comparisons import comparison_of, family_of, undecided
from audit.questions.figures.figure_kinds import MOST_TEAMS, picture
from audit.questions.pairs import pair_chooser
from audit.questions.printing import SHADES, Printing, p_phrase, range_text
from audit.questions.ranking import ranking_table
from audit.questions.shown_intervals import rank_shares, shown_intervals
from audit.questions.wording import beyond, entrants, groups_of, name, names, of, share_of_replicates
from audit.sentences import say
from audit.text import agreeing, plural

PLACE = 20

_NAMED = 8


def section(show: Printing) -> Section:
    """How many pairs the test set tells apart, any two teams, the whole ranking, and what the comparisons say."""
    whole = Fold(
        "ranking", "The whole ranking, with every column", (ranking_table(show), picture(show.evaluation, "scores"))
    )
    blocks = (*pair_chooser(show), whole, *_certainty(show))
    return Section("ahead", "Who is ahead of whom?", (_answer(show.evaluation),), blocks)


def _answer(evaluation: Evaluation) -> str:
    """The number of pairs that the test set separates, or why it separates none."""
    key = evaluation.task.ranking_metric
    if evaluation.certainty is None:
        return say("pairs-left-out")
    comparison = comparison_of(evaluation, key)
    if comparison is None:
        of_ranks = metric_of(key.metric, evaluation.task.label_set).of_ranks
        by_itself = "a mean of ranks depends on who takes part, and no item adds to it by itself"
        reason = by_itself if of_ranks else undecided(evaluation, evaluation.certainty.comparisons[0])
        return say("nothing-compared", metric=of(evaluation, key), reason=reason)
    return how_many_pairs(evaluation, comparison)


def _certainty(show: Printing) -> Iterator[Block]:
    """What the comparisons say and how they are made; nothing where the certainty was left out."""
    evaluation = show.evaluation
    if evaluation.certainty is None:
        return
    comparison = evaluation.certainty.comparisons[0]
    tables = separable_table(show, comparison), rank_shares_table(show, comparison.key)
    too_many = (Paragraph(say("no-map-of-pairs"), "note"),) if len(show.comparable) > MOST_TEAMS else ()
    method = (Paragraph(sentence, "note") for sentence in _method(evaluation, evaluation.certainty, comparison))
    how = Paragraph(("How they are made: ", Span("the methods, to copy", href="#for-methods"), "."), "note")
    statements = Listing(tuple(_statements(show, evaluation.certainty, comparison)))
    blocks = (statements, *filter(None, tables), *too_many, *method, how)
    yield Fold("certainty", "What the comparisons say", blocks)


# What the data say


def _statements(show: Printing, certainty: Certainty, comparison: Comparison) -> Iterator[str]:
    """Statements on what the test set supports, most important first."""
    evaluation = show.evaluation
    if reason := undecided(evaluation, comparison):
        yield say("nothing-compared", metric=of(evaluation, comparison.key), reason=reason)
    else:
        yield _best_set_sentence(evaluation, comparison)
        yield from _leaders_interval(show, comparison)
        yield how_many_pairs(evaluation, comparison)
        yield from _lead(show, comparison)
    yield from _uncompared_entries(show)
    yield from _sampling_unit(show, certainty, comparison)
    if certainty.resampled is not None and certainty.resampled.n_usable >= FEWEST_USABLE:
        yield _disagreements(evaluation, certainty.resampled)


def _best_set_sentence(evaluation: Evaluation, comparison: Comparison) -> str:
    best = [team for team in evaluation.order(comparison.key) if comparison.could_be_best[team]]
    n_teams, by = entrants(evaluation, len(family_of(evaluation, comparison))), of(evaluation, comparison.key)
    if len(best) == 1:
        return say("only-best", leader=name(evaluation, best[0]), teams=n_teams, metric=by)
    named = names(evaluation, best, limit=_NAMED)
    return say("could-be-best", teams=f"{len(best):,} of {n_teams}", metric=by, names=named)


_RISING = {"good": "high", "worse": "lower", "away": "down"}
_FALLING = {"good": "low", "worse": "upper", "away": "up"}


def _leaders_interval(show: Printing, comparison: Comparison) -> Iterator[str]:
    evaluation, leader = show.evaluation, comparison.leader
    shown = shown_intervals(evaluation, comparison.key)
    if leader is None or shown is None:
        return
    ends = shown.ends(leader)
    if ends is not None:
        luck = _FALLING if beyond(evaluation, comparison.key) == "below" else _RISING
        yield say("leader-interval", leader=name(evaluation, leader), interval=range_text(show, *ends), **luck)
    elif shown.marks[leader]:
        yield say("leader-without-interval", leader=name(evaluation, leader))
        if metric_of(comparison.key.metric, evaluation.task.label_set).of_labels:
            yield say("marked-comparisons", metric=of(evaluation, comparison.key))


def how_many_pairs(evaluation: Evaluation, comparison: Comparison) -> str:
    """The number of pairs that the test set separates, of all and of neighbours."""
    order = family_of(evaluation, comparison)
    n_pairs, n_neighbours = len(order) * (len(order) - 1) // 2, len(order) - 1
    return say(
        "pairs-separable",
        separable=f"{int(comparison.ahead.sum()):,}",
        pairs=plural(n_pairs, "pair"),
        adjacent=f"{int(comparison.ahead[order[:-1], order[1:]].sum()):,}",
        neighbours=plural(n_neighbours, "pair"),
    )


def _lead(show: Printing, comparison: Comparison) -> Iterator[str]:
    """How far the first is ahead of the next, and how sure that is."""
    evaluation, (first, second, *_) = show.evaluation, family_of(show.evaluation, comparison)
    half = float(comparison.half_width[first, second])
    if half > 0:
        goodness = evaluation.goodness_of(comparison.key)
        decided = comparison.adjusted_p[first, second] <= FAMILY_WISE_ERROR or not comparison.ahead[first, second]
        yield say(
            "lead" if decided else "lead-alone",
            first=name(evaluation, first),
            second=name(evaluation, second),
            lead=show.score(float(goodness[first] - goodness[second])),
            half=show.score(half),
            p=p_phrase(float(comparison.adjusted_p[first, second])),
        )


def _uncompared_entries(show: Printing) -> Iterator[str]:
    """Sentences on the entries that take no part in the comparisons, and why."""
    evaluation = show.evaluation
    fewer = [team for team in show.ranked if not evaluation.whole[team]]
    baselines = [team for team in show.ranked if not evaluation.contending[team]]
    beside = [team for team in show.order if team not in show.ranked]
    clauses = (
        f"{names(evaluation, fewer)} {agreeing(len(fewer), 'is', 'are')} scored on fewer items" if fewer else "",
        f"{names(evaluation, baselines)} {agreeing(len(baselines), 'is a baseline', 'are baselines')}"
        if baselines
        else "",
        f"{names(evaluation, beside)} {'takes' if len(beside) == 1 else 'take'} no rank" if beside else "",
    )
    if reason := "; ".join(filter(None, clauses)):
        yield say("left-aside", reason=reason)


def _sampling_unit(show: Printing, certainty: Certainty, comparison: Comparison) -> Iterator[str]:
    """A statement on the drawn groups, and on the leader's interval without them."""
    evaluation, leader = show.evaluation, comparison.leader
    if certainty.ungrouped is None or certainty.n_groups is None or leader is None:
        return
    row = evaluation.row(comparison.key)
    grouped, ungrouped = (
        range_text(show, float(each.lower[row, leader]), float(each.upper[row, leader]))
        for each in (certainty.intervals, certainty.ungrouped)
    )
    if "–" not in {grouped, ungrouped}:
        yield say(
            "sampling-unit",
            groups=groups_of(evaluation, certainty.n_groups),
            leader=name(evaluation, leader),
            grouped=grouped,
            ungrouped=ungrouped,
        )


def _disagreements(evaluation: Evaluation, resampled: Resampled) -> str:
    macro_f1 = share_of_replicates(resampled.macro_f1_disagreement)
    if math.isnan(resampled.prevalence_disagreement):  # of a score that no confusion gives
        return say("resampled-disagreement-macro-f1", macro_f1=macro_f1)
    return say(
        "resampled-disagreement",
        macro_f1=macro_f1,
        metric=of(evaluation, ScoreKey(evaluation.task.ranking_metric.metric)),
        prevalence=share_of_replicates(resampled.prevalence_disagreement),
    )


# How it was found out


def _method(evaluation: Evaluation, certainty: Certainty, comparison: Comparison) -> Iterator[str]:
    """What is promised, what is taken as given, and what is not covered; the procedure stands in the methods."""
    if not undecided(evaluation, comparison):
        yield say("promise")
        if comparison.is_bounded:
            metric, n = of(evaluation, comparison.key), int(comparison.ahead_given.sum())
            given = {"n": f"{n:,}", "pairs": agreeing(n, "pair", "pairs"), "metric": metric}
            yield say("never-predicted", metric=metric) + (f" {say('given-never-predicted', **given)}" if n else "")
    if not (evaluation.cells.answers[:, :-1] > 0)[:, evaluation.present].all():
        yield say("interval-never-predicted")
    yield say("interval-overlap")
    if certainty.resampled is not None:
        yield " ".join(_of_replicates(certainty.resampled))
    yield say("one-metric-at-a-time")
    yield say("not-covered")


def _of_replicates(resampled: Resampled) -> Iterator[str]:
    yield say("resampled", n=f"{resampled.n_replicates:,}", seed=resampled.seed)
    left_out = resampled.n_replicates - resampled.n_usable
    if left_out:
        yield say("resampled-left-out", n=f"{left_out:,}")
    if resampled.n_usable < FEWEST_USABLE:
        yield say("resampled-too-few", fewest=FEWEST_USABLE)


_TEAMS_IN_SIGHT = 24
_WIDE = " The table goes on to the right: it scrolls in its box."


def separable_table(show: Printing, comparison: Comparison) -> Table | None:
    """Which team is ahead of which; None above 60 teams, and where no two are compared."""
    tested = comparison_of(show.evaluation, comparison.key)
    teams = [] if tested is None else family_of(show.evaluation, comparison)
    if not 1 < len(teams) <= MOST_TEAMS:
        return None
    marks = np.where(comparison.ahead, 1, np.where(comparison.ahead.T, -1, 0))
    cells = {1: Cell("▲", style="p3"), -1: Cell("▽", style="m2"), 0: Cell("·", style="quiet")}
    rows = tuple(
        (
            show.name(team),
            *(Cell("", style="self") if other == team else cells[int(marks[team, other])] for other in teams),
        )
        for team in teams
    )
    columns = (row_names("Team"), *(Column(show.name(team).text) for team in teams))
    n_pairs = plural(len(teams) * (len(teams) - 1) // 2, "pair")
    caption = say("table-pairs", separable=f"{int(comparison.ahead.sum()):,}", pairs=n_pairs)
    note = say("table-pairs-note") + (_WIDE if len(teams) > _TEAMS_IN_SIGHT else "")
    return Table("table-separable", caption, columns, rows, note=note, sortable=False, upright=True)


def rank_shares_table(show: Printing, key: ScoreKey) -> Table | None:
    """How often each team has each rank in the replicates; None above 60 teams, and where there are none to count."""
    teams, shares = show.comparable, rank_shares(show.evaluation, key)
    if shares is None or not 1 < len(teams) <= MOST_TEAMS:
        return None
    rows = tuple((show.name(team), *map(_share_cell, shares[team, : len(teams)].tolist())) for team in teams)
    columns = (row_names("Team"), *(Column(str(rank + 1)) for rank in range(len(teams))))
    note = _WIDE.strip() if len(teams) > _TEAMS_IN_SIGHT else ""
    return Table("table-rank-shares", say("rank-shares"), columns, rows, note=note, sortable=False, upright=True)


def _share_cell(share: float) -> Cell:
    percent = round(share * 100)
    shade = f"v{min(SHADES - 1, round(share * 2 * (SHADES - 1)))}" if share else ""
    return Cell(str(percent) if percent else "<1" if share else "", style=shade)
