"""Tables for the paper: booktabs and nothing else, in three widths."""

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, takewhile

import numpy as np

from audit.domain import BALANCED, Comparison, Evaluation, Mark, Role, ScoreKey, Sliced
from audit.metrics import AGGREGATES, BOTH_MACRO_F1, named_metric, phrase, without_rest
from audit.questions.interval_reasons import across_tiers, possible_ranks_text, ranking_comparison, starts_of_tiers
from audit.questions.printing import BEST_SHOWN, FEW, Printing, class_scores, printing, short_label
from audit.questions.prose.results import PaperFindings
from audit.questions.prose.setting import Naming
from audit.questions.shown_intervals import ShownIntervals, shown_intervals
from audit.ranking import printed_ranks
from audit.text import distinct, listed, plural, quoted, sentence_case, visible
from audit.text import number as printed_number
from audit.writers.latex.tex import PREAMBLE, number, sentence, tex, width_of
from audit.writers.latex.tex_captions import CAPTION_MACRO, abbreviations, caption, meaning
from audit.writers.latex.tex_names import Names

NARROW, WIDE = 3.03, 6.3
"""Inches of a column, and of the text, on a two-column page."""

_LONG_ROWS = 46  # rows that a page holds
_METRICS_ACROSS = 14
_LABEL_LIMITS = (14, 11, 9, 7)  # characters of a class: as many as let the table fit a page
_SLICE_LIMIT = 12  # characters of a slice's name at the head of a column
_HEAD_LIMIT = 7.0  # em: a metric with a longer name stands at the head of its column as Score
_MOST_LEADING = 3  # of who share the first place of a slice
_LEAST_ROOM = 10.0  # em that the columns of a table leave for the names
_LETTERS = {
    slug: letter
    for letter, slug in zip(
        "abcde", ("paper-note-corrected", *(f"paper-mark-{mark.value}" for mark in Mark if mark)), strict=True
    )
}
"""The letter behind an interval that a note below the table explains."""
_TOO_HIGH = "% Higher than a page: set it outside a float, in one column.\n"


@dataclass(frozen=True)
class _Page:
    """The width of a table in inches, its type size in points, and half the space between columns."""

    width: float
    size: float
    command: str
    space: float


_NARROW_PAGE = _Page(NARROW, 8, r"\footnotesize", 2.5)
_WIDE_PAGE = _Page(WIDE, 9, r"\small", 4)
_DENSE_PAGE = _Page(WIDE, 8, r"\footnotesize", 2.5)
_MOST_ROOM = 24.0  # em for a name, however wide the table may be


@dataclass(frozen=True)
class _Column:
    """A column: head, alignment, cells, and what an abbreviated head means; that of the names takes what is left."""

    head: str
    align: str
    cells: Sequence[str] = ()
    means: str = ""

    @property
    def is_teams(self) -> bool:
        return self.align == "l"

    @property
    def width(self) -> float:
        """The width of the column, in em."""
        return max(map(width_of, (self.head, *self.cells)))


def _room(columns: Sequence[_Column], page: _Page) -> float:
    """The width that the other columns leave for the names, in em."""
    others = [column.width for column in columns if not column.is_teams]
    gaps = 2 * page.space * (len(columns) - 1) / page.size
    return min(_MOST_ROOM, page.width * 72.27 / page.size - sum(others) - gaps - 1.0)


def _blocks(teams: _Column, columns: Sequence[_Column], page: _Page) -> list[list[_Column]]:
    """The columns in blocks that each fit the page beside the names."""
    blocks = [[teams]]
    for column in columns:
        if len(blocks[-1]) > 1 and _room([*blocks[-1], column], page) < _LEAST_ROOM:
            blocks.append([teams])
        blocks[-1].append(column)
    return blocks


def _pieces(rows: Sequence[int], most: int = _LONG_ROWS) -> list[Sequence[int]]:
    """The rows in pieces that each fit a page, as long as each other, so that no piece is a row or two.

    Examples
    --------
    >>> [len(piece) for piece in _pieces(range(47))]
    [24, 23]
    """
    n_pieces = max(1, -(-len(rows) // most))
    ends = [-(-len(rows) * piece // n_pieces) for piece in range(n_pieces + 1)]
    return [rows[start:end] for start, end in pairwise(ends)]


def _cut(order: Sequence[int], needed: Collection[int] = (), most: int = _LONG_ROWS) -> Sequence[int]:
    """All of few entries; of many the first ones, and on to the last that is needed; too far down, that one alone.

    Examples
    --------
    >>> _cut(range(30), {2, 17}), _cut(range(90), {2, 70}) == [*range(15), 70]
    (range(0, 18), True)
    """
    if len(order) <= FEW:
        return order
    last = max((place for place, entry in enumerate(order) if entry in needed), default=0)
    if last < most:
        return order[: max(BEST_SHOWN, last + 1)]
    return [*order[:BEST_SHOWN], *(entry for entry in order[BEST_SHOWN:] if entry in needed)][:_LONG_ROWS]


def _rest_in_words(name: str, shown: Collection[int], order: Sequence[int]) -> str:
    """Which rows of all a shortened table has; nothing where it has all."""
    n_first = sum(1 for _ in takewhile(shown.__contains__, order))
    if n_first == len(order):
        return ""
    n_more = len(shown) - n_first
    reason = "best in a column" if name == SLICES else "could be best or are named in the results"
    more = f", and {n_more} more that {'are ' * (name == SLICES)}{reason}" if n_more else ""
    appendix = "" if name == SLICES else "; all stand in the appendix"
    return f" The first {n_first} of {len(order):,}{more}{appendix}."


@dataclass(frozen=True)
class PaperTables:
    """The tables of one evaluation, with its names."""

    evaluation: Evaluation
    """The evaluation that the tables show."""
    names: Names
    """The names of the entries."""

    @cached_property
    def _show(self) -> Printing:
        return printing(self.evaluation)

    @property
    def _order(self) -> list[int]:
        return list(self._show.order)

    @cached_property
    def _comparison(self) -> Comparison | None:
        return ranking_comparison(self.evaluation)

    @cached_property
    def _intervals(self) -> ShownIntervals | None:
        return shown_intervals(self.evaluation, self.evaluation.task.ranking_metric)

    # The main table

    def main_narrow(self) -> str:
        """The ranking for one column: rank, team, score with interval, and the macro F1 that is not the score."""
        columns = [self._ranks(), self._teams(), *self._score(), *self._macro_f1s()]
        return self._main("main_table_narrow.tex", columns, [self._best_rows], _NARROW_PAGE)

    def main_wide(self) -> str:
        """The ranking across the page: with tier, possible ranks and other metrics."""
        return self._main("main_table_wide.tex", self._wide_columns(), [self._best_rows], _WIDE_PAGE)

    def main_long(self) -> str:
        """The wide table of all entries, in pieces that each fit a page where they are many."""
        return self._main("main_table_long.tex", self._wide_columns(), _pieces(self._order), _WIDE_PAGE)

    def _main(self, name: str, columns: Sequence[_Column], pieces: Sequence[Sequence[int]], page: _Page) -> str:
        text = f"Ranking by {tex(self._phrase(self.evaluation.task.ranking_metric))}."
        return self._file(name, columns, pieces, page, rules=True, text=text)

    @property
    def _best_rows(self) -> Sequence[int]:
        """All entries where they are few; otherwise the first, and whoever could be best or is named in the results."""
        return _cut(self._order, self._first | self._named)

    @cached_property
    def _named(self) -> frozenset[int]:
        """The entries that the sentences of the results name."""
        naming = Naming(self.evaluation)
        return frozenset(naming.named) if list(PaperFindings(self.evaluation, naming).sentences()) else frozenset()

    def _wide_columns(self) -> list[_Column]:
        others = [ScoreKey("accuracy"), ScoreKey("mcc"), ScoreKey("averaged_f1", BALANCED.name)]
        shown = {self.evaluation.task.ranking_metric, *map(ScoreKey, BOTH_MACRO_F1)}
        return [
            self._ranks(),
            *self._tier_column(),
            self._teams(),
            *self._score(),
            *self._possible_ranks_column(),
            *self._macro_f1s(with_ranks=True),
            *(self._scores_of(key) for key in others if key not in shown),
        ]

    def _ranks(self) -> _Column:
        key = self.evaluation.task.ranking_metric
        ranks = printed_ranks(self.evaluation.goodness_of(key), self.evaluation.competing)
        bold = self._bold([number(rank) for rank in ranks])
        marked = [f"{cell}{_OVERHANGING}" if entry in self._uncertain else cell for entry, cell in enumerate(bold)]
        return _Column("", "r", marked)

    def _teams(self) -> _Column:
        return _Column("Team", "l")

    @property
    def _all(self) -> range:
        return range(len(self.evaluation.entries))

    def _score(self) -> list[_Column]:
        key = self.evaluation.task.ranking_metric
        column = self._scores_of(key)
        if self._intervals is None:
            return [column]
        cells = [self._shown_interval(self._intervals, entry) for entry in self._all]
        return [column, _Column(r"95\%", "c", cells, r"95\% interval")]

    def _shown_interval(self, intervals: ShownIntervals, entry: int) -> str:
        """An interval with a letter where a note below says how it was found, or why there is none."""
        ends, slug = intervals.ends(entry), _note_on(intervals, entry)
        cell = "--" if ends is None else f"[{self._number(ends[0])}, {self._number(ends[1])}]"
        return cell + (_raised(_LETTERS[slug]) if slug else "")

    def _scores_of(self, key: ScoreKey) -> _Column:
        scores = self.evaluation.scores_of(key)
        cells = [self._number(value) for value in scores.tolist()]
        if key == self.evaluation.task.ranking_metric:
            cells = self._bold(cells)
        return _Column(self._head(key), "r", cells, meaning(key, self.evaluation))

    def _macro_f1s(self, *, with_ranks: bool = False) -> Iterable[_Column]:
        for key in map(ScoreKey, BOTH_MACRO_F1):
            if key == self.evaluation.task.ranking_metric:
                continue
            yield self._scores_of(key)
            if with_ranks:
                ranks = printed_ranks(self.evaluation.goodness_of(key), self.evaluation.competing)
                words = f"rank by {meaning(key, self.evaluation)}"
                yield _Column(f"by {self._head(key)}", "r", [number(rank) for rank in ranks], words)

    def _tier_column(self) -> Iterable[_Column]:
        comparison = self._comparison
        if comparison is not None and comparison.tiers.max() > 1:
            cells = ["--" if not tier else str(tier) for tier in comparison.tiers.tolist()]
            yield _Column("Tier", "r", cells)

    def _possible_ranks_column(self) -> Iterable[_Column]:
        comparison = self._comparison
        if comparison is not None:
            yield _Column("Ranks", "c", [number(possible_ranks_text(comparison, entry)) for entry in self._all])

    @cached_property
    def _first(self) -> frozenset[int]:
        """Everyone who could be best; without comparisons the winners."""
        comparison = self._comparison
        if comparison is None:
            return frozenset(self.evaluation.winners(self.evaluation.task.ranking_metric))
        return frozenset(comparison.contenders)

    @cached_property
    def _uncertain(self) -> frozenset[int]:
        """Who could be best only because too little is sure of it."""
        comparison = self._comparison
        return frozenset() if comparison is None else self._first & set(np.flatnonzero(comparison.uncertain).tolist())

    def _bold(self, cells: Sequence[str]) -> list[str]:
        first = self._first
        return [rf"\textbf{{{cell}}}" if entry in first else cell for entry, cell in enumerate(cells)]

    # The others

    def per_class(self) -> str:
        """F1 of every class in gold, a block of classes below the other where they are many."""
        return self._per_class("per_class.tex", _cut(self._order))

    def per_class_long(self) -> str:
        """F1 of every class in gold for all entries, in pieces that each fit a page where they are many."""
        return self._per_class("per_class_long.tex", self._order)

    def _per_class(self, name: str, order: Sequence[int]) -> str:
        present = np.flatnonzero(self.evaluation.present).tolist()
        labels = self.evaluation.task.label_set.shown
        choices = [distinct(tuple(labels), limit) for limit in _LABEL_LIMITS]
        blocks = [_blocks(self._teams(), self._f1_columns(present, short), _DENSE_PAGE) for short in choices]
        fitting = (at for at, tables in enumerate(blocks) if len(tables) * len(order) <= _LONG_ROWS)
        at = next(fitting, 0)
        tables, short = blocks[at], choices[at]
        room = min(_room(table, _DENSE_PAGE) for table in tables)
        pieces = [(table, rows) for rows in _pieces(order) for table in tables]
        parts = [self._tabular(table, rows, _DENSE_PAGE, room) for table, rows in pieces]
        n_cut = sum(short[code] != labels[code] for code in present)
        of_all = "" if len(order) == len(self._order) else f", of all {len(self._order):,}"
        notes = (f"Bold: the best of the class{of_all}.", f"{plural(n_cut, 'label')} shortened." if n_cut else "")
        shown = [entry for _, rows in pieces for entry in rows]
        return self._with_notes(name, parts, room, shown, notes, text="F1 of each class.")

    def _f1_columns(self, codes: Sequence[int], heads: Sequence[str]) -> list[_Column]:
        values = class_scores(self.evaluation, "f1")
        return [_Column(tex(heads[code]), "r", self._best(values[:, code])) for code in codes]

    def _best(self, values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> list[str]:
        competing = np.where(self.evaluation.competing, values, np.nan)
        top = np.nanmax(competing) if not np.isnan(competing).all() else math.nan
        return [
            rf"\textbf{{{self._number(value)}}}" if value == top and takes else self._number(value)
            for value, takes in zip(values.tolist(), self.evaluation.competing.tolist(), strict=True)
        ]

    def slices(self) -> str:
        """The official score of all items together, its mean over the slices, and in each slice, for every column."""
        cuts = self.evaluation.slices
        tables = [
            table for sliced in cuts for table in _blocks(self._teams(), self._slice_columns(sliced), _DENSE_PAGE)
        ]
        leading = {entry for table in tables for column in table for entry in self._leading(column)}
        rows = _cut(self._order, leading, _LONG_ROWS // len(tables))
        room = min(_room(table, _DENSE_PAGE) for table in tables)
        parts = [self._tabular(table, rows, _DENSE_PAGE, room) for table in tables]
        metric = tex(self._phrase(self.evaluation.task.ranking_metric))
        columns = listed([tex(quoted(sliced.column)) for sliced in cuts])
        heads = abbreviations((column.head, column.means) for table in tables for column in table)
        text = f"{sentence_case(metric)} in each slice by {columns}."
        return self._with_notes(SLICES, parts, room, list(rows) * len(tables), (_BEST_OF_SLICE, heads), text=text)

    def _leading(self, column: _Column) -> list[int]:
        """The first entries of those in bold in a column: as many as a sentence names."""
        bold = [entry for entry in self._order if column.cells and column.cells[entry].startswith(r"\textbf")]
        return bold[:_MOST_LEADING]

    def _slice_columns(self, sliced: Sliced) -> list[_Column]:
        row = self.evaluation.row(self.evaluation.task.ranking_metric)
        values = [part.value for part in sliced.slices]
        short = distinct(tuple(values), _SLICE_LIMIT)
        return [
            _Column("All", "r", self._best(self.evaluation.values[row]), "all items together"),
            _Column("Mean", "r", self._best(sliced.macro[row]), "mean over the slices"),
            *(
                _Column(tex(head), "r", self._best(part.values[row]), tex(part.value))
                for head, part in zip(short, sliced.slices, strict=True)
            ),
        ]

    def pairwise(self) -> str:
        """The leader against the next teams: difference, simultaneous interval, adjusted p."""
        return self._pairwise("pairwise.tex", full=False)

    def pairwise_long(self) -> str:
        """The leader against every other team, in pieces that each fit a page where they are many."""
        return self._pairwise("pairwise_long.tex", full=True)

    def _pairwise(self, name: str, *, full: bool) -> str:
        comparison, key = self._comparison, self.evaluation.task.ranking_metric
        order = [entry for entry in self._order if self.evaluation.comparable[entry]]
        if comparison is None or comparison.leader is None or len(order) < 2:  # noqa: PLR2004 - a pair
            return self._commented(name, ["% Nothing was compared."], [])
        leader, others = comparison.leader, [entry for entry in order if entry != comparison.leader]
        shown = others if full else _cut(others, self._named)
        goodness, half = self.evaluation.goodness_of(key), comparison.half_width[leader]
        leads = goodness[leader] - goodness
        able = ~np.isnan(comparison.standard_error[leader])
        p = np.where(able, comparison.adjusted_p[leader], np.nan)
        ends = zip((leads - half).tolist(), (leads + half).tolist(), strict=True)
        columns = [
            self._teams(),
            _Column("Behind", "r", list(map(self._number, leads.tolist()))),
            _Column(r"95\%", "c", [self._interval(*pair) for pair in ends]),
            _Column("Adjusted $p$", "r", list(map(_p, p.tolist()))),
        ]
        pairs = f"{math.comb(len(order), 2):,}"
        note = sentence(
            "paper-note-pairwise", name=self.names.plain(leader), metric=tex(self._phrase(key)), pairs=pairs
        )
        text = f"{self.names.plain(leader)} against the other teams by {tex(self._phrase(key))}."
        return self._file(name, columns, _pieces(shown), _WIDE_PAGE, note=note, text=text, order=others)

    def metric_agreement(self) -> str:
        """Spearman's ρ between the metrics, below the diagonal."""
        agreement = self.evaluation.agreement
        slugs = {metric.slug for metric in AGGREGATES}
        rows = [at for at, key in enumerate(agreement.keys) if key.metric in slugs and key.prevalence == "observed"]
        rows = rows[:_METRICS_ACROSS]
        if len(rows) < 2:  # noqa: PLR2004 - a pair
            return self._commented("metric_agreement.tex", ["% No two metrics were compared."], [])
        labels = [self._head(agreement.keys[row]) for row in rows]
        lines = [
            " & ".join([labels[place], *(self._rho(row, column) if column < row else "" for column in rows[:-1])])
            + r" \\"
            for place, row in enumerate(rows)
            if place
        ]
        body = _frame(["l", *("r" for _ in rows[:-1])], " & ".join(["", *labels[:-1]]), lines, _DENSE_PAGE)
        meanings = zip(labels, (meaning(agreement.keys[row], self.evaluation) for row in rows), strict=True)
        above = caption(self.evaluation, "metric_agreement.tex", _AGREEMENT)
        return self._commented("metric_agreement.tex", [above, body], [abbreviations(meanings)])

    def _rho(self, row: int, column: int) -> str:
        value = float(self.evaluation.agreement.spearman[row, column])
        return "--" if math.isnan(value) else number(printed_number(100 * value, 0).lstrip("."))

    # How it is put together

    def _file(  # noqa: PLR0913 - a table's parts
        self,
        name: str,
        columns: Sequence[_Column],
        pieces: Sequence[Sequence[int]],
        page: _Page,
        *,
        rules: bool = False,
        note: str = "",
        text: str,
        order: Sequence[int] = (),
    ) -> str:
        """A file with one table, in pieces where it is long."""
        room = _room(columns, page)
        parts = [self._tabular(columns, rows, page, room, rules=rules) for rows in pieces]
        shown = [entry for piece in pieces for entry in piece]
        heads = abbreviations((column.head, column.means) for column in columns)
        return self._with_notes(name, parts, room, shown, (note, heads), ranked=rules, text=text, order=order)

    def _tabular(
        self, columns: Sequence[_Column], rows: Sequence[int], page: _Page, room: float, *, rules: bool = False
    ) -> str:
        first = self._first if rules else frozenset()
        lines: list[str] = []
        starts = self._starts_of_tiers(rows) if rules else set()
        for entry in rows:
            if entry in starts:
                lines.append(_TIER_END)
            cells = [self._cell(column, entry, room, bold=entry in first) for column in columns]
            lines.append(" & ".join(cells) + r" \\")
        return _frame([column.align for column in columns], " & ".join(column.head for column in columns), lines, page)

    def _cell(self, column: _Column, entry: int, room: float, *, bold: bool) -> str:
        if not column.is_teams:
            return column.cells[entry]
        name = self.names.cell(entry, room / 1.15 if bold else room)
        return rf"\textbf{{{name}}}" if bold else name

    def _starts_of_tiers(self, rows: Sequence[int]) -> set[int]:
        """Rows above which a rule stands."""
        return set() if self._comparison is None else starts_of_tiers(self._comparison, rows)

    def _with_notes(  # noqa: PLR0913 - a table's parts
        self,
        name: str,
        parts: Sequence[str],
        room: float,
        rows: Sequence[int],
        first: Sequence[str] = (),
        *,
        ranked: bool = False,
        text: str,
        order: Sequence[int] = (),
    ) -> str:
        """The file of a table with these rows, each as often as it stands there."""
        shown = sorted(set(rows))
        of_certainty = self._certainty_notes(shown, "\n".join(parts)) if ranked else ()
        notes = [part for part in (*first, *of_certainty, *self._notes(room, shown)) if part]
        above = caption(self.evaluation, name, text, rest=_rest_in_words(name, shown, order or self._order))
        return self._commented(name, [above, *parts], notes, _TOO_HIGH if len(rows) > _LONG_ROWS else "")

    def _commented(self, name: str, parts: Sequence[str], notes: Sequence[str], advice: str = "") -> str:
        below = "\\par\\smallskip\n{\\footnotesize " + " ".join(notes) + "\\par}\n" if notes else ""
        body = "\n".join([*parts[:2], *(f"{_CONTINUED}{part}" for part in parts[2:])])
        centred = f"{{\\centering\n{body}\n\\par}}\n"  # in a group, or what follows outside a float were centred too
        return f"% {name}: {_comment(self.evaluation)}\n{advice}{PREAMBLE}{CAPTION_MACRO}{centred}{below}"

    def _certainty_notes(self, rows: Sequence[int], body: str) -> Iterable[str]:
        """Notes on bold rows, lines, possible ranks and the letters behind intervals, for those in the table."""
        if self._first.intersection(rows):
            yield "Bold: first." if self._comparison is None else sentence("paper-note-best")
        if self._uncertain.intersection(rows):
            yield sentence("paper-note-uncertain", mark=_UNCERTAIN)
        if self._comparison is not None and (_TIER_END in body or "& Tier &" in body):
            yield sentence("paper-note-tiers", aside=self._aside(across_tiers(self._comparison, self._order)))
        if "& Ranks &" in body:
            yield sentence("paper-note-ranks")
        slugs = set() if self._intervals is None else {_note_on(self._intervals, entry) for entry in rows}
        for slug, letter in _LETTERS.items():
            if slug in slugs:
                yield _raised(letter) + sentence(slug)

    def _aside(self, crossing: Sequence[int]) -> str:
        """Of whom a line between tiers says too much."""
        if not crossing:
            return ""
        return sentence("tiers-aside", names=listed(list(map(self.names.plain, crossing)), limit=_MOST_ASIDE))

    def _notes(self, room: float, rows: Sequence[int]) -> Iterable[str]:
        """Notes on the averages and on the marks in a table, for those that stand in it."""
        rest = without_rest(self.evaluation.task.label_set)
        if rest:
            yield tex(f"{sentence_case(rest)}.")
        entries = [self.evaluation.entries[entry] for entry in rows]
        roles = {entry.role for entry in entries}
        if Role.BASELINE in roles:
            yield "Baselines in italics."
        if Role.LATE in roles:
            yield r"\textsuperscript{\dag}Late."
        if Role.UNOFFICIAL in roles:
            yield r"\textsuperscript{\ddag}Unofficial."
        if any(entry.same for entry in entries):
            yield "In parentheses: runs of the team with the same answers."
        dropped = [entry for entry in entries if entry.n_dropped]
        if dropped:
            most = max(entry.n_dropped for entry in dropped)
            yield rf"\textsuperscript{{*}}Scored without the items it lacks (at most {most:,})."
        cut = self.names.shortened(rows, room / 1.15)
        if cut:
            yield f"{plural(len(cut), 'name')} shortened."

    def _head(self, key: ScoreKey) -> str:
        """A metric at the head of a column; the one that orders the table as Score, where its name is long."""
        head = _math_primes(tex(short_label(key, self.evaluation)))
        return "Score" if width_of(head) > _HEAD_LIMIT else head

    def _phrase(self, key: ScoreKey) -> str:
        return phrase(key, self.evaluation.task.label_set)

    def _number(self, value: float) -> str:
        return number(self._show.score(value))

    def _interval(self, lower: float, upper: float) -> str:
        return "--" if math.isnan(lower) else f"[{self._number(lower)}, {self._number(upper)}]"


def _note_on(intervals: ShownIntervals, entry: int) -> str:
    """The sentence on an entry's interval, by its slug; empty where there is nothing to say."""
    if entry in intervals.corrected:
        return "paper-note-corrected"
    mark = intervals.marks[entry]
    return f"paper-mark-{mark.value}" if mark else ""


def _raised(letter: str) -> str:
    return rf"\textsuperscript{{{letter}}}"


def _math_primes(head: str) -> str:
    return head.replace("κ", r"$\kappa$").replace(r"\auditscript{LGR}{$\kappa$}", r"$\kappa$")


_UNCERTAIN = r"\textsuperscript{\S}"
_OVERHANGING = rf"\rlap{{{_UNCERTAIN}}}"
_TIER_END = r"\midrule[.03em]"
_MOST_ASIDE = 3
_CONTINUED = "\\par\\bigskip\n"
_BEST_OF_SLICE = "Bold: the best of the column."
_AGREEMENT = r"Spearman's $\rho \times 100$ between the rankings of the teams by two metrics."


def _frame(aligns: Sequence[str], head: str, lines: Sequence[str], page: _Page) -> str:
    size = rf"{page.command}\setlength{{\tabcolsep}}{{{page.space}pt}}"
    return "\n".join(
        [
            "{" + size,
            rf"\begin{{tabular}}{{@{{}}{''.join(aligns)}@{{}}}}",
            r"\toprule",
            head + r" \\",
            r"\midrule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}\par}",
        ]
    )


def _p(value: float) -> str:
    if math.isnan(value):
        return "--"
    return "$<$.001" if value < 0.001 else number(printed_number(value))  # noqa: PLR2004 - as papers print it


def _comment(evaluation: Evaluation) -> str:
    """The comment above a table that says where it comes from."""
    return f"{visible(evaluation.task.title, 60)}, made by audit. {visible(evaluation.signature, 2000)}".replace(
        "\n", " "
    )


SLICES = "slices.tex"
"""The table of the parts of a test set, where columns of gold cut it."""

TABLES: dict[str, Callable[[PaperTables], str]] = {
    "main_table_narrow.tex": PaperTables.main_narrow,
    "main_table_wide.tex": PaperTables.main_wide,
    "main_table_long.tex": PaperTables.main_long,
    "per_class.tex": PaperTables.per_class,
    "per_class_long.tex": PaperTables.per_class_long,
    "pairwise.tex": PaperTables.pairwise,
    "pairwise_long.tex": PaperTables.pairwise_long,
    "metric_agreement.tex": PaperTables.metric_agreement,
}
"""Every table file that every evaluation has, by name."""

__all__ = ["NARROW", "SLICES", "TABLES", "WIDE", "PaperTables", "named_metric"]
