"""What goes into the paper? Results, methods and which macro F1 it is, to copy; and every finding."""

from collections.abc import Mapping

from audit.document import Beside, Copyable, Finding, Findings, Fold, Paragraph, Section, Span
from audit.domain import Evaluation, Feature, Flag, LabelSet
from audit.findings.flag_kind import KINDS
from audit.readings.macro_f1_wording import definition
from audit.report.paper_prose import methods_of, plain_prose, results_of
from audit.report.printing import Printing
from audit.text import plural, visible

PLACE = 10

_EVIDENCE: Mapping[str, str] = {
    "token-tags": "every team by spans and by tokens",
    "ranking": "the ranking",
    "macro-f1": "which macro F1",
    "every-metric": "every metric",
    "slices": "parts of the test set",
    "data": "what was loaded",
    "published": "the published scores, checked",
    "method": "method",
    "ahead": "any two teams",
    "power": "how much the test set can tell",
    "classes": "classes",
    "label-order": "the order of the labels",
    "class-distributions": "other class distributions",
    "agreement": "agreement of the metrics",
}
"""What stands at the anchors where a reader finds the rows behind a flag."""


def section(show: Printing) -> Section:
    """The results to copy; methods, the sentence on macro F1, the command and all findings, folded."""
    findings = tuple(
        _finding(flag, show.evaluation.task.label_set) for flag in show.evaluation.flags
    )
    if findings:
        title = f"{plural(len(findings), 'finding')}, and what to do about each"
    else:
        title = "All findings"
    found = Findings(findings) if findings else Paragraph("None of the audit’s rules fired.")
    results, methods, *definition_of_f1 = _texts(show.evaluation)
    slug = visible(show.evaluation.task.slug, 80)
    command = f"audit export {slug} {slug}-paper"
    if all(entry.path is None for entry in show.evaluation.entries):
        command = ""  # what was given as arrays is in no store
    paragraph = Copyable((results,), style="for-print")
    blocks = (
        Beside((paragraph,), (Copyable(tuple(definition_of_f1), command),), columns=(8, 4)),
        Fold("for-methods", "Methods, as a paragraph", (Copyable((methods,)),)),
        Fold("findings", title, (found,)),
    )
    return Section("paper", "For the paper", (), blocks)


def _texts(evaluation: Evaluation) -> list[tuple[str, str, str]]:
    texts = [
        ("results", "Results", plain_prose(results_of(evaluation))),
        ("methods", "Methods", plain_prose(methods_of(evaluation))),
    ]
    if evaluation.task.label_set.supports(Feature.MACRO_F1) and evaluation.macro_f1 is not None:
        labels = evaluation.task.label_set
        n_classes = int(evaluation.averaged.sum())
        texts.append(
            (
                "definition",
                "Which macro F1",
                definition(evaluation.macro_f1.base, labels, n_classes),
            )
        )
    return texts


def _finding(flag: Flag, labels: LabelSet) -> Finding:
    kind = KINDS[flag.slug]
    return Finding(
        slug=flag.slug,
        title=labels.worded(kind.title),
        severity=flag.severity.label,
        level=int(flag.severity),
        sentence=flag.sentence,
        remedy=flag.remedy,
        evidence=Span(f"See {labels.worded(_EVIDENCE[kind.evidence])}", href=f"#{kind.evidence}"),
    )
