"""Checked settings of one table of task.toml → Keys, and which of them do not go together."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from audit.formats.settings.answers import CLASH_EXPECTED, Combinations, Rule, Spelling, Threshold
from audit.formats.settings.grouping import Separator
from audit.formats.settings.keys import ColumnKeys, Keys
from audit.formats.settings.layout import FORMATS
from audit.formats.settings.tomlfile import toml_text
from audit.text import listed, quoted

_BESIDE = "or label, score and above, where files give labels and scores of one of two labels"

Contradiction = tuple[tuple[str, ...], str, str]
"""The place of a setting, what was found there, and what was expected."""

_OF_SCORES = ("threshold", "above", "below", "abstain")
_REQUIRED = ("threshold", "above", "below")
_OF_SOME_FORMATS = frozenset(setting for kind in FORMATS.values() for setting in kind.settings)


@dataclass(frozen=True, slots=True)
class LabelSettings:
    """The settings of task.toml about labels, which hold for gold and every submission.

    Parameters
    ----------
    labels : tuple of str, optional
        The label set.
    aliases, combinations : mapping of str to str
        The tables of these names.
    fold_case : bool
        Whether upper and lower case are one.
    """

    labels: tuple[str, ...] | None
    aliases: Mapping[str, str]
    combinations: Mapping[str, str]
    fold_case: bool = False

    @property
    def spelling(self) -> Spelling:
        """The spellings that are accepted."""
        return Spelling(self.aliases, fold_case=self.fold_case, labels=self.labels)

    def contradictions(self) -> Iterator[Contradiction]:
        """Settings that name labels outside the label set, or that make one label of two."""
        if (clash := self.spelling.clash(self.labels or ())) is not None:
            yield ("aliases", clash[0]), self.spelling.clash_words(*clash), CLASH_EXPECTED
        if self.labels is None:
            return
        folded = Counter(map(str.casefold, self.labels))
        if self.fold_case and max(folded.values()) > 1:
            yield ("fold_case",), "fold_case = true", "labels that differ in more than case"
        for table, label_of in (("aliases", self.aliases), ("combinations", self.combinations)):
            yield from self._unknown_labels(table, label_of)
        for alias in self.aliases:
            if alias in self.labels:
                yield ("aliases", alias), f"{quoted(alias)} is itself a label", "another spelling of a label"

    def _unknown_labels(self, table: str, label_of: Mapping[str, str]) -> Iterator[Contradiction]:
        labels = self.labels or ()
        for key, label in label_of.items():
            if label and label not in labels:
                expected = f"a label of labels: {listed([quoted(each) for each in labels], 'or', limit=12)}"
                yield (table, key), f"{quoted(key)} = {quoted(label)}", expected


def keys_of(settings: dict[str, Any], label_settings: LabelSettings) -> tuple[Keys, list[Contradiction]]:
    """The keys of one table, and what in it does not go together.

    Parameters
    ----------
    settings : dict
        The checked settings of [gold], [submissions] or [wide].
    label_settings : LabelSettings
        What is said about labels wherever they stand.
    """
    contradictions = [*_of_format(settings), *_of_labels(settings, label_settings)]
    if contradictions:
        return Keys(), contradictions
    rule = _rule(settings, label_settings)
    own = {key: value for key, value in settings.items() if key not in {*_OF_SCORES, "score", "label"}}
    score = settings.get("score")
    if isinstance(score, dict):
        own["score_by_name"] = tuple(score.items())
        score = None
    if _is_beside_labels(settings):
        own |= {"score": score or (), "above": settings["above"]}
    label = settings.get("label", score)
    return Keys(**own, label=label, rule=rule, spelling=label_settings.spelling), []


def wide_contradictions(settings: Mapping[str, Any], label_settings: LabelSettings) -> Iterator[Contradiction]:
    """Contradictions in [wide]: scores for no label, a label for no scores, and three labels."""
    if "score" in settings and "above" not in settings:
        yield ("score",), "score without above", "the label that a higher score speaks for: above = …"
    if "above" in settings and "score" not in settings:
        yield ("above",), "above without score", 'the columns of the scores, like score = "{team}_score"'
    if "score" in settings and label_settings.labels is not None and len(label_settings.labels) > 2:  # noqa: PLR2004 - that label and another
        yield ("score",), f"score, with {len(label_settings.labels)} labels", "two labels"
    yield from _outside_labels(settings, label_settings)


def _is_beside_labels(settings: Mapping[str, Any]) -> bool:
    """Whether scores stand beside labels, and are kept as they are."""
    return {"label", "score", "above"} <= set(settings) and not {"threshold", "below", "abstain"} & set(settings)


def _of_format(settings: Mapping[str, Any]) -> Iterator[Contradiction]:
    """Settings that the named format does not have."""
    name = settings.get("format")
    if name is None:
        return
    foreign = [key for key in settings if key in _OF_SOME_FORMATS and key not in FORMATS[name].settings]
    for key in foreign:
        if (key, settings[key]) not in {("id", False), ("comment", ""), ("quote", "")} and not _is_grouping(
            key, settings
        ):
            having = [quoted(other) for other, kind in FORMATS.items() if key in kind.settings]
            other_way = '; or { path = "…" }, a second file' if key == "group" else ""
            expected = f"one of the formats {listed(having, 'or')}{other_way}"
            yield (key,), f"{key} beside format = {quoted(name)}", expected
    grouping = settings.get("group")
    if isinstance(grouping, Separator) and name not in _separable(grouping):
        shown = f"group = {{ between = {toml_text(grouping.text)} }} beside format = {quoted(name)}"
        yield ("group",), shown, f"the format {listed(list(map(quoted, _separable(grouping))), 'or')}"


def _is_grouping(key: str, settings: Mapping[str, Any]) -> bool:
    """Whether a setting groups items in another way than by columns, which every format has."""
    return key == "group" and not isinstance(settings[key], tuple)


def _separable(grouping: Separator) -> Sequence[str]:
    """The formats in which lines like these can stand between groups; blank lines of tokens end sequences."""
    return ["sequences", "tokens"] if grouping.text else ["sequences"]


def _of_labels(settings: Mapping[str, Any], label_settings: LabelSettings) -> Iterator[Contradiction]:
    """Scores without a threshold, a threshold without scores, and several columns without what they mean together."""
    if _is_beside_labels(settings):
        if set(settings["label"]) & _columns_of(settings["score"]):
            yield ("score",), "score names the column of the labels", "another column, or threshold and below beside it"
        yield from _outside_labels(settings, label_settings)
        if label_settings.labels is not None and len(label_settings.labels) > 2:  # noqa: PLR2004 - that label and another one
            yield ("score",), f"score beside label, with {len(label_settings.labels)} labels", "two labels"
    elif "score" in settings:
        missing = [key for key in _REQUIRED if key not in settings]
        if missing:
            yield ("score",), f"score without {listed(missing)}", f"threshold, above and below beside score; {_BESIDE}"
        if "label" in settings:
            yield ("label",), "label beside score", f"one of the two; {_BESIDE}"
        yield from _outside_labels(settings, label_settings)
    else:
        yield from (
            ((key,), f"{key} without score", "the column of the scores: score = …") for key in _only_of_scores(settings)
        )
    if len(settings.get("label", ())) > 1 and not label_settings.combinations:
        expected = 'a table [combinations] that says which label each combination is, like "1,0" = "irony"'
        yield ("label",), "several columns of labels", expected


def _columns_of(score: ColumnKeys | Mapping[str, ColumnKeys]) -> set[str | int]:
    """The columns of scores, of all submissions together."""
    return set(chain.from_iterable(score.values())) if isinstance(score, Mapping) else set(score)


def _only_of_scores(settings: Iterable[str]) -> list[str]:
    return [key for key in _OF_SCORES if key in settings]


def _outside_labels(settings: Mapping[str, Any], label_settings: LabelSettings) -> Iterator[Contradiction]:
    for key in ("above", "below"):
        if key in settings and label_settings.labels is not None and settings[key] not in label_settings.labels:
            yield (
                (key,),
                f"{key} = {quoted(settings[key])}",
                f"a label of labels: {listed(list(map(quoted, label_settings.labels)), 'or', limit=12)}",
            )


def _rule(settings: Mapping[str, Any], label_settings: LabelSettings) -> Rule | None:
    if "threshold" in settings:
        abstain = settings.get("abstain")
        is_band = isinstance(abstain, tuple)
        return Threshold(
            settings["threshold"],
            settings["above"],
            settings["below"],
            band=abstain if is_band else None,
            abstention=None if is_band else abstain,
        )
    return Combinations(label_settings.combinations) if len(settings.get("label", ())) > 1 else None
