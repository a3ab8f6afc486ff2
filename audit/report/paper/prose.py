"""What an author would write: formulas, methods, results and checklist items, from the same values as every table."""

from dataclasses import dataclass

from audit.domain import Evaluation, Role, ScoreKey
from audit.report.paper.paper_findings import Findings, metric_words
from audit.report.paper.procedure import procedure_sentences
from audit.report.paper.tex import PREAMBLE, said, tex
from audit.report.paper.tex_names import Names
from audit.text import listed, plural
from audit.version import versions

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
        return metric_words(self.evaluation, self._key)

    # Methods

    def methods(self) -> str:
        """What was scored and tested, and how."""
        parts = [
            self._data(),
            f"The ranking is by {self._metric}{self._official()}, on full precision; equal scores share a rank.",
            self._runs(),
            self._beside(),
            self._unanswered(),
            *procedure_sentences(self.evaluation),
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

    # Results

    def results(self) -> str:
        """The results in sentences that say no more than the tests support."""
        return PREAMBLE + "\n".join(Findings(self.evaluation, self.names).sentences()) + "\n"

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
        n_groups = evaluation.certainty and evaluation.certainty.n_groups
        groups = f" in {plural(n_groups, 'group')}" if n_groups else ""
        return f"Test set: {plural(evaluation.gold.n_items, 'item')}{groups} ({shares})."

    def _spread_item(self) -> str:
        """Whether a number is of a single run, and what stands beside it."""
        single = self._chosen_as_best() or "Every score is that of one submitted run."
        if self.evaluation.certainty is None:
            return f"{single} {said('paper-checklist-none')}"
        pairs = f" {said('paper-checklist-pairs')}" if self.evaluation.comparable.sum() > 1 else ""
        return f"{single} {said('paper-checklist')}{pairs}"

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


def _breakable(text: str) -> str:
    return text.replace(r"\textbar{}", r"\textbar\allowbreak{}").replace(":", r":\allowbreak{}")
