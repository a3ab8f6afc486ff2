"""Which differences between teams are statistically significant? All pairs, and the first against each."""

import numpy as np

from audit.document import (
    Beside,
    Block,
    Cell,
    Column,
    Fold,
    PairMap,
    Paragraph,
    Section,
    Table,
    row_names,
)
from audit.domain import Comparison, Evaluation
from audit.findings.comparisons import comparison_of, family_of
from audit.findings.numbers_in_words import difference_ends, p_text
from audit.findings.wording import entrants, names, shown_name
from audit.report.ahead import AGAINST_BEST, pairs_answer, pairs_notes, ranking_table
from audit.report.pairs import pair_chooser
from audit.report.plots import LinearAxis, coloured_name, plotted, winner_colours
from audit.report.printing import Printing
from audit.sentences import say
from audit.vocabulary import QUESTIONS

PLACE = 75
MOST_MAPPED = 48
MOST_ON_PHONES = 15
MOST_ROWS = 15


def section(show: Printing) -> Section:
    """The map of pairs beside the first team's differences; any two teams, and the whole ranking."""
    evaluation = show.evaluation
    comparison = comparison_of(evaluation)
    blocks: list[Block] = []
    if comparison is not None and len(family_of(evaluation, comparison)) > 1:
        blocks.append(
            Beside((pair_map(evaluation, comparison),), (forest(show, comparison),), columns=(6, 6))
        )
    notes = [Paragraph(sentence, "note") for sentence in pairs_notes(show)]
    blocks.append(Fold("any-two", "Compare any two teams", pair_chooser(show)))
    blocks.append(
        Fold("ranking", "The whole ranking, with every column", (ranking_table(show), *notes))
    )
    question = say(QUESTIONS["ahead"])
    return Section(
        "ahead", question, (pairs_answer(evaluation),), tuple(blocks), name="Significance"
    )


def pair_map(evaluation: Evaluation, comparison: Comparison) -> PairMap:
    """The pairs of the first teams: filled where the team above is significantly ahead of the one to the right."""
    order = family_of(evaluation, comparison)
    shown = order[:MOST_MAPPED]
    ahead = comparison.ahead
    rows = tuple(
        tuple(bool(ahead[above, team]) for above in shown[:place])
        for place, team in enumerate(shown)
    )
    n_pairs = len(order) * (len(order) - 1) // 2
    if len(shown) == len(order):
        of_first = ""
    else:
        of_first = f" The first {len(shown)} of {entrants(evaluation, len(order))} are shown."
    on_phones = ""
    if len(shown) > MOST_ON_PHONES:
        on_phones = f" On a narrow screen the first {MOST_ON_PHONES} are shown."
    return PairMap(
        "pair-map",
        say(f"Statistically significant differences among {n_pairs:,} pairs"),
        tuple(shown_name(evaluation, team) for team in shown),
        rows,
        note=say(
            "Filled: the team at the top of the column is significantly better than that at the right end of the row. "
            "An empty square is "
            f"no evidence of equality.{of_first}{on_phones}"
        ),
        is_on_phones=tuple(place < MOST_ON_PHONES for place in range(len(shown))),
    )


def excluded_only_from_the_set(evaluation: Evaluation, comparison: Comparison) -> str:
    """Which teams are outside the confidence set for the best team though the first is not significantly ahead.

    The set answers a question that needs fewer comparisons: who is the best, not who is ahead of whom.
    """
    order = family_of(evaluation, comparison)
    first = order[0]
    others = order[1:]
    teams = [
        team
        for team in others
        if not comparison.could_be_best[team] and not comparison.ahead[first, team]
    ]
    if not teams:
        return ""
    return " " + say(
        "Outside the 95% confidence set for the best team, and yet not significantly behind the first: {teams}. The "
        "set needs fewer comparisons than the test of all pairs.",
        teams=names(evaluation, teams, limit=3),
    )


def _but_against_best(comparison: Comparison, first: int) -> str:
    """That some p are adjusted for less, where the test of the first team against each other one decided."""
    if not comparison.against_best[first].any():
        return ""
    return say(
        ", those “{against}” for the comparisons of the first team with each other one",
        against=AGAINST_BEST,
    )


def forest(show: Printing, comparison: Comparison) -> Table:
    """The differences between the first team and each other, with simultaneous intervals and adjusted p."""
    evaluation = show.evaluation
    order = family_of(evaluation, comparison)
    first = order[0]
    others = order[1 : MOST_ROWS + 1]
    goodness = evaluation.goodness_of(comparison.key)
    difference = goodness[first] - goodness
    lower = comparison.difference_lower[first]
    upper = comparison.difference_upper[first]
    ends = np.concatenate([lower[others], upper[others], difference[others], [0.0]])
    axis = LinearAxis.around(ends[np.isfinite(ends)].tolist())
    colours = winner_colours(evaluation)
    rows = []
    for team in others:
        if comparison.ahead[first, team]:
            mark = axis.dot
        else:
            mark = axis.ring
        shapes = [axis.guide(0.0)]
        if not np.isnan(lower[team]):
            shapes.append(axis.line(float(lower[team]), float(upper[team]), colours.get(team, "")))
        shapes.append(mark(float(difference[team]), colours.get(team, "")))
        if comparison.against_best[first, team]:
            against = f" {AGAINST_BEST}"
        else:
            against = ""
        rows.append(
            (
                coloured_name(show, team, colours),
                Cell("", shapes=tuple(shapes)),
                Cell(show.score(float(difference[team]))),
                Cell(difference_ends(float(lower[team]), float(upper[team]), show.decimals)),
                Cell(p_text(float(comparison.adjusted_p[first, team])) + against),
            )
        )
    name = shown_name(evaluation, first)
    columns = (
        row_names(f"{name} minus …"),
        plotted(axis, "Difference"),
        Column("Difference"),
        Column("95% CI"),
        Column("Adjusted p"),
    )
    n_others = len(order) - 1
    n_significant = int(comparison.ahead[first].sum())
    if n_others > len(others):
        more = f" {n_others - len(others):,} more teams are in the export."
    else:
        more = ""
    return Table(
        "table-forest",
        say(
            f"{name} is significantly ahead of {n_significant:,} of {entrants(evaluation, n_others)}"
        ),
        columns,
        tuple(rows),
        note=say(
            "● significant; ○ not significant, which is no evidence of equality. Intervals and p-values are adjusted "
            f"for all pairwise comparisons{_but_against_best(comparison, first)}."
            f"{excluded_only_from_the_set(evaluation, comparison)}{more}"
        ),
        sortable=False,
        style="plot",
    )
