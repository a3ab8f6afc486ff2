"""Team names in a paper: as TeX, as long as a column allows, and as keys for look-ups."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

from audit.domain import Evaluation, Role
from audit.errors import InputError, Issue
from audit.questions.printing import marks, runs_in_row
from audit.questions.wording import shown_name
from audit.text import distinct, visible
from audit.writers.latex.tex import needs_lualatex, tex, text_width

_WHOLE = 10_000
_PROSE_ROOM = 17.0  # em: a narrow column has 21
_MOST_LETTERS = 100  # characters that the widest column holds
_SHORTEST = 4  # characters of a name that still say something
_FOR_LABELS = "export for LuaLaTeX: --engine lualatex"


@dataclass(frozen=True)
class Names:
    """The names of the entries in the files of one export."""

    evaluation: Evaluation
    latex: Mapping[str, str]  # TeX for names that the organiser wrote by hand, by team

    def plain(self, entry: int) -> str:
        """The name as TeX, without marks, short enough for a line of prose in a column."""
        return self._set(entry, _PROSE_ROOM)

    def cell(self, entry: int, room: float) -> str:
        """The name as it stands in a table: short enough, a baseline in italics, with the marks of the page behind."""
        value = self.evaluation.entries[entry]
        name = self._set(entry, room)
        name = rf"\textit{{{name}}}" if value.role is Role.BASELINE else name
        return name + tex(runs_in_row(value) + marks(value))

    def said(self, text: str) -> str:
        """A text as TeX, with the names that were written by hand in place of those that it says."""
        by_hand = {
            shown_name(self.evaluation, entry): self._by_hand(entry) for entry in range(len(self.evaluation.entries))
        }
        written = {name: latex for name, latex in by_hand.items() if latex is not None}
        if not written:
            return tex(text)
        longest_first = sorted(written, key=len, reverse=True)
        pieces = re.split(rf"(?<!\w)({'|'.join(map(re.escape, longest_first))})(?!\w)", text)
        return "".join(written[piece] if place % 2 else tex(piece) for place, piece in enumerate(pieces))

    def shortened(self, entries: Sequence[int], room: float) -> list[int]:
        """The entries whose names a column of this width cuts."""
        shown, names = self._shown(room), self.evaluation.names
        return [
            entry for entry in entries if self._by_hand(entry) is None and shown[entry] != visible(names[entry], _WHOLE)
        ]

    def _by_hand(self, entry: int) -> str | None:
        value = self.evaluation.entries[entry]
        latex = self.latex.get(value.team)
        run = f"/{value.run}" if value.name != value.team and value.run else ""
        return None if latex is None else latex + tex(run)

    def _set(self, entry: int, room: float) -> str:
        by_hand = self._by_hand(entry)
        return tex(self._shown(room)[entry]) if by_hand is None else by_hand

    def _shown(self, room: float) -> tuple[str, ...]:
        """Every name as it fits a column of this width."""
        rooms = (room - text_width(runs_in_row(entry) + marks(entry)) for entry in self.evaluation.entries)
        return _fitting(self.evaluation.names, tuple(rooms))

    def check(self, engine: str) -> None:
        """Refuse names that the engine cannot set."""
        if engine != "pdflatex":
            return
        teams = dict.fromkeys(entry.team for entry in self.evaluation.entries)
        unsettable = [
            *(("team", name, None) for name in teams if needs_lualatex(self.latex.get(name, name))),
            *(("label", name, _FOR_LABELS) for name in self.evaluation.task.label_set.named if needs_lualatex(name)),
        ]
        if unsettable:
            raise InputError(
                Issue.of("unsettable-name", "the export", f"the {kind} {visible(name, 60)}", remedy=remedy)
                for kind, name, remedy in unsettable
            )


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


def key_of(text: str) -> str:
    """A name as it is looked up in TeX: ASCII letters, digits and hyphens."""
    spelt = text.replace("~", "-balanced").replace("@", "-at-")
    ascii_only = unicodedata.normalize("NFKD", spelt).encode("ascii", "ignore").decode("ascii").lower()
    return re.sub(r"[^a-z0-9]+", "-", ascii_only).strip("-") or "x"


def unique_keys(names: Sequence[str]) -> list[str]:
    """A key for every name; where two would be the same, a number tells them apart, in order."""
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
