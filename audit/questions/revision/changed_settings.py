"""What two campaigns say in another way, beside items, labels of items and submissions."""

import re
from collections.abc import Callable, Iterator, Mapping

import numpy as np

from audit.domain import OVERALL_RULES, POLICY_KINDS, Evaluation, Gold, Prevalence
from audit.domain.privacy import ItemIds
from audit.questions.revision.changed_gold import has_same_items
from audit.questions.revision.difference import SettingChange
from audit.questions.wording import of
from audit.text import decimal_text, plural, quoted, visible

_WITHOUT_WEIGHT = frozenset({"title", "note", "family", "part", "label_name"})
"""What no rank, interval or finding depends on."""

_LONG = 200
_FIRST_CLAUSE = re.compile("[:,;]")


def setting_changes(before: Evaluation, after: Evaluation) -> tuple[SettingChange, ...]:
    """The settings that differ, those that can decide a rank first."""
    old, new = _texts_of(before), _texts_of(after)
    names = [name for name in dict.fromkeys((*new, *old)) if old.get(name) != new.get(name)]
    changes = [
        SettingChange(slug, subject, old.get((slug, subject)), new.get((slug, subject)), slug not in _WITHOUT_WEIGHT)
        for slug, subject in names
    ]
    if has_same_items(before.gold, after.gold) and not _grouped_alike(before.gold, after.gold):
        changes.append(
            SettingChange("groups", "which items belong together", _groups(before.gold), _groups(after.gold))
        )
    return tuple(sorted(changes, key=_place))


def _place(change: SettingChange) -> tuple[bool, int, str]:
    """The key of the order: changes with weight first, then by subject; the same from either side."""
    return not change.matters, _ORDER.index(change.slug.partition(".")[0]), change.what


_ORDER = (
    *(
        "official_metric",
        "rest_label",
        "scored_label",
        "overall",
        "weight",
        "official_decimals",
        "policy",
        "chosen_run",
        "prevalence",
        "label",
        "groups",
        "stratified",
    ),
    *("slices", "option", "version", "label_name", "title", "note", "family", "part"),
)


def _texts_of(evaluation: Evaluation) -> Mapping[tuple[str, str], str]:
    """Every setting that the evaluation states, as text, by its slug and its name inside a sentence."""
    return {name: text for source in _SOURCES for name, text in source(evaluation) if text}


Texts = Iterator[tuple[tuple[str, str], str]]


def _of_task(evaluation: Evaluation) -> Texts:
    task = evaluation.task
    official = of(evaluation, task.official_metric) if task.official_metric else ""
    decimals = "" if task.official_decimals is None else str(task.official_decimals)
    yield ("official_metric", "the official metric"), official
    rest = task.label_set.rest
    yield ("rest_label", "the rest class"), "" if rest is None else quoted(rest)
    scored = task.scored_label
    yield ("scored_label", "the label that scores of items speak for"), "" if scored is None else quoted(scored)
    overall = "" if task.overall is None else OVERALL_RULES[task.overall]
    yield ("overall", "the rule that sums up the test sets"), overall
    yield ("weight", "what the test set counts among several"), "" if task.weight == 1 else decimal_text(task.weight)
    yield ("official_decimals", "the number of published decimals"), decimals
    yield ("title", "the title"), visible(task.title, _LONG)
    yield ("note", "the note"), visible(task.note, _LONG)
    yield ("family", "the campaign that the task belongs to"), visible(task.family or "", _LONG)
    yield ("part", "the test set’s name"), visible(task.part or "", _LONG)


def _of_policies(evaluation: Evaluation) -> Texts:
    policies = evaluation.task.policies
    for slug, kind in POLICY_KINDS.items():
        subject = f"the policy on {kind.title[0].lower()}{kind.title[1:]}"
        value = getattr(policies, slug)
        yield (f"policy.{slug}", subject), f"{quoted(value)} ({_FIRST_CLAUSE.split(kind.values[value])[0]})"
    for chosen in policies.chosen:
        yield ("chosen_run", f"the run that counts for {visible(chosen.team)}"), quoted(chosen.run)


def _of_labels(evaluation: Evaluation) -> Texts:
    labels = evaluation.task.label_set
    for label, name in zip(labels, labels.named, strict=True):
        yield ("label", f"the label {quoted(label)}"), "in the label set"
        yield ("label_name", f"the name of the label {quoted(label)}"), visible(name) if name != label else ""


def _of_prevalences(evaluation: Evaluation) -> Texts:
    for prevalence in evaluation.task.prevalences:
        yield ("prevalence", f"the class distribution {quoted(prevalence.name)}"), _shares(prevalence)


def _of_gold(evaluation: Evaluation) -> Texts:
    gold = evaluation.gold
    yield ("stratified", "how the test set was drawn"), "a fixed number of items of each class" * gold.stratified
    ids = ItemIds.of(gold.item_ids, gold.label_set)
    names = ids.of_values([column.name for column in gold.slices])
    for name, column in zip(names, gold.slices, strict=True):
        yield ("slices", f"the parts by {quoted(name)}"), plural(len(column.values), "part")


def _of_options(evaluation: Evaluation) -> Texts:
    options = evaluation.options
    yield ("option.certainty", "the certainty"), "computed" if options.certainty else "left out"
    yield ("option.seed", "the seed of the draws"), str(options.seed)
    yield ("option.replicates", "the number of replicates"), str(options.replicates)
    yield ("option.compare", "the further scores that are compared by"), visible(", ".join(options.compare), _LONG)
    yield ("version", "the program’s version"), evaluation.signature.rpartition("|version:")[2]


_SOURCES: tuple[Callable[[Evaluation], Texts], ...] = (
    *(_of_task, _of_policies, _of_prevalences),
    *(_of_labels, _of_gold, _of_options),
)


def _shares(prevalence: Prevalence) -> str:
    return visible(", ".join(f"{label} {share:g}" for label, share in prevalence.shares), _LONG)


def _grouped_alike(before: Gold, after: Gold) -> bool:
    if before.groups is None or after.groups is None:
        return before.groups is after.groups
    return np.array_equal(before.groups, after.groups) and before.unit == after.unit


def _groups(gold: Gold) -> str | None:
    if gold.groups is None:
        return None
    by = f" by {quoted(gold.unit)}" if gold.unit else ""
    return plural(np.unique(gold.groups).size, "group") + by
