"""Does the winner change with the part of the test set? Who is first in each, and every score in each."""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from audit.document import Block, Cell, Column, Fold, Paragraph, Section, Table, row_names
from audit.domain import Evaluation, Feature, ScoreKey, Slice, Sliced
from audit.domain.arrays import Floats, Ints
from audit.findings.first_place import said_of
from audit.findings.slices import MOST_NAMED, state_of_part
from audit.findings.wording import VALUE_LIMIT, names, shown_name
from audit.metrics import phrase
from audit.ranking.ranks import printed_ranks
from audit.report.printing import (
    INTERVAL_TITLE,
    LABEL_LIMIT,
    Printing,
    best_notes,
    interval_text,
    mark_notes,
    marked_name,
    plain_table,
    rank_cells,
    rank_notes,
    score_cells,
)
from audit.sentences import say
from audit.text import number, plural, quoted, visible
from audit.vocabulary import BEST_MARK, CORRECTED_NOTE, IN_SET_TITLE, QUESTIONS

PLACE = 60


def section(show: Printing) -> Section | None:
    """For each column that cuts the test set, whether a part has another winner; None where nothing cuts it."""
    cuts = show.evaluation.slices
    if not cuts:
        return None
    answer = said_of(show.evaluation, "slice") or tuple(
        _caption(show.evaluation, sliced) for sliced in cuts
    )
    tables = (
        table(show, sliced, number)
        for number, sliced in enumerate(cuts, start=1)
        for table in (slices_table, slice_scores_table)
    )
    folded = Fold("slice-tables", "Every part, and every team in it", tuple(tables))
    return Section("slices", QUESTIONS["slices"], answer, (folded,), name="Parts")


_UPRIGHT_FROM = 8  # with more parts than this the heads stand upright
_OF_PARTS = (
    "Each part is evaluated by itself: averages run over the classes that occur in it, and error rates of 5% "
    "hold for each part by itself. Of many parts some have another winner by chance."
)
_OF_PARTS_WITHOUT_CLASSES = _OF_PARTS.replace(
    ": averages run over the classes that occur in it, and", ", and"
)


def slices_table(show: Printing, sliced: Sliced, place: int) -> Table:
    """Each part: its items, who is first in it, who could be, and what becomes of the first place of the whole."""
    columns = (
        row_names("Part"),
        Column(f"{show.evaluation.task.label_set.kind.traits.item}s".capitalize()),
        Column("First", numeric=False),
        Column("Score"),
        Column("95% CI", title=say(INTERVAL_TITLE)),
        Column("In the confidence set", title=say(IN_SET_TITLE)),
        Column("First place", numeric=False),
    )
    marks = {part.marks[first] for part in sliced.slices for first in part.verdict.winners[:1]}
    corrected = any(part.corrected for part in sliced.slices)
    notes = (
        _note_on_parts(show.evaluation),
        say(CORRECTED_NOTE) if corrected else "",
        *mark_notes(marks),
    )
    rows = tuple(_row(show, part) for part in sliced.slices)
    caption = _caption(show.evaluation, sliced)
    return Table(
        f"table-slices-{place}", caption, columns, rows, note=" ".join(filter(None, notes))
    )


def _note_on_parts(evaluation: Evaluation) -> str:
    return say(
        _OF_PARTS
        if evaluation.task.label_set.supports(Feature.CLASSES)
        else _OF_PARTS_WITHOUT_CLASSES
    )


def _caption(evaluation: Evaluation, sliced: Sliced) -> str:
    by = phrase(evaluation.task.ranking_metric, evaluation.task.label_set)
    return f"Who ranks first by {by} in each part by {quoted(sliced.column, VALUE_LIMIT)}."


def _row(show: Printing, part: Slice) -> tuple[Cell, ...]:
    winners = part.verdict.winners
    best = part.verdict.could_be_best
    row = show.evaluation.row(show.evaluation.task.ranking_metric)
    state = state_of_part(part)
    shown = visible(part.value, VALUE_LIMIT)
    return (
        Cell(shown, title=visible(part.value, 1000) if shown != part.value else ""),
        Cell(f"{part.n_items:,}"),
        Cell(
            names(show.evaluation, winners, limit=MOST_NAMED) or "–",
            style="best" if part.crowns_another else "",
        ),
        Cell(show.score(float(part.values[row, winners[0]]) if winners else math.nan)),
        Cell(interval_text(show, part, winners[0]) if winners else "–"),
        Cell(f"{len(best):,}" if best else "–", title=names(show.evaluation, best, limit=None)),
        Cell(state, style="sentence"),
    )


def slice_scores_table(show: Printing, sliced: Sliced, place: int) -> Table:
    """Every team's score by the ranking metric: of all items together, in each part, and the mean over the parts."""
    evaluation = show.evaluation
    key = show.evaluation.task.ranking_metric
    row = evaluation.row(key)
    columns = [
        (
            Column("All items", title="The ranking itself: all items together, also called micro"),
            score_cells(show, key),
        ),
        (Column("rank"), rank_cells(show, evaluation.goodness_of(key))),
        (
            Column("Mean of slices", title="Each slice alike whatever its size, also called macro"),
            _scores(show, sliced.macro[row], sliced.macro_ranks[row]),
        ),
        (Column("rank"), rank_cells(show, evaluation.goodness(key, sliced.macro[row]))),
        *(
            (
                Column(visible(part.value, LABEL_LIMIT), title=visible(part.value, 1000)),
                _scores(show, part.values[row], part.rank_values[row]),
            )
            for part in sliced.slices
        ),
    ]
    by = phrase(key, evaluation.task.label_set)
    column = quoted(sliced.column, VALUE_LIMIT)
    caption = f"Every team by {by}: all items together, the mean of the slices by {column}, and each slice."
    table = show.by_team(f"table-slice-scores-{place}", caption, columns)
    return replace(table, upright=len(sliced.slices) > _UPRIGHT_FROM, note=show.legend).noting(
        *rank_notes(evaluation)
    )


def _scores(show: Printing, scores: Floats, ranks: Ints) -> list[Cell]:
    """Scores, the best of those that compete in bold."""
    best = (ranks == 1) & show.evaluation.competing & ~np.isnan(scores)
    pairs = zip(scores.tolist(), best.tolist(), strict=True)
    return [Cell(show.score(value), style="best" if first else "") for value, first in pairs]


# For a command


def slice_blocks(evaluation: Evaluation, key: ScoreKey, part: Slice) -> Iterator[Block]:
    """The ranking of one part of the test set, and what may be said of its first place by the ranking metric."""
    row = evaluation.row(key)
    is_ranking = key == evaluation.task.ranking_metric
    by = phrase(key, evaluation.task.label_set)
    n_items = plural(part.n_items, evaluation.task.label_set.kind.traits.item)
    title = f"{visible(evaluation.task.title)}, {quoted(part.value)} alone ({n_items}), by {by}"
    yield Paragraph(title, "heading")
    if is_ranking:
        yield Paragraph(" ".join(filter(None, (part.verdict.sentence, part.verdict.more))), "lead")
    if is_ranking:
        best = part.verdict.could_be_best
        uncertain = part.verdict.uncertain
    else:
        best = ()
        uncertain = ()
    mark_of = dict.fromkeys(best, BEST_MARK)
    imprecise = [shown_name(evaluation, team) for team in uncertain]
    scores = part.values[row]
    goodness = evaluation.goodness(key, scores)
    ranks = printed_ranks(goodness, evaluation.competing)
    wholes = printed_ranks(evaluation.goodness_of(key), evaluation.competing)
    teams = range(len(evaluation.entries))
    decimals = evaluation.task.printed_decimals
    columns = {
        "rank": ranks,
        "team": [marked_name(evaluation, team) for team in teams],
        str(key): [number(score, decimals) for score in scores.tolist()],
        **({BEST_MARK: [mark_of.get(team, "") for team in teams]} if best else {}),
        "rank by all items": wholes,
    }
    order = evaluation.order_by(goodness, part.rank_values[row])
    yield plain_table(
        "table-slice", columns, order, " ".join(best_notes(mark_of.values(), imprecise))
    )


def sliced_blocks(evaluation: Evaluation, key: ScoreKey, sliced: Sliced) -> Iterator[Block]:
    """Who is first in each part of the test set by one column, and every team's mean over the parts."""
    row = evaluation.row(key)
    decimals = evaluation.task.printed_decimals
    by = phrase(key, evaluation.task.label_set)
    title = f"{visible(evaluation.task.title)}, by {quoted(sliced.column)}, ranked by {by}"
    yield Paragraph(title, "heading")
    if key == evaluation.task.ranking_metric:
        column = quoted(sliced.column, VALUE_LIMIT)
        yield from (
            Paragraph(told, "lead")
            for told in said_of(evaluation, "slice")
            if f"by {column}" in told
        )
    heads = "all items", "mean", *(f"{part.value} ({part.n_items:,})" for part in sliced.slices)
    values = [
        evaluation.scores_of(key),
        sliced.macro[row],
        *(part.values[row] for part in sliced.slices),
    ]
    columns = {"team": [marked_name(evaluation, team) for team in range(len(evaluation.entries))]}
    for head, scores in zip(heads, values, strict=True):
        columns[head] = [number(score, decimals) for score in scores.tolist()]
    yield plain_table("table-sliced", columns, evaluation.order(key), _note_on_parts(evaluation))
