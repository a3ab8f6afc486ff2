"""May the first be called the winner, and what does that depend on? The verdict, beside the ranking it is about."""

import math
from collections.abc import Iterator, Mapping
from itertools import groupby

import numpy as np

from audit.document import Bar, Board, BoardRow, Depends, Span, Text, Verdict
from audit.domain import Dependence, Evaluation, ScoreKey, State
from audit.domain.arrays import Floats
from audit.metrics import phrase
from audit.questions.against_baselines import baseline_score, by_score
from audit.questions.ahead import aside_of_tiers
from audit.questions.comparisons import comparison_of, state_in_words
from audit.questions.printing import Printing, best_text, interval_mark, marks, rank_notes, ranking_notes
from audit.questions.shown_intervals import possible_ranks_text, shown_intervals, starts_of_tiers
from audit.questions.wording import other_macro_f1
from audit.ranking.ranks import printed_ranks
from audit.sentences import say
from audit.text import listed, number, sentence_case

MOST_TO_DO = 5
_HREFS: Mapping[str, tuple[str, str]] = {
    "unused-files": ("#data", "Which, and why"),
    "runs": ("#data", "Which"),
    "first-place": ("#findings", "Each, and why"),
    "wording": ("#definition", "The sentence"),
}


def verdict_block(evaluation: Evaluation) -> Verdict:
    """Sentence, what the first place depends on, and what to do before publishing, each with a link to its reason."""
    verdict = evaluation.verdict
    to_do: list[Text] = []
    for each in verdict.to_do:
        href, label = _HREFS.get(each.about, (f"#finding-{each.about}", "Why"))
        to_do.append((each.text, " ", Span(label, href=href)))
    no_evidence = say("A lead that is not significant is no evidence of equality.")
    return Verdict(
        sentence=verdict.sentence,
        more=verdict.more,
        depends_on=tuple(_verdict_rows(verdict.depends_on)),
        note=no_evidence if State.OTHER_NOT_SHOWN in {each.state for each in verdict.depends_on} else "",
        to_do=tuple(to_do),
        most_to_do=MOST_TO_DO,
    )


def _verdict_rows(dependences: tuple[Dependence, ...]) -> Iterator[Depends]:
    """A row for each choice; what has the same state is said in one clause, what changes the winner first."""
    for title, rows in groupby(dependences, key=lambda dependence: dependence.title):
        ordered = sorted(rows, key=lambda each: (list(State).index(each.state), each.reason))
        clauses = []
        for (state, reason), group in groupby(ordered, key=lambda each: (each.state, each.reason)):
            alike = list(group)
            because = f" ({reason})" if reason else ""
            words = state_in_words(state, alike[0].choice) + because
            clauses.append(("; ".join(each.first for each in alike), words, state.value))
        yield Depends(title, tuple(clauses))


MOST_ROWS = 15
_MARGIN = 0.06  # of the scale, on each side
_MOST_TICKS = 5
_FAR = 3.0
"""An entry so many times farther behind the best than the middle one is off the scale; than the mean, where the middle
one ties with the best.
"""


def board_of(show: Printing) -> Board:
    """The first rows of the ranking."""
    evaluation, labels = show.evaluation, show.evaluation.task.label_set
    key = evaluation.task.ranking_metric
    shown = show.ranked[:MOST_ROWS]
    other = other_macro_f1(key)
    lower, upper = _ends(evaluation, key)
    scale = _scale(evaluation, key, shown, lower, upper)
    n_more = len(show.order) - len(shown)
    return Board(
        caption=_caption(show, key),
        score=sentence_case(phrase(key, labels)),
        other=phrase(other, labels),
        rows=_board_rows(show, shown, other, (lower, upper), scale),
        ticks=_ticks(*scale),
        is_compared=comparison_of(evaluation, key) is not None,
        notes=tuple(_notes(show, shown, scale)),
        more=f"All {len(show.order):,}, with every column" if n_more else "Every column",
    )


def _ends(evaluation: Evaluation, key: ScoreKey) -> tuple[Floats, Floats]:
    """The ends of every entry's interval; the score itself where there is none."""
    scores, shown = evaluation.scores_of(key), shown_intervals(evaluation, key)
    if shown is None:
        return scores, scores
    return np.where(np.isnan(shown.lower), scores, shown.lower), np.where(np.isnan(shown.upper), scores, shown.upper)


def _scale(
    evaluation: Evaluation, key: ScoreKey, shown: tuple[int, ...], lower: Floats, upper: Floats
) -> tuple[float, float]:
    """The scores between which the picture is drawn: those shown that are not far behind."""
    scores = evaluation.scores_of(key)[list(shown)]
    scored = scores[~np.isnan(scores)]
    if not scored.size:
        return 0.0, 1.0
    typical = abs(scored[0] - float(np.median(scored))) or float(np.mean(np.abs(scored - scored[0])))
    near = np.abs(scores - scored[0]) <= _FAR * typical
    teams = np.array(shown)[near & ~np.isnan(scores)]
    first, last = float(lower[teams].min()), float(upper[teams].max())
    margin = _MARGIN * (last - first) or 0.05
    return first - margin, last + margin


def _ticks(first: float, last: float) -> tuple[tuple[float, str], ...]:
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415 - only a page needs it

    values = np.array(MaxNLocator(nbins=_MOST_TICKS, steps=[1, 2, 5, 10]).tick_values(first, last))
    digits = max(0, -math.floor(math.log10(values[1] - values[0]) + 1e-9))
    ticks = values[(values >= first) & (values <= last)]
    return tuple((_share(value, first, last), number(value, digits)) for value in ticks.tolist())


def _share(value: float, first: float, last: float) -> float:
    """The place of a score on the scale, in percent of its width; clipped at the ends."""
    return round(min(max((value - first) / (last - first), 0.0), 1.0) * 100, 1)


def _board_rows(
    show: Printing, shown: tuple[int, ...], other: ScoreKey, ends: tuple[Floats, Floats], scale: tuple[float, float]
) -> tuple[BoardRow, ...]:
    evaluation, key = show.evaluation, show.evaluation.task.ranking_metric
    comparison, scores = comparison_of(evaluation, key), evaluation.scores_of(key)
    ranks, others = (printed_ranks(evaluation.goodness_of(each), evaluation.competing) for each in (key, other))
    moves = evaluation.ranks_of(key) - evaluation.ranks_of(other)
    winners, intervals = evaluation.winners(key), shown_intervals(evaluation, key)
    starts = set() if comparison is None else starts_of_tiers(comparison, shown)
    return tuple(
        BoardRow(
            rank=ranks[team],
            name=show.name(team),
            score=show.score(float(scores[team])) + (interval_mark(intervals, team) if intervals else ""),
            bar=_bar(ends[0][team], scores[team], ends[1][team], scale),
            could_be_best="" if comparison is None else best_text(comparison, team),
            below_line=team in starts,
            possible_ranks="" if comparison is None else possible_ranks_text(comparison, team),
            other=others[team],
            move=int(moves[team]) if evaluation.competing[team] else 0,
            wins=team in winners,
        )
        for team in shown
    )


def _bar(start: float, score: float, end: float, scale: tuple[float, float]) -> Bar | None:
    """An interval and its score on the scale; None where the score is undefined."""
    if math.isnan(score):
        return None
    return Bar(_share(start, *scale), _share(score, *scale), _share(end, *scale), _off_scale(score, scale))


def _off_scale(score: float, scale: tuple[float, float]) -> str:
    """The end of the scale at which a score is left out; empty where it is on the scale."""
    if score < scale[0]:
        return "low"
    return "high" if score > scale[1] else ""


def _caption(show: Printing, key: ScoreKey) -> str:
    evaluation = show.evaluation
    by = phrase(key, evaluation.task.label_set)
    lower = " Lower is better." if key.metric in evaluation.scales else ""
    comparison = comparison_of(evaluation, key)
    if comparison is None or int(comparison.tiers.max()) == 1:
        return f"The ranking by {by}.{lower}"
    aside = aside_of_tiers(evaluation, comparison)
    tiers = say(f"A line ends a tier: all above it are statistically ahead of all below{aside}.")
    return f"The ranking by {by}.{lower} {tiers}"


def _notes(show: Printing, shown: tuple[int, ...], scale: tuple[float, float]) -> list[str]:
    evaluation, key = show.evaluation, show.evaluation.task.ranking_metric
    scores, row = evaluation.scores_of(key), evaluation.row(key)
    outside = [team for team in shown if _off_scale(float(scores[team]), scale)]
    beside = [team for team in show.order if not evaluation.competing[team]]
    off, aside = (
        [f"{show.name(team).text} {show.score(float(scores[team]))}" for team in teams] for teams in (outside, beside)
    )
    computed = [
        f"{baseline.title.lower()} {baseline_score(baseline, row, show.decimals)}"
        for baseline in by_score(evaluation)
        if not np.isnan(baseline.values[row])
    ]
    drawn = [
        say("Lines: 95% intervals.") if shown_intervals(evaluation, key) is not None else "",
        *ranking_notes(evaluation, key, shown, with_tiers=False),
        f"Off the scale: {listed(off)}." if off else "",
        f"Beside the ranking: {listed(aside, limit=MOST_ROWS)}." if aside else "",
        f"Computed: {listed(computed)}." if computed else "",
        *((show.legend, *rank_notes(evaluation)) if any(marks(evaluation.entries[team]) for team in shown) else ()),
    ]
    return [note for note in drawn if note]
