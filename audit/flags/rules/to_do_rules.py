"""What to do before the results are published: the few findings that an organiser can mend, as requests."""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from audit.domain import Evaluation, Flag, ToDo
from audit.flags.wording import of
from audit.metrics import BOTH_MACRO_F1
from audit.text import agreeing, listed, plural, quoted, visible

_NAMED = 3
_NAME_LIMIT = 40


def to_do(evaluation: Evaluation) -> tuple[ToDo, ...]:
    """All requests to the organiser, the most important first."""
    flags = {flag.slug: flag for flag in evaluation.flags}
    requests = (ToDo(slug, ask(flags[slug])) for slug, ask in _OF_FLAGS.items() if slug in flags)
    return (*_rejected(evaluation), *_wording(evaluation), *requests, *_rare(evaluation, flags.get("rare-class")))


def _rejected(evaluation: Evaluation) -> Iterator[ToDo]:
    n_files = len(evaluation.rejections)
    if n_files:
        yield ToDo("rejected", f"{plural(n_files, 'file')} {agreeing(n_files, 'was', 'were')} not loaded: mend or ask.")


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
    return f"{_names(teams)} {agreeing(len(teams), 'is', 'are')} scored on fewer items: ask, or count them as wrong."


def _heading(_: Flag) -> str:
    return "Correct the heading of the published table: it does not name its numbers."


def _published(_: Flag) -> str:
    return "Check the published scores that no reading gives."


def _equal_to_gold(flag: Flag) -> str:
    teams = [each["team"] for each in flag.evidence["submissions"]]
    return f"{_names(teams)} {agreeing(len(teams), 'has', 'have')} every gold label: check for a copy, and ask."


def _identical(flag: Flag) -> str:
    """Teams are asked; a baseline answers as it was made to."""
    groups = flag.evidence["groups"]
    among = [_names(group["teams"]) for group in groups if not group["baselines"]]
    beside = [_as_a_baseline(group) for group in groups if group["baselines"]]
    requests = [f"{'; '.join(among[:_NAMED])} handed in the same labels: ask them."] if among else []
    return " ".join([*requests, *([f"{'; '.join(beside[:_NAMED])}: say so."] if beside else [])])


def _as_a_baseline(group: Mapping[str, Any]) -> str:
    """A request about teams that answer as a baseline does."""
    teams = [team for team in group["teams"] if team not in group["baselines"]]
    return f"{_names(teams)} {agreeing(len(teams), 'answers', 'answer')} as {_names(group['baselines'][:1])} does"


def _unanswered(flag: Flag) -> str:
    listing = flag.evidence["submissions"]
    clauses = [f"{visible(each['team'], _NAME_LIMIT)} ({each['missing'] + each['unusable']:,})" for each in listing]
    if "counted" in flag.evidence:
        return f"Print how many items each team left unanswered: {listed(clauses, limit=_NAMED)}."
    if not any(each["unusable"] for each in flag.evidence["submissions"]):
        return f"Unanswered items count as wrong: {listed(clauses, limit=_NAMED)}. Ask for them."
    return f"Ask for what counts as wrong: {listed(list(map(_wrong, flag.evidence['submissions'])), limit=_NAMED)}."


def _wrong(submission: Mapping[str, Any]) -> str:
    """How many items of a team were left out, and how many answers are no label."""
    missing, unusable = submission["missing"], submission["unusable"]
    left_out = [f"{missing:,} unanswered"] if missing else []
    unknown = [plural(unusable, "unknown label")] if unusable else []
    return f"{visible(submission['team'], _NAME_LIMIT)} ({', '.join([*left_out, *unknown])})"


def _chance(flag: Flag) -> str:
    """A request about teams at chance: to look for broken files, or to show baselines beside the teams."""
    listing = flag.evidence["submissions"]
    teams = [each["team"] for each in listing if each["kappa_at_or_below"]]
    if teams:
        are = agreeing(len(teams), "is", "are")
        return f"Look for swapped labels or shifted lines: {_names(teams)} {are} not above chance."
    teams = [each["team"] for each in listing]
    return f"Show the baselines beside the teams: {_names(teams)} {agreeing(len(teams), 'is', 'are')} not above chance."


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
