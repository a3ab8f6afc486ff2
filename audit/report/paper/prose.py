"""What an author would write: formulas, methods, results and checklist items, from the same values as every table."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from audit.domain import Comparison, Evaluation, Role, ScoreKey, Uncertainty
from audit.metrics import BOTH_MACRO_F1, phrase
from audit.report.paper.names import Names
from audit.report.paper.tex import PREAMBLE, number, tex
from audit.report.printing import printing
from audit.text import listed, plural
from audit.text import number as printed_number
from audit.version import versions

REFERENCES = r"""@article{opitz-burst-2019-macro,
  title = {Macro {F1} and Macro {F1}},
  author = {Opitz, Juri and Burst, Sebastian},
  journal = {arXiv preprint arXiv:1911.03347},
  year = {2019}
}
@article{opitz-2024-closer,
  title = {A Closer Look at Classification Evaluation Metrics and a Critical Reflection of Common Evaluation Practice},
  author = {Opitz, Juri},
  journal = {Transactions of the Association for Computational Linguistics},
  volume = {12},
  pages = {820--836},
  year = {2024}
}
@article{romano-wolf-2005-exact,
  title = {Exact and Approximate Stepdown Methods for Multiple Hypothesis Testing},
  author = {Romano, Joseph P. and Wolf, Michael},
  journal = {Journal of the American Statistical Association},
  volume = {100},
  number = {469},
  pages = {94--108},
  year = {2005}
}
@article{mogstad-etal-2024-inference,
  title = {Inference for Ranks with Applications to Mobility across Neighbourhoods and Academic Achievement across
           Countries},
  author = {Mogstad, Magne and Romano, Joseph P. and Shaikh, Azeem M. and Wilhelm, Daniel},
  journal = {The Review of Economic Studies},
  volume = {91},
  number = {1},
  pages = {476--518},
  year = {2024}
}
@book{efron-tibshirani-1993-bootstrap,
  title = {An Introduction to the Bootstrap},
  author = {Efron, Bradley and Tibshirani, Robert J.},
  publisher = {Chapman \& Hall},
  year = {1993}
}
@book{noreen-1989-computer,
  title = {Computer-Intensive Methods for Testing Hypotheses},
  author = {Noreen, Eric W.},
  publisher = {Wiley},
  year = {1989}
}
"""

_RUNS = {
    "primary": "Of several runs of a team, the primary one counts.",
    "last": "Of several runs of a team, the last one by name counts.",
    "best": "Of several runs of a team, the best by the ranking metric counts, which favours teams with many.",
}
_CHECKLIST_HEAD = """% Answers to the ACL Rolling Review responsible-research checklist, as far as they are known here.
% B6: statistics of the data; add the training and development splits, which the audit does not see.
% C3: descriptive statistics of the results. C4: packages and their parameters.
"""


@dataclass(frozen=True)
class Prose:
    """The sentences of one evaluation, with its names.

    Parameters
    ----------
    evaluation : Evaluation
        What was computed.
    names : Names
        How the entries are called.
    """

    evaluation: Evaluation
    names: Names

    @property
    def _key(self) -> ScoreKey:
        return self.evaluation.task.ranking_metric

    @property
    def _metric(self) -> str:
        return _words(self.evaluation, self._key)

    @property
    def _comparison(self) -> Comparison | None:
        uncertainty = self.evaluation.uncertainty
        return None if uncertainty is None else uncertainty.comparisons[0]

    def _score(self, value: float) -> str:
        return number(printing(self.evaluation).score(value))

    # Methods

    def methods(self) -> str:
        """What was scored and tested, and how."""
        parts = [
            self._data(),
            f"The ranking is by {self._metric}{self._official()}, on full precision; equal scores share a rank.",
            self._runs(),
            self._beside(),
            self._unanswered(),
            *self._resampling(),
            f"All numbers were computed with {_software()}.",
        ]
        return PREAMBLE + "\n".join(part for part in parts if part) + "\n"

    def _data(self) -> str:
        evaluation = self.evaluation
        n_teams = len({entry.team for entry in evaluation.entries if entry.competes})
        n_runs = int(evaluation.competing.sum())
        runs = "" if n_runs == n_teams else f" with {plural(n_runs, 'submission')}"
        classes = plural(int(evaluation.present.sum()), "class", "classes")
        return (
            f"The test set has {plural(evaluation.gold.n_items, 'item')} of {classes}; "
            f"{plural(n_teams, 'team')}{runs} took part."
        )

    def _official(self) -> str:
        return ", the official metric" if self.evaluation.task.official_metric else ""

    def _runs(self) -> str:
        """Which of a team's runs stand in the tables, where there were more."""
        policies, several = self.evaluation.task.policies, bool(self.evaluation.uncounted)
        return _RUNS.get(policies.runs, "") if several else ""

    def _beside(self) -> str:
        """What stands in the tables and takes no rank."""
        beside = [entry for entry in self.evaluation.entries if not entry.competes]
        baselines = sum(entry.role is Role.BASELINE for entry in beside)
        others = len(beside) - baselines
        counted = [plural(baselines, "baseline")] * bool(baselines) + [f"{others:,} late or unofficial"] * bool(others)
        if not counted:
            return ""
        verb = "stands" if len(beside) == 1 else "stand"
        noun = "" if not others else " submission" if others == 1 else " submissions"
        takes = "takes" if len(beside) == 1 else "take"
        return f"Beside the ranking {verb} {listed(counted)}{noun}, which {takes} no rank."

    def _unanswered(self) -> str:
        policies = self.evaluation.task.policies
        if policies.missing == policies.unusable == "reject":
            return "Only submissions with a usable answer to every item were accepted."
        missing = {
            "wrong": "Items without an answer count as wrong",
            "drop": "Items without an answer are left out of the score of the submission that lacks them, which is "
            "then compared with no other",
            "reject": "Only submissions with an answer to every item were accepted",
        }[policies.missing]
        unusable = {
            "wrong": "answers outside the label set count as wrong",
            "reject": "submissions with an answer outside the label set were not accepted",
        }[policies.unusable]
        if policies.missing == policies.unusable:
            return "Items without a usable answer count as wrong."
        return f"{missing}; {unusable}."

    def _resampling(self) -> Iterator[str]:
        uncertainty = self.evaluation.uncertainty
        if uncertainty is None:
            return
        drawn = "items" if uncertainty.n_groups is None else f"the {uncertainty.n_groups:,} groups of items"
        n_compared = int(self.evaluation.comparable.sum())
        yield (
            rf"Intervals are 95\% percentile intervals of a paired bootstrap over {drawn} \cite{{efron-tibshirani-1993-"
            rf"bootstrap}} with {uncertainty.n_replicates:,} replicates (seed {uncertainty.seed}), shared by all "
            f"submissions.{_left_out(uncertainty)}{_repaired(uncertainty)}"
        )
        if n_compared > 1:
            yield self._procedure(n_compared * (n_compared - 1))
        yield "Errors in the gold labels, and other test sets, are not covered."

    def _procedure(self, n_pairs: int) -> str:
        """How pairs were compared."""
        return (
            "Whether two submissions are separable is decided by one stepdown max-$t$ procedure over all "
            rf"{n_pairs:,} ordered pairs \cite{{romano-wolf-2005-exact}}, at a family-wise error of 5\%; tiers and "
            r"simultaneous 95\% rank sets \cite{mogstad-etal-2024-inference} follow from it. Tier 1 holds the best "
            "submission and all not separable from it. Single comparisons are by approximate randomization "
            r"\cite{noreen-1989-computer}, two-sided and unadjusted."
        )

    # Results

    def results(self) -> str:
        """The results in sentences that say no more than the tests support."""
        parts = [self._winner(), self._support(), self._two_macro_f1s(), self._pairs()]
        return PREAMBLE + "\n".join(part for part in parts if part) + "\n"

    def _listed(self, entries: list[int], limit: int = 8) -> str:
        return listed([self.names.plain(entry) for entry in entries], limit=limit)

    def _winner(self) -> str:
        winners = self._winners
        if not self.evaluation.competing.any():
            return "No submission takes a rank."
        if not winners:
            return f"No submission has a defined score by {self._metric}."
        score = self._score(float(self.evaluation.scores_of(self._key)[winners[0]]))
        if len(winners) > 1:
            return f"By {self._metric}, {self._listed(winners)} share first place ({score})."
        return f"By {self._metric}, {self._listed(winners)} is first ({score})."

    @property
    def _compared(self) -> list[int]:
        return [entry for entry in self.evaluation.order(self._key) if self.evaluation.comparable[entry]]

    @property
    def _winners(self) -> list[int]:
        return list(self.evaluation.winners(self._key))

    def _support(self) -> str:
        """From whom the test set separates the first that can be compared."""
        comparison, leader = self._comparison, self.evaluation.leader(self._key)
        if comparison is None or leader is None:
            return ""
        winners, compared = self._winners, self._compared
        level = winners if leader in winners else [leader]
        others = [entry for entry in compared if entry not in level]
        rivals = [entry for entry in others if not comparison.separable[leader, entry]]
        if not others:
            return ""
        first = "" if leader in winners else ", the first of those compared,"
        name = f"{self.names.plain(leader)}{first}"
        behind = " behind first place" if len(level) > 1 else ""
        if rivals:
            some = "one other" if len(rivals) == 1 else f"{len(rivals):,} others"
            whom = f"{some}{behind} ({self._listed(rivals, 6)})"
            return f"The test set does not separate {name} from {whom}. {self._possible(comparison)}"
        if len(others) == 1:
            return f"The test set separates {name} from {self._listed(others)}."
        which = " that are compared" if len(compared) < len(self.evaluation.entries) else ""
        return f"The test set separates {name} from each of the {len(others):,} others{behind}{which}."

    @staticmethod
    def _possible(comparison: Comparison) -> str:
        possible = len(comparison.possible_winners)
        holds = "submission has" if possible == 1 else "submissions have"
        return rf"In all, {possible:,} {holds} a 95\% rank set that holds rank 1."

    def _two_macro_f1s(self) -> str:
        first = [list(self.evaluation.winners(ScoreKey(slug))) for slug in BOTH_MACRO_F1]
        if not all(first):
            return ""
        if first[0] == first[1]:
            noun = "winner" if len(first[0]) == 1 else "winners"
            return f"Both definitions of macro F1 have the same {noun}, {self._listed(first[0])}."
        scores = [
            self._score(float(self.evaluation.scores_of(ScoreKey(slug))[winners[0]]))
            for slug, winners in zip(BOTH_MACRO_F1, first, strict=True)
        ]
        return (
            rf"Which submission is first by macro F1 depends on the definition \cite{{opitz-burst-2019-macro}}: by "
            f"averaged F1 it is {self._listed(first[0])} ({scores[0]}), by F1 of averages {self._listed(first[1])} "
            f"({scores[1]})."
        )

    def _pairs(self) -> str:
        comparison = self._comparison
        n_compared = len(self._compared)
        if comparison is None or n_compared <= 2:  # noqa: PLR2004 - of a pair all has been said
            return ""
        n_separable, n_pairs = int(comparison.separable.sum()), n_compared * (n_compared - 1) // 2
        verb = "is" if n_separable == 1 else "are"
        said = f"Of the {n_pairs:,} pairs of submissions, {n_separable:,} {verb} separable."
        if np.isnan(comparison.resolution):
            return said
        about = number(printed_number(comparison.resolution))
        return f"{said} Half of the pairs would have to differ by {about} or more to be separable."

    # The checklist

    def checklist(self) -> str:
        """The items of the ARR responsible-research checklist that the evaluation answers."""
        items = {"B6": self._data_item(), "C3": self._spread_item(), "C4": self._software_item()}
        lines = [rf"\item[{name}] {text}" for name, text in items.items()]
        return "\n".join([_CHECKLIST_HEAD + PREAMBLE + r"\begin{description}", *lines, r"\end{description}", ""])

    def _data_item(self) -> str:
        evaluation = self.evaluation
        counts = zip(evaluation.task.label_set, evaluation.prevalence_counts.tolist(), strict=True)
        shares = listed([f"{tex(label)}: {count:,}" for label, count in counts if count], limit=30)
        groups = "" if self._n_groups is None else f" in {plural(self._n_groups, 'group')}"
        return f"Test set: {plural(evaluation.gold.n_items, 'item')}{groups} ({shares})."

    @property
    def _n_groups(self) -> int | None:
        return None if self.evaluation.uncertainty is None else self.evaluation.uncertainty.n_groups

    def _spread_item(self) -> str:
        """Whether a number is of a single run, and what stands beside it."""
        single = "Every score is that of one submitted run."
        if self.evaluation.uncertainty is None:
            return f"{single} Scores carry no intervals."
        pairs = " Pairs are compared by one simultaneous procedure." if self.evaluation.comparable.sum() > 1 else ""
        return rf"{self._chosen_as_best() or single} Scores carry 95\% percentile bootstrap intervals.{pairs}"

    def _chosen_as_best(self) -> str:
        if self.evaluation.task.policies.runs != "best" or not self.evaluation.uncounted:
            return ""
        return "The score of a team with several runs is the maximum over them by the ranking metric on the test set."

    def _software_item(self) -> str:
        signature = _breakable(tex(self.evaluation.signature))
        return (
            f"Metrics: {_software()}; ranking metric {self._metric}, parameters as in the methods. "
            rf"Signature: {{\footnotesize {signature}}}"
        )


def _software() -> str:
    """What computed the numbers."""
    names = {"Python": "Python", "numpy": "NumPy", "scipy": "SciPy"}
    given = versions()
    return f"audit {given['audit']} ({', '.join(f'{shown} {given[name]}' for name, shown in names.items())})"


def _words(evaluation: Evaluation, key: ScoreKey) -> str:
    return tex(phrase(key, evaluation.task.label_set))


def _breakable(text: str) -> str:
    return text.replace(r"\textbar{}", r"\textbar\allowbreak{}").replace(":", r":\allowbreak{}")


def _left_out(uncertainty: Uncertainty) -> str:
    share = uncertainty.share_left_out
    if not share:
        return ""
    return (
        rf" Macro-averaged and calibrated scores leave out the {100 * share:.2g}\% of the replicates in which a class "
        "has no gold item."
    )


def _repaired(uncertainty: Uncertainty) -> str:
    n_rows = uncertainty.n_repaired
    if not n_rows:
        return ""
    where = "the one row" if n_rows == 1 else f"the {n_rows:,} rows"
    whose = "has" if n_rows == 1 else "have"
    return (
        f" In {where} of the submissions' confusion matrices that {whose} a recall of exactly 0 or 1, which resampling "
        "cannot move, each replicate draws the recall from a Beta distribution with half an item added on either side."
    )
