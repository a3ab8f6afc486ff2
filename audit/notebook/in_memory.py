"""Predictions in memory, audited as files are: labels to codes, one campaign, its evaluation."""

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from audit.domain import (
    MOST_SLICES,
    Campaign,
    Gold,
    LabelSet,
    Options,
    Prevalence,
    Role,
    SliceColumn,
    Submission,
    Task,
    code_dtype,
    labels_on_scale,
    numerals,
)
from audit.domain.arrays import Codes
from audit.errors import UsageError
from audit.evaluation import evaluate as evaluate_campaign
from audit.execution import THIS_PROCESS, Executor
from audit.formats.settings.answers import labels_in_one
from audit.notebook.call_arguments import (
    Handed,
    checked_settings,
    handed_over,
    is_series,
    label_texts,
    refuse_other_labels,
    scored_labels_of,
    scores_by_team,
    scores_in_order,
    unit_of_groups,
    with_official_metric,
)
from audit.notebook.notebook_evaluation import NotebookEvaluation
from audit.text import (
    are_measurements,
    did_you_mean,
    listed,
    look_of,
    lookalikes,
    plural,
    quoted,
    slugify,
    told_apart,
)

if TYPE_CHECKING:
    import pandas as pd

    from audit.formats.settings.task_toml import TaskToml
    from audit.notebook.call_arguments import Labels


def evaluate(  # noqa: PLR0913 - each setting of a task may be said, and none must
    data: "Labels | pd.DataFrame | None" = None,
    predictions: "Mapping[str, Labels] | pd.DataFrame | None" = None,
    *,
    gold: "Labels | Hashable | None" = None,
    roles: Mapping[str, str] | None = None,
    labels: Sequence[object] | None = None,
    label_names: Mapping[object, str] | None = None,
    scale: bool | Sequence[float] = False,
    order: Sequence[object] | None = None,
    rest_label: object = None,
    official_metric: str | None = None,
    official_decimals: int | None = None,
    prevalences: Mapping[str, Mapping[object, float]] | None = None,
    metrics: Sequence[str] = (),
    compare: Sequence[str] = (),
    certainty: bool = True,
    seed: int = 1,
    groups: "Labels | str | None" = None,
    slices: "Mapping[str, Labels] | str | Sequence[str] | None" = None,
    stratified: bool = False,
    item_scores: "Mapping[str, Labels] | None" = None,
    scored_label: object = None,
    title: str = "Evaluation",
    executor: Executor = THIS_PROCESS,
) -> NotebookEvaluation:
    """Audit predictions that are in memory, exactly as ``audit run`` audits files.

    Parameters
    ----------
    data : pandas Series, list or array of N labels, or DataFrame
        The gold labels; or a DataFrame with a column of them, which ``gold`` names, one for each system, and nothing
        else but columns of groups and slices. Labels are compared as text: 1 and "1" are the same, 1.0 is another, and
        a system whose labels are written in another way than gold's is refused.
    predictions : mapping of team name to pandas Series, list or array, or DataFrame with a column for each team
        Where gold and a prediction are both Series they are aligned by index, and an item that a Series lacks is
        unanswered; everything else is aligned by position, and a Series with an index of its own is refused. None,
        NaN and the empty text are unanswered, and so is a label outside the label set.
    gold : name of a column
        Where the first argument is a DataFrame. Gold labels may also be given by this name.
    roles : mapping of team name to role, optional
        ``baseline``: it stands beside the teams and takes no rank. Also ``unofficial``, ``withdrawn`` and the others
        that task.toml knows.
    labels : sequence, optional
        The label set and its order; by default the labels in gold, sorted.
    label_names : mapping of label to name, optional
        What a report shows in place of labels, which stay what they are in data.
    scale : bool or sequence of float, optional
        Whether the labels are steps of a scale: numerals in the order of their values, others in that of ``labels``,
        lowest first; or the value of each of ``labels`` on it.
    order : sequence, optional
        With ``scale``: the labels in their order, lowest first, where numerals are not in that of their values.
    rest_label : label, optional
        The label of a rest class, such as “Other”, which joins no average over classes.
    official_metric : str, optional
        The metric that ranks, as ``audit metrics`` lists it.
    official_decimals : int, optional
        Decimals on which the published ranking was made.
    prevalences : mapping of name to mapping of label to share, optional
        Further class distributions at which to score, beside observed and balanced.
    metrics : sequence of str, optional
        Further metrics, such as ``averaged_f1[a,b]`` over named classes.
    compare : sequence of str, optional
        Scores by which all pairs of teams are compared, such as ``mcc~``, beside the official metric and both macro
        F1s.
    certainty : bool
        Whether intervals and comparisons are computed.
    seed : int
        Seeds every draw.
    groups : pandas Series, list or array of N values, or name of a column, optional
        Which group (document, author, question) an item belongs to, in gold order, where items are not independent.
        Groups are then taken as independent draws instead of items. The name of a Series is what a group is called.
    slices : mapping of name to N values, name of a column, or list of names, optional
        What cuts the test set into parts, such as language or domain: each has 2 to 30 different values. The parts are
        evaluated by themselves, too, in ``evaluation.slices``.
    stratified : bool
        Whether the class counts of the gold were fixed by design (so many items of each class), rather than random.
    item_scores : mapping of team name to N numbers, or to N × L, optional
        What a team says of every item beside its label, such as a probability: aligned as predictions are. With them
        come AUC and average precision, of two labels the Brier score, too, of the teams that have some.
    scored_label : label or list of L labels, optional
        The one of two labels that a higher one of these speaks for, or the label of each of L columns.
    title : str
        The title of a report.
    executor : Executor
        What computes over a campaign of more than 2^26 answers: this process,
        ``audit.execution.processes.Processes(4)`` or ``audit.execution.cluster.Cluster("tcp://…")``. It changes no byte
        of the result.

    Returns
    -------
    NotebookEvaluation
        Shown as the verdict and the ranking; with ``summary()``, ``compare("A", "B")``, ``plot.ranking()``, ``flags``,
        and ``scores``, ``ranks`` and ``correlations`` as DataFrames. :func:`audit.write_report` writes its report.

    Raises
    ------
    UsageError
        When lengths differ, an index has an item twice or one that gold lacks, gold has a missing label or a single
        class, a system gives other labels than gold's only, the rest class is no label, or a setting is unusable or
        does not exist.
    MetricNameError
        When the official metric is no metric, or is called macro F1.

    Examples
    --------
    >>> import audit
    >>> gold = ["a"] * 10 + ["b"] * 20
    >>> predictions = {
    ...     "even": ["a"] * 5 + ["b"] * 5 + ["a"] * 10 + ["b"] * 10,
    ...     "skewed": ["a"] * 1 + ["b"] * 9 + ["a"] * 1 + ["b"] * 19,
    ... }
    >>> evaluation = audit.evaluate(gold, predictions)
    >>> evaluation.scores[["averaged_f1", "f1_of_averages"]].round(3)
            averaged_f1  f1_of_averages
    team
    even          0.486           0.500
    skewed        0.479           0.555
    >>> evaluation.flags[0].slug
    'winner-depends-on-macro-f1'
    """
    handed = handed_over(data, predictions, gold, groups, slices)
    truth = label_texts(handed.gold, "the gold")
    if None in truth:
        raise UsageError(
            f"The gold has no label for item {truth.index(None)} (counted from 0). Every item needs one."
        )
    if labels is not None:
        labels = list(map(str, labels))
    if order is not None:
        order = list(map(str, order))
    if rest_label is not None:
        rest_label = str(rest_label)
    labels_of_scale = labels
    if scale is False:
        labels_of_scale = None  # labels are then names, which settings need not look at
    settings = checked_settings(
        label_names=label_names,
        labels=labels_of_scale,
        scale=scale,
        order=order,
        official_decimals=official_decimals,
        prevalence=prevalences,
        roles=roles,
        stratified=stratified,
    )
    if labels is None:
        labels = settings.labels  # an order names them, too
    label_set = _on_scale(_label_set(truth, labels), settings)
    label_set = replace(_named(label_set, settings.label_names), rest=rest_label)
    codes = _codes(truth, label_set)
    unknown = np.flatnonzero(codes >= len(label_set))
    if unknown.size:
        lacking = str(truth[int(unknown[0])])
        raise UsageError(
            f"The gold has the label {quoted(lacking)}, which labels=… lacks.{did_you_mean(lacking, label_set)}"
        )
    if len(np.unique(codes)) < 2:  # noqa: PLR2004 - one class ranks nobody
        raise UsageError(
            "The gold has items of fewer than two classes; with one class no ranking means anything."
        )
    task = Task(
        slug=slugify(title),
        title=title,
        label_set=label_set,
        official_decimals=settings.official_decimals,
        prevalences=tuple(
            _prevalence(*each, label_set, codes) for each in settings.prevalence.items()
        ),
        scored_labels=scored_labels_of(scored_label, item_scores, label_set),
    )
    task = with_official_metric(task, official_metric)
    task_gold = Gold(
        label_set,
        codes,
        groups=groups_in_order(handed.groups, len(truth)),
        unit=unit_of_groups(handed.groups),
        stratified=settings.gold.stratified,
        slices=tuple(
            slice_column(name, values, len(truth)) for name, values in handed.slices.items()
        ),
    )
    campaign = Campaign(task, task_gold, _submissions(handed, task, settings.roles, item_scores))
    options = Options(seed, certainty, tuple(compare))
    evaluation = evaluate_campaign(campaign, options, also=metrics, executor=executor)
    return NotebookEvaluation.of(evaluation, campaign.predictions_of(evaluation.entries), executor)


def _label_set(truth: Sequence[str | None], labels: Sequence[object] | None) -> LabelSet:
    if labels is not None:
        return LabelSet(tuple(map(str, labels)), declared=True)
    distinct = {label for label in truth if label is not None}
    if not distinct:
        raise UsageError("The gold has no item.")
    looks = {
        "numbers to be predicted, which audit.evaluate_ratings audits": sorted(distinct)
        if are_measurements(distinct, len(truth))
        else [],
        "one label in several writings": next(iter(lookalikes(distinct, look_of)), []),
        "several labels in one, each of which is a call of its own": labels_in_one(distinct),
    }
    for look, odd in looks.items():
        if odd:
            shown = listed([*told_apart(odd[:4]), *odd[4:]], limit=3)
            raise UsageError(
                f"The gold has {shown}, which look like {look}. If each is a class, name all: labels=[…]."
            )
    return LabelSet(tuple(sorted(distinct)))


def _named(label_set: LabelSet, names: Mapping[str, str]) -> LabelSet:
    if unknown := [label for label in names if label not in label_set.code_of]:
        near = did_you_mean(unknown[0], label_set)
        raise UsageError(f"label_names=… names {quoted(unknown[0])}, which is no label here.{near}")
    shown: tuple[str, ...] = ()
    if names:
        shown = tuple(names.get(label, label) for label in label_set)
    return replace(label_set, names=shown)


def _on_scale(label_set: LabelSet, settings: "TaskToml") -> LabelSet:
    """The label set in the order of its scale, with the value of each label; as it is where it is on none."""
    if settings.scale is True and not label_set.declared and not numerals(label_set.labels):
        raise UsageError(
            "scale=True needs the labels in their order, lowest first, where they are words: labels=[…]."
        )
    labels, scale = labels_on_scale(label_set.labels, settings.scale, settings.order)
    return replace(label_set, labels=labels, scale=scale)


def _codes(
    texts: Sequence[str | None], label_set: LabelSet
) -> np.ndarray[Any, np.dtype[np.unsignedinteger]]:
    code_of = {text: _code(text, label_set) for text in set(texts)}
    return np.fromiter(map(code_of.__getitem__, texts), code_dtype(len(label_set)), len(texts))


def _code(text: str | None, label_set: LabelSet) -> int:
    if text is None:
        return len(label_set)
    if text in label_set.code_of:
        return label_set.code_of[text]
    return label_set.unusable_code(text)


def _prevalence(
    name: str, shares: Mapping[str, float], label_set: LabelSet, codes: Codes
) -> Prevalence:
    total = sum(shares.values())
    in_gold = [label_set.labels[code] for code in np.unique(codes).tolist()]
    scaled = {label: shares[label] / total for label in in_gold if label in shares}
    if set(shares) != set(in_gold) or not math.isfinite(total) or not all(scaled.values()):
        expected = listed([quoted(label) for label in in_gold])
        raise UsageError(
            f"The prevalence {quoted(name)} needs a positive share for {expected}, and for no other label."
        )
    return Prevalence(name, tuple(scaled.items()))


def _one_for_each(values: "Labels", whose: str, noun: str, n_items: int) -> list[str]:
    """What was handed over for each item, as text."""
    texts = label_texts(values, whose)
    if len(texts) != n_items:
        found = f"{plural(len(texts), noun)} for {plural(n_items, 'item')}"
        raise UsageError(f"Found {found} as {whose}; each item needs one.")
    filled = [text for text in texts if text is not None]
    if len(filled) < n_items:
        raise UsageError(
            f"Found no {noun} for item {texts.index(None)} (counted from 0) in {whose}; each needs one."
        )
    return filled


def groups_in_order(
    groups: "Labels | None", n_items: int
) -> "np.ndarray[Any, np.dtype[np.int64]] | None":
    """Groups as numbers, in the order in which they first appear, as files give them."""
    if groups is None:
        return None
    names = _one_for_each(groups, "the groups", "group", n_items)
    number_of = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.array(list(map(number_of.__getitem__, names)), np.int64)


def slice_column(name: str, values: "Labels", n_items: int) -> SliceColumn:
    """A column that cuts the test set, from the value of each item."""
    column = SliceColumn.of(
        name, _one_for_each(values, f"the slices by {quoted(name)}", "value", n_items)
    )
    if not 2 <= len(column.values) <= MOST_SLICES:  # noqa: PLR2004 - two parts
        count = plural(len(column.values), "different value")
        raise UsageError(f"slices=… has {count} by {quoted(name)}, expected 2 to {MOST_SLICES}.")
    return column


def _submissions(
    handed: Handed, task: Task, roles: Mapping[str, Role], item_scores: object
) -> tuple[Submission, ...]:
    """Every system's predictions in the order in which they were handed over, with scores of items where it has any."""
    names = [str(team) for team in handed.predictions]
    if len(set(names)) < len(names):
        raise UsageError("Two teams have the same name, written as text.")
    for team in roles:
        if team not in names:
            near = did_you_mean(team, names)
            raise UsageError(f"roles=… names {quoted(team)}, and no system is called that.{near}")
    scores = scores_by_team(item_scores, names)
    n_labels = len(task.scored_labels)
    scores = {
        team: scores_in_order(team, handed.gold, given, n_labels) for team, given in scores.items()
    }
    systems = (
        _submission(str(team), handed, answers, task.label_set)
        for team, answers in handed.predictions.items()
    )
    return tuple(
        replace(each, role=roles.get(each.team, Role.PRIMARY), scores=scores.get(each.team))
        for each in systems
    )


def _submission(team: str, handed: Handed, answers: "Labels", label_set: LabelSet) -> Submission:
    texts = _aligned(team, handed.gold, answers)
    n_items = len(handed.gold)
    if len(texts) != n_items:
        raise UsageError(
            f"{quoted(team)} has {plural(len(texts), 'prediction')}, and gold has {plural(n_items, 'item')}. Each item "
            "needs one, None where there is no answer; Series are aligned by their index, where gold is one, too."
        )
    codes = _codes(texts, label_set)
    refuse_other_labels(team, texts, label_set.labels, is_column=handed.is_frame)
    stray = Counter(str(texts[item]) for item in np.flatnonzero(codes > len(label_set)).tolist())
    unusable = sorted(stray.items(), key=lambda pair: (-pair[1], pair[0]))
    return Submission(team, codes, unusable_labels=tuple(unusable))


def _aligned(team: str, gold: "Labels", answers: "Labels") -> list[str | None]:
    """Predictions as text in gold order: by index where both are Series, else by position."""
    texts = label_texts(answers, quoted(team))
    if not is_series(answers):
        return texts
    if not is_series(gold):
        if not answers.index.equals(answers.reset_index(drop=True).index):
            raise UsageError(
                f"{quoted(team)} has an index and gold has none: pass gold as a Series too, or .to_numpy() of both."
            )
        return texts
    if not gold.index.is_unique:
        raise UsageError("The gold’s index has an item twice.")
    if not answers.index.is_unique:
        raise UsageError(f"The index of {quoted(team)} has an item twice.")
    extra = answers.index.difference(gold.index)
    if len(extra):
        raise UsageError(
            f"The index of {quoted(team)} has {plural(len(extra), 'item')} that gold lacks, like {extra[0]!r}."
        )
    # Text first, places after: reindexing a Series of integers would turn 1 into 1.0 where an item is missing.
    places = answers.index.get_indexer(gold.index).tolist()
    return [None if place < 0 else texts[place] for place in places]
