"""The verdict as it stands on the first screen, beside the ranking that it is about."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from types import MappingProxyType

from audit.domain import Dependence, Evaluation, ToDo
from audit.report.page import Depends, Request, VerdictBox
from audit.sentences import say

MOST_TO_DO = 3
_ORDER = ("real", "open", "not-tested", "tie-broken", "holds", "")
_HREFS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {"wording": ("#definition", "The sentence"), "rejected": ("#data", "Which, and why")}
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
        by_state: dict[str, list[Dependence]] = {}
        for dependence in rows:
            by_state.setdefault(dependence.state.value if dependence.state else "", []).append(dependence)
        yield Depends(title, tuple(_clause(slug, by_state[slug]) for slug in _ORDER if slug in by_state))


def _clause(slug: str, alike: list[Dependence]) -> tuple[str, str, str]:
    return "; ".join(dependence.first for dependence in alike), say(f"state-{slug}") if slug else "", slug


def _request(to_do: ToDo) -> Request:
    href, label = _HREFS.get(to_do.about, (f"#finding-{to_do.about}", "Why"))
    return Request(to_do.text, href, label)
