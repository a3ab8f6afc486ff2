"""Tables of the document in LaTeX: booktabs and nothing else, as wide and as high as a page.

Columns, cells, captions and notes are those of the page.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from audit.document import Cell, Column, Table
from audit.domain import Comparison, Evaluation, Feature
from audit.findings import ranking_rows
from audit.findings.comparisons import comparison_of, family_of
from audit.findings.wording import NAME_LIMIT, gold_counted
from audit.metrics import aggregates_of, parse_score_key, without_rest
from audit.report.ahead import BEHIND_BASELINES, BEHIND_NOTE, ranking_table
from audit.report.classes import classes_shown, classwise_table
from audit.report.macro_f1 import gap_table
from audit.report.macro_f1_section import macro_f1_answer, rank_moves
from audit.report.metrics import matrix_note, spearman_table
from audit.report.paper_prose import results_of
from audit.report.printing import (
    AMONG_COMPARED_NOTE,
    BEST_SHOWN,
    FEW,
    Printing,
    class_scores,
    metric_column,
    printing,
    score_cells,
)
from audit.report.slices import slice_scores_table
from audit.sentences import say
from audit.text import distinct, listed, plural, sentence_case, visible
from audit.writers.latex.further_tables import classes_caption, significance_table, sizes_table
from audit.writers.latex.numbers import Names, key_of
from audit.writers.latex.tex import PREAMBLE, tex, text_width

_CAPTION = r"""\makeatletter % a caption stands inside a float and outside of one
\providecommand\auditcaption[2]{{\def\@captype{table}\caption{#1}\label{#2}}\smallskip}
\makeatother
"""
_HEADS = {"Rank": "", "In the confidence set": "●", "Possible ranks": "Ranks"}
_HEADS |= {
    "Behind the first": "Behind",
    "Adjusted p": "p",
    "Mean of slices": "Mean",
    "All items": "All",
}
_OF_COLUMNS = {  # notes on a column
    "Possible ranks": (AMONG_COMPARED_NOTE,),
    "Behind the first": (BEHIND_NOTE, BEHIND_BASELINES),
}
_NARROW = ("Rank", "Team", "Score", "95% CI", "In the confidence set")
_WIDE = (*_NARROW, "Possible ranks", "Behind the first", "Adjusted p")
_HEAD_LIMITS = (24, 14, 11, 9, 7)  # characters of a head: as many as let the table fit a page
_ROWS = 46  # rows that a page holds
_ACROSS = 14  # metrics
_MOST_LEADING = 3  # of who share the first place of a slice
_MOST_ROOM = 24.0  # em for the names
# points: half the space between columns, and the type that \footnotesize sets
_SPACE = 2.5
_SIZE = 8.0
_TITLE_LIMIT = 60
_BOLD = 1.15  # how much wider bold type is
_WHOLE = "evaluation.json"  # which has intervals and possible ranks, too
_TEAM = "Team"
_BEST_TEAM = "Best team"
_NAME = "Name"


@dataclass(frozen=True)
class _Page:
    width: float  # inches
    least: float = 10.0  # em for the names

    def room(self, columns: Sequence["_Column"]) -> float:
        """The width that columns leave for the names, in em."""
        others = [column.width for column in columns if not column.of.heads_rows]
        gaps = 2 * _SPACE * (len(columns) - 1) / _SIZE
        return min(_MOST_ROOM, self.width * 72.27 / _SIZE - sum(others) - gaps - 1.0)


_COLUMN_OF_TEXT = _Page(3.03, least=8.0)
_TEXT = _Page(6.3)


@dataclass(frozen=True)
class _Column:
    """A column as TeX."""

    of: Column
    short: str  # its head
    plain: tuple[Cell, ...]

    @cached_property
    def cells(self) -> tuple[str, ...]:
        return tuple(map(_set, self.plain))

    @property
    def head(self) -> str:
        return tex(self.short)

    def means(self, note: str) -> str:
        """What a short head stands for; nothing where a note on the table says so."""
        label = self.of.label
        title = self.of.title
        metric = self.of.href.removeprefix("#metric-")
        if self.short in _HEADS.values():
            if f"{self.short} " not in note:
                return label[0].lower() + label[1:]
            return ""
        if metric and title.startswith(metric):
            words = title.partition(": ")[2]
        else:
            words = title
        if words.casefold() != self.short.casefold():
            return words
        return ""

    @cached_property
    def width(self) -> float:
        """The width of the column, in em."""
        bold = (_BOLD if cell.style == "best" else 1.0 for cell in self.plain)
        widths = (
            text_width(cell.text) * factor for cell, factor in zip(self.plain, bold, strict=True)
        )
        return max(text_width(self.short), *widths)


def _blocks(columns: Sequence[_Column], page: _Page) -> list[list[_Column]]:
    """The columns in blocks that each fit the page; what stands up to the names stands in each of them."""
    n_first = 1 + next(place for place, column in enumerate(columns) if column.of.heads_rows)
    first = list(columns[:n_first])
    blocks = [first.copy()]
    for column in columns[n_first:]:
        if len(blocks[-1]) > n_first and page.room([*blocks[-1], column]) < page.least:
            blocks.append(first.copy())
        blocks[-1].append(column)
    return blocks


def _cut(n_rows: int, needed: Collection[int] = (), most: int = _ROWS) -> Sequence[int]:
    """All of few rows; of many the first ones, and on to the last that is needed; too far down, that one alone.

    >>> _cut(30, {2, 17}), _cut(90, {2, 70}) == [*range(15), 70]
    (range(0, 18), True)
    """
    if n_rows <= min(FEW, most):
        return range(n_rows)
    least = min(BEST_SHOWN, most)
    last = max(needed, default=0)
    if last < most:
        return range(max(least, last + 1))
    return [*range(least), *sorted(row for row in needed if row >= least)][:most]


_MOST_COLUMNS = 4  # of a scorer's, in a wide table


@dataclass(frozen=True)
class PaperTables:
    """The tables of one evaluation, with its names."""

    evaluation: Evaluation
    names: Names

    @cached_property
    def _show(self) -> Printing:
        return printing(self.evaluation)

    # Which tables there are

    def files(self) -> Iterator[tuple[str, str]]:
        """Every file with its tables."""
        ranking = self._ranking()
        named = self._named
        narrow = self._part(
            "main_table_narrow",
            _labelled(ranking, _NARROW),
            _COLUMN_OF_TEXT,
            needed=named,
            source=_WHOLE,
        )
        yield self._file("main_table_narrow", narrow)
        further = [column.head for column in ranking_rows.FURTHER_COLUMNS]
        wide = self._with_metrics(_labelled(ranking, [*_WIDE, *further]))
        yield self._file(
            "main_table_wide", self._part("main_table_wide", wide, needed=named, source=_WHOLE)
        )
        kind = self.evaluation.task.label_set.kind
        if kind.supports(Feature.MACRO_F1):
            yield self._file(
                "macro_f1", self._part("macro_f1", self._both_macro_f1s(), needed=named)
            )
        if kind.supports(Feature.CLASSES):
            yield self._file("per_class", self._part("per_class", self._per_class(), wraps=True))
            sizes = sizes_table(self._show)
            yield self._file(
                "classes",
                self._part("classes", sizes, needed=range(len(sizes.rows)), source=_WHOLE),
            )
        comparison = comparison_of(self.evaluation)
        if comparison is not None:
            yield self._file("pairs", self._significance(comparison))
        yield self._file(
            "metric_agreement",
            self._part("metric_agreement", self._agreement(), source="correlations.csv"),
        )
        if self.evaluation.slices:
            yield self._file("slices", *self._slices())

    def _significance(self, comparison: Comparison) -> str:
        """Which pairs differ significantly, with every row that fits."""
        table = significance_table(self._show, comparison)
        n_left_out = len(family_of(self.evaluation, comparison)) - len(table.rows)
        if n_left_out:
            table = replace(
                table,
                caption=f"{table.caption} The first {len(table.rows)} are shown; all: pairs.csv.",
            )
        return self._part("pairs", table, needed=range(len(table.rows)), source="pairs.csv")

    def _ranking(self) -> Table:
        """The page's ranking without the built-in baselines."""
        table = ranking_table(self._show, with_computed=False)
        rank, team, score, *others = table.columns
        columns = (rank, team, replace(score, label="Score"), *others)
        return replace(table, columns=columns)

    @cached_property
    def _named(self) -> frozenset[int]:
        """The rows of whoever is in the confidence set or first, and of whom the sentences of the results name."""
        said = " ".join(results_of(self.evaluation))
        names = enumerate(distinct(self.evaluation.names, NAME_LIMIT))
        named = {
            entry for entry, name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", said)
        }
        first = {
            *self.evaluation.winners(self.evaluation.task.ranking_metric),
            *self.evaluation.verdict.could_be_best,
        }
        return frozenset(
            row for row, entry in enumerate(self._show.order) if entry in named | first
        )

    def _with_metrics(self, table: Table) -> Table:
        """The table with other metrics as its last columns."""
        label_set = self.evaluation.task.label_set
        columns = [column.name for column in label_set.columns][:_MOST_COLUMNS]
        names = [*label_set.kind.traits.paper_metrics, *columns]
        keys = [parse_score_key(name, label_set) for name in names]
        others = [key for key in keys if key != self.evaluation.task.ranking_metric]
        if not others:
            return table
        cells = list(zip(*(score_cells(self._show, key) for key in others), strict=True))
        rows = tuple(
            (*row, *cells[entry]) for row, entry in zip(table.rows, self._show.order, strict=True)
        )
        heads = (metric_column(key, self.evaluation) for key in others)
        return replace(table, columns=(*table.columns, *heads), rows=rows)

    def _per_class(self) -> Table:
        """F1 of the classes in gold, the best of each in bold."""
        evaluation = self.evaluation
        table = classwise_table(self._show, "f1")
        codes = [code for code, _ in classes_shown(self._show)]
        scores = np.nan_to_num(class_scores(evaluation, "f1")[:, codes], nan=-np.inf)
        scores[~evaluation.competing] = -np.inf
        best = (scores == scores.max(axis=0)) & (scores > -np.inf)
        rows = (
            (
                name,
                *(
                    replace(cell, style="best" * first)
                    for cell, first in zip(cells, best[entry].tolist(), strict=True)
                ),
            )
            for entry, (name, *cells) in zip(self._show.order, table.rows, strict=True)
        )
        columns = (replace(each, title=each.title.removeprefix("f1 of ")) for each in table.columns)
        caption = f"F1 of each {evaluation.task.label_set.noun}: {classes_caption(evaluation)}"
        whole = replace(table, caption=caption, columns=tuple(columns), rows=tuple(rows))
        return _of_columns(
            whole,
            [0, *(place for place, code in enumerate(codes, start=1) if evaluation.present[code])],
        )

    def _both_macro_f1s(self) -> Table:
        """Both macro F1s of every team; the caption says what the formula changes."""
        answer = macro_f1_answer(self.evaluation, rank_moves(self.evaluation))
        return replace(
            gap_table(self._show), caption=f"Does the formula of macro F1 matter? {answer}."
        )

    def _agreement(self) -> Table:
        """Spearman's ρ between the aggregate metrics as observed."""
        table = spearman_table(self._show)
        keys = self.evaluation.agreement.keys
        slugs = {metric.slug for metric in aggregates_of(self.evaluation)}
        at = [
            place
            for place, key in enumerate(keys)
            if key.metric in slugs and key.prevalence == "observed"
        ][:_ACROSS]
        whole = _of_columns(table, [0, *(1 + place for place in at)])
        matrix = replace(whole, rows=tuple(whole.rows[row] for row in at))
        return replace(matrix, note=matrix_note(matrix))

    def _slices(self) -> Iterator[str]:
        """For each column that cuts the test set, every team's score in each part."""
        cuts = self.evaluation.slices
        for number, sliced in enumerate(cuts, start=1):
            table = slice_scores_table(self._show, sliced, number)
            most = _ROWS // len(cuts)
            if number == 1:
                name = "slices"
            else:
                name = f"slices-{number}"
            yield self._part(
                name, table, needed=_best_rows(table), wraps=True, most=most, source="slices.csv"
            )

    # How one is set

    def _file(self, name: str, *parts: str) -> tuple[str, str]:
        made = f"{visible(self.evaluation.task.title, 60)}, made by audit. {visible(self.evaluation.signature, 2000)}"
        body = "\\par\\bigskip\n".join(parts)
        return f"{name}.tex", f"% {name}.tex: {' '.join(made.split())}\n{PREAMBLE}{_CAPTION}{body}"

    def _part(  # noqa: PLR0913 - a table, and how much of it is wanted
        self,
        name: str,
        table: Table,
        page: _Page = _TEXT,
        *,
        needed: Collection[int] = (),
        wraps: bool = False,
        most: int = _ROWS,
        source: str = "scores.csv",
    ) -> str:
        """A table between its caption and its notes."""
        n_rows = len(table.rows)
        for limit in _HEAD_LIMITS:
            blocks = _blocks(_columns(table, limit), page)[: None if wraps else 1]
            if len(blocks) * len(_cut(n_rows, needed)) <= most:
                break
        rows = _cut(n_rows, needed, most // len(blocks))
        room = min(map(page.room, blocks))
        if len(rows) < n_rows:
            more = _rest_in_words(rows, n_rows, source)
        else:
            more = ""
        title = visible(self.evaluation.task.title, _TITLE_LIMIT)
        items = listed(gold_counted(self.evaluation))
        caption = self.names.said(f"{table.caption} {title}, {items}.{more}")
        label = f"tab:{key_of(self.evaluation.task.slug)}-{key_of(name)}"
        notes = " ".join(filter(None, self._notes(table, blocks, rows, room)))
        if notes:
            below = "\\par\\smallskip\n{\\footnotesize " + notes + "\\par}\n"
        else:
            below = ""
        body = "\\par\\bigskip\n".join(
            self._tabular(table, columns, rows, room) for columns in blocks
        )
        return f"{{\\centering\n\\auditcaption{{{caption}}}{{{label}}}\n{body}\n\\par}}\n{below}"

    def _tabular(
        self, table: Table, columns: Sequence[_Column], rows: Sequence[int], room: float
    ) -> str:
        lines: list[str] = []
        align = "".join("r" if column.of.numeric else "l" for column in columns)
        for row in rows:
            cells = [self._cell(table, column, row, room) for column in columns]
            lines.append(" & ".join(cells) + r" \\")
        return "\n".join(
            [
                rf"{{\footnotesize\setlength{{\tabcolsep}}{{{_SPACE}pt}}",
                rf"\begin{{tabular}}{{@{{}}{align}@{{}}}}",
                r"\toprule",
                " & ".join(column.head for column in columns) + r" \\",
                r"\midrule",
                *lines,
                r"\bottomrule",
                r"\end{tabular}\par}",
            ]
        )

    def _cell(self, table: Table, column: "_Column", row: int, room: float) -> str:
        """One cell as TeX; in columns of names, as the organiser wrote them by hand."""
        if column.of.heads_rows:
            return self._name(table, row, room)
        if column.of.label == _BEST_TEAM:
            place = table.columns.index(column.of)
            return self.names.said(table.rows[row][place].text)
        return column.cells[row]

    def _name(self, table: Table, row: int, room: float) -> str:
        """The name of a row: of an entry, or of whatever the table's rows are."""
        column = next(place for place, column in enumerate(table.columns) if column.heads_rows)
        text = table.rows[row][column].text
        if table.columns[column].label == _TEAM:
            return self.names.cell(self._show.order[row], room)
        if table.columns[column].label == _NAME:
            return self.names.said(text)
        return tex(text)

    def _notes(
        self, table: Table, blocks: Sequence[Sequence[_Column]], rows: Sequence[int], room: float
    ) -> Iterator[str]:
        """What rows and columns leave unsaid: the class without an average, marks, heads, bold cells, shorter names."""
        shown = {column.of.label: column for columns in blocks for column in columns}
        without = without_rest(self.evaluation.task.label_set)
        yield tex(f"{sentence_case(without)}.") if without else ""
        note = table.note
        for label, notes in _OF_COLUMNS.items():
            for each in notes if label not in shown else ():
                note = " ".join(note.replace(say(each), "").split())
        yield self.names.said(note)
        meanings = (
            f"{column.head}: {tex(words)}"
            for column in shown.values()
            if (words := column.means(note))
        )
        yield f"{'; '.join(meanings)}.".removeprefix(".")
        if any(r"\textbf" in column.cells[row] for column in shown.values() for row in rows):
            yield "Bold: the best of the column" + (
                "." if len(rows) == len(table.rows) else f", of all {len(table.rows):,}."
            )
        if _TEAM in shown and (
            cut := self.names.shortened([self._show.order[row] for row in rows], room)
        ):
            yield f"{plural(len(cut), 'name')} shortened."


def _columns(table: Table, limit: int) -> list[_Column]:
    """The columns that have something to say, with heads of so many characters."""
    heads = distinct(
        tuple(_HEADS.get(column.label, column.label) for column in table.columns), limit
    )
    return [
        _Column(column, head, cells)
        for column, head, cells in zip(
            table.columns, heads, zip(*table.rows, strict=True), strict=True
        )
        if column.heads_rows or any(cell.text for cell in cells)
    ]


def _set(cell: Cell) -> str:
    if cell.style == "best" and cell.text:
        return rf"\textbf{{{tex(cell.text)}}}"
    return tex(cell.text)


def _of_columns(table: Table, places: Sequence[int]) -> Table:
    rows = tuple(tuple(row[place] for place in places) for row in table.rows)
    return replace(table, columns=tuple(table.columns[place] for place in places), rows=rows)


def _labelled(table: Table, labels: Collection[str]) -> Table:
    return _of_columns(
        table, [place for place, column in enumerate(table.columns) if column.label in labels]
    )


def _best_rows(table: Table) -> frozenset[int]:
    """The first rows with the best cell of each column: as many as a sentence names."""
    columns = (
        [row for row, cell in enumerate(cells) if cell.style == "best"]
        for cells in zip(*table.rows, strict=True)
    )
    return frozenset(row for best in columns for row in best[:_MOST_LEADING])


def _rest_in_words(rows: Sequence[int], n_rows: int, source: str) -> str:
    """The rows that of all a shortened table has, and where the others are."""
    n_first = sum(row == place for place, row in enumerate(rows))
    n_more = len(rows) - n_first
    if source == "slices.csv":
        reason = "are best in a column"
    else:
        reason = "are in the confidence set or are named in the results"
    if n_more:
        more = f", and {n_more} more that {reason}"
    else:
        more = ""
    return f" The first {n_first} of {n_rows:,}{more}; all: {source}."
