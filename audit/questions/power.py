"""How much can this test set tell? What it detects, and how far the winner is from what is possible."""

import math
from collections.abc import Sequence

from audit.document import Block, Cell, Column, Fold, Listing, Paragraph, Section, Table, row_names
from audit.domain import Evaluation, LabelSet, Plan, Power, Role, Scale, ScoreKey
from audit.metrics import phrase, scale_of
from audit.questions.against_baselines import baseline_name, baseline_score
from audit.questions.comparisons import comparison_of, undecided
from audit.questions.power_sentences import percent, plan_sentences, power_sentences, short
from audit.questions.printing import Printing
from audit.questions.wording import NAME_LIMIT, drawn, shown_name
from audit.sentences import say
from audit.text import distinct, number, plural, visible

PLACE = 80

Reference = tuple[Cell, str, float, str]
"""What the winner is compared with: its name, its score as printed, its score, and the ± of the difference."""


def section(show: Printing) -> Section:
    """The smallest difference that the test set detects, what more it can tell, and how far the winner is from what."""
    evaluation, told = show.evaluation, power_sentences(show.evaluation)
    undecided_at_all = evaluation.certainty is None or undecided(evaluation, evaluation.certainty.comparisons[0])
    more = () if undecided_at_all else told[1:]
    table = competitiveness_table(show)
    title = "How far the winner stands from what is possible, and from chance"
    folded = () if table is None else (Fold("competitiveness", title, (table,)),)
    answer = told[0] if told else say("power-left-out")
    question = "How much can this test set tell?"
    return Section("power", question, (answer,), (*map(Paragraph, more), *folded), "audit power TASK")


def competitiveness_table(show: Printing) -> Table | None:
    """The winner's distance to the best possible, the next team, every baseline and the oracle; None without winner."""
    evaluation, key = show.evaluation, show.evaluation.task.ranking_metric
    winners = evaluation.winners(key)
    if not winners:
        return None
    best = float(evaluation.scores_of(key)[winners[0]])
    goodness = evaluation.goodness(key, best)
    references = [_best_possible(show), *_next_team(show), *_submitted(show), *_computed(show)]
    references.sort(key=lambda reference: -evaluation.goodness(key, reference[2]))
    rows = tuple(
        (name, Cell(printed), Cell(_signed(show, goodness - evaluation.goodness(key, value))), Cell(interval))
        for name, printed, value, interval in references
    )
    winner, scale = shown_name(evaluation, winners[0]), _scale(evaluation)
    lead = f"Score of {winner} less this one" if scale.greater_is_better else f"This score less that of {winner}"
    columns = (
        row_names("Reference"),
        Column("Score"),
        Column("Winner’s lead", title=lead),
        Column("± (95%)", title=say("column-lead")),
    )
    by = phrase(key, evaluation.task.label_set)
    caption = (
        f"{winner} has {show.score(best)} by {by}; a perfect system would score {show.score(abs(scale.best - best))} "
        f"{'more' if scale.greater_is_better else 'less'}."
    )
    return Table("table-competitiveness", caption, columns, rows, sortable=False)


def _signed(show: Printing, lead: float) -> str:
    return f"+{number(lead, show.decimals)}" if lead > 0 else number(lead, show.decimals)


def _scale(evaluation: Evaluation) -> Scale:
    return scale_of(evaluation.task.ranking_metric.metric, evaluation.task.label_set)


def _best_possible(show: Printing) -> Reference:
    best = _scale(show.evaluation).best
    return Cell("A perfect system"), show.score(best), best, "–"


def _next_team(show: Printing) -> list[Reference]:
    """The first team that competes and is not the winner."""
    evaluation, key = show.evaluation, show.evaluation.task.ranking_metric
    first, scores = evaluation.winners(key)[0], evaluation.scores_of(key)
    others = [team for team in show.ranked if team != first and not math.isnan(scores[team])]
    return [_entry(show, others[0])] if others else []


def _submitted(show: Printing) -> list[Reference]:
    """Every baseline that was submitted and has a score, unless it is ranked like a team."""
    scores = show.evaluation.scores_of(show.evaluation.task.ranking_metric)
    entries = show.evaluation.entries
    return [
        _entry(show, team)
        for team in show.order
        if entries[team].role == Role.BASELINE and not entries[team].competes and not math.isnan(scores[team])
    ]


def _entry(show: Printing, team: int) -> Reference:
    value = float(show.evaluation.scores_of(show.evaluation.task.ranking_metric)[team])
    return show.name(team), show.score(value), value, _interval(show, team)


def _interval(show: Printing, team: int) -> str:
    """Half the interval of the winner's lead, where the winner is the entry that all were compared with."""
    evaluation, key = show.evaluation, show.evaluation.task.ranking_metric
    comparison = comparison_of(evaluation, key)
    if comparison is None or comparison.leader != evaluation.winners(key)[0]:
        return "–"
    return show.score(float(comparison.half_width[comparison.leader, team]))


def _computed(show: Printing) -> list[Reference]:
    """Every built-in baseline, chance and the oracle, that has a score."""
    row = show.evaluation.row(show.evaluation.task.ranking_metric)
    return [
        (baseline_name(baseline), baseline_score(baseline, row, show.decimals), float(baseline.values[row]), "–")
        for baseline in show.evaluation.baselines
        if not math.isnan(baseline.values[row])
    ]


# For a command


def power_blocks(evaluation: Evaluation, key: ScoreKey) -> tuple[Block, ...]:
    """The power of the test set: sentences by one metric, and a table by every metric."""
    powers = powers_of(evaluation, key)
    title = Paragraph(f"{visible(evaluation.task.title)}: what the test set can tell", "heading")
    table = (_power_table(evaluation, powers),) if powers else ()
    return title, Listing(power_sentences(evaluation, key)), *table


def powers_of(evaluation: Evaluation, key: ScoreKey) -> list[Power]:
    """The power results: those of the chosen metric first."""
    return sorted(evaluation.power, key=lambda power: power.key != key)


def _power_table(evaluation: Evaluation, powers: list[Power]) -> Table:
    """A row for each number, a column for each metric."""
    numbers = [_numbers(evaluation, power) for power in powers]
    columns = (row_names(""), *(Column(str(power.key)) for power in powers))
    rows = tuple((Cell(head), *(Cell(column[head]) for column in numbers)) for head in numbers[0])
    return Table("table-power", "", columns, rows)


def _numbers(evaluation: Evaluation, power: Power) -> dict[str, str]:
    """The numbers by one metric, under what they are."""
    names = distinct(evaluation.names, NAME_LIMIT)
    carried, noise = power.carried_by, power.label_noise
    noun = f"{drawn(evaluation)}s"
    stays = {} if noise is None else dict(zip(noise.shares, noise.stays, strict=True))
    return {
        "first": names[power.first],
        "second": names[power.second],
        "difference": short(power.difference),
        "its standard error": short(power.standard_error),
        "found half the time, these two among all pairs": short(power.found_half_the_time),
        "found 80% of the time, these two among all pairs": short(power.detected_among_all),
        "found 80% of the time, these two alone": short(power.detected_as_pair),
        "found half the time, the median pair among all": short(power.median_found_half_the_time),
        "found 80% of the time, the median pair among all": short(power.median_detected_among_all),
        f"{noun} the difference needs, these two among all pairs": _count(power.needed_among_all),
        f"{noun} the difference needs, these two alone": _count(power.needed_as_pair),
        f"{noun} of the test set": _count(power.n_units),
        "items that carry the first place": _count(None if carried is None else carried.n_items),
        **{f"stays first with {share:.0%} label noise": percent(stays[share]) for share in stays},
    }


def _count(count: int | None) -> str:
    return "–" if count is None else f"{count:,}"


def plan_blocks(plan: Plan, label_set: LabelSet, files: Sequence[str]) -> tuple[Block, ...]:
    """The number of items that a difference needs, from the pilots in these files."""
    metric = phrase(plan.key, label_set)
    pilots = (
        f"{visible(file, 200)}: {plural(n_items, 'item')}, {metric} {number(value)}."
        for file, value, n_items in zip(files, plan.scores, plan.n_items, strict=True)
    )
    heads = ("correlation of errors", "items, one pair", f"items, all pairs of {plan.n_teams:,} teams")
    rows = tuple(
        (Cell(number(each.correlation, 1)), Cell(_count(each.as_pair)), Cell(_count(each.among_all)))
        for each in plan.needed
    )
    return (
        Paragraph("How large a test set must be", "heading"),
        Listing((*pilots, *plan_sentences(plan, label_set))),
        Table("table-plan", "", tuple(map(Column, heads)), rows),
    )
