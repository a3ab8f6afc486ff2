"""What to do before the results are published: the findings that an organiser can mend, as requests, by their harm."""

from collections.abc import Callable, Mapping
from typing import Any

from audit.domain import Evaluation, Severity, ToDo, can_be_data
from audit.metrics import BOTH_MACRO_F1
from audit.questions.handed_in import chance_name
from audit.questions.wording import beyond, gold_things, of, runs_counted
from audit.text import agreeing, listed, plural, quoted, visible

Evidence = Mapping[str, Any]
"""The evidence of the flag that a request follows from; empty where it follows from results alone."""

_NAMED = 3
_NAME_LIMIT = 40
_CHOICES: Mapping[str, str] = {
    "winner-depends-on-macro-f1": "macro F1 formula",
    "winner-depends-on-metric": "metric",
    "winner-depends-on-label-order": "order of the labels",
    "tokens-are-scored": "spans or tokens",
    "winner-depends-on-prevalence": "class distribution",
    "slice-crowns-another": "part of the test set",
    "class-set-matters": "class set",
    "answered-items-alone": "unanswered items",
    "empty-sets": "rule for empty sets",
}
"""What the first place depends on, by the finding that says that it changes."""


def to_do(evaluation: Evaluation) -> tuple[ToDo, ...]:
    """All requests to the organiser, the most harmful first."""
    flags = {flag.slug: flag.evidence for flag in evaluation.flags}
    evidence: dict[str, Evidence] = {about: {} for about in _OF_RESULTS} | flags
    asked = ((about, ask) for about, ask in _BY_HARM.items() if about in evidence)
    texts = ((about, ask if isinstance(ask, str) else ask(evaluation, evidence[about])) for about, ask in asked)
    return tuple(ToDo(about, text) for about, text in texts if text)


def _names(teams: list[str]) -> str:
    return listed([visible(team, _NAME_LIMIT) for team in teams], limit=_NAMED)


# Files and labels that may be wrong


def _unused_files(evaluation: Evaluation, _: Evidence) -> str:
    """Files that were rejected, and those that no rule claims and that could hold labels."""
    n_rejected, unread = len(evaluation.rejections), list(filter(can_be_data, evaluation.ignored))
    requests = [
        f"{_files(n_rejected)} not loaded: mend or ask." if n_rejected else "",
        f"{_files(len(unread))} not read ({_names(unread)}): say in task.toml what to do with "
        f"{agreeing(len(unread), 'it', 'them')}."
        if unread
        else "",
    ]
    return " ".join(filter(None, requests))


def _files(count: int) -> str:
    return f"{plural(count, 'file')} {agreeing(count, 'was', 'were')}"


def _equal_to_gold(_: Evaluation, evidence: Evidence) -> str:
    teams = [each["team"] for each in evidence["submissions"]]
    have = f"{_names(teams)} {agreeing(len(teams), 'has', 'have')} every gold label"
    return f'{have}: check for a copy, and ask; gold_copy = "accept" under [policies] ends the question.'


def _chance(evaluation: Evaluation, evidence: Evidence) -> str:
    """A request about teams at chance: to look for broken files, or to show baselines beside the teams."""
    listing = evidence["submissions"]
    teams = [each["team"] for each in listing if each["kappa_at_or_below"]]
    others = [each["team"] for each in listing if not each["kappa_at_or_below"]]
    level = chance_name(evaluation, evaluation.task.ranking_metric)
    above = f"{_names(others)} {agreeing(len(others), 'is', 'are')} not above {level}" if others else ""
    if not teams:
        return f"Show the baselines beside the teams: {above}."
    agree = agreeing(len(teams), "agrees", "agree")
    found = f"{_names(teams)} {agree} with gold no more than by chance"
    beside = f"; by the ranking score, {above} either" if above else ""
    return f"Look for swapped labels or shifted lines: {found}{beside}."


def _not_above_baseline(evaluation: Evaluation, evidence: Evidence) -> str:
    """A request about teams that an answer without a look at the items equals; not about submitted baselines."""
    computed = {baseline.title for baseline in evaluation.baselines}
    ahead = next((each for each in evidence["baselines"] if each["baseline"] in computed), None)
    if ahead is None:
        return ""
    teams, side = ahead["teams"], beyond(evaluation, evaluation.task.ranking_metric)
    are = agreeing(len(teams), "is", "are")
    return f"Show {quoted(ahead['baseline'])} beside the teams: {_names(teams)} {are} not {side} it."


def _identical(_: Evaluation, evidence: Evidence) -> str:
    """Teams are asked; a baseline answers as it was made to."""
    groups = evidence["groups"]
    among = [_names(group["teams"]) for group in groups if not group["baselines"]]
    beside = [_as_a_baseline(group) for group in groups if group["baselines"]]
    requests = [f"Ask {'; '.join(among[:_NAMED])}: same labels."] if among else []
    return " ".join([*requests, *([f"{'; '.join(beside[:_NAMED])}: say so."] if beside else [])])


def _as_a_baseline(group: Mapping[str, Any]) -> str:
    """A request about teams that answer as a baseline does."""
    teams = [team for team in group["teams"] if team not in group["baselines"]]
    return f"{_names(teams)} {agreeing(len(teams), 'answers', 'answer')} as {_names(group['baselines'][:1])} does"


# Items without an answer


def _fewer_items(_: Evaluation, evidence: Evidence) -> str:
    teams = [each["team"] for each in evidence["submissions"]]
    return f"{_names(teams)} {agreeing(len(teams), 'is', 'are')} scored on fewer items: ask, or count them as wrong."


def _unanswered(evaluation: Evaluation, evidence: Evidence) -> str:
    """Whose items are unanswered, how many and which share of all, most first."""
    submissions, n_items = evidence["submissions"], evaluation.gold.n_units
    who = listed([_unanswered_by(each, n_items) for each in submissions], limit=_NAMED)
    is_counted = "counted" in evidence  # by a score that is told of them
    return (
        f"{'Print how many items each team left unanswered' if is_counted else 'Ask for what counts as wrong'}: {who}."
    )


def _unanswered_by(submission: Mapping[str, Any], n_items: int) -> str:
    """A team with the items that it left out, those with an unknown label, and the share of both."""
    missing, unusable = submission["missing"], submission["unusable"]
    left_out = [f"{missing:,} unanswered"] if missing else []
    unknown = [plural(unusable, "unknown label")] if unusable else []
    share = (missing + unusable) / n_items
    of_items = f"{share:.0%}" if share >= 0.01 else "under 1%"  # noqa: PLR2004 - one percent
    return f"{visible(submission['team'], _NAME_LIMIT)} ({', '.join([*left_out, *unknown, of_items])})"


# What ranks, and what the first place depends on


def _tokens(_: Evaluation, evidence: Evidence) -> str:
    share = f"{evidence['outside']:.0%} of the tokens are in no span"
    return f'Say whether spans or tokens are official: {share}. kind = "sets" in task.toml ranks by spans.'


def _runs(evaluation: Evaluation, _: Evidence) -> str:
    """Whether teams have several runs in the ranking, which nobody may have meant."""
    runs, n_teams = runs_counted(evaluation), len({entry.team for entry in evaluation.entries if entry.contends})
    if evaluation.task.policies.runs != "all" or int(evaluation.contending.sum()) == n_teams:
        return ""
    return (
        f"Say that {runs} of {plural(n_teams, 'team')} are ranked, or count one of each team: "
        'runs = "last" or "best" under [policies].'
    )


def _first_place(evaluation: Evaluation, _: Evidence) -> str:
    """What to write where another choice makes another first: which choices do."""
    severe = {flag.slug for flag in evaluation.flags if flag.severity is Severity.WINNER}
    if evaluation.task.ranking_metric.metric not in BOTH_MACRO_F1:  # whose formula decides nothing then
        severe.discard("winner-depends-on-macro-f1")
    choices = [choice for slug, choice in _CHOICES.items() if slug in severe]
    return f"Write what the first place depends on: {listed(choices)}." if choices else ""


# Ties


def _tied_winners(_: Evaluation, evidence: Evidence) -> str:
    return f"Announce {_names(evidence['teams'])} as joint winners."


def _shared_rank(_: Evaluation, evidence: Evidence) -> str:
    group, more = evidence["groups"][0], _other_groups(evidence)
    return f"Let {_names(group['teams'])} share a rank: {group['printed']} in print{more}."


def _hidden_order(_: Evaluation, evidence: Evidence) -> str:
    group, more = evidence["groups"][0], _other_groups(evidence)
    return f"Share ranks on rounded scores or print more digits: {_names(group['teams'])} print alike{more}."


def _other_groups(evidence: Evidence) -> str:
    n_others = len(evidence["groups"]) - 1
    return f", and {plural(n_others, 'other group')}" if n_others else ""


# Numbers and names in print


def _not_computed(evaluation: Evaluation, evidence: Evidence) -> str:
    """How many columns are of something else."""
    n_all = len(evaluation.published.columns) if evaluation.published else 0
    n_computed = n_all - len(evidence["columns"])
    of = f"{n_computed:,} of {plural(n_all, 'published column')}"
    return f"{of} can be computed from these files: another gold, or other files?"


def _rare(evaluation: Evaluation, evidence: Evidence) -> str:
    """The classes that have few items: by the names that readers see."""
    label_set = evaluation.task.label_set
    codes = [label_set.code_of[each["label"]] for each in evidence["classes"]]
    labels = listed([quoted(label_set.named[code], _NAME_LIMIT) for code in codes], limit=_NAMED)
    return f"Say how few {gold_things(evaluation)} {labels} {agreeing(len(codes), 'has', 'have')}."


def _wording(evaluation: Evaluation, _: Evidence) -> str:
    """The name that the paper must use."""
    key = evaluation.task.ranking_metric
    return f"Write {of(evaluation, key)}, not macro F1." if key.metric in BOTH_MACRO_F1 else ""


_OF_RESULTS = ("unused-files", "runs", "first-place", "wording")  # what requests follow from that is no finding

_BY_HARM: Mapping[str, str | Callable[[Evaluation, Evidence], str]] = {
    "unused-files": _unused_files,
    "answers-equal-gold": _equal_to_gold,
    "at-or-below-chance": _chance,
    "team-not-above-baseline": _not_above_baseline,
    "identical-submissions": _identical,
    "scores-on-fewer-items": _fewer_items,
    "unanswered-items": _unanswered,
    "tokens-are-scored": _tokens,
    "no-official-metric": 'State the metric that was announced: official_metric = "…" in task.toml.',
    "runs": _runs,
    "first-place": _first_place,
    "tied-winners": _tied_winners,
    "tie-only-after-rounding": _shared_rank,
    "order-beyond-printed-decimals": _hidden_order,
    "published-not-computed": _not_computed,
    "published-table-contradicts-itself": "Correct the published table: it contradicts itself.",
    "published-score-differs": "Check the published scores that no reading gives.",
    "rare-class": _rare,
    "published-heading-differs": "Correct the heading of the published table: it does not name its numbers.",
    "wording": _wording,
}
"""Every request, by the finding or result that it follows from, the most harmful first."""
