"""What the names of submissions have in common, and what is therefore no part of a team's name."""

import re
from collections.abc import Sequence
from itertools import takewhile

from audit.formats.settings.pattern import Pattern

_UPLOADED = " - "  # forms write the name of whoever uploaded a file behind the file's own, with this between
_COUNTER = re.compile(r" ?\(\d+\)$")
_PLATFORMS = (
    (re.compile(r"Team .+  - \d+ submission"), "Team {team}  - {run} submission"),
    (re.compile(r".+ - \d+ submission"), "{team} - {run} submission"),
    (re.compile(r"ID_\d+_.+"), "ID_*_{team}"),
    (re.compile(r".+_\d+_assignsubmission_file_"), "{team}_*_assignsubmission_file_"),
    (re.compile(r".+_\d+_assignsubmission_file_.+"), "{team}_*_assignsubmission_file_*"),
)
"""What CodaLab, Codabench and Moodle call what is in their downloads, and the pattern that says so."""
_BOUNDARY = " _-."
_FEWEST = 3  # the fewest files whose names share a beginning or end not by chance


def pattern_of(stems: Sequence[str]) -> str:
    """A pattern for the names of one folder's files, without their endings, that takes off what all have in common.

    >>> pattern_of(["submission - Ann", "submission (2) - Ben", "submission - Eve"])
    'submission* - {team}'
    >>> pattern_of(["runs v2 - Ann", "final - Ben", "x - Eve"])
    '* - {team}'
    >>> pattern_of(["task1_A_out", "task1_Bee_out", "task1_C_out"])
    'task1_{team}_out'
    >>> pattern_of(["ID_511_uni x", "ID_512_second", "ID_519_third"])
    'ID_*_{team}'
    >>> pattern_of(["ann - 3 submission", "ann - 5 submission", "Ben - 4 submission"])
    '{team} - {run} submission'
    >>> pattern_of([f"{name}_7_assignsubmission_file_run_{name}" for name in ("Ann Lee", "Bo", "Cy")])
    '{team}_*_assignsubmission_file_*'
    >>> pattern_of(["team1", "team2", "team3"]), pattern_of(["run_1", "run_2", "run_3"])
    ('{team}', '{team}')
    """
    if len(stems) < _FEWEST:
        return "{team}"
    texts = (*_of_platform(stems), _of_form(stems), _of_affixes(stems))
    return next((text for text in texts if _tells_apart(text, stems)), "{team}")


def _of_platform(stems: Sequence[str]) -> list[str]:
    """The pattern of archives that a platform named."""
    return [text for named, text in _PLATFORMS if all(map(named.fullmatch, stems))]


def _of_form(stems: Sequence[str]) -> str:
    """The pattern of files that a form took in."""
    parts = [stem.rpartition(_UPLOADED) for stem in stems]
    heads = {head for head, _, _ in parts}
    bare = {_COUNTER.sub("", head) for head in heads}
    own = bare.pop() if len(bare) == 1 else ""
    return f"{own}{'' if heads == {own} else '*'}{_UPLOADED}{{team}}"


def _of_affixes(stems: Sequence[str]) -> str:
    """The pattern with a beginning and an end that all share, as far as these end and begin at a boundary."""
    before = _shared(stems)
    before = before[: 1 + max(before.rfind(mark) for mark in _BOUNDARY)]
    rest = [stem[len(before) :] for stem in stems]
    behind = _shared([stem[::-1] for stem in rest])
    behind = behind[: 1 + max(behind.rfind(mark) for mark in _BOUNDARY)][::-1]
    if all(stem[: len(stem) - len(behind)].isdigit() for stem in rest):
        before = ""  # a number alone is no name
    return f"{before}{{team}}{behind}"


def _shared(texts: Sequence[str]) -> str:
    """The beginning that all texts share."""
    alike = takewhile(lambda characters: len(set(characters)) == 1, zip(*texts, strict=False))
    return "".join(characters[0] for characters in alike)


def _tells_apart(text: str, stems: Sequence[str]) -> bool:
    """Whether every name is split by the pattern in one way, and no two give one team and run."""
    pattern = Pattern(text)
    splits = [pattern.splits(stem) for stem in stems]
    distinct = {names for each in splits for names in each.values()}
    return all(len(each) == 1 for each in splits) and len(distinct) == len(stems)
