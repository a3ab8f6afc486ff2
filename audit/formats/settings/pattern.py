"""Where submissions are: a path with {team}, {run} and {role} in it."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

_PLACEHOLDER = re.compile(r"\{(\w*)\}")
_NAMES = ("team", "run", "role")


class Names(NamedTuple):
    """What a path says; a path that tells the role alone has it for the run's name too."""

    team: str
    run: str | None = None
    role: str | None = None


@dataclass(frozen=True)
class Pattern:
    """A path pattern, each placeholder standing for a path component or a part of one.

    Raises
    ------
    ValueError
        Without {team}, with a placeholder twice or unknown, or with an empty component.

    Examples
    --------
    >>> pattern = Pattern("results/{team}/{run}.txt")
    >>> pattern.match("results/A.B/primary.txt")
    Names(team='A.B', run='primary', role=None)
    >>> pattern.match("results/README.txt") is None
    True
    """

    text: str
    """Like ``results/{team}/{run}.txt``; ``*`` stands for any text that does not count."""

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

    def match(self, path: str) -> Names | None:
        """Team, run and role of a path; None where it is no submission."""
        names = path.split("/")
        if len(names) != len(self.components):
            return None
        found: dict[str, str] = {}
        for name, expression in zip(names, self.component_expressions, strict=True):
            match = expression.fullmatch(name)
            if match is None:
                return None
            found |= match.groupdict()
        role = found.get("role")
        return Names(found["team"], found.get("run", role), role)


def _expression(component: str) -> str:
    parts = _PLACEHOLDER.split(component)  # text, name, text, name, …, text
    return "".join(
        f"(?P<{part}>.+)" if number % 2 else ".*".join(map(re.escape, part.split("*")))
        for number, part in enumerate(parts)
    )
