"""Does a part of the test set crown another? Who is first in each, and every score in each."""

import math
from collections.abc import Iterator

import numpy as np

from audit.document import Block, Cell, Column, Fold, Paragraph, Section, Table, row_names
from audit.domain import Evaluation, ScoreKey, Slice, Sliced
from audit.domain.arrays import Floats, Ints
from audit.flags.rules.slice_rules import VALUE_LIMIT, slices_statement
from audit.flags.wording import names
from audit.metrics import phrase
from audit.questions.printing import (
    BEST_MARK,
    CORRECTED_MARK,
    INTERVAL_MARKS,
    LABEL_LIMIT,
    Printing,
    mark_notes,
    range_text,
)
from audit.questions.short import marked_name
from audit.ranking import printed_ranks
from audit.sentences import say
from audit.text import number, plural, quoted, visible


def section(show: Printing) -> Section | None:
    """For each column that cuts the test set, whether a part crowns another; None where nothing cuts it."""
    cuts = show.evaluation.slices
    if not cuts:
        return None
    answer = tuple(slices_statement(show.evaluation, sliced) for sliced in cuts)
    tables = (
        table(show, sliced, number)
        for number, sliced in enumerate(cuts, start=1)
        for table in (slices_table, slice_scores_table)
    )
    folded = Fold("slice-tables", "Every part, and every team in it", tuple(tables))
    return Section("slices", "Does a part of the test set crown another?", answer, (folded,))


_UPRIGHT_FROM = 8  # with more parts than this the heads stand upright
_SHOWN = 3


def slices_table(show: Printing, sliced: Sliced, place: int) -> Table:
    """Each part: its items, who is first in it, who could be, and what becomes of the first place of the whole."""
    columns = (
        row_names("Slice"),
        Column("Items"),
        Column("First", numeric=False),
        Column("Score"),
        Column("95% interval", title=say("column-interval")),
        Column("Could be best", title=say("column-could-be-best")),
        Column("First place", numeric=False),
    )
    marks = {part.marks[first] for part in sliced.slices for first in part.verdict.winners[:1]}
    corrected = any(part.corrected for part in sliced.slices)
    notes = (
        say("slices-note"),
        f"{say('mark-corrected', mark=CORRECTED_MARK)}." if corrected else "",
        *mark_notes(marks),
    )
    rows = tuple(_row(show, part) for part in sliced.slices)
    by = phrase(show.evaluation.task.ranking_metric, show.evaluation.task.label_set)
    caption = f"Who is first by {by} in each slice by {quoted(sliced.column, VALUE_LIMIT)}."
    return Table(f"table-slices-{place}", caption, columns, rows, note=" ".join(filter(None, notes)))


def _row(show: Printing, part: Slice) -> tuple[Cell, ...]:
    winners, best = part.verdict.winners, part.verdict.could_be_best
    state = "" if part.state is None else say(f"state-{part.state}")
    return (
        _value(part.value),
        Cell(f"{part.n_items:,}"),
        Cell(names(show.evaluation, winners, limit=_SHOWN) or "–", style="best" if part.crowns_another else ""),
        Cell(show.score(_first_score(show.evaluation, part))),
        Cell(_interval(show, part)),
        Cell(f"{len(best):,}" if best else "–", title=names(show.evaluation, best, limit=None)),
        Cell(state, style="sentence"),
    )


def _value(value: str) -> Cell:
    shown = visible(value, VALUE_LIMIT)
    return Cell(shown, title=visible(value, 1000) if shown != value else "")


def _first_score(evaluation: Evaluation, part: Slice) -> float:
    row = evaluation.row(evaluation.task.ranking_metric)
    return float(part.values[row, part.verdict.winners[0]]) if part.verdict.winners else math.nan


def _interval(show: Printing, part: Slice) -> str:
    """The first's interval, with a mark where it is corrected or rough, or why there is none."""
    if not part.verdict.winners:
        return "–"
    first = part.verdict.winners[0]
    mark = (CORRECTED_MARK if first in part.corrected else "") + INTERVAL_MARKS.get(part.marks[first], "")
    return range_text(show, float(part.lower[first]), float(part.upper[first])) + mark


def slice_scores_table(show: Printing, sliced: Sliced, place: int) -> Table:
    """Every team's score by the ranking metric: of all items together, in each part, and the mean over the parts."""
    evaluation, key = show.evaluation, show.evaluation.task.ranking_metric
    row = evaluation.row(key)
    whole = _scores_with_ranks(show, evaluation.values[row], evaluation.rank_values[row])
    macro = _scores_with_ranks(show, sliced.macro[row], sliced.macro_ranks[row])
    parts = [_scores(show, part.values[row], part.rank_values[row]) for part in sliced.slices]
    rows = tuple(
        (show.name(team), *whole[team], *macro[team], *(cells[team] for cells in parts)) for team in show.order
    )
    columns = (
        row_names("Team"),
        Column("All items", title="The ranking itself: all items together, also called micro"),
        Column("rank"),
        Column("Mean of slices", title="Each slice alike whatever its size, also called macro"),
        Column("rank"),
        *(Column(visible(part.value, LABEL_LIMIT), title=visible(part.value, 1000)) for part in sliced.slices),
    )
    by = phrase(key, evaluation.task.label_set)
    column = quoted(sliced.column, VALUE_LIMIT)
    caption = f"Every team by {by}: all items together, the mean of the slices by {column}, and each slice."
    table = Table(f"table-slice-scores-{place}", caption, columns, rows, upright=len(sliced.slices) > _UPRIGHT_FROM)
    return show.with_legend(table)


def _scores(show: Printing, scores: Floats, ranks: Ints) -> list[Cell]:
    """Scores, the best of those that compete in bold."""
    best = (ranks == 1) & show.evaluation.competing & ~np.isnan(scores)
    pairs = zip(scores.tolist(), best.tolist(), strict=True)
    return [Cell(show.score(value), style="best" if first else "") for value, first in pairs]


def _scores_with_ranks(show: Printing, scores: Floats, ranks: Ints) -> list[tuple[Cell, Cell]]:
    evaluation = show.evaluation
    goodness = evaluation.goodness(evaluation.task.ranking_metric, scores)
    printed = [Cell(rank, style="quiet") for rank in printed_ranks(goodness, evaluation.competing)]
    return list(zip(_scores(show, scores, ranks), printed, strict=True))


# For a command


def slice_blocks(evaluation: Evaluation, key: ScoreKey, part: Slice) -> Iterator[Block]:
    """The ranking of one part of the test set, and what may be said of its first place by the ranking metric."""
    row, is_ranking = evaluation.row(key), key == evaluation.task.ranking_metric
    by, n_items = phrase(key, evaluation.task.label_set), plural(part.n_items, "item")
    title = f"{visible(evaluation.task.title)}, {quoted(part.value)} alone ({n_items}), by {by}"
    yield Paragraph(title, "heading")
    if is_ranking:
        yield Paragraph(" ".join(filter(None, (part.verdict.sentence, part.verdict.more))), "lead")
    best = part.verdict.could_be_best if is_ranking else ()
    scores = part.values[row]
    goodness = evaluation.goodness(key, scores)
    ranks = printed_ranks(goodness, evaluation.competing)
    wholes = printed_ranks(evaluation.goodness_of(key), evaluation.competing)
    mark = (Column(BEST_MARK),) if best else ()
    columns = Column("rank"), row_names("team"), Column(str(key)), *mark, Column("rank by all items")
    rows = tuple(
        (
            Cell(ranks[team]),
            Cell(marked_name(evaluation, team)),
            Cell(number(float(scores[team]), evaluation.task.printed_decimals)),
            *((Cell(BEST_MARK if team in best else ""),) if best else ()),
            Cell(wholes[team]),
        )
        for team in evaluation.order_by(goodness, part.rank_values[row])
    )
    note = say("mark-best", mark=BEST_MARK) if best else ""
    yield Table("table-slice", "", columns, rows, note=note)


def sliced_blocks(evaluation: Evaluation, key: ScoreKey, sliced: Sliced) -> Iterator[Block]:
    """Who is first in each part of the test set by one column, and every team's mean over the parts."""
    row, decimals = evaluation.row(key), evaluation.task.printed_decimals
    by = phrase(key, evaluation.task.label_set)
    title = f"{visible(evaluation.task.title)}, by {quoted(sliced.column)}, ranked by {by}"
    yield Paragraph(title, "heading")
    if key == evaluation.task.ranking_metric:
        yield Paragraph(slices_statement(evaluation, sliced), "lead")
    heads = "all items", "mean", *(f"{part.value} ({part.n_items:,})" for part in sliced.slices)
    values = [evaluation.scores_of(key), sliced.macro[row], *(part.values[row] for part in sliced.slices)]
    rows = tuple(
        (Cell(marked_name(evaluation, team)), *(Cell(number(float(scores[team]), decimals)) for scores in values))
        for team in evaluation.order(key)
    )
    columns = row_names("team"), *map(Column, heads)
    yield Table("table-sliced", "", columns, rows, note=say("slices-note"))
