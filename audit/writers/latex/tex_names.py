"""Team names in a paper: as TeX, as long as a column allows, and as keys for look-ups."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

from audit.domain import Entry, Evaluation, Role
from audit.errors import InputError, Issue
from audit.text import distinct, visible
from audit.writers.latex.tex import needs_lualatex, tex, text_width

_WHOLE = 10_000
_PROSE_ROOM = 17.0  # em: a narrow column has 21
_MOST_LETTERS = 100  # characters that the widest column holds
_SHORTEST = 4  # characters of a name that still say something
_MARKS = {Role.LATE: r"\textsuperscript{\dag}", Role.UNOFFICIAL: r"\textsuperscript{\ddag}"}


@dataclass(frozen=True)
class Names:
    """The names of the entries in the files of one export."""

    evaluation: Evaluation
    """The evaluation whose entries are named."""
    latex: Mapping[str, str]
    """TeX for names that the organiser wrote by hand, by team."""

    def plain(self, entry: int) -> str:
        """The name as TeX, without marks, short enough for a line of prose in a column."""
        return self._set(entry, _PROSE_ROOM)

    def cell(self, entry: int, room: float) -> str:
        """The name as it stands in a table: short enough, a baseline in italics, late and unofficial runs daggered."""
        value = self.evaluation.entries[entry]
        name = self._set(entry, room)
        if value.role is Role.BASELINE:
            name = rf"\textit{{{name}}}"
        dropped = r"\textsuperscript{*}" if value.n_dropped else ""
        return name + _runs(value) + _MARKS.get(value.role, "") + dropped

    def _set(self, entry: int, room: float) -> str:
        value = self.evaluation.entries[entry]
        by_hand = self.latex.get(value.team)
        if by_hand is None:
            return tex(self._shown(room)[entry])
        run = f"/{value.run}" if value.name != value.team and value.run else ""
        return by_hand + tex(run)

    def _shown(self, room: float) -> tuple[str, ...]:
        """Every name as it fits a column of this width."""
        marks = [
            0.5 * ((entry.role in _MARKS) + bool(entry.n_dropped)) + text_width(_runs(entry))
            for entry in self.evaluation.entries
        ]
        return _fitting(self.evaluation.names, tuple(room - width for width in marks))

    def shortened(self, entries: Sequence[int], room: float) -> list[int]:
        """The entries whose names a column of this width cuts."""
        shown = self._shown(room)
        return [
            entry
            for entry in entries
            if self.evaluation.entries[entry].team not in self.latex
            and shown[entry] != visible(self.evaluation.entries[entry].name, _WHOLE)
        ]

    def check(self, engine: str) -> None:
        """Refuse names that the engine cannot set.

        Raises
        ------
        InputError
            unsettable-name, one for every such name.
        """
        if engine != "pdflatex":
            return
        teams = dict.fromkeys(entry.team for entry in self.evaluation.entries)
        unsettable = [name for name in teams if needs_lualatex(self.latex.get(name, name))]
        labels = [label for label in self.evaluation.task.label_set.named if needs_lualatex(label)]
        issues = [
            *(Issue.of("unsettable-name", "the export", f"the team {visible(name, 60)}") for name in unsettable),
            *(
                Issue.of(
                    "unsettable-name",
                    "the export",
                    f"the label {visible(label, 60)}",
                    remedy="export for LuaLaTeX: --engine lualatex",
                )
                for label in labels
            ),
        ]
        if issues:
            raise InputError(issues)


@cache
def _fitting(names: tuple[str, ...], rooms: tuple[float, ...]) -> tuple[str, ...]:
    """Every name, as much of it as fits its room, and none like another."""
    at_limit = cache(partial(distinct, names))
    limits: list[int] = []
    for place, (text, room) in enumerate(zip(at_limit(_WHOLE), rooms, strict=True)):
        longest = min(len(text), _MOST_LETTERS)
        fitting = (limit for limit in range(longest, _SHORTEST, -1) if text_width(at_limit(limit)[place]) <= room)
        limits.append(next(fitting, _SHORTEST))
    shown = tuple(at_limit(limit)[place] for place, limit in enumerate(limits))
    return shown if len(set(shown)) == len(set(names)) else distinct(names, min(limits))


def _runs(entry: Entry) -> str:
    """How many runs a row stands for, behind its name; nothing where it is one."""
    return f" ({len(entry.runs)})" if entry.same else ""


def key_of(text: str) -> str:
    """A name as it is looked up in TeX: ASCII letters, digits and hyphens.

    Examples
    --------
    >>> key_of("Team Ünïted_2"), key_of("averaged_f1~")
    ('team-united-2', 'averaged-f1-balanced')
    """
    spelt = text.replace("~", "-balanced").replace("@", "-at-")
    ascii_only = unicodedata.normalize("NFKD", spelt).encode("ascii", "ignore").decode("ascii").lower()
    return re.sub(r"[^a-z0-9]+", "-", ascii_only).strip("-") or "x"


def unique_keys(names: Sequence[str]) -> list[str]:
    """A key for every name; where two would be the same, a number tells them apart, in order.

    Examples
    --------
    >>> unique_keys(["A b", "a_b", "名"])
    ['a-b', 'a-b-2', 'x']
    """
    seen: dict[str, int] = {}
    keys: dict[str, None] = {}
    for name in names:
        key = key_of(name)
        seen[key] = seen.get(key, 0) + 1
        candidate = key if seen[key] == 1 else f"{key}-{seen[key]}"
        while candidate in keys:
            seen[key] += 1
            candidate = f"{key}-{seen[key]}"
        keys[candidate] = None
    return list(keys)
