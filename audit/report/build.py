"""Build the page of a report from an evaluation."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from audit.domain import POLICY_KINDS, STRICT_POLICIES, Evaluation, Flag, Role, Task, Undefined
from audit.errors import ISSUE_KINDS, Issue
from audit.execution import Progress
from audit.flags import FLAG_KINDS
from audit.flags.wording import runs_counted
from audit.metrics import GAP_FORMULA, METRICS, STANDARD, Metric, named_metric, phrase, without_rest
from audit.readings.macro_f1_wording import definition, statements
from audit.report.mathml import mathml
from audit.report.page import FileIssue, Finding, Formula, Page, Readings, Rejected
from audit.report.sections.board import board_of
from audit.report.sections.certainty_section import certainty_of
from audit.report.sections.charts import charts_of
from audit.report.sections.distributions_section import distributions_of
from audit.report.sections.for_paper import for_paper
from audit.report.sections.journal import journal_lines
from audit.report.sections.matrices import matrix_choice
from audit.report.sections.pair_lookup import pair_choice
from audit.report.sections.properties_section import demonstrations_of
from audit.report.sections.published_section import published_of
from audit.report.sections.section_answers import answers_of
from audit.report.sections.slices_section import slices_of
from audit.report.sections.verdict_box import verdict_box
from audit.report.sections.winners_section import elections_of
from audit.report.table_printing import Printing, printing, shares_text
from audit.report.tables import (
    classes_table,
    classwise_table,
    competitiveness_table,
    files_table,
    gap_table,
    items_table,
    kendall_table,
    ranking_table,
    ranks_table,
    readings_table,
    spearman_table,
    spread_table,
    swaps_table,
    switched_metrics_tables,
    uncounted_table,
    winners_table,
)
from audit.sentences import say
from audit.text import agreeing, listed, plural, quoted, visible
from audit.version import __version__, versions

if TYPE_CHECKING:
    from audit.report.gold_items import GoldItems

# Where a reader finds the rows behind a flag.
_EVIDENCE: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "winner-depends-on-macro-f1": ("#macro-f1", "which macro F1"),
        "tied-winners": ("#ranking", "the ranking"),
        "winner-depends-on-prevalence": ("#every-metric", "every metric, observed and balanced"),
        "winner-depends-on-metric": ("#every-metric", "every metric"),
        "slice-crowns-another": ("#slices", "parts of the test set"),
        "order-depends-on-macro-f1": ("#macro-f1", "which macro F1"),
        "class-set-matters": ("#data", "what was loaded"),
        "tie-only-after-rounding": ("#ranking", "the ranking"),
        "order-beyond-printed-decimals": ("#ranking", "the ranking"),
        "scores-on-fewer-items": ("#ranking", "the ranking"),
        "answered-items-alone": ("#ranking", "the ranking"),
        "answers-equal-gold": ("#ranking", "the ranking"),
        "published-heading-differs": ("#published", "the published scores, checked"),
        "published-score-differs": ("#published", "the published scores, checked"),
        "policy-differs": ("#method", "method"),
        "best-run-counts": ("#data", "what was loaded"),
        "runs-chosen-by-name": ("#method", "method"),
        "team-not-above-baseline": ("#ranking", "the ranking"),
        "macro-f1-flip-supported": ("#certainty", "what the comparisons say"),
        "prevalence-flip-supported": ("#certainty", "what the comparisons say"),
        "several-could-be-best": ("#certainty", "what the comparisons say"),
        "no-adjacent-pair-separable": ("#certainty", "what the comparisons say"),
        "decimals-below-detection": ("#power", "how much the test set can tell"),
        "too-few-gold-items": ("#classes", "classes"),
        "few-groups": ("#certainty", "what the comparisons say"),
        "small-shift-crowns-another": ("#class-distributions", "other class distributions"),
        "winner-holds-on-little-of-the-simplex": ("#class-distributions", "other class distributions"),
        "no-official-metric": ("#method", "method"),
        "outlier-metric": ("#agreement", "agreement of the metrics"),
        "at-or-below-chance": ("#every-metric", "every metric"),
        "identical-submissions": ("#data", "what was loaded"),
        "unanswered-items": ("#data", "what was loaded"),
        "class-never-predicted": ("#classes", "classes"),
        "class-without-gold": ("#classes", "classes"),
        "rare-class": ("#classes", "classes"),
    }
)

# Issues that quote what stands in a file, where it can be an item's id. A report must not give away a test set.
_QUOTING = frozenset({"ambiguous-reading", "unrecognised", "wrong-encoding", "no-such-column"})

_PROPERTIES = (
    ("PI", "monotonic"),
    ("PII", "class_sensitive"),
    ("PIII", "decomposable"),
    ("PIV", "prevalence_invariant"),
    ("PV", "chance_corrected"),
)


def build_page(
    evaluation: Evaluation,
    items: "GoldItems | None" = None,
    *,
    style: str = "",
    script: str = "",
    on_progress: Progress | None = None,
) -> Page:
    """The page of an evaluation's report.

    Parameters
    ----------
    evaluation : Evaluation
        What was computed. The page depends on nothing else: no clock, no path, no database.
    items : GoldItems, optional
        Where ids and gold labels of single items may leave the house.
    style, script : str
        The style sheet and the script, put into the page as they are.
    on_progress : callable, optional
        Called with the figures drawn and their total.
    """
    show = printing(evaluation)
    return Page(
        title=visible(evaluation.task.title, 200),
        slug=visible(evaluation.task.slug, 80),
        facts=_facts(evaluation),
        note=visible(evaluation.task.note, 2000),
        verdict=verdict_box(evaluation),
        board=board_of(show),
        paper=for_paper(evaluation),
        answers=answers_of(show),
        findings=tuple(map(_finding, evaluation.flags)),
        rejected=tuple(
            Rejected(visible(rejection.path, 200), tuple(map(_file_issue, rejection.issues)))
            for rejection in evaluation.rejections
        ),
        winners=winners_table(show),
        charts=charts_of(evaluation, on_progress),
        ranking=ranking_table(show),
        competitiveness=competitiveness_table(show),
        certainty=certainty_of(show),
        distributions=distributions_of(show),
        elections=elections_of(show),
        demonstrations=demonstrations_of(show),
        pairs=pair_choice(show),
        matrices=matrix_choice(show),
        hardest=None if items is None else items_table(items, evaluation.task.label_set),
        gap=gap_table(show),
        swaps=swaps_table(show),
        readings=_readings(show),
        published=published_of(show),
        slices=slices_of(show),
        middle_note=_middle_note(evaluation),
        metrics=switched_metrics_tables(show),
        ranks=ranks_table(show),
        agreement=spearman_table(show),
        kendall=kendall_table(show),
        classes=classes_table(show),
        recall=classwise_table(show, "recall"),
        precision=classwise_table(show, "precision"),
        spread=spread_table(show),
        files=files_table(show),
        uncounted=uncounted_table(evaluation.uncounted),
        journal=journal_lines(evaluation.journal),
        issues=tuple(_file_issue(issue) for run in evaluation.runs for issue in run.issues),
        ignored=tuple(visible(path, 200) for path in evaluation.ignored),
        assumptions=evaluation.task.assumptions,
        formulas=tuple(_formula(*each) for each in _computed(evaluation).items()),
        policies=_policies(evaluation),
        signature=visible(evaluation.signature, 10_000),
        commands=_commands(evaluation),
        labels_note=_labels_note(evaluation),
        gap_mathml=mathml(GAP_FORMULA),
        versions=MappingProxyType(versions()),
        style=style,
        script=script,
    )


def _facts(evaluation: Evaluation) -> tuple[str, ...]:
    competing = [entry for entry in evaluation.entries if entry.competes]
    n_teams, n_beside = len({entry.team for entry in competing}), len(evaluation.entries) - len(competing)
    runs = filter(None, [runs_counted(evaluation)])
    beside = (f"{n_beside} beside the ranking",) if n_beside else ()
    classes = plural(int(evaluation.present.sum()), "class", "classes")
    official = evaluation.task.official_metric
    named = (
        f"official metric: {phrase(official, evaluation.task.label_set)}" if official else "no official metric stated"
    )
    rest = filter(None, [without_rest(evaluation.task.label_set)])
    return (plural(evaluation.gold.n_items, "item"), classes, plural(n_teams, "team"), *runs, *beside, named, *rest)


# What was found


def _finding(flag: Flag) -> Finding:
    kind = FLAG_KINDS[flag.slug]
    href, label = _EVIDENCE[flag.slug]
    return Finding(
        slug=flag.slug,
        title=kind.title,
        severity=flag.severity.label,
        level=int(flag.severity),
        sentence=flag.sentence,
        remedy=flag.remedy,
        paper=flag.paper,
        explanation=kind.explanation,
        evidence_href=href,
        evidence_label=label,
    )


def _readings(show: Printing) -> Readings | None:
    audit, labels = show.evaluation.macro_f1, show.evaluation.task.label_set
    if audit is None:
        return None
    formula = METRICS[audit.base.slug].formula
    return Readings(
        statements=tuple(statements(audit, labels)),
        table=readings_table(show, audit),
        definition=definition(audit.base, labels, int(show.evaluation.averaged.sum())),
        mathml=mathml(formula),
        latex=formula,
    )


def _middle_note(evaluation: Evaluation) -> str:
    """The note that a pointer on a correlation shows, where there are replicates enough."""
    resampled = evaluation.certainty.resampled if evaluation.certainty else None
    has_middle = resampled is not None and not np.isnan(resampled.spearman_lower).all()
    return say("middle-note") if has_middle else ""


# Data and method


def _file_issue(issue: Issue) -> FileIssue:
    lines = ", ".join(map(str, issue.lines)) + (", …" if issue.lines and issue.count > len(issue.lines) else "")
    return FileIssue(
        file=visible(issue.file, 200),
        place=lines,
        slug=issue.slug,
        found=ISSUE_KINDS[issue.slug].title.lower() if issue.slug in _QUOTING else issue.found,
        expected=issue.expected,
        remedy=issue.remedy,
    )


def _computed(evaluation: Evaluation) -> Mapping[Metric, str]:
    """The metrics of an evaluation with their names: those that each one has, then its own and what it is a mean of."""
    own = [named_metric(key.metric, evaluation.task.label_set) for key in evaluation.keys]
    every = [each for named in own for each in (named, *named.parts)]
    names = {each.metric: visible(each.composite, 200) or each.metric.slug for each in every}
    return {metric: metric.slug for metric in STANDARD} | names


def _formula(metric: Metric, name: str) -> Formula:
    marks = (
        ()
        if metric.properties is None
        else tuple((short, metric.mark(name), getattr(metric.properties, name).words) for short, name in _PROPERTIES)
    )
    lower = f"{metric.lower:g}".replace("-", "−")
    return Formula(
        slug=metric.slug,
        name=name,
        label=visible(metric.label, 400),
        mathml=mathml(metric.formula),
        explanation=visible(metric.explanation, 4000),
        range=f"{_range(metric, lower)}, {metric.scale.words}",
        baseline=metric.baseline,
        properties=marks,
        source=metric.source,
    )


def _range(metric: Metric, lower: str) -> str:
    """The range of a metric in words; ranks begin at 1 and have no fixed end."""
    return "from 1 on" if metric.of_ranks else f"[{lower}, {metric.upper:g}]"


def _commands(evaluation: Evaluation) -> tuple[str, ...]:
    """How to make this report again, from files or from memory."""
    install = f"pip install shared-task-auditor=={__version__}"
    if all(entry.path is None for entry in evaluation.entries):
        return install, "audit.write_report(audit.evaluate(gold, predictions), 'report.html')  # in Python"
    skip = " --skip-rejected" if evaluation.rejections else ""
    strict = " --strict" if evaluation.task.policies == STRICT_POLICIES else ""
    return install, f"audit run FOLDER{skip}{strict}  # gold, submissions and task.toml as they were"


def _policies(evaluation: Evaluation) -> tuple[tuple[str, str], ...]:
    task = evaluation.task
    shown_metric = visible(str(task.official_metric), 200)
    official = shown_metric if task.official_metric else "none stated; the ranking is by averaged_f1"
    policies = [
        (kind.title, kind.values[getattr(task.policies, kind.slug)])
        for kind in POLICY_KINDS.values()
        if kind.slug in task.policies.differences or _matters(kind.slug, evaluation)
    ]
    chosen = [
        f"{quoted(item.team)}: {visible(item.run, 80)}, {visible(item.reason, 400)}" for item in task.policies.chosen
    ]
    decimals = task.official_decimals
    published = "not stated" if decimals is None else f"on scores rounded to {plural(decimals, 'decimal')}"
    named = [f"{quoted(item.name)}: {shares_text(task.label_set, item.shares)}" for item in task.prevalences]
    return (
        ("Official metric", official),
        ("Averaging set", _labels_note(evaluation)),
        ("A term with denominator 0", "counts as 0 in an average" + _rule_note(task)),
        ("Undefined score", "printed as –, never ranked first, never taken as 0"),
        *policies,
        *((("Runs chosen by name", "; ".join(chosen)),) if chosen else ()),
        ("Ties", "scores closer than 1e-12 share a rank (1, 2, 2, 4); ranks are on full precision"),
        ("Published ranks", published),
        *((("Named prevalences", "; ".join(named)),) if named else ()),
    )


def _rule_note(task: Task) -> str:
    """A clause that the official metric has its own rule for undefined scores, where it has."""
    named = named_metric(task.ranking_metric.metric, task.label_set)
    return "" if named.undefined is Undefined.ZERO else "; the official metric has the rule in its name"


def _matters(policy: str, evaluation: Evaluation) -> bool:
    """Whether a policy has something to decide here: several runs, a baseline, several test sets."""
    teams = [entry.team for entry in evaluation.entries]
    return {
        "runs": bool(evaluation.uncounted) or len(set(teams)) < len(teams),
        "baselines": any(entry.role == Role.BASELINE for entry in evaluation.entries),
        "skipped": evaluation.task.family is not None,
    }.get(policy, True)


def _labels_note(evaluation: Evaluation) -> str:
    """Which classes the averages run over, in words."""
    labels = evaluation.task.label_set
    present = [
        visible(label, 24) for label, is_present in zip(labels.shown, evaluation.present, strict=True) if is_present
    ]
    origin = "task.toml" if labels.declared else "gold"
    absent = len(labels) - len(present)
    lacking = f"; {plural(absent, 'declared class', 'declared classes')} without gold left out" if absent else ""
    return f"{_averaged_note(evaluation, present)}; label set from {origin}{lacking}"


def _averaged_note(evaluation: Evaluation, present: Sequence[str]) -> str:
    labels = evaluation.task.label_set
    if labels.rest is None:
        return f"the {len(present)} classes in gold ({listed(present, limit=30)})"
    averaged = np.flatnonzero(evaluation.averaged).tolist()
    rest, shown = visible(labels.shown_as(labels.rest), 24), [visible(labels.shown[code], 24) for code in averaged]
    classes = plural(len(averaged), "class in gold", "classes in gold")
    are = agreeing(len(averaged), "is", "are")
    return (
        f"the {classes} that {are} not the rest class ({listed(shown, limit=30)}); the rest class {rest} joins no "
        "average and stays in the confusions: answered in place of another class it is a miss of that class, and an "
        "item of it that is answered as another class is a false alarm of that one"
    )
