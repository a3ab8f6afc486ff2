"""The verdict as it stands on the first screen, beside the ranking that it is about."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from types import MappingProxyType

from audit.domain import Dependence, Evaluation, State, ToDo
from audit.report.page import Depends, Request, VerdictBox
from audit.sentences import say

MOST_TO_DO = 5
_HREFS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "unused-files": ("#data", "Which, and why"),
        "runs": ("#data", "Which"),
        "first-place": ("#findings", "Each, and why"),
        "wording": ("#definition", "The sentence"),
    }
)


def verdict_box(evaluation: Evaluation) -> VerdictBox:
    """Sentence, what the first place depends on, and what to do before publishing."""
    verdict = evaluation.verdict
    return VerdictBox(
        sentence=verdict.sentence,
        more=verdict.more,
        depends_on=tuple(_rows(verdict.depends_on)),
        to_do=tuple(map(_request, verdict.to_do[:MOST_TO_DO])),
        more_to_do=tuple(map(_request, verdict.to_do[MOST_TO_DO:])),
    )


def _rows(dependences: tuple[Dependence, ...]) -> Iterator[Depends]:
    """A row for each choice; what has the same state is said in one clause, what changes the winner first."""
    for title, rows in groupby(dependences, key=lambda dependence: dependence.title):
        alike = groupby(sorted(rows, key=_severity), key=lambda each: (each.state, each.reason))
        yield Depends(title, tuple(_clause(*each, list(some)) for each, some in alike))


def _severity(dependence: Dependence) -> tuple[int, str]:
    return list(State).index(dependence.state), dependence.reason


def _clause(state: State, reason: str, alike: list[Dependence]) -> tuple[str, str, str]:
    because = f" ({reason})" if reason else ""
    return "; ".join(each.first for each in alike), say(f"state-{state}") + because, state.value


def _request(to_do: ToDo) -> Request:
    href, label = _HREFS.get(to_do.about, (f"#finding-{to_do.about}", "Why"))
    return Request(to_do.text, href, label)
