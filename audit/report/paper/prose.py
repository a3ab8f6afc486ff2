"""What an author would write: formulas, methods, results and checklist items, from the same values as every table."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from audit.domain import Comparison, Evaluation, Role, ScoreKey, Uncertainty
from audit.metrics import BOTH_MACRO_F1, GAP_FORMULA, METRICS, named_metric, phrase
from audit.report.paper.names import Names
from audit.report.paper.tex import PREAMBLE, number, tex
from audit.report.printing import printing
from audit.text import listed, plural
from audit.text import number as printed_number
from audit.version import __version__

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

_FORMULA_HEAD = "% The formulas as computed. Classes, undefined terms and prevalence are those of this campaign.\n"
_TERMS = r"""With $\mathrm{correct}_i$, $\mathrm{bias}_i$ and $\mathrm{prevalence}_i$ the numbers of items of class $i$
that are predicted right, predicted, and in gold, precision is $P_i = \mathrm{correct}_i/\mathrm{bias}_i$ and recall
$R_i = \mathrm{correct}_i/\mathrm{prevalence}_i$; a term whose denominator is 0 counts as 0, and $|S|$ is the number of
items.
"""
_GAP_AND_CALIBRATION = rf"""The gap between F1 of averages and averaged F1 \cite{{opitz-burst-2019-macro}} is
\[ {GAP_FORMULA} \]
At balanced prevalence \cite{{opitz-2024-closer}}, written with a tilde, row $i$ of the confusion matrix is first scaled
by $|S| / (k \cdot \mathrm{{prevalence}}_i)$.
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

    # Formulas

    def formulas(self) -> str:
        """The ranking metric and both macro F1s exactly as computed."""
        evaluation = self.evaluation
        metric = named_metric(self._key.metric, evaluation.task.label_set).metric
        slugs = dict.fromkeys((metric.slug, *BOTH_MACRO_F1))
        labels = [tex(evaluation.task.label_set.labels[code]) for code in np.flatnonzero(evaluation.present).tolist()]
        classes = rf"the $k = {len(labels)}$ classes that occur in the gold labels ({listed(labels, limit=30)})"
        formulas = "\n".join(map(self._formula, slugs))
        return f"{_FORMULA_HEAD}{PREAMBLE}Averages run over {classes}.\n{_TERMS}{formulas}\n{_GAP_AND_CALIBRATION}"

    def _formula(self, slug: str) -> str:
        metric = METRICS[slug]
        return f"{tex(metric.label)}:\n\\[ {metric.formula} \\]"

    # Methods

    def methods(self) -> str:
        """What was scored and tested, and how."""
        parts = [
            self._data(),
            f"They are ranked by {self._metric}{self._official()}, on full precision; equal scores share a rank.",
            self._unanswered(),
            *self._resampling(),
            rf"All numbers were computed with audit {__version__}.",
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

    def _unanswered(self) -> str:
        policies = self.evaluation.task.policies
        said = {
            "wrong": "count as wrong",
            "drop": "are left out of the score of the submission that lacks them",
            "reject": "were not accepted",
        }
        missing, unusable = said[policies.missing], said[policies.unusable]
        if missing == unusable:
            return f"Items without a usable answer {missing}."
        return f"Items without an answer {missing}; labels outside the label set {unusable}."

    def _resampling(self) -> Iterator[str]:
        uncertainty = self.evaluation.uncertainty
        if uncertainty is None:
            return
        drawn = "items" if uncertainty.n_groups is None else f"the {uncertainty.n_groups:,} groups of items"
        n_pairs = int(self.evaluation.comparable.sum()) * (int(self.evaluation.comparable.sum()) - 1)
        yield (
            rf"Intervals are 95\% percentile intervals of a paired bootstrap over {drawn} \cite{{efron-tibshirani-1993-"
            rf"bootstrap}} with {uncertainty.n_replicates:,} replicates (seed {uncertainty.seed}), shared by all "
            f"submissions.{_repaired(uncertainty)}"
        )
        yield (
            "Whether two submissions are separable is decided by one stepdown max-$t$ procedure over all "
            rf"{n_pairs:,} ordered pairs \cite{{romano-wolf-2005-exact}}, at a family-wise error of 5\%; tiers and "
            r"simultaneous 95\% rank sets \cite{mogstad-etal-2024-inference} follow from it. Tier 1 holds the best "
            "submission and all not separable from it. Single comparisons are by approximate randomization "
            r"\cite{noreen-1989-computer}, two-sided and unadjusted."
        )
        yield "Errors in the gold labels, and other test sets, are not covered."

    # Results

    def results(self) -> str:
        """The results in sentences that say no more than the tests support."""
        parts = [self._winner(), self._support(), self._two_macro_f1s(), self._pairs()]
        return PREAMBLE + "\n".join(part for part in parts if part) + "\n"

    def _listed(self, entries: list[int], limit: int = 8) -> str:
        return listed([self.names.plain(entry) for entry in entries], limit=limit)

    def _winner(self) -> str:
        winners = list(self.evaluation.winners(self._key))
        if not winners:
            return f"No submission has a defined score by {self._metric}."
        score = self._score(float(self.evaluation.scores_of(self._key)[winners[0]]))
        if len(winners) > 1:
            return f"By {self._metric}, {self._listed(winners)} share first place ({score})."
        return f"By {self._metric}, {self._listed(winners)} is first ({score})."

    def _support(self) -> str:
        comparison, leader = self._comparison, self.evaluation.leader(self._key)
        if comparison is None or leader is None:
            return ""
        n_others = int(self.evaluation.comparable.sum()) - 1
        rivals = [
            entry
            for entry in self.evaluation.order(self._key)
            if self.evaluation.comparable[entry] and entry != leader and not comparison.separable[leader, entry]
        ]
        name = self.names.plain(leader)
        if not n_others:
            return ""
        if not rivals:
            return f"The test set separates {name} from every other submission."
        possible = len(comparison.possible_winners)
        holds = "submission has" if possible == 1 else "submissions have"
        return (
            f"The test set does not separate {name} from {plural(len(rivals), 'other submission')} "
            f"({self._listed(rivals, 6)}); {possible} {holds} a rank set that holds rank 1."
        )

    def _two_macro_f1s(self) -> str:
        first = [list(self.evaluation.winners(ScoreKey(slug))) for slug in BOTH_MACRO_F1]
        if not all(first):
            return ""
        if first[0] == first[1]:
            return f"Both definitions of macro F1 have the same winner, {self._listed(first[0])}."
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
        n_teams = int(self.evaluation.comparable.sum())
        if comparison is None or n_teams < 2:  # noqa: PLR2004 - a pair
            return ""
        n_separable = int(comparison.separable.sum())
        resolution = comparison.resolution
        about = number(printed_number(resolution))
        needed = f" Two submissions must differ by about {about} to be separable here (median over the pairs)."
        rest = "" if np.isnan(resolution) else needed
        verb = "is" if n_separable == 1 else "are"
        return f"{n_separable:,} of {plural(n_teams * (n_teams - 1) // 2, 'pair')} {verb} separable.{rest}"

    # The checklist

    def checklist(self) -> str:
        """The items of the ARR responsible-research checklist that the evaluation answers."""
        evaluation = self.evaluation
        counts = evaluation.prevalence_counts.tolist()
        shares = listed(
            [
                f"{tex(label)}: {count:,}"
                for label, count in zip(evaluation.task.label_set, counts, strict=True)
                if count
            ],
            limit=30,
        )
        spread = (
            "Single scores of each submission, without resampling."
            if evaluation.uncertainty is None
            else r"Each submission was scored once; scores carry 95\% percentile bootstrap intervals, and pairs are "
            "compared by a simultaneous procedure."
        )
        late = sum(entry.role in {Role.LATE, Role.UNOFFICIAL} for entry in evaluation.entries)
        marked = f" {plural(late, 'late or unofficial submission')} marked." if late else ""
        return (
            f"{PREAMBLE}\\begin{{description}}\n"
            rf"\item[B6] Test set: {plural(evaluation.gold.n_items, 'item')} ({shares})."
            "\n"
            rf"\item[C3] {spread}{marked}"
            "\n"
            rf"\item[C4] Metrics: audit {__version__}; ranking metric {self._metric}, parameters as in the methods. "
            rf"Signature: {{\footnotesize {_breakable(tex(evaluation.signature))}}}"
            "\n\\end{description}\n"
        )


def _words(evaluation: Evaluation, key: ScoreKey) -> str:
    return tex(phrase(key, evaluation.task.label_set))


def _breakable(text: str) -> str:
    return text.replace(r"\textbar{}", r"\textbar\allowbreak{}").replace(":", r":\allowbreak{}")


def _repaired(uncertainty: Uncertainty) -> str:
    n_rows = uncertainty.n_repaired
    if not n_rows:
        return ""
    draw = "draws its recall" if n_rows == 1 else "draw their recalls"
    return (
        f" {plural(n_rows, 'gold row')} of a confusion matrix with a recall of exactly 0 or 1 {draw} from a Beta "
        "distribution with half an item added on either side."
    )
