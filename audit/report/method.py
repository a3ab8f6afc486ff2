"""How was it computed? Rules in force, formulas, properties of the metrics, how to reproduce it, references."""

from collections.abc import Iterator, Mapping
from shlex import quote

import numpy as np

from audit.document import Code, Fold, Listing, Paragraph, Section, Span, Term, Terms, Text
from audit.domain import (
    POLICY_KINDS,
    Evaluation,
    Feature,
    Kind,
    LabelSet,
    Role,
    Undefined,
    supported,
)
from audit.findings.comparisons import comparison_of
from audit.findings.power_sentences import power_sentences
from audit.findings.wording import classes_averaged, entrant, gold_in_words, gold_things
from audit.metrics import GAP_FORMULA, METRICS, STANDARD, Metric, named_metric, phrase
from audit.report.paper_prose import methods_of, plain_prose
from audit.report.printing import Printing, shares_text
from audit.report.references import author_and_year, printed
from audit.sentences import say
from audit.text import listed, plural, quoted, visible
from audit.version import __version__, versions
from audit.vocabulary import QUESTIONS

PLACE = 100

# the command that installs this version
INSTALL = f"pip install shared-task-auditor=={__version__}"

_OF_POLICIES = {("reject", "reject"): " --strict", ("wrong", "wrong"): " --lenient"}
_NOTATION = (
    "For class i, correct is the number of items of it predicted as it, prevalence its gold items, bias the items "
    "predicted as it; |S| is the number of all gold items. P, R and F1 are precision, recall and F1 of a class."
)
_OF_SHARES = (
    " p and b are prevalence and bias as shares of |S|. A score with balanced classes (~) is the same formula after "
    "each gold row of the confusion is scaled by |S| / (k · prevalence), so that all classes have equal mass (Opitz "
    "2024, equations 5 and 6)."
)
_GAP = (
    "F1 of averages less macro-averaged F1, over classes with P + R above 0; 0 when nothing is correct. "
    "Range [0, 0.5]. Source: Opitz & Burst 2019, equation 4."
)
_GORODKIN = (
    "Jan Gorodkin. 2004. Comparing two K-category assignments by a K-category correlation coefficient. Computational "
    "Biology and Chemistry 28(5–6)."
)


_OF_NUMBERS = (
    "Sums and means over i run over the items: x is what a team predicts or what the scorer gave it, y gold’s number, "
    "w the weight of the item, 1 where none is stated."
)
_UNANSWERED = "Items without a usable answer count as wrong unless a policy says otherwise."


def section(show: Printing) -> Section:
    """Everything that a reader needs to check or repeat the numbers, folded."""
    evaluation = show.evaluation
    labels = evaluation.task.label_set
    items = gold_things(evaluation)
    gap = Term("The gap Δ", (labels.worded(_GAP),), "metric-gap", GAP_FORMULA)
    gaps = (gap,) if labels.supports(Feature.MACRO_F1) else ()
    terms = (*(_formula(*each, labels, items) for each in _computed(evaluation).items()), *gaps)
    formulas = (Paragraph(_notation(evaluation)), Terms(terms, "formulas"))
    rules = Terms(tuple(Term(name, (text,)) for name, text in _policies(evaluation)), "policies")
    said = " ".join((plain_prose(methods_of(evaluation)), *power_sentences(evaluation)))
    of_metrics, of_prevalence, *others = printed().items()
    cited = (text for key, text in others if author_and_year(key) in said)
    of_mcc = (_GORODKIN,) if supported([METRICS["mcc"]], labels.kind) else ()
    of_classes = (of_metrics[1], of_prevalence[1]) if labels.supports(Feature.CLASSES) else ()
    references = Listing((*of_classes, *of_mcc, *cited))
    blocks = (
        Fold("rules", "Rules in force", (rules,)),
        Fold("formulas", "Formulas, as computed", formulas),
        Fold("reproduce", "How to reproduce it", _reproduce(evaluation)),
        Fold("references", "References", (references,)),
    )
    told = Listing(tuple(_in_short(evaluation)), "columns")
    question = QUESTIONS["method"]
    return Section(
        "method", question, (_method_answer(evaluation),), (told, *blocks), name="Method"
    )


def _method_answer(evaluation: Evaluation) -> str:
    """Whether the numbers are scores alone, or tests, too."""
    if evaluation.certainty is None:
        return "Scores only: no interval and no test was computed"
    if comparison_of(evaluation) is None:
        return "Scores and intervals only: no two submissions could be compared"
    return say(
        "All pairs of {entrant}s were tested together, at a family-wise error rate of 5%",
        entrant=entrant(evaluation),
    )


def _notation(evaluation: Evaluation) -> str:
    """What the letters of the formulas are."""
    labels = evaluation.task.label_set
    if not labels.supports(Feature.CLASSES):
        return _OF_NUMBERS
    averaged = f"Sums and means over i run over the averaging set, k {labels.nouns}: {_labels_note(evaluation)}. "
    of_class = labels.worded(_NOTATION).replace("items", gold_things(evaluation))
    return averaged + of_class + (_OF_SHARES if labels.supports(Feature.PREVALENCES) else "")


def _in_short(evaluation: Evaluation) -> Iterator[Text]:
    """What scores, tests and intervals are, and what they do not cover: in a few sentences, in the open."""
    labels = evaluation.task.label_set
    ranking = phrase(evaluation.task.ranking_metric, labels)
    if labels.supports(Feature.CLASSES):
        unanswered = f" {labels.worded(_UNANSWERED)}"
    else:
        unanswered = ""
    yield Span("Scores.", "strong"), f" Teams are ranked by {ranking}.{unanswered}"
    if evaluation.certainty is None:
        return
    yield (
        Span(say("Significance."), "strong"),
        " "
        + say(
            "A step-down max-t procedure (Romano and Wolf 2005), separately for each metric. The 95% confidence "
            "set for the best team and the possible ranks follow the same comparisons."
        ),
    )
    yield Span(say("Intervals."), "strong"), f" {_on_intervals(labels)}"
    gold = gold_in_words(evaluation)
    yield (
        Span("Not covered.", "strong"),
        " " + say(f"Errors in {gold}, and whether another test set would have other items."),
    )


def _on_intervals(labels: LabelSet) -> str:
    """What intervals are made by."""
    if labels.supports(Feature.NUMBERS):
        return say(
            "95% confidence intervals are by the delta method, with Student’s quantile where few items carry a score; "
            "the winner’s is corrected for its having been selected."
        )
    return say(
        "95% confidence intervals combine the delta method with a Wilson correction for small counts; the winner’s is "
        "corrected for its having been selected."
    )


def _reproduce(evaluation: Evaluation) -> tuple[Code | Paragraph, ...]:
    """The commands, the signature of every score, and the versions."""
    slug = Span(visible(evaluation.task.slug, 80), "code")
    same = (
        "The same files and settings give the same bytes. The store knows the task as ",
        slug,
        ". Signature of every score here:",
    )
    numbers = ", ".join(f"{name} {version}" for name, version in versions().items())
    signature = (Span(visible(evaluation.signature, 10_000), "code"),)
    return (
        Code(_commands(evaluation)),
        Paragraph(same),
        Paragraph(signature, "signature"),
        Paragraph(f"{numbers}."),
    )


def _computed(evaluation: Evaluation) -> Mapping[Metric, str]:
    """The metrics of an evaluation with their names: those that each one has, then its own and what it is a mean of."""
    own = [named_metric(key.metric, evaluation.task.label_set) for key in evaluation.keys]
    every = [each for named in own for each in (named, *named.parts)]
    made = {
        each.metric: visible(each.reading.metric, 200)
        for each in every
        if each.parts or each.n_below
    }
    names = {each.metric: each.metric.slug for each in every} | made
    standard = supported(STANDARD, evaluation.task.label_set.kind)
    return {metric: metric.slug for metric in standard} | names


def _formula(metric: Metric, name: str, labels: LabelSet, items: str) -> Term:
    told = labels.worded(metric.explanation).replace("items", items)
    about = f"{visible(told, 4000)}{_range(metric)} Source: {metric.source}."
    term: Text = (f"{visible(metric.label, 400)} ", Span(name, "code"))
    return Term(term, (about,), f"metric-{metric.slug}", metric.formula)


def _range(metric: Metric) -> str:
    """The range of a metric and which end is best; nothing where it is from 0 to 1, the greatest the best."""
    if metric.of_ranks:  # ranks have no fixed end
        return f" Range from 1 on, {metric.scale.words}."
    if (metric.lower, metric.upper) == (0, 1) and metric.scale.greater_is_better:
        return ""
    lower, upper = (
        f"{end:g}".replace("-", "−").replace("inf", "∞") for end in (metric.lower, metric.upper)
    )
    return f" Range [{lower}, {upper}], {metric.scale.words}."


def _commands(evaluation: Evaluation) -> tuple[str, ...]:
    """How to make this report again, from files or from memory."""
    if all(entry.path is None for entry in evaluation.entries):
        call = evaluation.task.label_set.kind.traits.call
        return INSTALL, f"audit.write_report({call}, 'report.html')  # in Python"
    task = evaluation.task
    options = load_options(evaluation) + evaluation_options(evaluation)
    said = "".join(f" {quote(visible(word, 200))}" for word in task.said)
    source = evaluation.gold.source
    if task.door == "task.toml" or (task.label_set.supports(Feature.CLASSES) and not said):
        return INSTALL, f"audit run FOLDER{said}{options}"
    gold = ""
    if source is not None:
        gold = f" --gold {quote(visible(source.path, 200))}"
    return INSTALL, f"audit run{gold} SUBMISSIONS...{said}{options}"


def load_options(evaluation: Evaluation) -> str:
    """The options of a command by which the same files are loaded again, each after a blank."""
    if evaluation.rejections:
        skip = " --skip-rejected"
    else:
        skip = ""
    policies = evaluation.task.policies
    return skip + _OF_POLICIES.get((policies.missing, policies.unusable), "")


def evaluation_options(evaluation: Evaluation) -> str:
    """The options of a command by which the same numbers are computed again, each after a blank."""
    options = evaluation.options
    if options.certainty:
        certainty = ""
    else:
        certainty = " --no-certainty"
    return f" --seed {options.seed}{certainty}"


def _policies(evaluation: Evaluation) -> tuple[tuple[str, str], ...]:
    task = evaluation.task
    labels = evaluation.task.label_set
    shown_metric = visible(str(task.official_metric), 200)
    if task.official_metric:
        official = shown_metric
    else:
        official = f"none stated; the ranking is by {task.ranking_metric}"
    policies = [
        (kind.title, kind.values[getattr(task.policies, kind.slug)])
        for kind in POLICY_KINDS.values()
        if kind.slug in task.policies.differences or _matters(kind.slug, evaluation)
    ]
    chosen = [
        f"{quoted(item.team)}: {visible(item.run, 80)}, {visible(item.reason, 400)}"
        for item in task.policies.chosen
    ]
    has_rule = (
        named_metric(task.ranking_metric.metric, task.label_set).reading.undefined
        is not Undefined.ZERO
    )
    if has_rule:
        own_rule = "; the official metric has the rule in its name"
    else:
        own_rule = ""
    decimals = task.official_decimals
    if decimals is None:
        published = "not stated"
    else:
        published = f"on scores rounded to {plural(decimals, 'decimal')}"
    named = [
        f"{quoted(item.name)}: {shares_text(task.label_set, item.shares)}"
        for item in task.prevalences
    ]
    return (
        ("Official metric", official),
        *(
            (("Averaging set", _labels_note(evaluation)),)
            if labels.supports(Feature.CLASSES)
            else ()
        ),
        *_left_out(labels.kind),
        *(
            (("A term with denominator 0", f"counts as 0 in an average{own_rule}"),)
            * labels.supports(Feature.CLASSES)
        ),
        ("Undefined score", "printed as –, never ranked first, never taken as 0"),
        *policies,
        *((("Runs chosen by name", "; ".join(chosen)),) if chosen else ()),
        ("Ties", "scores closer than 1e-12 share a rank (1, 2, 2, 4); ranks are on full precision"),
        ("Published ranks", published),
        *((("Named prevalences", "; ".join(named)),) if named else ()),
    )


def _left_out(kind: Kind) -> Iterator[tuple[str, str]]:
    """What counts as a hit, and the sentence on all that this kind of task does not have."""
    if kind.traits.hit:
        yield "What is scored", kind.traits.hit
    if kind.traits.left_out:
        yield "Left out", kind.traits.left_out


def _matters(policy: str, evaluation: Evaluation) -> bool:
    """Whether a policy has something to decide here: several runs, a baseline, several test sets."""
    teams = [entry.team for entry in evaluation.entries]
    has_labels = evaluation.task.label_set.supports(Feature.CLASSES)
    return {
        "missing": has_labels,
        "unusable": has_labels,
        "gold_copy": has_labels,
        "runs": bool(evaluation.uncounted) or len(set(teams)) < len(teams),
        "baselines": any(entry.role == Role.BASELINE for entry in evaluation.entries),
        "skipped": evaluation.task.family is not None,
    }.get(policy, True)


def _labels_note(evaluation: Evaluation) -> str:
    """The classes that the averages run over, in words."""
    labels = evaluation.task.label_set
    averaged = np.flatnonzero(evaluation.averaged).tolist()
    classes = classes_averaged(
        evaluation, plural(len(averaged), "class in gold", "classes in gold")
    )
    shown = listed([visible(labels.shown[code], 24) for code in averaged], limit=30)
    if labels.supports(Feature.UNITS):
        sums = "; micro scores sum over the whole label set"
    else:
        sums = ""
    n_absent = labels.n_scored - int(evaluation.present[: labels.n_scored].sum())
    absent = plural(n_absent, f"declared {labels.noun}", f"declared {labels.nouns}")
    if n_absent:
        lacking = f"; {absent} without gold left out"
    else:
        lacking = ""
    return f"the {classes} ({shown}){sums}; label set from {'task.toml' if labels.declared else 'gold'}{lacking}"
