"""The section that an author copies: results, methods, and which macro F1 it is, as plain text."""

from audit.domain import Evaluation
from audit.readings.macro_f1_wording import definition
from audit.report.page import Copyable, ForPaper
from audit.report.paper.paper_findings import PaperFindings
from audit.report.paper.paper_methods import Methods
from audit.report.paper.setting import Plain
from audit.text import visible


def for_paper(evaluation: Evaluation) -> ForPaper:
    """The paragraphs of an evaluation."""
    setting = Plain(evaluation)
    results, methods = PaperFindings(evaluation, setting).sentences(), Methods(evaluation, setting).sentences()
    texts = [Copyable("results", "Results", " ".join(results)), Copyable("methods", "Methods", " ".join(methods))]
    if evaluation.macro_f1 is not None:
        labels, n_classes = evaluation.task.label_set, int(evaluation.averaged.sum())
        sentence = definition(evaluation.macro_f1.base, labels, n_classes)
        texts.append(Copyable("definition", "Which macro F1", sentence))
    slug = visible(evaluation.task.slug, 80)
    return ForPaper(tuple(texts), f"audit export {slug} {slug}-paper")
