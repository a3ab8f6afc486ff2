"""What a call hands over, checked: gold and the labels of each system, settings, and scores of single items."""

from collections.abc import Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from audit.domain import LabelSet, ScoreKey, Task
from audit.errors import UsageError
from audit.metrics import parse_score_key
from audit.metrics.official_metric import official_metric
from audit.text import did_you_mean, listed, plural, quoted, visible

if TYPE_CHECKING:
    import pandas as pd
    from typing_extensions import TypeIs

    from audit.formats.settings.task_toml import TaskToml

    Labels = pd.Series[Any] | Sequence[object] | np.ndarray[Any, Any]

_SHOWN = 8
_SHOWN_LABELS = 3
# types whose equal values have the same text; 0.0 and -0.0 have two
_TEXT_BY_VALUE = ({str}, {int}, {bool})
# texts of what is missing, and of some labels
_OF_MISSING = frozenset({"", "None", "nan", "NaN", "NaT", "<NA>"})
_TWO_WAYS = (
    'Write audit.evaluate(gold, {"team": predictions}), or audit.evaluate(frame, gold="column") for a DataFrame with a '
    "column of gold labels and one for each system."
)


@dataclass(frozen=True, eq=False)
class Handed:
    """Gold labels and predictions, however they were handed over."""

    gold: "Labels"
    predictions: "Mapping[Hashable, Labels]"  # each system's, by its name
    groups: "Labels | None"  # the group of each item
    slices: "Mapping[str, Labels]"  # the columns that cut the test set, by name
    is_frame: bool = False  # whether all of it are columns of one DataFrame


def handed_over(
    data: object, predictions: object, gold: object, groups: object, slices: object = None
) -> Handed:
    """Gold labels and predictions from the first arguments of a call."""
    if is_frame(data):
        return _of_frame(data, predictions, gold, groups, slices)
    if data is not None and gold is not None:
        raise UsageError(f"The gold labels are given twice: first, and as gold=…. {_TWO_WAYS}")
    labels: Any = gold if data is None else data
    if labels is None:
        raise UsageError(f"There are no gold labels. {_TWO_WAYS}")
    if predictions is None:
        raise UsageError(
            f"Found {kind_of(labels)} and no predictions to hold against it. {_TWO_WAYS}"
        )
    label_texts(labels, "the gold")
    item_groups: Any = groups
    return Handed(labels, _by_name(predictions), item_groups, _mapping(slices, *_SLICES))


def _mapping(value: object, argument: str, like: str) -> Mapping[str, Any]:
    """What was handed over under names; nothing where nothing was."""
    if not isinstance(value, Mapping | None):
        raise UsageError(f"Found {kind_of(value)} as {argument}, expected a mapping like {like}.")
    return {str(name): part for name, part in (value or {}).items()}


_SLICES = "slices", '{"language": values}, or beside a DataFrame the names of columns'


def _by_name(predictions: object) -> "Mapping[Hashable, Labels]":
    if is_frame(predictions):
        _one_of_each_name(predictions)
        return dict(predictions.items())
    if isinstance(predictions, Mapping):
        return predictions
    name = getattr(predictions, "name", None) or "team"
    raise UsageError(
        f"Found {kind_of(predictions)} as predictions, expected a mapping of team names to labels: write "
        f'{{"{name}": predictions}}, or hand over a DataFrame with a column for each team.'
    )


def _of_frame(
    frame: "pd.DataFrame", predictions: object, gold: object, groups: object, slices: object
) -> Handed:
    """One column of gold, perhaps one of groups, and some that cut the test set; every other is a system."""
    if predictions is not None:
        raise UsageError(
            "Found a DataFrame and predictions beside it, expected one of the two: the column alone as gold, "
            'frame["column"], or the predictions as further columns.'
        )
    _one_of_each_name(frame)
    if gold is None:
        raise UsageError(
            f'Which column has the gold labels? Write gold="…". The DataFrame has {_columns(frame)}.'
        )
    rest = frame.drop(columns=[_column(frame, gold, "gold")])
    if isinstance(groups, str):
        rest = rest.drop(columns=[_column(frame, groups, "groups")])
    named: Any = [slices] if isinstance(slices, str) else slices
    if isinstance(named, list | tuple):
        rest = rest.drop(columns=[_column(frame, name, "slices") for name in named])
        slices = {str(name): frame[name] for name in named}
    if rest.columns.empty:
        raise UsageError("The DataFrame has no column beside gold, expected one for each system.")
    item_groups: Any = frame[groups] if isinstance(groups, str) else groups
    return Handed(
        frame[gold], dict(rest.items()), item_groups, _mapping(slices, *_SLICES), is_frame=True
    )


def _one_of_each_name(frame: "pd.DataFrame") -> None:
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise UsageError(
            f"The DataFrame has two columns {quoted(str(twice))}; give each a name of its own."
        )


def _column(frame: "pd.DataFrame", name: Any, argument: str) -> Hashable:  # noqa: ANN401 - whatever was said
    if isinstance(name, Hashable) and name in frame.columns:
        return name
    if not isinstance(name, str):
        raise UsageError(
            f"Found {kind_of(name)} as {argument}, expected the name of a column. The DataFrame has {_columns(frame)}."
        )
    near = did_you_mean(name, map(str, frame.columns))
    raise UsageError(
        f"The DataFrame has no column {quoted(name)} as {argument}={name!r} says.{near} It has {_columns(frame)}."
    )


def _columns(frame: "pd.DataFrame") -> str:
    return listed([quoted(str(name)) for name in frame.columns], limit=_SHOWN) or "no column"


def checked_settings(*, stratified: object, **stated: object) -> "TaskToml":
    """The arguments that are settings of task.toml, too, under their names there, refused where it refuses them."""
    from pydantic import ValidationError

    from audit.formats.settings.task_toml import TaskToml

    settings = {name: _plain(value) for name, value in stated.items() if value is not None}
    try:
        return TaskToml.model_validate({**settings, "gold": {"stratified": stratified}})
    except ValidationError as error:
        refused = error.errors(include_url=False)[0]
    argument, *place = (part for part in refused["loc"] if part not in {"gold", "[key]"})
    where = "".join(f"[{part!r}]" for part in place if part != refused["input"])
    expected = refused.get("ctx", {}).get("error", "a mapping, {…: …}")
    found = visible(repr(refused["input"]), 80)
    raise UsageError(
        f"Found {found} as {_ARGUMENTS.get(str(argument), argument)}{where}, expected {expected}."
    )


_ARGUMENTS = {"prevalence": "prevalences"}  # settings that are called otherwise here


def _plain(value: Any) -> Any:  # noqa: ANN401 - whatever was said
    """A value as TOML would have it: keys as text, numbers of NumPy as Python's."""
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if hasattr(value, "tolist"):
        return value.tolist()
    return value


def label_texts(labels: object, whose: str) -> list[str | None]:
    """Labels as text, None where there is none."""
    unordered = isinstance(labels, Mapping | AbstractSet) or not hasattr(labels, "__len__")
    if unordered or getattr(labels, "ndim", 1) != 1:
        raise UsageError(
            f"Found {kind_of(labels)} for {whose}, expected one label after the other: a list, an array of one "
            "dimension or a Series."
        )
    row: Any = labels
    if hasattr(row, "tolist"):
        values = row.tolist()
    else:
        values = list(row)
    if set(map(type, values)) - {type(None)} in _TEXT_BY_VALUE:
        text_of = {value: None if value in {"", None} else str(value) for value in set(values)}
        return list(map(text_of.__getitem__, values))
    texts: list[str | None] = list(map(str, values))
    if _OF_MISSING.isdisjoint(texts):
        return texts
    return [
        None if text in _OF_MISSING and _is_missing(value) else text
        for text, value in zip(texts, values, strict=True)
    ]


def _is_missing(value: object) -> bool:
    if value is None or isinstance(value, str):
        return not value
    # NaN and NaT are not equal to themselves; pandas' NA is neither equal nor unequal, and has no truth value.
    equal: object = value == value  # noqa: PLR0124 - that is the question
    return not (isinstance(equal, (bool, np.bool_)) and equal)


def refuse_other_labels(
    team: str, texts: Sequence[str | None], labels: Sequence[str], *, is_column: bool
) -> None:
    """Refuse a system none of whose answers is a label: it would be scored 0, and nobody would see why.

    A system without any answer is refused among the columns of a DataFrame only: there it may be no system.
    """
    own = {text for text in texts if text is not None}
    if not own.isdisjoint(labels) or not (own or is_column):
        return
    shown, expected = (
        listed([quoted(label) for label in sorted(some)], limit=_SHOWN_LABELS) or "no value"
        for some in (own, labels)
    )
    if is_column:
        leave_out = f"frame.drop(columns=[{team!r}])"
    else:
        leave_out = "leave it out of predictions"
    raise UsageError(
        f"{quoted(team)} has none of gold’s labels: found {shown}, expected {expected}. Labels are compared as text, "
        "and 1.0, True and “A” are others than 1, “1” and “a”: hand them over as gold has them, by pandas’ "
        f'.astype("Int64") or .map(…). If it is no system, {leave_out}.'
    )


def kind_of(value: object) -> str:
    """The kind of a value, with its article, for a message."""
    name = type(value).__name__
    of_several = getattr(value, "ndim", 1) > 1 and not is_frame(value)
    if of_several:
        dimensions = f" of {getattr(value, 'ndim', 1)} dimensions"
    else:
        dimensions = ""
    return f"{'an' if name[0].lower() in 'aeiou' or name == 'ndarray' else 'a'} {name}{dimensions}"


def is_frame(value: object) -> "TypeIs[pd.DataFrame]":
    """Whether something is a DataFrame; pandas is not imported to find out."""
    return hasattr(value, "iloc") and hasattr(value, "columns")


def is_series(value: object) -> "TypeIs[pd.Series[Any]]":
    """Whether something is a Series; pandas is not imported to find out."""
    return hasattr(value, "iloc") and not hasattr(value, "columns")


# kinds of NumPy types that would become numbers in silence: complex, dates, times
_NO_NUMBERS = frozenset("cmM")


def scored_labels_of(
    scored_label: object, item_scores: object, label_set: LabelSet
) -> tuple[str, ...]:
    """The labels that scores of items speak for, as text; none where no scores are handed over."""
    if scored_label is None and item_scores is None:
        return ()
    if scored_label is None or item_scores is None:
        raise UsageError(
            'item_scores=… and scored_label=… come together: item_scores={"team": scores}.'
        )
    if isinstance(scored_label, list | tuple):
        labels = tuple(map(str, scored_label))
    else:
        labels = (str(scored_label),)
    for label in labels:
        if label not in label_set.code_of:
            raise UsageError(
                f"scored_label={label!r} is no label of the task.{did_you_mean(label, label_set)}"
            )
    if len(set(labels)) < len(labels) or (len(labels) == 1 != len(label_set) - 1):
        raise UsageError(
            f"scored_label={scored_label!r}: the one of two labels that a higher score speaks for, or each of several "
            f"that have scores, in the order of their columns; there are {plural(len(label_set), 'label')}."
        )
    return labels


def scores_by_team(item_scores: object, teams: Sequence[str]) -> Mapping[str, Any]:
    """The scores that were handed over for each team."""
    by_team = _mapping(item_scores, "item_scores", '{"team": numbers}, one for each item')
    for team in by_team:
        if team not in teams:
            raise UsageError(
                f"item_scores=… has {quoted(team)}, which has no predictions.{did_you_mean(team, teams)}"
            )
    return by_team


def scores_in_order(
    team: str,
    gold: "Labels",
    item_scores: Any,  # noqa: ANN401 - whatever was said
    n_labels: int,
) -> NDArray[np.float64]:
    """A team's scores in gold order: by index where both have one, else by position."""
    called = f"item_scores=… of {quoted(team)}"
    n_items = len(gold)
    if (
        hasattr(item_scores, "iloc")
        and is_series(gold)
        and not item_scores.index.equals(gold.index)
    ):
        if not (
            item_scores.index.is_unique
            and gold.index.is_unique
            and set(gold.index) == set(item_scores.index)
        ):
            raise UsageError(
                f"{called} have another index than gold; each item needs one score, and one alone."
            )
        item_scores = item_scores.reindex(gold.index)
    if np.ma.is_masked(item_scores):
        raise UsageError(
            f"{called} have masked entries. A team without a score for every item is left out."
        )
    if getattr(getattr(item_scores, "dtype", None), "kind", "") in _NO_NUMBERS:
        raise UsageError(f"{called} are no numbers, but of type {item_scores.dtype}.")
    try:
        scores = np.asarray(item_scores, dtype=np.float64) + 0.0  # no negative zero
    except (TypeError, ValueError, OverflowError):
        raise UsageError(f"{called} are no numbers that a double can hold.") from None
    if scores.shape != ((n_items,) if n_labels == 1 else (n_items, n_labels)):
        if n_labels == 1:
            columns = ""
        else:
            columns = f", with {n_labels} scores each: one column for each label of scored_label"
        if scores.ndim == 1:
            shape = plural(scores.size, "number")
        else:
            shape = " × ".join(map(str, scores.shape))
        raise UsageError(f"{called} are {shape}, and gold has {plural(n_items, 'item')}{columns}.")
    lacking = np.flatnonzero(~np.isfinite(scores.reshape(n_items, -1)).all(axis=1))
    if lacking.size:
        raise UsageError(
            f"{called} have no finite number for item {int(lacking[0])} (counted from 0). A team without a score for "
            "every item is left out of item_scores: it has no AUC."
        )
    return scores


def score_named(keys: Sequence[ScoreKey], label_set: LabelSet, name: str) -> ScoreKey:
    """A score of the evaluation, by its name in any spelling."""
    key = parse_score_key(name, label_set)
    if key in keys:
        return key
    near = did_you_mean(str(key), map(str, keys))
    raise UsageError(
        f"The evaluation has no score {quoted(str(key))}.{near} Name it in audit.evaluate(…, metrics=[…]), or its "
        "class distribution in prevalences={…}."
    )


def with_official_metric(task: Task, name: str | None) -> Task:
    """Return the task with its official metric.

    Raises
    ------
    MetricNameError
        When the name is no metric's.
    UsageError
        When the metric does not go with the task.
    """
    if name is None:
        return task
    key, defects = official_metric(
        name,
        task.label_set,
        prevalences=[each.name for each in task.prevalences],
        scored_labels=task.scored_labels,
        policies=task.policies,
    )
    if defects:
        raise UsageError(f"official_metric={name!r}: {defects[0].found}")
    return replace(task, official_metric=key)


def unit_of_groups(groups: "Labels | None") -> str | None:
    """The word for a group: the name of the column that gives them."""
    if groups is None or not is_series(groups):
        return None
    name = groups.name
    if isinstance(name, str) and name:
        return name
    return None
