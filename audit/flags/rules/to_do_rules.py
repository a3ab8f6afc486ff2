"""What to do before the results are published: the few findings that an organiser can mend, as requests."""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from audit.domain import Evaluation, Flag, ToDo
from audit.flags.wording import of
from audit.metrics import BOTH_MACRO_F1
from audit.text import listed, plural, quoted, visible

_NAMED = 3
_NAME_LIMIT = 40


def to_do(evaluation: Evaluation) -> tuple[ToDo, ...]:
    """All of them, the most important first."""
    found = {flag.slug: flag for flag in evaluation.flags}
    requests = (ToDo(slug, ask(found[slug])) for slug, ask in _OF_FLAGS.items() if slug in found)
    return (*_rejected(evaluation), *_wording(evaluation), *requests, *_rare(evaluation, found.get("rare-class")))


def _rejected(evaluation: Evaluation) -> Iterator[ToDo]:
    n_files = len(evaluation.rejections)
    if n_files:
        yield ToDo(
            "rejected", f"{plural(n_files, 'file')} {'was' if n_files == 1 else 'were'} not loaded: mend or ask."
        )


def _wording(evaluation: Evaluation) -> Iterator[ToDo]:
    """Which name the paper must use."""
    key = evaluation.task.ranking_metric
    if key.metric in BOTH_MACRO_F1:
        yield ToDo("wording", f"Write {of(evaluation, key)}, not macro F1.")


def _names(teams: list[str]) -> str:
    return listed([visible(team, _NAME_LIMIT) for team in teams], limit=_NAMED)


def _no_official_metric(_: Flag) -> str:
    return 'State the metric that was announced: official_metric = "…" in task.toml.'


def _fewer_items(flag: Flag) -> str:
    teams = [each["team"] for each in flag.evidence["submissions"]]
    return f"{_names(teams)} {'is' if len(teams) == 1 else 'are'} scored on fewer items: ask, or count them as wrong."


def _heading(_: Flag) -> str:
    return "Correct the heading of the published table: it does not name its numbers."


def _published(_: Flag) -> str:
    return "Check the published scores that no reading gives."


def _equal_to_gold(flag: Flag) -> str:
    teams = [each["team"] for each in flag.evidence["submissions"]]
    return f"{_names(teams)} {'has' if len(teams) == 1 else 'have'} every gold label: check for a copy, and ask."


def _identical(flag: Flag) -> str:
    groups = [_names(group["teams"]) for group in flag.evidence["groups"]]
    return f"{'; '.join(groups[:_NAMED])} handed in the same labels: ask them."


def _unanswered(flag: Flag) -> str:
    listing = flag.evidence["submissions"]
    clauses = [f"{visible(each['team'], _NAME_LIMIT)} ({each['missing'] + each['unusable']:,})" for each in listing]
    if "counted" in flag.evidence:
        return f"Print how many items each team left unanswered: {listed(clauses, limit=_NAMED)}."
    return f"Unanswered items count as wrong: {listed(clauses, limit=_NAMED)}. Ask for them."


def _chance(flag: Flag) -> str:
    teams = [each["team"] for each in flag.evidence["submissions"]]
    are = "is" if len(teams) == 1 else "are"
    return f"Look for swapped labels or shifted lines: {_names(teams)} {are} not above chance."


def _tied_winners(flag: Flag) -> str:
    return f"Announce {_names(flag.evidence['teams'])} as joint winners."


def _shared_rank(flag: Flag) -> str:
    group = flag.evidence["groups"][0]
    return f"Let {_names(group['teams'])} share a rank: they print alike ({group['printed']})."


def _hidden_order(flag: Flag) -> str:
    group = flag.evidence["groups"][0]
    return f"Share ranks on rounded scores or print more digits: {_names(group['teams'])} print alike."


def _rare(evaluation: Evaluation, flag: Flag | None) -> Iterator[ToDo]:
    """Which classes have few items: by the names that readers see."""
    if flag is not None:
        label_set = evaluation.task.label_set
        codes = [label_set.code_of[each["label"]] for each in flag.evidence["classes"]]
        labels = listed([quoted(label_set.named[code], _NAME_LIMIT) for code in codes], limit=_NAMED)
        yield ToDo(flag.slug, f"Say how few items the rare classes have: {labels}.")


_OF_FLAGS: Mapping[str, Callable[[Flag], str]] = MappingProxyType(
    {
        "no-official-metric": _no_official_metric,
        "scores-on-fewer-items": _fewer_items,
        "answers-equal-gold": _equal_to_gold,
        "published-heading-differs": _heading,
        "published-score-differs": _published,
        "identical-submissions": _identical,
        "unanswered-items": _unanswered,
        "at-or-below-chance": _chance,
        "tied-winners": _tied_winners,
        "tie-only-after-rounding": _shared_rank,
        "order-beyond-printed-decimals": _hidden_order,
    }
)
"""The flags that ask for something to be done and say all that it takes, the most important first."""
