"""What to do before the results are published: what findings and results ask of an organiser, by their harm."""

from collections.abc import Callable, Mapping

from audit.domain import Evaluation, Severity, ToDo, can_be_data
from audit.metrics import BOTH_MACRO_F1
from audit.questions.wording import of, runs_counted
from audit.text import agreeing, listed, plural, visible

_NAMED = 3
_NAME_LIMIT = 40
_CHOICES: Mapping[str, str] = {
    "winner-depends-on-macro-f1": "the formula of macro F1",
    "winner-depends-on-metric": "the metric",
    "winner-depends-on-label-order": "the order of the labels",
    "tokens-are-scored": "the choice of spans or tokens",
    "winner-depends-on-prevalence": "the class distribution",
    "slice-crowns-another": "the part of the test set",
    "class-set-matters": "the class set",
    "answered-items-alone": "the treatment of unanswered items",
    "empty-sets": "the rule for empty sets",
}
"""What the winner changes with, by the finding that says so."""


def to_do(evaluation: Evaluation) -> tuple[ToDo, ...]:
    """All requests to the organiser, the most harmful first."""
    remedies = {flag.slug: flag.remedy for flag in evaluation.flags}
    remedies |= {about: ask(evaluation) for about, ask in _OF_RESULTS.items()}
    return tuple(ToDo(about, remedies[about]) for about in _BY_HARM if remedies.get(about))


def _unused_files(evaluation: Evaluation) -> str:
    """Files that were rejected, and those that no rule claims and that could hold labels."""
    n_rejected, unread = len(evaluation.rejections), list(filter(can_be_data, evaluation.ignored))
    paths = listed([visible(path, _NAME_LIMIT) for path in unread], limit=_NAMED)
    kind, them = (
        ("folder" if all(path.endswith("/") for path in unread) else "file"),
        agreeing(len(unread), "it", "them"),
    )
    requests = [
        f"{_were(n_rejected, 'file')} not loaded: mend or ask." if n_rejected else "",
        f"{_were(len(unread), kind)} not read ({paths}): say in task.toml what to do with {them}." if unread else "",
    ]
    return " ".join(filter(None, requests))


def _were(count: int, kind: str) -> str:
    return f"{plural(count, kind)} {agreeing(count, 'was', 'were')}"


def _runs(evaluation: Evaluation) -> str:
    """Whether teams have several runs in the ranking, which nobody may have meant."""
    runs, n_teams = runs_counted(evaluation), len({entry.team for entry in evaluation.entries if entry.contends})
    if evaluation.task.policies.runs != "all" or int(evaluation.contending.sum()) == n_teams:
        return ""
    return (
        f"Say that {runs} of {plural(n_teams, 'team')} are ranked, or count one of each team: "
        'runs = "last" or "best" under [policies].'
    )


def _first_place(evaluation: Evaluation) -> str:
    """What to write where another choice makes another first: which choices do."""
    severe = {flag.slug for flag in evaluation.flags if flag.severity is Severity.WINNER}
    if evaluation.task.ranking_metric.metric not in BOTH_MACRO_F1:  # whose formula decides nothing then
        severe.discard("winner-depends-on-macro-f1")
    choices = [evaluation.task.label_set.worded(choice) for slug, choice in _CHOICES.items() if slug in severe]
    return f"State in the paper that the winner changes with {listed(choices)}." if choices else ""


def _wording(evaluation: Evaluation) -> str:
    """The name that the paper must use."""
    key = evaluation.task.ranking_metric
    return f"State in the paper which macro F1 was used: {of(evaluation, key)}." if key.metric in BOTH_MACRO_F1 else ""


_OF_RESULTS: Mapping[str, Callable[[Evaluation], str]] = {
    "unused-files": _unused_files,
    "runs": _runs,
    "first-place": _first_place,
    "wording": _wording,
}
"""What requests follow from that is no finding."""

_BY_HARM = (
    "unused-files",
    "answers-equal-gold",
    "at-or-below-chance",
    "team-not-above-baseline",
    "identical-submissions",
    "scores-on-fewer-items",
    "unanswered-items",
    "tokens-are-scored",
    "no-official-metric",
    "runs",
    "first-place",
    "tied-winners",
    "tie-only-after-rounding",
    "order-beyond-printed-decimals",
    "published-not-readable",
    "published-not-computed",
    "published-table-contradicts-itself",
    "published-score-differs",
    "rare-class",
    "published-heading-differs",
    "wording",
)
"""The findings and results that ask for something, the most harmful first; of a finding its remedy is the request."""
