"""Who is ahead of whom? Any two teams, the whole ranking, and what is promised of both."""

from collections.abc import Iterator

from audit.document import Fold, Paragraph, Section
from audit.domain import Certainty, Comparison, Evaluation
from audit.metrics import metric_of
from audit.questions.comparisons import comparison_of, family_of, undecided
from audit.questions.figures.figure_kinds import picture
from audit.questions.pairs import pair_chooser
from audit.questions.printing import Printing, range_text
from audit.questions.ranking import ranking_table
from audit.questions.wording import groups_of, name, names, of
from audit.sentences import say
from audit.text import agreeing, plural

PLACE = 20


def section(show: Printing) -> Section:
    """How many pairs the test set tells apart, any two teams, and the whole ranking with what is promised of it."""
    notes = (Paragraph(sentence, "note") for sentence in _notes(show))
    ranking = ranking_table(show)
    blocks = (ranking, picture(show.evaluation, "scores", ranking.caption), *notes)
    whole = Fold("ranking", "The whole ranking, with every column", blocks)
    return Section("ahead", "Who is ahead of whom?", (_answer(show.evaluation),), (*pair_chooser(show), whole))


def _answer(evaluation: Evaluation) -> str:
    """The number of pairs that the test set separates, of all and of neighbours, or why it separates none."""
    key = evaluation.task.ranking_metric
    if evaluation.certainty is None:
        return say("pairs-left-out")
    comparison = comparison_of(evaluation, key)
    if comparison is None:
        of_ranks = metric_of(key.metric, evaluation.task.label_set).of_ranks
        by_itself = "a mean of ranks depends on who takes part, and no item adds to it by itself"
        reason = by_itself if of_ranks else undecided(evaluation, evaluation.certainty.comparisons[0])
        return say("nothing-compared", metric=of(evaluation, key), reason=reason)
    order = family_of(evaluation, comparison)
    n_pairs, n_neighbours = len(order) * (len(order) - 1) // 2, len(order) - 1
    return say(
        "pairs-separable",
        separable=f"{int(comparison.ahead.sum()):,}",
        pairs=plural(n_pairs, "pair"),
        adjacent=f"{int(comparison.ahead[order[:-1], order[1:]].sum()):,}",
        neighbours=plural(n_neighbours, "pair"),
    )


def _notes(show: Printing) -> Iterator[str]:
    """What is promised, who is not compared, what was drawn, and what classes that are seldom predicted leave open."""
    evaluation, certainty = show.evaluation, show.evaluation.certainty
    if certainty is None:
        return
    comparison, worded = certainty.comparisons[0], evaluation.task.label_set.worded
    if not undecided(evaluation, comparison):
        yield say("promise")
        if comparison.is_bounded:
            metric, n = of(evaluation, comparison.key), int(comparison.ahead_given.sum())
            given = {"n": f"{n:,}", "pairs": agreeing(n, "pair", "pairs"), "metric": metric}
            seldom = worded(say("never-predicted", metric=metric))
            yield f"{seldom} {say('given-never-predicted', **given)}" if n else seldom
    yield from _uncompared_entries(show)
    yield from _sampling_unit(show, certainty, comparison)
    if not (evaluation.cells.answers[:, :-1] > 0)[:, evaluation.present].all():
        yield worded(say("interval-never-predicted"))


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
