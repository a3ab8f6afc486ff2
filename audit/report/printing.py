"""How numbers, names and heads are printed: the same in every table."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from audit.document import Block, Cell, Column, Paragraph, Table, row_names
from audit.domain import (
    BALANCED,
    Comparison,
    Entry,
    Evaluation,
    Feature,
    LabelSet,
    Mark,
    Prevalence,
    Role,
    ScoreKey,
    Slice,
)
from audit.domain.arrays import Counts, Floats, Ints
from audit.findings.comparisons import comparison_of
from audit.findings.ranking_rows import FURTHER_COLUMNS, RankingRow
from audit.findings.shown_intervals import ShownIntervals, shown_intervals
from audit.findings.wording import NAME_LIMIT, shown_name
from audit.metrics import BOTH_MACRO_F1, metric_name, metric_of, named_metric, phrase, without_rest
from audit.ranking.ranks import printed_ranks
from audit.sentences import say
from audit.text import distinct, listed, number, plural, range_text, visible
from audit.vocabulary import BEST_MARK, CORRECTED_MARK, CORRECTED_NOTE, IMPRECISE_NOTE, IN_SET_NOTE


@dataclass(frozen=True, eq=False)
class GoldItems:
    """The gold items with every entry's answers."""

    names: tuple[str, ...]  # the T entries, in the evaluation's order
    ids: tuple[str, ...] | None  # the N item ids; None where items are known by position only
    gold: tuple[str, ...]  # each item's gold label
    right: NDArray[np.bool_]  # shape (T, N): whether the entry's answer is the gold label
    answered: NDArray[np.bool_]  # shape (T, N): whether the entry gave a label of the label set

    @property
    def n_right(self) -> NDArray[np.int64]:
        """The number of entries that are right on each item, shape (N,)."""
        return np.asarray(np.count_nonzero(self.right, axis=0), dtype=np.int64)


LABEL_LIMIT = 24
SHADES = 6
FEW = 22  # up to so many entries, tables and figures for a paper show all of them

BEST_SHOWN = 15  # of more entries, those that they show; the CSV of the export has all

_RUNS_NAMED = 3
_RUN_NAME = 30

LATE_MARK = "†"
FEWER_MARK = "‡"
IN_PARENTHESES = "In parentheses: the rank that an entry would take; it takes none."
INTERVAL_MARKS: Mapping[Mark, str] = {
    Mark.RARE_CLASS: "¹",
    Mark.FEW_HITS: "²",
    Mark.FEW_GROUPS: "³",
    Mark.MEAN_OF_RANKS: "⁴",
    Mark.FEW_ANSWERS: "⁵",
    Mark.FEW_UNITS: "⁶",
    Mark.FEW_THINGS: "⁷",
    Mark.FEW_CARRYING: "⁸",
}
"""What stands behind an interval that is rough, or behind – in place of one; the reason stands below the table."""

WHY_MARKED: Mapping[Mark, str] = {
    Mark.RARE_CLASS: (
        "a class has fewer than 5 gold items: the interval is rough; by scores of single items none is "
        "given, and by geometric and harmonic macro recall none was found that holds its level"
    ),
    Mark.FEW_HITS: (
        "no interval: of many classes, one has fewer right answers than half the number of classes, and "
        "no interval of this score was found to hold its level there"
    ),
    Mark.FEW_GROUPS: "no interval: all items are of one group",
    Mark.MEAN_OF_RANKS: (
        "no interval: a mean of ranks depends on who takes part, and one more right answer moves it by "
        "whole ranks or not at all; how sure its scores are, each of them says"
    ),
    Mark.FEW_ANSWERS: (
        "no interval: one half of the scale has fewer than 5 answers or gold items, and no interval of a "
        "scale cut in two was found to hold its level there"
    ),
    Mark.FEW_UNITS: (
        "no interval: one or two units carry the variance of the score (by their shares of it, it rests on "
        "fewer than 3 units), and no interval was found to hold its level there"
    ),
    Mark.FEW_THINGS: (
        "no interval: the team’s sets have fewer than 5 things in all, and no interval was found to hold its "
        "level there"
    ),
    Mark.FEW_CARRYING: (
        "few items carry the variance of this score (fewer than 10 by their shares of it): the interval is rough, and "
        "rather too short"
    ),
}
"""Why an interval is rough, or there is none."""

AMONG_COMPARED_NOTE = "In possible ranks, an entry that is compared with nobody keeps its place."
INTERVAL_TITLE = "Wilson interval with an effective number of items"

_FEWER_SHOWN = 5
_RUNS_SHOWN = 8
_NEVER_SHOWN = 5
_NAMED_IMPRECISE = 5
_USUAL = ("accuracy", "macro_recall", *BOTH_MACRO_F1, "mcc")
_MARKED_LATE = frozenset({Role.LATE, Role.UNOFFICIAL})


def usual_keys(evaluation: Evaluation) -> tuple[ScoreKey, ...]:
    """The metrics that most campaigns are ranked by, the ranking metric first: their rankings stand side by side."""
    observed = [ScoreKey(slug) for slug in _USUAL]
    balanced = [ScoreKey(slug, BALANCED.name) for slug in BOTH_MACRO_F1]
    keys = dict.fromkeys((evaluation.task.ranking_metric, *observed, *balanced))
    return tuple(key for key in keys if key in evaluation.keys)


Cells = tuple[Column, Sequence[Cell | str]]
"""A column with a cell for each entry."""


@dataclass(frozen=True)
class Printing:
    """The printed form of numbers and names, and the order of the teams: the same in every table."""

    evaluation: Evaluation  # what is printed
    order: tuple[int, ...]
    """The entries from best to worst by the ranking metric, also those that do not compete."""
    decimals: int  # digits of a score
    items: GoldItems | None = None  # where ids and gold labels of single items may stand

    def score(self, value: float) -> str:
        """A score as it stands everywhere in the report."""
        return number(value, self.decimals)

    def name(self, team: int) -> Cell:
        """A team's name with the marks of its role, in full where the pointer rests; baselines are set in italics."""
        entry = self.evaluation.entries[team]
        shown = shown_name(self.evaluation, team)
        if shown != entry.name:
            full = visible(entry.name, 1000)
        else:
            full = ""
        runs = listed([visible(run.run or "", NAME_LIMIT) for run in entry.runs], limit=_RUNS_SHOWN)
        if entry.role in (_MARKED_LATE | {Role.BASELINE}):
            role = entry.role.value
        else:
            role = ""
        if entry.same:
            same = f"{len(entry.runs)} runs, the same answers: {runs}"
        else:
            same = ""
        words = (full, same, role, fewer_items(self.evaluation, team))
        title = "; ".join(filter(None, words))
        if entry.role == Role.BASELINE:
            style = "beside"
        else:
            style = ""
        return Cell(shown + runs_in_row(entry) + marks(entry), style=style, title=title)

    @cached_property
    def ranked(self) -> tuple[int, ...]:
        """The entries that compete, from best to worst; all where none does."""
        competing = self.evaluation.competing
        return tuple(team for team in self.order if competing[team]) or self.order

    @cached_property
    def comparable(self) -> tuple[int, ...]:
        """The entries that are compared in pairs, from best to worst."""
        return tuple(team for team in self.order if self.evaluation.comparable[team])

    @cached_property
    def legend(self) -> str:
        """The meaning of the marks behind names, for as many of them as there are."""
        has_baselines = any(entry.role == Role.BASELINE for entry in self.evaluation.entries)
        return " ".join(
            (*(["Italic: baselines."] if has_baselines else []), *entry_notes(self.evaluation))
        )

    def by_team(
        self, anchor: str, caption: str, columns: Iterable[Cells], before: Sequence[Cells] = ()
    ) -> Table:
        """A table with a row for each team, of columns with their cells in the order of the entries."""
        names: Cells = (
            row_names("Team"),
            [self.name(team) for team in range(len(self.evaluation.entries))],
        )
        heads, cells = zip(*before, names, *columns, strict=True)
        by_entry = (tuple(column[team] for column in cells) for team in self.order)
        rows = (
            tuple(Cell(cell) if isinstance(cell, str) else cell for cell in row) for row in by_entry
        )
        return Table(anchor, caption, tuple(heads), tuple(rows))


def plain_table(
    anchor: str, columns: Mapping[str, Sequence[str]], teams: Iterable[int], note: str = ""
) -> Table:
    """The rows of some entries, from the texts of every entry by the heads of their columns: for a command."""
    heads = (row_names(head) if head == "team" else Column(head) for head in columns)
    rows = (tuple(Cell(texts[team]) for texts in columns.values()) for team in teams)
    return Table(anchor, "", tuple(heads), tuple(rows), note=note)


def rank_notes(evaluation: Evaluation, *, with_computed: bool = False) -> Iterator[str]:
    """The meaning of ranks in parentheses, where there are any."""
    if (with_computed and evaluation.baselines) or not evaluation.competing.all():
        yield IN_PARENTHESES


def entry_notes(evaluation: Evaluation) -> Iterator[str]:
    """The meaning of the marks behind names, for as many as there are."""
    entries = evaluation.entries
    late = sorted({entry.role.value for entry in entries if entry.role in _MARKED_LATE})
    if late:
        yield f"{LATE_MARK} {listed(late, 'or')}."
    if any(entry.same for entry in entries):
        yield "(n runs): runs of a team with the same answers, which are one row."
    fewer = [
        team for team in evaluation.order(evaluation.task.ranking_metric) if entries[team].n_dropped
    ]
    if fewer:
        named = [
            f"{shown_name(evaluation, team)} {fewer_items(evaluation, team)}" for team in fewer
        ]
        no_tier = say("no possible ranks")
        yield f"{FEWER_MARK} {listed(named, limit=_FEWER_SHOWN)}; {no_tier}."


def runs_in_row(entry: Entry) -> str:
    """The number of runs that a row stands for, behind its name; nothing where it is one."""
    if entry.same:
        return f" ({len(entry.runs)} runs)"
    return ""


def marks(entry: Entry) -> str:
    """The marks behind a name: late or unofficial, and scored on fewer items."""
    return (LATE_MARK if entry.role in _MARKED_LATE else "") + (
        FEWER_MARK if entry.n_dropped else ""
    )


def marked_name(evaluation: Evaluation, team: int) -> str:
    """A team's name with the marks of its role: a baseline in words, † late or unofficial, ‡ on fewer items."""
    entry = evaluation.entries[team]
    if entry.role == Role.BASELINE:
        role = " (baseline)"
    else:
        role = ""
    return shown_name(evaluation, team) + runs_in_row(entry) + role + marks(entry)


def fewer_items(evaluation: Evaluation, team: int) -> str:
    """The number of items on which an entry is scored, in words; empty where none were dropped."""
    n_items = evaluation.gold.n_units
    n_dropped = evaluation.entries[team].n_dropped
    if n_dropped:
        return f"scored on {n_items - n_dropped:,} of {n_items:,} items"
    return ""


def printing(evaluation: Evaluation, items: GoldItems | None = None) -> Printing:
    """The printing rules of an evaluation."""
    order = tuple(evaluation.order(evaluation.task.ranking_metric))
    return Printing(evaluation, order, evaluation.task.printed_decimals, items)


def heading(evaluation: Evaluation, key: ScoreKey) -> str:
    """The task, and by what it is ranked."""
    labels = evaluation.task.label_set
    ranked = f"{visible(evaluation.task.title)}, ranked by {phrase(key, labels)}{labels.kind.traits.ranked}"
    if labels.rest_class is None:
        return ranked
    return f"{ranked}; {without_rest(labels)}"


def label_texts(label_set: LabelSet) -> tuple[str, ...]:
    """Every label, safe and short, by its code, and shortened unlike any other."""
    return distinct(tuple(label_set.shown), LABEL_LIMIT)


OF_SETS = "Rows are what gold has, columns what the team has; “nothing” stands for what only the other of the two has."
"""How a confusion of sets is read."""


def counted(confusions: Counts, label_set: LabelSet) -> Counts:
    """Confusions as readers see them, shape (..., C, C + 1): what is in neither of two sets is no number."""
    if not label_set.supports(Feature.UNITS):
        return confusions
    seen = confusions.copy()
    seen[..., -1, -2:] = 0
    return seen


def shades_of_distance(label_set: LabelSet) -> Ints:
    """How dark each answer is by its distance from gold on the scale, 0 to 5, shape (C, C + 1); unanswered is far."""
    values = np.array(label_set.scale)
    apart = np.abs(np.subtract.outer(values, values))
    shades = np.ceil(apart / apart.max() * (SHADES - 1)).astype(int)
    return np.column_stack([shades, shades.max(axis=1)])


def shares_text(label_set: LabelSet, shares: Iterable[tuple[str, float]]) -> str:
    """Classes with their shares of a prevalence."""
    return ", ".join(
        f"{visible(label_set.shown_as(label), LABEL_LIMIT)} {number(share)}"
        for label, share in shares
    )


def short_label(key: ScoreKey, evaluation: Evaluation) -> str:
    """A score's name at the head of a narrow column, calibrated ones with the papers' tilde."""
    named = named_metric(key.metric, evaluation.task.label_set)
    text = named.metric.short + named.stated
    if named.codes is not None:
        labels = label_texts(evaluation.task.label_set)
        text += f"[{', '.join(labels[code] for code in named.codes)}]"
    return text + visible(Prevalence(key.prevalence).suffix, LABEL_LIMIT)


def metric_href(key: ScoreKey, evaluation: Evaluation) -> str:
    """The address of a score's formula."""
    return f"#metric-{metric_of(key.metric, evaluation.task.label_set).slug}"


def metric_column(key: ScoreKey, evaluation: Evaluation, label: str | None = None) -> Column:
    """The head of a column of scores, linked to its definition."""
    return Column(
        label or short_label(key, evaluation),
        title=f"{visible(str(key), 200)}: {phrase(key, evaluation.task.label_set)}",
        href=metric_href(key, evaluation),
        least_first=key.metric in evaluation.scales,
    )


def score_cells(show: "Printing", key: ScoreKey) -> list[Cell]:
    """A score of every team, the best in bold."""
    first = set(show.evaluation.winners(key))
    scores = show.evaluation.scores_of(key).tolist()
    return [
        Cell(show.score(value), style="best" if team in first else "")
        for team, value in enumerate(scores)
    ]


def rank_cells(show: "Printing", goodness: Floats) -> list[Cell]:
    """The rank of every team by some scores, turned so that higher is better."""
    return [
        Cell(rank, style="quiet") for rank in printed_ranks(goodness, show.evaluation.competing)
    ]


def class_scores(evaluation: Evaluation, slug: str) -> Floats:
    """A class-wise metric of every team, shape (T, C)."""
    labels = evaluation.task.label_set
    keys = [ScoreKey(metric_name(slug, (code,), labels)) for code in range(labels.n_scored)]
    return np.stack([evaluation.scores_of(key) for key in keys], axis=-1)


def interval_texts(show: Printing, key: ScoreKey) -> list[str]:
    """Every entry's interval as printed, with a mark where it is corrected or rough, or why there is none."""
    shown = shown_intervals(show.evaluation, key)
    n_entries = len(show.evaluation.entries)
    if shown is None:
        return ["–"] * n_entries
    return [interval_text(show, shown, entry) for entry in range(n_entries)]


def interval_text(show: Printing, shown: ShownIntervals | Slice, entry: int) -> str:
    """One entry's interval as printed, of all items or of a part of the test set."""
    ends = range_text(float(shown.lower[entry]), float(shown.upper[entry]), show.decimals)
    return ends + interval_mark(shown, entry)


def interval_mark(shown: ShownIntervals | Slice, entry: int) -> str:
    """The marks behind one entry's interval: that it is corrected or rough, or why there is none."""
    return (CORRECTED_MARK if entry in shown.corrected else "") + INTERVAL_MARKS.get(
        shown.marks[entry], ""
    )


def interval_notes(evaluation: Evaluation, key: ScoreKey, teams: Sequence[int]) -> Iterator[str]:
    """The meaning of the marks of intervals by a score, for those that occur among some teams."""
    shown = shown_intervals(evaluation, key)
    if shown is not None:
        yield from () if not shown.corrected else (say(CORRECTED_NOTE),)
        yield from mark_notes(shown.marks[team] for team in teams)
        yield from _if_never(evaluation, shown, teams)


def _if_never(evaluation: Evaluation, shown: ShownIntervals, teams: Sequence[int]) -> Iterator[str]:
    """The intervals given that teams never predict the classes that they did not predict, where these are others."""
    upper = {team: float(shown.upper_if_never[team]) for team in teams}
    texts = [
        f"{shown_name(evaluation, team)} {number(float(shown.lower[team]))} to {number(end)}"
        for team, end in upper.items()
        if not np.isnan(end)
    ]
    if texts:
        yield say(
            "Given that a team never predicts a class that it did not predict here: "
            f"{listed(texts, limit=_NEVER_SHOWN)}."
        )


def mark_notes(marks: Iterable[Mark]) -> Iterator[str]:
    """What the marks of intervals say, for as many as there are among these."""
    present = set(marks)
    for mark, sign in INTERVAL_MARKS.items():
        if mark in present:
            yield say(f"{sign} {WHY_MARKED[mark]}.")


def best_text(comparison: Comparison, team: int) -> str:
    """The mark of the 95% confidence set for the best team, where an entry is in it."""
    if comparison.could_be_best[team]:
        return BEST_MARK
    return ""


def best_notes(marks: Iterable[str], imprecise: Sequence[str] = ()) -> Iterator[str]:
    """What the mark of the confidence set means, where it stands, and who is in it only for want of precision."""
    if BEST_MARK in set(marks):
        yield say(IN_SET_NOTE)
        if imprecise:
            yield say(IMPRECISE_NOTE, teams=listed(imprecise, limit=_NAMED_IMPRECISE))


def ranking_notes(evaluation: Evaluation, key: ScoreKey, teams: Sequence[int]) -> Iterator[str]:
    """The meaning of the marks in a ranking of some entries: confidence set, possible ranks, intervals."""
    comparison = comparison_of(evaluation, key)
    if comparison is not None:
        is_imprecise = comparison.could_be_best & comparison.uncertain
        imprecise = [shown_name(evaluation, team) for team in teams if is_imprecise[team]]
        yield from best_notes({best_text(comparison, team) for team in teams}, imprecise)
        if int(comparison.is_compared.sum()) < int(evaluation.competing.sum()):
            yield say(AMONG_COMPARED_NOTE)
    yield from interval_notes(evaluation, key, teams)


def rank_change(ranks: int) -> str:
    """A number of ranks gained, with its sign; nothing for none."""
    if ranks:
        return f"{ranks:+d}".replace("-", "−")
    return ""


def further_texts(rows: Sequence[RankingRow], decimals: int) -> dict[str, list[str]]:
    """The further columns of the ranking as printed, by their heads."""
    texts = {}
    for place, column in enumerate(FURTHER_COLUMNS):
        texts[column.head] = [number(row.further[place], decimals) for row in rows]
    return texts


def not_ranked(evaluations: Sequence[Evaluation]) -> Iterator[Block]:
    """How many runs the policy on runs left out of the ranking, and the first of them."""
    runs = [
        run
        for evaluation in evaluations
        for run in evaluation.uncounted
        if run.role != Role.WITHDRAWN
    ]
    if not runs:
        return
    names = list(dict.fromkeys(visible(f"{run.team}/{run.run}", _RUN_NAME) for run in runs))
    policy = evaluations[0].task.policies.runs
    yield Paragraph(
        f"{plural(len(runs), 'run')} not ranked (runs = {policy}): {listed(names, limit=_RUNS_NAMED)}",
        "lead",
    )
