"""The pattern of the places of submissions: a path with {team}, {run} and {role} in it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

_PLACEHOLDER = re.compile(r"\{(\w*)\}")
_NAMES = ("team", "run", "role")
SPLITS = ("last", "first")  # at which place a name is split that can be split in several ways, as task.toml says it


class Names(NamedTuple):
    """The names in a path; where it has a role but no run, the role is the run's name too."""

    team: str
    run: str | None = None
    role: str | None = None


@dataclass(frozen=True)
class Pattern:
    """A path pattern, each placeholder standing for a path component or a part of one.

    >>> pattern = Pattern("results/{team}/{run}.txt")
    >>> pattern.match("results/A.B/primary.txt")
    Names(team='A.B', run='primary', role=None)
    >>> pattern.match("results/README.txt") is None
    True
    """

    text: str  # like `results/{team}/{run}.txt`; `*` stands for any text that does not count

    def __post_init__(self) -> None:
        names = _PLACEHOLDER.findall(self.text)
        if unknown := [name for name in names if name not in _NAMES]:
            raise ValueError(f"the placeholders {{team}}, {{run}} and {{role}}, not {{{unknown[0]}}}")
        if "team" not in names or len(set(names)) < len(names):
            raise ValueError("a path with {team}, and {run} or {role} where a team has several, each once")
        if "" in self.components:
            raise ValueError("a relative path without empty parts")

    @property
    def components(self) -> tuple[str, ...]:
        """The parts of the pattern between the slashes."""
        return tuple(self.text.split("/"))

    @cached_property
    def component_expressions(self) -> tuple["re.Pattern[str]", ...]:
        """For each component, what a name on this level has to look like."""
        return tuple(re.compile(_expression(component), re.DOTALL) for component in self.components)

    @cached_property
    def _shortest_first(self) -> tuple["re.Pattern[str]", ...]:
        """Like `component_expressions`, but each placeholder takes as little of the name as it can, not as much."""
        return tuple(re.compile(_expression(component, "?"), re.DOTALL) for component in self.components)

    def match(self, path: str, split: str = "last") -> Names | None:
        """Team, run and role of a path; None where it is no submission."""
        expressions = self.component_expressions if split == "last" else self._shortest_first
        names = path.split("/")
        if len(names) != len(self.components):
            return None
        parts: dict[str, str] = {}
        for name, expression in zip(names, expressions, strict=True):
            match = expression.fullmatch(name)
            if match is None:
                return None
            parts |= match.groupdict()
        role = parts.get("role")
        return Names(parts["team"], parts.get("run", role), role)

    def splits(self, path: str) -> dict[str, Names]:
        """Each way to split a path, by the setting that chooses it: one, where there is one only.

        >>> Pattern("{team}_{run}.csv").splits("uni_x_1.csv")["first"]
        Names(team='uni', run='x_1', role=None)
        >>> list(Pattern("{team}_{run}.csv").splits("unix_1.csv"))
        ['last']
        """
        names_by_split = {split: self.match(path, split) for split in SPLITS}
        return {
            split: names
            for split, names in names_by_split.items()
            if names is not None and (split == SPLITS[0] or names != names_by_split[SPLITS[0]])
        }


def _expression(component: str, least: str = "") -> str:
    """A regular expression; what stands for any text takes as much as it can, or as little."""
    parts = _PLACEHOLDER.split(component)  # text, name, text, name, …, text
    if parts[-1].endswith(".*"):  # an ending, in which there is no other
        return f"{_joined([*parts[:-1], parts[-1][:-1]], least)}[^.]*"
    return _joined(parts, least)


def _joined(parts: Sequence[str], least: str) -> str:
    return "".join(
        _placeholder_group(part, parts[number + 1], least)
        if number % 2
        else f".*{least}".join(map(re.escape, part.split("*")))
        for number, part in enumerate(parts)
    )


def _placeholder_group(name: str, behind: str, least: str) -> str:
    """The group of a placeholder; before any text that does not count it has all of the name, and * nothing."""
    return f"(?P<{name}>.+{'' if behind.startswith('*') else least})"
