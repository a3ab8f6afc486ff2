"""Which macro F1? Both formulas, who swaps, and every reading of the name."""

from collections.abc import Iterator

import numpy as np

from audit.document import Block, Cell, Column, Fold, Listing, Paragraph, Span, Table
from audit.domain import MARKS, Cells, Certainty, Evaluation, MacroF1Audit, Mark
from audit.domain.arrays import Floats, Ints
from audit.findings.wording import AVERAGED, OF_AVERAGES, entrant, entrants, shown_name
from audit.metrics import (
    BOTH_MACRO_F1,
    Margins,
    difference_in_words,
    gap_by_class_pair,
    kinds_of_classes,
    macro_f1_gap,
    reading_phrase,
)
from audit.readings.macro_f1_wording import (
    ROWS_SHOWN,
    definition,
    presets_of,
    shown_groups,
    statements,
    team_names,
)
from audit.report.printing import (
    INTERVAL_MARKS,
    LABEL_LIMIT,
    Printing,
    class_scores,
    label_texts,
    mark_notes,
    metric_column,
    printing,
    rank_cells,
    rank_change,
    rank_notes,
    score_cells,
)
from audit.sentences import say
from audit.text import (
    agreeing,
    decimals_to_tell_apart,
    listed,
    number,
    plural,
    sentence_case,
    visible,
)

_SWAPS_SHOWN = 20


TWO_FORMULAS = (
    "Two formulas are called macro F1. ",
    Span("Macro-averaged F1", href="#metric-averaged_f1"),
    ' is the mean of the class F1s (scikit-learn: f1_score(average="macro")); ',
    Span("F1 of averages", href="#metric-f1_of_averages"),
    " is the F1 of macro precision and macro recall. The second is never lower. Their ",
    Span("gap Δ", href="#metric-gap"),
    (
        " is a sum over pairs of classes, large where precision exceeds recall in one class and falls short of it in "
        "another."
    ),
)
_READINGS = (
    "The name leaves more open than the formula: over which classes the average runs, what an undefined class score "
    "becomes, what a missing item is, and at which class distribution. A reading decides all of it."
)


READINGS_ON_PAGE = 6
"""Rows of the table of readings on the page; the command shows more."""


def readings_folds(show: Printing) -> Iterator[Block]:
    """The readings of the name that matter most; nothing where no entry takes a rank."""
    audit = show.evaluation.macro_f1
    if audit is not None:
        about = Paragraph(show.evaluation.task.label_set.worded(_READINGS))
        blocks = (about, *_reading_blocks(show, audit, READINGS_ON_PAGE))
        yield Fold("readings", "Other readings of the name macro F1", blocks)


def _reading_blocks(show: Printing, audit: MacroF1Audit, n_rows: int) -> tuple[Block, ...]:
    """What the readings do to this campaign, the winner by each, and the sentence for the paper."""
    labels = show.evaluation.task.label_set
    sentence = definition(audit.base, labels, int(show.evaluation.averaged.sum()))
    said = Listing(tuple(statements(audit, labels)))
    return said, readings_table(show, audit, n_rows), Paragraph(f"For the paper: {sentence}")


def readings_blocks(evaluation: Evaluation, audit: MacroF1Audit) -> tuple[Block, ...]:
    """The same for a command."""
    title = Paragraph(f"{visible(evaluation.task.title)}: which macro F1 was it?", "heading")
    return title, *_reading_blocks(printing(evaluation), audit, ROWS_SHOWN)


def gap_table(show: Printing) -> Table:
    """The table of both macro F1s of every team, their gap Δ, and the pair of classes that makes most of it."""
    evaluation = show.evaluation
    of_teams = (evaluation.cells.of_teams([team]) for team in range(len(evaluation.entries)))
    terms = zip(*(_largest_term(cells, evaluation) for cells in of_teams), strict=True)
    gaps, pairs, contribution = map(np.array, terms)
    shares = np.divide(contribution, gaps, out=np.full(gaps.shape, np.nan), where=gaps > 0)
    moves = np.where(
        evaluation.competing, evaluation.ranks_of(AVERAGED) - evaluation.ranks_of(OF_AVERAGES), 0
    )
    if evaluation.certainty is None:
        upper_end = ""
    else:
        upper_end = say("; ≤: upper end of its one-sided 95% interval")
    gap_title = f"F1 of averages − macro-averaged F1{upper_end}"
    moved = [
        Cell(rank_change(move), style=("down", "", "up")[int(np.sign(move)) + 1])
        for move in moves.tolist()
    ]
    pair, share, first, second = zip(*_causes(show, pairs, shares), strict=True)
    worded = evaluation.task.label_set.worded
    columns = (
        (metric_column(AVERAGED, evaluation, "Macro F1"), score_cells(show, AVERAGED)),
        (Column("rank"), rank_cells(show, evaluation.goodness_of(AVERAGED))),
        (metric_column(OF_AVERAGES, evaluation, "F1 of averages"), score_cells(show, OF_AVERAGES)),
        (Column("rank"), rank_cells(show, evaluation.goodness_of(OF_AVERAGES))),
        (Column("Moves", title="Ranks gained under F1 of averages"), moved),
        (
            Column("Δ", title=gap_title, href="#metric-gap"),
            [_gap_cell(show, team, gap) for team, gap in enumerate(gaps.tolist())],
        ),
        (
            Column(
                worded("Class pair behind Δ"),
                title=worded("The classes that add most to Δ"),
                numeric=False,
            ),
            pair,
        ),
        (Column("Share of Δ", title="Share of Δ that this pair contributes"), share),
        (Column("P / R of first", title="Precision and recall of the first of the pair"), first),
        (Column("P / R of second", title="Precision and recall of the second of the pair"), second),
    )
    notes = () if evaluation.certainty is None else mark_notes(_gap_marks(evaluation.certainty))
    table = show.by_team("table-gap", _gap_caption(show, gaps, moves), columns)
    return table.noting(*notes, show.legend, *rank_notes(evaluation))


def _gap_cell(show: Printing, team: int, gap: float) -> Cell:
    """Δ, with the upper end of its one-sided interval where it has one."""
    digits = max(show.decimals, 4)
    certainty = show.evaluation.certainty
    if certainty is None:
        return Cell(number(gap, digits))
    upper = float(certainty.intervals.gap_upper[team])
    mark = INTERVAL_MARKS.get(_gap_marks(certainty)[team], "")
    if np.isnan(upper):
        at_most = ""
    else:
        at_most = f" (≤ {number(upper, digits)})"
    return Cell(f"{number(gap, digits)}{at_most}{mark}")


def _gap_marks(certainty: Certainty) -> list[Mark]:
    """Why each team's Δ has no interval, or a rough one."""
    return [MARKS[mark] for mark in certainty.intervals.gap_marks.tolist()]


def _largest_term(cells: Cells, evaluation: Evaluation) -> tuple[float, tuple[int, int], float]:
    """Δ of one team, the pair of classes that contributes most, and what it does."""
    margins = Margins.of_cells(cells).without(evaluation.task.label_set.rest_code)
    codes, _ = kinds_of_classes(margins)
    terms = 2 * np.triu(gap_by_class_pair(margins, codes)[0])
    one, other = np.unravel_index(int(terms.argmax()), terms.shape)
    pair = int(codes[one]), int(codes[other])
    return float(macro_f1_gap(margins)[0]), pair, float(terms[one, other])


def _causes(show: Printing, pairs: Ints, shares: Floats) -> Iterator[tuple[Cell, ...]]:
    """Each team's pair of classes behind Δ, its share, and how precision and recall stand in each of the two."""
    labels = label_texts(show.evaluation.task.label_set)
    precision, recall = (class_scores(show.evaluation, slug) for slug in ("precision", "recall"))
    for team, (classes, share) in enumerate(zip(pairs.tolist(), shares.tolist(), strict=True)):
        if np.isnan(share):
            yield Cell("none: Δ is 0", style="quiet"), Cell("–"), Cell("–"), Cell("–")
            continue
        skew = (
            Cell(f"{show.score(precision[team, code])} / {show.score(recall[team, code])}")
            for code in classes
        )
        yield Cell(" · ".join(labels[code] for code in classes)), Cell(f"{share:.0%}"), *skew


def _gap_caption(show: Printing, gaps: Floats, moves: Ints) -> str:
    widest = max(show.ranked, key=lambda team: gaps[team])
    largest = f"Δ is at most {number(gaps[widest], 3)} ({shown_name(show.evaluation, widest)})"
    if gaps[widest] < _NO_GAP:
        largest = "every Δ is below .0005"
    n_moved = int((moves != 0).sum())
    if not n_moved:
        return f"The two macro F1s rank all teams alike; {largest}."
    return f"The two macro F1s rank {n_moved} of {entrants(show.evaluation, len(show.ranked))} differently; {largest}."


def swaps_table(show: Printing) -> Table | None:
    """The pairs of teams that swap between the two macro F1s."""
    flag = next(
        (flag for flag in show.evaluation.flags if flag.slug == "order-depends-on-macro-f1"), None
    )
    if flag is None or not flag.evidence["pairs"]:
        return None
    evaluation = show.evaluation
    label_set = show.evaluation.task.label_set
    n_swapped = flag.evidence["pairs_swapped"]
    pairs = flag.evidence["pairs"][:_SWAPS_SHOWN]
    leads = [
        abs(pair[name])
        for pair in pairs
        for name in ("lead_by_averaged_f1", "lead_by_f1_of_averages")
    ]
    digits = max(decimals_to_tell_apart([0.0, lead], 4, 7) for lead in leads)
    rows = tuple(
        (
            Cell(shown_name(evaluation, evaluation.names.index(pair["ahead_by_averaged_f1"]))),
            Cell(number(pair["lead_by_averaged_f1"], digits)),
            Cell(shown_name(evaluation, evaluation.names.index(pair["ahead_by_f1_of_averages"]))),
            Cell(number(pair["lead_by_f1_of_averages"], digits)),
            Cell(
                " · ".join(
                    visible(label_set.shown_as(label), LABEL_LIMIT) for label in pair["class_pair"]
                )
            ),
            Cell(number(pair["contribution_of_class_pair"], digits)),
        )
        for pair in pairs
    )
    columns = (
        Column("Ahead by macro-averaged F1", numeric=False),
        Column("by"),
        Column("Ahead by F1 of averages", numeric=False),
        Column("by"),
        Column(label_set.worded("Class pair that separates them most"), numeric=False),
        Column("adds", title="What this pair adds to the difference of the two gaps Δ"),
    )
    if n_swapped > len(rows):
        more = f" The {len(rows)} widest are shown."
    else:
        more = ""
    pairs_swap = f"{plural(n_swapped, 'pair')} of {entrant(show.evaluation)}s {agreeing(n_swapped, 'swaps', 'swap')}"
    return Table("table-swaps", f"{pairs_swap} places.{more}", columns, rows)


def readings_table(show: Printing, audit: MacroF1Audit, n_rows: int = ROWS_SHOWN) -> Table:
    """The table of winners by readings of macro F1: the base, the nearest reading of every other winner, and more."""
    evaluation = show.evaluation
    base = audit.groups[0]
    labels = evaluation.task.label_set
    shown = shown_groups(audit, n_rows)
    columns = (
        Column("Macro F1 read as", numeric=False),
        Column("Winner", numeric=False),
        Column("Score"),
        Column("Other ranks", title="Teams with another rank than by the first row"),
        Column(
            "Computed by",
            title="Scorers that compute this, or what is the same on this campaign",
            numeric=False,
        ),
    )
    rows = []
    for group in shown:
        changes = "; ".join(difference_in_words(group.reading, audit.base, labels))
        if group is base:
            read_as = reading_phrase(audit.base, labels)
        else:
            read_as = f"with {changes}"
        n_moved = int((group.ranks != base.ranks).sum())
        cells = (
            Cell(sentence_case(read_as), title=visible(str(group.reading), 300)),
            Cell(
                team_names(audit, group.winners, limit=3) or "–",
                style="" if group.winners == base.winners else "best",
            ),
            Cell(show.score(float(group.scores[group.winners[0]])) if group.winners else "–"),
            Cell("" if group is base else f"{n_moved:,} of {len(audit.teams):,}"),
            Cell(listed(presets_of(group.readings, labels), limit=3), style="quiet"),
        )
        rows.append(cells)
    if evaluation.task.ranking_metric.metric in BOTH_MACRO_F1:
        ranks = "ranks"
    else:
        ranks = "is printed"
    caption = f"Winner by reading; the first row is the reading that {ranks} here."
    if all(group.winners == base.winners for group in shown):
        caption += " Every reading has the same winner."
    n_left_out = len(audit.groups) - len(shown)
    left_out = plural(n_left_out, "further table of scores", "further tables of scores")
    note = f"Left out: {left_out}; audit readings {visible(show.evaluation.task.slug, 80)} has more, with --json all."
    return Table(
        "table-readings",
        caption,
        columns,
        tuple(rows),
        note=note if n_left_out else "",
        sortable=False,
    )


_NO_GAP = 0.0005  # printed as .000
