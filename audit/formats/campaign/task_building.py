"""Settings and gold → the Task, with what was assumed where task.toml is silent."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from operator import eq

import numpy as np

from audit.domain import (
    BALANCED,
    OBSERVED,
    ChosenRun,
    Gold,
    LabelSet,
    Prevalence,
    ScoreKey,
    Submission,
    Task,
)
from audit.errors import SETTINGS_FILE, InputError, Issue, MetricNameError
from audit.formats.campaign.claims import FileClaim
from audit.formats.settings.task_settings import Settings
from audit.formats.settings.tomlfile import toml_text
from audit.text import did_you_mean, listed, quoted, slug_of

_KEEPING_SCORES = (
    "scores for one of two labels: under [submissions], the columns of labels and scores and the label that a higher "
    'score speaks for, like label = "label", score = "score", above = "yes"'
)
_KEEPING_WIDE_SCORES = (
    "scores for one of two labels: under [wide], the columns of the scores and the label that a higher score speaks "
    'for, like score = "{team}_score", above = "yes"'
)


def build_task(
    folder_name: str,
    settings: Settings,
    gold: Gold,
    claims: Sequence[FileClaim] | None,
    layout_sentences: Sequence[str],
) -> tuple[Task, list[Issue]]:
    """The task, and what in task.toml does not fit the files."""
    label_set = gold.label_set
    issues = [] if claims is None else _unknown_names(settings, claims)
    prevalences = _prevalences(settings, gold, issues)
    family = settings.toml.slug or slug_of(folder_name)
    scored_label = _scored_label(settings, label_set, issues)
    task = Task(
        slug=family if settings.part is None else f"{family}-{slug_of(settings.part)}",
        title=settings.toml.title
        or (folder_name or "Campaign") + ("" if settings.part is None else f": {settings.part}"),
        label_set=label_set,
        official_metric=_official_metric(settings, label_set, scored_label, issues),
        official_decimals=settings.toml.official_decimals,
        policies=settings.policies,
        prevalences=prevalences,
        assumptions=(*_task_sentences(settings, label_set), *layout_sentences),
        family=None if settings.part is None else family,
        part=settings.part,
        note=settings.toml.note or "",
        overall=settings.toml.overall,
        weight=settings.toml.weight,
        scored_label=scored_label,
    )
    return task, issues


def with_rest(label_set: LabelSet, settings: Settings) -> LabelSet:
    """The label set with the rest class that task.toml names."""
    rest = settings.toml.rest_label
    if rest is None:
        return label_set
    if rest not in label_set.code_of:
        defect = f"{quoted(rest)} is no label here.{did_you_mean(rest, label_set)}"
        labels = listed([quoted(label) for label in label_set], "or", limit=30)
        raise InputError([settings.issue("bad-rest-label", defect, "rest_label", expected=labels)])
    if len(label_set) == 1:
        defect = f"{quoted(rest)} is the only label, and averages over no other class"
        raise InputError([settings.issue("bad-rest-label", defect, "rest_label")])
    return replace(label_set, rest=rest)


def _task_sentences(settings: Settings, label_set: LabelSet) -> list[str]:
    sentences = []
    if settings.toml.title is None:
        reason = f"No {SETTINGS_FILE}" if settings.source is None else f"{SETTINGS_FILE} states no title"
        sentences.append(f"{reason}: the title is the folder's name.")
    if settings.toml.labels is None:
        labels = listed([quoted(label) for label in label_set], limit=30)
        sentences.append(f"The label set is taken from gold, in sorted order: {labels}.")
    if settings.official_metric is None:
        sentences.append("No official metric is stated.")
    if label_set.rest is not None and len(label_set) == 2:  # noqa: PLR2004 - the rest class and another
        other = next(label for label in label_set if label != label_set.rest)
        sentences.append(
            f"Beside the rest class there is one class, {quoted(other)}: macro and micro F1 are the F1 of it alone, as "
            "in binary classification."
        )
    return sentences


def chosen_runs(
    settings: Settings, claims: Iterable[FileClaim], accepted: Iterable[Submission]
) -> tuple[ChosenRun, ...]:
    """The runs that task.toml chooses among those of one test set, with their teams' names for readers."""
    accepted_runs = {(submission.team, submission.run) for submission in accepted}
    shown = {claim.team: shown_name(claim, settings) for claim in claims}
    chosen = [replace(run, team=shown.get(run.team, run.team)) for run in settings.policies.chosen]
    return tuple(run for run in chosen if (run.team, run.run) in accepted_runs)


def shown_name(claim: FileClaim, settings: Settings) -> str:
    """A team's name for readers: by [teams], by the table of the submissions, or as the path gives it."""
    return settings.toml.teams.get(claim.team) or claim.name or claim.team


def _unknown_names(settings: Settings, claims: Sequence[FileClaim]) -> list[Issue]:
    """The issues for teams, roles and runs of task.toml that no submission is of."""
    teams, runs = {claim.team for claim in claims}, {claim.run for claim in claims if claim.run}
    of_role = teams | runs | {claim.role_name for claim in claims if claim.role_name}
    of_score, globs = teams | runs | {claim.path for claim in claims}, dict(settings.submissions.score_by_name)
    role_expected = "a role's name in a path or in the table, or a run or a team; * stands for any text"
    score_expected = "a path, a run or a team; * stands for any text"
    unfitting = [
        settings.issue("bad-setting", _nobody(settings, relation, name, names), *place, name, expected=expected)
        for place, stated, fits, names, relation, expected in (
            (["teams"], settings.toml.teams, eq, teams, "by the team", "a team's name as the file names give it"),
            (["roles"], settings.toml.roles, fnmatchcase, of_role, "of the role, run or team", role_expected),
            (["submissions", "score"], globs, fnmatchcase, of_score, "of the path, run or team", score_expected),
        )
        for name in stated
        if not any(fits(each, name) for each in names)
    ]
    return [*unfitting, *_unknown_latex_names(settings, claims), *_unknown_runs(settings, claims)]


def _unknown_latex_names(settings: Settings, claims: Sequence[FileClaim]) -> list[Issue]:
    shown = {claim.team: shown_name(claim, settings) for claim in claims}
    teams = set(shown.values())
    expected = "a team's name as the report shows it"
    issues = []
    for name in settings.toml.latex_names:
        if name not in teams:
            near = f" The report shows {quoted(shown[name])}." if name in shown else did_you_mean(name, teams)
            defect = f"no submission is by the team {quoted(name)}.{near}"
            issues.append(settings.issue("bad-setting", defect, "latex_names", name, expected=expected))
    return issues


def _nobody(settings: Settings, relation: str, name: str, names: Iterable[str]) -> str:
    """A defect: a name that no submission has; with a pattern, also what the pattern fits."""
    files = (
        settings.toml.submissions.files if settings.part is None else None
    )  # the test sets together are asked, with a pattern each
    pattern = "" if files is None else f" Submissions are what files = {toml_text(files.text)} fits."
    return f"no submission is {relation} {quoted(name)}.{did_you_mean(name, names)}{pattern}"


def _unknown_runs(settings: Settings, claims: Sequence[FileClaim]) -> list[Issue]:
    """An issue for every chosen run that no test set has; a team may be called by its name for readers."""
    runs = {(team, claim.run) for claim in claims for team in (claim.team, shown_name(claim, settings))}
    issues = []
    for number, chosen in enumerate(settings.policies.chosen, start=1):
        if (chosen.team, chosen.run) not in runs:
            of_team = [run or "" for team, run in runs if team == chosen.team]
            names = of_team or [team for team, _ in runs]
            near = did_you_mean(chosen.run if of_team else chosen.team, names)
            defect = f"there is no run {quoted(chosen.run)} of {quoted(chosen.team)}.{near}"
            expected = "a team and its run, as the paths give them"
            issues.append(settings.issue("bad-setting", defect, "chosen", str(number), expected=expected))
    return issues


def _prevalences(settings: Settings, gold: Gold, issues: list[Issue]) -> tuple[Prevalence, ...]:
    present = [label for label, count in zip(gold.label_set, _counts(gold), strict=True) if count]
    prevalences = []
    for name, shares in settings.toml.prevalence.items():
        missing = [quoted(label) for label in present if label not in shares]
        further = [quoted(label) for label in shares if label not in present]
        total = sum(shares.values())
        scaled = tuple((label, shares[label] / total) for label in present if label in shares)
        if missing or further:
            parts = [f"no share for {listed(missing)}"] * bool(missing) + [f"a share for {listed(further)}"] * bool(
                further
            )
            issues.append(settings.issue("bad-prevalence", f"{name}: {listed(parts)}", "prevalence", name))
        elif not math.isfinite(total) or not all(share > 0 for _, share in scaled):
            issues.append(
                settings.issue("bad-prevalence", f"{name}: the shares cannot be scaled to 1", "prevalence", name)
            )
        else:
            prevalences.append(Prevalence(name, scaled))
    return tuple(prevalences)


def _counts(gold: Gold) -> list[int]:
    counts: list[int] = np.bincount(gold.codes, minlength=len(gold.label_set)).tolist()
    return counts


def _official_metric(
    settings: Settings, label_set: LabelSet, scored_label: str | None, issues: list[Issue]
) -> ScoreKey | None:
    if settings.official_metric is None:
        return None
    from audit.metrics import (  # noqa: PLC0415 - a check of a file needs no metrics
        metric_of,
        named_metric,
        parse_score_key,
        terms_of,
    )

    try:
        key = parse_score_key(settings.official_metric, label_set)
    except MetricNameError as error:
        issues.append(settings.issue("bad-metric", str(error), *_place_of_metric(settings)))
        return None
    of_items = next((term for term in terms_of(key.metric) if metric_of(term.name, label_set).of_item_scores), None)
    if of_items is not None and scored_label is None:
        defect = f"{quoted(of_items.name)} is of scores of single items, and none are kept"
        expected = _KEEPING_SCORES if settings.wide is None else _KEEPING_WIDE_SCORES
        issues.append(settings.issue("bad-metric", defect, *_place_of_metric(settings), expected=expected))
    if metric_of(key.metric, label_set).of_ranks and settings.policies.runs == "best":
        defect = f'{quoted(key.metric)} beside runs = "best": ranks depend on which of all runs count'
        expected = 'runs = "last" or "primary" in [policies], or another metric'
        issues.append(settings.issue("bad-metric", defect, *_place_of_metric(settings), expected=expected))
    if settings.policies.missing == "drop" and named_metric(key.metric, label_set).heeds_abstention:
        defect = f'{quoted(key.metric)} heeds what a team leaves unanswered, which missing = "drop" leaves out before'
        issues.append(
            settings.issue(
                "bad-metric", defect, *_place_of_metric(settings), expected='missing = "wrong" in [policies]'
            )
        )
    names = [OBSERVED.name, BALANCED.name, *settings.toml.prevalence]
    if key.prevalence not in names:
        defect = f"there is no prevalence {quoted(key.prevalence)}.{did_you_mean(key.prevalence, names)}"
        issues.append(settings.issue("bad-metric", defect, *_place_of_metric(settings)))
    return key


def _scored_label(settings: Settings, label_set: LabelSet, issues: list[Issue]) -> str | None:
    """The label that kept scores speak for; an issue where scores beside labels speak for none of two."""
    wide = settings.wide
    keys, table = (settings.submissions, "submissions") if wide is None else (wide.keys, "wide")
    label, place = keys.scored_label(label_set), (table, "above" if keys.above else "score")
    if (keys.keeps_scores if wide is None else wide.score) and (label is None or label not in label_set.code_of):
        labels = listed(list(map(quoted, label_set)), limit=12)
        defect = f"scores for {quoted(keys.above or '')}, and the labels are {labels}"
        issues.append(settings.issue("bad-setting", defect, *place, expected="one of two labels"))
        return None
    return label


def _place_of_metric(settings: Settings) -> tuple[str, ...]:
    """The place of the official metric in task.toml: its name, or a mean of scores."""
    official = settings.toml.official
    return ("official_metric",) if official.metric is None else ("official", official.name)
