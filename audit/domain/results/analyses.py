"""The analyses of an evaluation: each is made when it is first asked for, and once."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from audit.domain.results.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from audit.domain.arrays import Floats, Ints
    from audit.domain.published import Identification
    from audit.domain.reading import MacroF1Audit
    from audit.domain.results.built_in_baseline import Baseline
    from audit.domain.results.certainty import Certainty, Power
    from audit.domain.results.findings import Demonstration, Outcome
    from audit.domain.results.flag import Flag
    from audit.domain.results.pairs import Pairs
    from audit.domain.results.slices import Sliced
    from audit.domain.results.whatif import WinnerMap


Scores = TypeVar("Scores")
"""What analyses are made from: an evaluation, which holds them and is defined above."""


def _none(_: object) -> None:
    return None


def _nothing(_: object) -> tuple[()]:
    return ()


def _no_verdict(_: object) -> Verdict:
    return Verdict()


@dataclass(frozen=True, eq=False)
class Analyses(Generic[Scores]):
    """The functions that make each analysis from the scores; by default there are none.

    Every exit reads an analysis as an attribute of the evaluation, which keeps it: nothing is computed twice.
    """

    certainty: "Callable[[Scores], Certainty | None]" = _none
    """Gives intervals, comparisons and who could be best; None where it was left out."""
    power: "Callable[[Scores], tuple[Power, ...]]" = _nothing
    """Gives what the test set can tell: the ranking metric first, then both macro F1s and the scores by which a
    comparison was asked for, without those by which fewer than two comparable entries have a score.
    """
    baselines: "Callable[[Scores], tuple[Baseline, ...]]" = _nothing
    """Gives the built-in baselines."""
    macro_f1: "Callable[[Scores], MacroF1Audit | None]" = _none
    """Gives every team under every reading of macro F1; None where no entry takes a rank."""
    elections: "Callable[[Scores], tuple[Outcome, ...]]" = _nothing
    """Gives the winners under each rule that makes one ranking of several, over the default voters."""
    demonstrations: "Callable[[Scores], tuple[Demonstration, ...]]" = _nothing
    """Gives what shows on the campaign's confusions that a metric lacks a property."""
    winner_map: "Callable[[Scores], WinnerMap | None]" = _none
    """Gives who would win under other class distributions; None where no other could."""
    pairs: "Callable[[Scores], Pairs | None]" = _none
    """Gives what can be said of any two entries; None where there is one, or more than 60."""
    slices: "Callable[[Scores], tuple[Sliced, ...]]" = _nothing
    """Gives every score, the ranking and the claim of each part of the test set, by each column that cuts it."""
    published: "Callable[[Scores], Identification | None]" = _none
    """Gives what the published scores turn out to be; None where the campaign has none."""
    added_by_items: "Callable[[Scores], Callable[[Scores, Ints], Floats | None] | None]" = _none
    """Gives what tells of the evaluation and some entries what each item adds to their scores by the ranking metric,
    shape (t, N), or None where nothing says it; None where no other test set can share items with this one.
    """
    flags: "Callable[[Scores], tuple[Flag, ...]]" = _nothing
    """Gives the findings, most consequential first."""
    verdict: "Callable[[Scores], Verdict]" = _no_verdict
    """Gives what may be said of the first place, from the other analyses."""


@dataclass(frozen=True, eq=False)
class Given:
    """Makes an analysis that is there already: made before, or known to be none."""

    value: Any

    def __call__(self, _: object) -> Any:  # noqa: ANN401 - any analysis
        """The analysis."""
        return self.value
