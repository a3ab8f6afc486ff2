"""The evaluation of a campaign: every score of every team, and each analysis, made once when it is first asked for."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from audit.domain.answer_order import class_order, entry_order
from audit.domain.arrays import Counts, Floats, Ints
from audit.domain.campaign import Gold, JournalEntry, Rejection
from audit.domain.cells import Cells
from audit.domain.certainty import MARKS, Certainty, Comparison, Power, State
from audit.domain.findings import Baseline, Flag, Outcome, Sliced, SpanScores, Verdict, WinnerMap
from audit.domain.lazy import LazyField, materialized
from audit.domain.numbers import Numbers
from audit.domain.reading import Answers, Identification, MacroF1Audit
from audit.domain.sets import ItemScores, UnitCounts
from audit.domain.submitted_runs import Entry, Role
from audit.domain.task import Number, Options, Prevalence, Scale, ScoreKey, Task
from audit.errors import UsageError
from audit.text import did_you_mean, listed, quoted, visible

if TYPE_CHECKING:
    import pandas as pd

_NAMES_LISTED = 8


@dataclass(frozen=True, slots=True)
class UncountedRun:
    """A run that is kept and not shown."""

    team: str  # the team, and the name of its run; None where it has none
    run: str | None
    path: str | None  # the path of the file; None for arrays
    role: Role  # what the run is to the campaign
    reason: str  # why another run counts, or none, in a few words


@dataclass(frozen=True, eq=False)
class Agreement:
    """The agreement of the metrics on the ranking of the entries that compete."""

    keys: tuple[ScoreKey, ...]  # the M metrics compared
    spearman: Floats
    """(M, M): Spearman's ρ and Kendall's τ-b over the entries for which both metrics are defined."""
    kendall: Floats  # (M, M)
    identical: NDArray[np.bool_]
    """(M, M): two metrics rank any submissions to this gold alike, by identity."""


NOT_COMPARED = Agreement((), np.empty((0, 0)), np.empty((0, 0)), np.empty((0, 0), dtype=bool))


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """Everything the audit computed about one campaign. A report is made from this value alone.

    Parameters
    ----------
    task : Task
        What was scored, and by which rules.
    gold : Gold
        The gold labels.
    entries : tuple of Entry
        The T rows of the ranking, in the order of their names: each a submission, with the team's others that give the
        same answers.
    cells : Cells
        Gold × predicted counts of every submission, with *unanswered* items as one more answer.
    prevalences : tuple of Prevalence
        The prevalences at which scores were computed: observed, balanced, and the named ones.
    keys : tuple of ScoreKey
        The K scores computed for every team.
    values : ndarray, shape (K, T)
        The scores; NaN where undefined.
    rank_values : ndarray of int, shape (K, T)
        Competition ranks (1, 2, 2, 4) on full precision, undefined scores last together. They are ranks among the
        entries that compete; any other entry has the rank that it would take, and takes it from nobody.
    rejections : tuple of Rejection
        Files that were not loaded.
    ignored : tuple of str
        Files that no rule claims.
    signature : str
        What a score here depends on, in one line.
    uncounted : tuple of UncountedRun
        The runs that are kept and not shown, by run policy or because they are withdrawn.
    journal : tuple of JournalEntry
        What was read, repaired and decided when the campaign was read.
    answers : Answers, optional
        Missing items and labels outside the label set apart, for scores under other readings.
    options : Options
        What was asked of the evaluation.
    analyses : mapping of str to object
        The analyses, such as certainty and flags, by the names of their attributes: each a value, or a function of the
        evaluation that computes it when the attribute is first read.
    scales : mapping of str to Scale
        The scales of the metrics whose scores are better the lower, by their names in keys.
    item_scores : ItemScores, UnitCounts or Numbers, optional
        The entries' scores of single items, where the task keeps them; where sets are scored, the things of each unit;
        the numbers that a scorer gave, or that teams predict.
    """

    task: Task
    gold: Gold
    entries: tuple[Entry, ...]
    cells: Cells
    prevalences: tuple[Prevalence, ...]
    keys: tuple[ScoreKey, ...]
    values: Floats
    rank_values: Ints
    rejections: tuple[Rejection, ...] = ()
    ignored: tuple[str, ...] = ()
    signature: str = ""
    uncounted: tuple[UncountedRun, ...] = ()
    journal: tuple[JournalEntry, ...] = ()
    answers: Answers | None = None
    options: Options = field(default_factory=Options)
    analyses: Mapping[str, Any] = field(default_factory=dict)
    scales: Mapping[str, Scale] = field(default_factory=dict)
    item_scores: ItemScores | UnitCounts | Numbers | None = None

    certainty = LazyField[Certainty | None](
        None, "Intervals, comparisons and who could be best; None where it was left out."
    )
    power = LazyField[Sequence[Power]](
        (),
        "What the test set can tell: the ranking metric first, then both macro F1s and the scores to compare by. "
        "Nothing without a certainty, nor of a score that fewer than two comparable entries have.",
    )
    baselines = LazyField[tuple[Baseline, ...]]((), "The built-in baselines.")
    macro_f1 = LazyField[MacroF1Audit | None](
        None, "Every team under every reading of macro F1; None where no entry takes a rank."
    )
    agreement = LazyField[Agreement](NOT_COMPARED, "Rank correlations between the metrics.")
    elections = LazyField[tuple[Outcome, ...]](
        (),
        "The winners under each rule that makes one ranking of several, over the default voters.",
    )
    winner_map = LazyField[WinnerMap | None](
        None,
        "Winners under other class distributions by the ranking metric; None where no other team could win.",
    )
    pairs = LazyField[Ints | None](
        None,
        "Gold items of each class that the row's entry answers right and the column's does not, wrong or with no "
        "answer, shape (T, T, C); None where there is one entry, or more than 60.",
    )
    spans = LazyField[SpanScores | None](
        None, "The spans that tags of tokens mark, scored; None where labels are no such tags."
    )
    slices = LazyField[tuple[Sliced, ...]](
        (),
        "Each column that cuts the test set, with every score, the ranking and the claim of each part.",
    )
    kept_answers = LazyField[Sequence[Counts] | None](
        None,
        "The entries' label codes, for comparisons over the tracks of a campaign. None where the task is no track, or "
        "has more answers than are kept.",
    )
    states_of_choices = LazyField[Mapping[str, State]](
        MappingProxyType({}),
        "What becomes of the first place by another class set, and with missing items as wrong, where it was tested.",
    )
    published = LazyField[Identification | None](
        None, "What the published scores turn out to be; None where the campaign has none."
    )
    flags = LazyField[tuple[Flag, ...]]((), "The findings, most consequential first.")
    verdict = LazyField[Verdict](
        Verdict(),
        "What may be said of the first place by the ranking metric, and what that depends on.",
    )

    def __post_init__(self) -> None:
        """Hand each analysis to its attribute, which computes it when it is first read."""
        vars(self).update(self.analyses)

    def given(self, **analyses: object) -> Self:
        """The same evaluation with some analyses as given; the others are computed anew when they are read."""
        return replace(self, analyses={**self.analyses, **analyses})

    def settled(self, on_progress: Callable[[int, int], None] | None = None) -> Self:
        """The same evaluation with every analysis computed, so that it lets go of the predictions."""
        analyses = {}
        for done, name in enumerate(ANALYSES, start=1):
            analyses[name] = materialized(getattr(self, name))
            if on_progress is not None:
                on_progress(done, len(ANALYSES))
        return self.given(**analyses)

    @cached_property
    def _row_of(self) -> dict[ScoreKey, int]:
        return {key: row for row, key in enumerate(self.keys)}

    def row(self, key: ScoreKey) -> int:
        """The row of a score among the keys; UsageError where it is not one of them."""
        try:
            return self._row_of[key]
        except KeyError:
            near = did_you_mean(str(key), map(str, self.keys))
            raise UsageError(f"The evaluation has no score {quoted(str(key))}.{near}") from None

    @property
    def names(self) -> tuple[str, ...]:
        """The entries' names, in order."""
        return tuple(entry.name for entry in self.entries)

    @property
    def runs(self) -> tuple[Entry, ...]:
        """Every run that is shown, by itself or in the row of another with the same answers, row by row."""
        return tuple(run for entry in self.entries for run in entry.runs)

    def entry_number(self, name: str) -> int:
        """Index of the entry of this name as it is shown; in any case, unless two names differ in that alone."""
        runs = (
            (run, place)
            for place, entry in enumerate(self.entries)
            for run in entry.runs
            if run.run
        )
        named = {f"{run.team}/{run.run}": place for run, place in runs}
        named |= {entry_name: place for place, entry_name in enumerate(self.names)}
        if name in named:
            alike = [name]
        else:
            alike = [each for each in named if _folded(each) == _folded(name)]
        if not alike:
            near = did_you_mean(name, self.names)
            entries = listed(list(map(quoted, self.names)), limit=_NAMES_LISTED)
            raise UsageError(
                f"There is no entry {quoted(name)} here.{near} The entries are {entries}."
            )
        if len({named[each] for each in alike}) > 1:
            candidates = listed(list(map(quoted, alike)), "or")
            raise UsageError(
                f"Is {quoted(name)} {candidates}? They differ in capitals alone: write one as it stands."
            )
        return named[alike[0]]

    @cached_property
    def competing(self) -> NDArray[np.bool_]:
        """The entries that take a rank, shape (T,)."""
        return np.array([entry.competes for entry in self.entries], dtype=bool)

    @cached_property
    def contending(self) -> NDArray[np.bool_]:
        """The entries that can be first, shape (T,): those that take a rank and are no baselines."""
        return np.array([entry.contends for entry in self.entries], dtype=bool)

    @property
    def ranked(self) -> NDArray[np.bool_]:
        """The entries that metrics are compared over, shape (T,): those that take a rank; where none does, all."""
        return self.competing | ~self.competing.any()

    @cached_property
    def comparable(self) -> NDArray[np.bool_]:
        """The entries that take part in paired comparisons, shape (T,)."""
        return np.array([entry.is_comparable for entry in self.entries], dtype=bool)

    @cached_property
    def whole(self) -> NDArray[np.bool_]:
        """Which entries' scores are of all items, shape (T,): none of theirs was dropped."""
        return np.array([not entry.n_dropped for entry in self.entries], dtype=bool)

    @property
    def n_gold(self) -> int:
        """Number of gold labels: of items, or in the sets of units."""
        return int(self.prevalence_counts[: self.task.label_set.n_scored].sum())

    @property
    def present(self) -> NDArray[np.bool_]:
        """The classes of the label set that occur in gold, shape (C,)."""
        is_scored = np.arange(self.prevalence_counts.size) < self.task.label_set.n_scored
        return np.asarray((self.prevalence_counts > 0) & is_scored)

    @property
    def averaged(self) -> NDArray[np.bool_]:
        """The averaging set: the classes in gold but the rest class, shape (C,)."""
        averaged = self.present
        if self.task.label_set.rest_code is not None:
            averaged[self.task.label_set.rest_code] = False
        return averaged

    @property
    def confusions(self) -> Ints:
        """Gold × predicted counts as matrices, the last column *unanswered*, shape (T, C, C + 1).

        Of thousands of labels a matrix takes as many megabytes: ask ``cells.of_teams`` for those of some entries.
        """
        return self.cells.dense()

    @cached_property
    def prevalence_counts(self) -> Ints:
        """Gold items of each class, shape (C,)."""
        return np.bincount(self.gold.codes, minlength=len(self.task.label_set)).astype(np.int64)

    def prevalence_of(self, key: ScoreKey) -> Prevalence:
        """The class distribution at which a score stands."""
        return next(each for each in self.prevalences if each.name == key.prevalence)

    def scores_of(self, key: ScoreKey) -> Floats:
        """Every team's score, shape (T,), NaN where undefined."""
        return np.asarray(self.values[self.row(key)])

    def goodness_of(self, key: ScoreKey) -> Floats:
        """Every team's score turned so that higher is better, shape (T,): what ranks, leads and tests stand on."""
        return self.goodness(key, self.scores_of(key))

    def goodness(self, key: ScoreKey, scores: Number) -> Number:
        """Scores by some metric, such as a baseline's, turned so that higher is better; and turned ones back."""
        if key.metric in self.scales:
            return self.scales[key.metric].goodness(scores)
        return scores

    def ranks_of(self, key: ScoreKey) -> Ints:
        """Every team's rank, shape (T,), 1 is best."""
        return np.asarray(self.rank_values[self.row(key)])

    def winners(self, key: ScoreKey) -> tuple[int, ...]:
        """Indices of the entries that share first place, whatever baseline is above them; none where no score is."""
        return self.first_by(np.where(np.isnan(self.scores_of(key)), 0, self.ranks_of(key)))

    def first_by(self, ranks: Ints) -> tuple[int, ...]:
        """Indices of the entries that share first place by some ranks; 0 is none."""
        able = self.contending & (ranks > 0)
        return tuple(
            np.flatnonzero(able & (ranks == ranks[able].min(initial=len(ranks) + 1))).tolist()
        )

    @cached_property
    def class_order(self) -> Counts:
        """The class codes in an order that does not depend on the labels' names, shape (C,)."""
        return class_order(self.gold.codes, self.cells)

    @cached_property
    def answer_order(self) -> Counts:
        """The entries in an order that depends on their answers alone, shape (T,); what is drawn is drawn in it."""
        digests = [f"{entry.answers_digest} {entry.scores_digest or ''}" for entry in self.entries]
        return entry_order(self.cells, self.class_order, digests)

    def leader(self, key: ScoreKey) -> int | None:
        """Index of the first comparable entry, against which leads and tests stand; None where none has a score."""
        return next(iter(self.contenders(key)), None)

    def contenders(self, key: ScoreKey) -> list[int]:
        """Comparable entries with a defined score, from best to worst; equal ranks in the order of their answers."""
        comparable = self.comparable & ~np.isnan(self.scores_of(key))
        return [team for team in self.order(key, by_answers=True) if comparable[team]]

    def order(self, key: ScoreKey, *, by_answers: bool = False) -> Sequence[int]:
        """Indices of the entries from best to worst; equal ranks in the order of their names, or of their answers.

        What is printed stands by names. What a number is computed from is chosen by answers.
        """
        return self.order_by(self.goodness_of(key), self.ranks_of(key), by_answers=by_answers)

    def order_by(self, goodness: Floats, ranks: Ints, *, by_answers: bool = False) -> Sequence[int]:
        """Indices of the entries from best to worst by some scores of theirs, turned so that higher is better."""
        place = np.arange(len(self.entries))
        if by_answers:
            place[self.answer_order] = np.arange(len(self.entries))
        competing = self.competing
        scores = np.nan_to_num(goodness, nan=-np.inf)
        # entries of one rank differ by rounding alone
        best_of_rank = np.full(len(scores) + 2, -np.inf)
        np.maximum.at(best_of_rank, ranks[competing], scores[competing])
        scores[competing] = best_of_rank[ranks[competing]]
        order: list[int] = np.lexsort((place, ~competing, -scores, ranks)).tolist()
        return order

    @property
    def scores(self) -> "pd.DataFrame":
        """The scores as a DataFrame: a row for each entry, a column for each key, like ``averaged_f1~``."""
        return self._frame(self.values)

    @property
    def ranks(self) -> "pd.DataFrame":
        """The ranks as a DataFrame, laid out as :attr:`scores`."""
        return self._frame(self.rank_values)

    @property
    def intervals(self) -> "pd.DataFrame":
        """95% intervals as a DataFrame: columns (key, lower) and (key, upper), laid out as :attr:`scores`.

        Wilson's with an effective number of items. NaN where a score is undefined, and where :attr:`marks` says why
        there is none.
        """
        import pandas as pd  # noqa: PLC0415 - a third of a second that only notebooks need

        intervals = self._certainty().intervals
        ends = {"lower": self._frame(intervals.lower), "upper": self._frame(intervals.upper)}
        frame = pd.concat(ends, axis=1).swaplevel(axis=1)
        return frame.reindex(columns=[(str(key), end) for key in self.keys for end in ends])

    @property
    def marks(self) -> "pd.DataFrame":
        """Why a defined score has no interval, or a rough one, as a DataFrame of slugs, empty where it has another."""
        return self._frame(np.array(MARKS, dtype=object)[self._certainty().intervals.marks])

    def comparison(self, score: ScoreKey | str) -> Comparison:
        """The simultaneous comparison of all pairs by a score, such as ``averaged_f1~``."""
        comparisons = self._certainty().comparisons
        for comparison in comparisons:
            if str(comparison.key) == str(score):
                return comparison
        compared_by = listed([str(comparison.key) for comparison in comparisons])
        raise UsageError(
            f"Teams were not compared by {quoted(str(score))}, but by {compared_by}: name it in compare=…"
        )

    def _certainty(self) -> Certainty:
        if self.certainty is None:
            raise UsageError(
                "The certainty was left out: the evaluation has no intervals and comparisons."
            )
        return self.certainty

    @property
    def correlations(self) -> "pd.DataFrame":
        """Spearman's ρ between the metrics as a DataFrame; NaN where undefined."""
        import pandas as pd  # noqa: PLC0415 - a third of a second that only notebooks need

        names = [str(key) for key in self.agreement.keys]
        return pd.DataFrame(self.agreement.spearman, index=names, columns=names, copy=True)

    def _frame(self, rows: NDArray[Any]) -> "pd.DataFrame":
        import pandas as pd  # noqa: PLC0415 - a third of a second that only notebooks need

        index = pd.Index(self.names, name="team")
        return pd.DataFrame(rows.T, index=index, columns=[str(key) for key in self.keys], copy=True)


def _folded(name: str) -> str:
    """A name as it is shown, in one case."""
    return visible(name, 10_000).casefold()


ANALYSES = tuple(name for name, each in vars(Evaluation).items() if isinstance(each, LazyField))
"""The names of all analyses."""
