"""What to do before the results are published: what findings and results ask of an organiser, by their harm.

First comes what the verdict rests on and nobody stated: groups of items, official metric, ranked runs, order of labels.
"""

from collections.abc import Callable, Mapping

from audit.domain import Evaluation, Severity, Task, ToDo, can_be_data
from audit.findings.wording import of, runs_counted
from audit.metrics import BOTH_MACRO_F1
from audit.sentences import say
from audit.text import agreeing, listed, plural, quoted, visible
from audit.vocabulary import CHOICES, TO_DO

_NAMED = 3
_NAME_LIMIT = 40
_LABEL_LIMIT = 20
_FOUND_LIMIT = 120


def to_do(evaluation: Evaluation) -> tuple[ToDo, ...]:
    """All requests to the organiser, the most harmful first."""
    remedies = {flag.slug: flag.remedy for flag in evaluation.flags}
    remedies |= {about: ask(evaluation) for about, ask in _OF_RESULTS.items()}
    return tuple(ToDo(about, remedies[about]) for about in _BY_HARM if remedies.get(about))


# What the verdict rests on


def groups_are_open(evaluation: Evaluation) -> bool:
    """Whether items look grouped, and nobody has said whether they are."""
    return evaluation.task.likely_groups is not None and evaluation.gold.groups is None


def runs_are_rivals(evaluation: Evaluation) -> bool:
    """Whether several runs of a team are ranked, which nobody may have meant."""
    n_teams = len({entry.team for entry in evaluation.entries if entry.contends})
    return evaluation.task.policies.runs == "all" and int(evaluation.contending.sum()) > n_teams


def _groups(evaluation: Evaluation) -> str:
    """Whether items belong together: the setting that takes the groups, and the one that takes none."""
    likely = evaluation.task.likely_groups
    if likely is None or not groups_are_open(evaluation):
        return ""
    name_it = f"name it, {likely.setting}"
    independent = _as_said(evaluation.task, "--group none", "group = false")
    if evaluation.task.door == "options" and likely.option is not None:
        name_it = f"name it, --group {likely.option}"
    n_groups = f"{likely.n_groups:,}"
    per_group = likely.per_group
    return say(
        TO_DO["groups"],
        what=likely.what,
        n=n_groups,
        m=per_group,
        name_it=name_it,
        independent=independent,
    )


def _metric(evaluation: Evaluation) -> str:
    """Which metric is the official one."""
    if evaluation.task.official_metric is not None:
        return ""
    key = evaluation.task.ranking_metric
    setting = _as_said(
        evaluation.task, f"--official-metric {key}", f'official_metric = "{key}" in task.toml'
    )
    name = of(evaluation, key)
    return TO_DO["metric"].format(setting=setting, name=name)


def _runs(evaluation: Evaluation) -> str:
    """Whether every run is meant to be ranked."""
    if not runs_are_rivals(evaluation):
        return ""
    setting = _as_said(evaluation.task, "--runs primary", 'runs = "primary" under [policies]')
    teams = [entry.team for entry in evaluation.entries if entry.contends]
    several = [team for team in dict.fromkeys(teams) if teams.count(team) > 1]
    if len(several) == 1:
        return TO_DO["runs"].format(
            team=visible(several[0], _NAME_LIMIT), n=teams.count(several[0]), setting=setting
        )
    n_teams = plural(len(set(teams)), "team")
    return TO_DO["several-runs"].format(
        runs=runs_counted(evaluation), teams=n_teams, setting=setting
    )


def _scale(evaluation: Evaluation) -> str:
    """Whether labels are steps of a scale."""
    if not evaluation.task.scale_is_open:
        return ""
    label_set = evaluation.task.label_set
    labels = listed(
        [quoted(label, _LABEL_LIMIT) for label in label_set.labels[: label_set.n_scored]],
        limit=_NAMED,
    )
    yes = _as_said(evaluation.task, "--scale true", "scale = true")
    no = _as_said(evaluation.task, "--scale false", "false")
    return TO_DO["scale"].format(labels=labels, yes=yes, no=no)


def _as_said(task: Task, option: str, line: str) -> str:
    """A setting as this user states it: an option of the command, or a line of task.toml."""
    if task.door == "options":
        return option
    return line


# What results ask for


def _unused_files(evaluation: Evaluation) -> str:
    """Files that were rejected, and those that no rule claims and that could hold labels."""
    n_rejected = len(evaluation.rejections)
    unread = list(filter(can_be_data, evaluation.ignored))
    requests = []
    if n_rejected:
        correct = agreeing(
            n_rejected, "correct it, or ask the team", "correct them, or ask the teams"
        )
        files = plural(n_rejected, "file")
        were = agreeing(n_rejected, "was", "were")
        requests.append(TO_DO["rejected"].format(files=files, were=were, correct=correct))
    if unread:
        paths = listed([visible(path, _NAME_LIMIT) for path in unread], limit=_NAMED)
        were = agreeing(len(unread), "was", "were")
        them = agreeing(len(unread), "it", "them")
        correct = _as_said(evaluation.task, f"correct {them}", f"list {them} in files.csv")
        requests.append(TO_DO["not-loaded"].format(paths=paths, were=were, correct=correct))
    return " ".join(requests)


def _other_test_sets(evaluation: Evaluation) -> str:
    """Files whose lines or tokens are not gold's, which may answer another test set."""
    told = [
        (run.path or run.team, issue.found)
        for run in evaluation.runs
        for issue in run.issues
        if issue.slug == "line-count"
    ]
    if not told:
        return ""
    files = [visible(file, _NAME_LIMIT) for file, _ in told]
    found = visible(told[0][1], _FOUND_LIMIT).removesuffix(".")
    answer = agreeing(len(files), "answers", "answer")
    return TO_DO["other-test-set"].format(
        files=listed(files, limit=_NAMED), answer=answer, found=found
    )


def _paper(evaluation: Evaluation) -> str:
    """What the paper must say: the name of the metric, and which other choices have another winner."""
    severe = {flag.slug for flag in evaluation.flags if flag.severity is Severity.WINNER}
    key = evaluation.task.ranking_metric
    is_macro_f1 = key.metric in BOTH_MACRO_F1
    if not is_macro_f1:  # whose formula decides nothing then
        severe.discard("winner-depends-on-macro-f1")
    chosen = [
        evaluation.task.label_set.worded(choice)
        for slug, choice in CHOICES.items()
        if slug in severe
    ]
    if not chosen:
        if is_macro_f1:
            return TO_DO["wording"].format(metric=of(evaluation, key))
        return ""
    pattern = TO_DO["wording-and-choices" if is_macro_f1 else "choices"]
    return pattern.format(metric=of(evaluation, key), choices=listed(chosen))


_OF_RESULTS: Mapping[str, Callable[[Evaluation], str]] = {
    "groups": _groups,
    "no-official-metric": _metric,
    "runs": _runs,
    "scale": _scale,
    "unused-files": _unused_files,
    "other-test-set": _other_test_sets,
    "first-place": _paper,
}
"""What requests follow from that is no finding, or is said by the door that was used."""

_BY_HARM = (
    "groups",
    "no-official-metric",
    "runs",
    "scale",
    "unused-files",
    "answers-equal-gold",
    "other-test-set",
    "at-or-below-chance",
    "team-not-above-baseline",
    "identical-submissions",
    "scores-on-fewer-items",
    "unanswered-items",
    "tokens-are-scored",
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
)
"""The findings and results that ask for something, the most harmful first; of a finding its remedy is the request."""
