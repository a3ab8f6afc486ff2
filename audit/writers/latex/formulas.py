"""formulas.tex: the metrics exactly as they were computed for this campaign: classes, undefined terms, prevalence."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from audit.domain import BALANCED, OBSERVED, Evaluation, Prevalence, ScoreKey
from audit.metrics import GAP_FORMULA, Metric, aggregates_of, named_metric, phrase, reading_phrase
from audit.text import listed
from audit.text import number as printed_number
from audit.writers.latex.tex import PREAMBLE, tex

_HEAD = "% The formulas as computed. Classes, undefined terms and prevalence are those of this campaign.\n"
_COUNTS = r"""For a class $i$, $\mathrm{correct}_i$, $\mathrm{bias}_i$ and $\mathrm{prevalence}_i$ are the numbers
of items that are predicted right as $i$, predicted as $i$, and $i$ in gold; $|S|$ is the number of items%s. An item
without a usable answer is counted in $|S|$ and in the prevalence of its class, and in no class's bias.
"""
_DROPPED = ", for a submission whose missing items are left out of those that it answered"
_CLASS_SCORES = r"""Precision is $P_i = \mathrm{correct}_i / \mathrm{bias}_i$, recall
$R_i = \mathrm{correct}_i / \mathrm{prevalence}_i$ and F1 $F1_i = 2\, \mathrm{correct}_i / (\mathrm{bias}_i +
\mathrm{prevalence}_i)$. As a term of an average each counts as 0 where its denominator is 0.
"""
_ABSENT = r"By itself a score of a class that gold lacks (%s) is undefined."
_NOTES = {
    "harmonic_macro_recall": "It is 0 where a recall is 0.",
    "f1_of_averages": "It is 0 where nothing is correct.",
    "kappa": "Here $p_i$ and $b_i$ are the shares of class $i$ in gold and in the predictions. It is undefined where "
    "gold and predictions are constant on the same class.",
    "mcc": "The sum over $b_i^2$ takes in every label of the label set, and $u$ is the share of items without a "
    "usable answer. It is undefined where gold and predictions are both constant, and 0 where one of them is.",
}
_UNDEFINED = "What is undefined is printed as a dash, and stands behind every defined score.\n"
_GAP = rf"""The gap between F1 of averages and averaged F1 \cite{{opitz-burst-2019-macro}} is
\[ {GAP_FORMULA} \]
over the classes with $P + R \neq 0$.
"""
_BALANCED = r"""At balanced prevalence \cite{opitz-2024-closer}, written with a tilde, row $i$ of the confusion matrix
(gold $\times$ predicted) is first scaled by $|S| / (k \cdot \mathrm{prevalence}_i)$.
"""
_LABELS_LISTED = 30


def formulas_tex(evaluation: Evaluation) -> str:
    """The ranking metric, every other metric of the tables, their gap, and the prevalences."""
    key = evaluation.task.ranking_metric
    own = named_metric(key.metric, evaluation.task.label_set)
    parts = [part.metric for part in own.parts]
    others = dict.fromkeys(
        [*parts, *(metric for metric in aggregates_of(evaluation) if metric.slug != own.metric.slug)]
    )
    dropped = _DROPPED if evaluation.task.policies.missing == "drop" else ""
    sections = [
        _HEAD + PREAMBLE + _classes(evaluation),
        _COUNTS % dropped + _CLASS_SCORES + _absent(evaluation),
        _ranking(evaluation, key, own.metric),
        *map(_formula, others),
        _UNDEFINED + _GAP + _BALANCED + "".join(_named(evaluation, each) for each in evaluation.task.prevalences),
    ]
    return "\n".join(sections)


def _classes(evaluation: Evaluation) -> str:
    """The averaging set."""
    averaged, rest = np.flatnonzero(evaluation.averaged).tolist(), evaluation.task.label_set.rest_code
    without = "" if rest is None else f" without the rest class {_labels(evaluation, [rest])}"
    whole = (
        ""
        if rest is None
        else (" Accuracy, $\\kappa$, MCC and $|S|$ are of the items of all classes, the rest class among them.\n")
    )
    return (
        f"Sums and averages run over the $k = {len(averaged)}$ classes that occur in the gold labels"
        f"{without} ({_labels(evaluation, averaged)}), the same for every submission.\n{whole}"
    )


def _absent(evaluation: Evaluation) -> str:
    absent = np.flatnonzero(~evaluation.present).tolist()
    return _ABSENT % _labels(evaluation, absent) + "\n" if absent else ""


def _labels(evaluation: Evaluation, codes: Sequence[int]) -> str:
    return listed([tex(evaluation.task.label_set.shown[code]) for code in codes], limit=_LABELS_LISTED)


def _ranking(evaluation: Evaluation, key: ScoreKey, metric: Metric) -> str:
    """The metric that orders the tables, with its own classes and its prevalence."""
    specifics = "".join(f" {sentence}" for sentence in _specifics(evaluation, key))
    return f"The ranking is by {tex(phrase(key, evaluation.task.label_set))}.{specifics}\n{_formula(metric)}"


def _specifics(evaluation: Evaluation, key: ScoreKey) -> Iterator[str]:
    named = named_metric(key.metric, evaluation.task.label_set)
    if named.reading is not None:
        reading_words = reading_phrase(replace(named.reading, prevalence=OBSERVED.name), evaluation.task.label_set)
        yield f"It is {tex(reading_words)}."
    elif named.parts:
        yield tex(named.metric.explanation)
    elif named.codes is not None and named.metric.takes == "classes":
        codes = [code for code in named.codes if evaluation.present[code]]
        yield rf"Its sums run over {_labels(evaluation, codes) or 'no class'} alone, with $k = {len(codes)}$."
    elif named.codes is not None:
        yield f"Class $i$ is {_labels(evaluation, named.codes)}."
    if key.prevalence == BALANCED.name:
        yield "It is computed at balanced prevalence, as below."
    elif key.prevalence != OBSERVED.name:
        yield f"It is computed at prevalence {tex(key.prevalence)}, as below."


def _formula(metric: Metric) -> str:
    note = _NOTES.get(metric.slug)
    return f"{tex(metric.label)}:\n\\[ {metric.formula} \\]" + (f"\n{note}" if note else "")


def _named(evaluation: Evaluation, prevalence: Prevalence) -> str:
    """A prevalence of task.toml, with its shares."""
    shares = listed(
        [
            f"{tex(evaluation.task.label_set.shown_as(label))} {printed_number(share)}"
            for label, share in prevalence.shares
        ]
    )
    return (
        rf"At prevalence {tex(prevalence.name)}, row $i$ is scaled by $|S|\, \pi_i / \mathrm{{prevalence}}_i$, with "
        f"$\\pi$: {shares}.\n"
    )
