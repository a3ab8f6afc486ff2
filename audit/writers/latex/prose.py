"""What an author would write: formulas, methods, results and checklist items, from the same values as every table."""

from dataclasses import dataclass

from audit.domain import Evaluation
from audit.metrics import phrase
from audit.questions.prose.methods import Methods, software
from audit.questions.prose.results import PaperFindings
from audit.text import listed, plural
from audit.writers.latex.tex import PREAMBLE, sentence, tex
from audit.writers.latex.tex_names import Names
from audit.writers.latex.tex_setting import Tex

_CHECKLIST_HEAD = """% Answers to the ACL Rolling Review responsible-research checklist, as far as they are known here.
% B6: statistics of the data; add the training and development splits, which the audit does not see.
% C3: descriptive statistics of the results. C4: packages and their parameters.
"""


@dataclass(frozen=True)
class Prose:
    """The sentences of one evaluation, with its names."""

    evaluation: Evaluation
    """The evaluation that is described."""
    names: Names
    """The names of the entries."""

    @property
    def _metric(self) -> str:
        return tex(phrase(self.evaluation.task.ranking_metric, self.evaluation.task.label_set))

    def methods(self) -> str:
        """The methods section: what was scored and tested, and how."""
        return PREAMBLE + "\n".join(Methods(self.evaluation, Tex(self.names)).sentences()) + "\n"

    def results(self) -> str:
        """The results in sentences that say no more than the tests support."""
        return PREAMBLE + "\n".join(PaperFindings(self.evaluation, Tex(self.names)).sentences()) + "\n"

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
            return f"{single} {sentence('paper-checklist-none')}"
        pairs = f" {sentence('paper-checklist-pairs')}" if self.evaluation.comparable.sum() > 1 else ""
        return f"{single} {sentence('paper-checklist')}{pairs}"

    def _chosen_as_best(self) -> str:
        if self.evaluation.task.policies.runs != "best" or not self.evaluation.uncounted:
            return ""
        return "The score of a team with several runs is the maximum over them by the ranking metric on the test set."

    def _software_item(self) -> str:
        signature = _breakable(tex(self.evaluation.signature))
        return (
            f"Metrics: {software()}; ranking metric {self._metric}, parameters as in the methods. "
            rf"Signature: {{\footnotesize {signature}}}"
        )


def _breakable(text: str) -> str:
    return text.replace(r"\textbar{}", r"\textbar\allowbreak{}").replace(":", r":\allowbreak{}")
