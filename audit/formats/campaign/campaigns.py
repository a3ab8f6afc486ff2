"""A folder → its campaigns, one for each test set, or everything that is wrong with it."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import chain
from operator import eq
from pathlib import Path
from shlex import quote

import numpy as np

from audit.domain import (
    Campaign,
    ChosenRun,
    Gold,
    JournalEntry,
    LabelSet,
    Options,
    Prevalence,
    Rejection,
    Role,
    ScoreKey,
    Submission,
    Task,
)
from audit.domain.privacy import ItemIds, ids_tell_labels
from audit.errors import MANIFEST, SETTINGS_FILE, InputError, Issue, MetricNameError, UsageError
from audit.execution import THIS_PROCESS, Executor, Progress
from audit.formats.align.gold import may_be_a_scale
from audit.formats.campaign import conventions
from audit.formats.campaign.all_files import (
    FilesRead,
    duplicate_teams,
    no_submissions,
    read_files,
    read_score_files,
    read_wide_file,
    wide_file,
)
from audit.formats.campaign.claims import read_settings, shown_name
from audit.formats.campaign.conventions import every_path, gold_candidates
from audit.formats.campaign.submission import journal_of_rejection
from audit.formats.files.tree import Tree
from audit.formats.settings.layout import toml_text
from audit.formats.settings.manifest import FileRow
from audit.formats.settings.parsing import TrackSettings
from audit.formats.small_tables import (
    TEAMS_FILE,
    AboutTeams,
    about_teams,
    names_in,
    published_in,
    with_names,
)
from audit.text import did_you_mean, listed, plural, quoted, slug_of


def build_task(
    folder_name: str,
    settings: TrackSettings,
    gold: Gold,
    claims: Sequence[FileRow] | None,
    layout_sentences: Sequence[str],
) -> tuple[Task, list[Issue]]:
    """The task, and what in task.toml does not fit the files."""
    label_set = gold.label_set
    if claims is None:
        issues = []
    else:
        issues = _unknown_names(settings, claims)
    prevalences = _prevalences(settings, gold, issues)
    family = settings.toml.slug or slug_of(folder_name)
    scored_labels = _scored_labels(settings, label_set, issues)
    task = Task(
        slug=family if settings.part is None else f"{family}-{slug_of(settings.part)}",
        title=settings.toml.title
        or (folder_name or "Campaign") + ("" if settings.part is None else f": {settings.part}"),
        label_set=label_set,
        official_metric=_official_metric(settings, label_set, scored_labels, issues),
        official_decimals=settings.toml.official_decimals,
        policies=settings.policies,
        prevalences=prevalences,
        assumptions=(*_task_sentences(settings, label_set), *layout_sentences),
        family=None if settings.part is None else family,
        part=settings.part,
        note=settings.toml.note or "",
        overall=settings.toml.overall,
        weight=settings.toml.weight,
        scored_labels=scored_labels,
        scale_is_open=_scale_is_open(settings, label_set),
    )
    return task, issues


def with_rest(label_set: LabelSet, settings: TrackSettings) -> LabelSet:
    """The label set with the rest class that task.toml names."""
    rest = settings.toml.rest_label
    if rest is None:
        return label_set
    if rest not in label_set.code_of:
        defect = f"{quoted(rest)} is no label here.{did_you_mean(rest, label_set)}"
        labels = listed([quoted(label) for label in label_set], "or", limit=30)
        raise InputError([settings.issue("bad-setting", defect, "rest_label", expected=labels)])
    if len(label_set) == 1:
        defect = f"{quoted(rest)} is the only label, and averages over no other class"
        raise InputError([settings.issue("bad-setting", defect, "rest_label")])
    return replace(label_set, rest=rest)


def _scale_is_open(settings: TrackSettings, label_set: LabelSet) -> bool:
    """Whether labels look like steps of a scale, and nobody has said whether they are."""
    is_stated = "scale" in settings.toml.model_fields_set
    return not is_stated and may_be_a_scale(label_set.labels[: label_set.n_scored])


def _task_sentences(settings: TrackSettings, label_set: LabelSet) -> list[str]:
    sentences = []
    if settings.toml.title is None:
        if settings.source is None:
            reason = f"No {SETTINGS_FILE}"
        else:
            reason = f"{SETTINGS_FILE} states no title"
        sentences.append(f"{reason}: the title is the folder's name.")
    labels = listed([quoted(label) for label in label_set.labels[: label_set.n_scored]], limit=30)
    if not label_set.n_scored:
        pass
    elif settings.toml.labels is None:
        sentences.append(f"The label set is taken from gold, in sorted order: {labels}.")
    elif (
        label_set.scale and settings.toml.labels != label_set.labels and settings.toml.order is None
    ):
        sentences.append(
            f"The labels are numerals on a scale, and stand in the order of their values: {labels}."
        )
    if settings.toml.round is not None:
        sentences.append(
            "Numbers of submissions between the labels, or beyond them, count as the nearest label, and those halfway "
            "between two as the higher."
        )
    if settings.official_metric is None:
        sentences.append("No official metric is stated.")
    if _scale_is_open(settings, label_set):
        sentences.append(
            "The labels may be steps of a scale; they are taken as names. scale = true or scale = false beside labels "
            "decides."
        )
    if label_set.rest is not None and len(label_set) == 2:  # noqa: PLR2004 - the rest class and another
        other = next(label for label in label_set if label != label_set.rest)
        sentences.append(
            f"Beside the rest class there is one class, {quoted(other)}: macro and micro F1 are the F1 of it alone, as "
            "in binary classification."
        )
    return sentences


def chosen_runs(
    settings: TrackSettings, claims: Iterable[FileRow], accepted: Iterable[Submission]
) -> tuple[ChosenRun, ...]:
    """The runs that task.toml chooses among those of one test set, with their teams' names for readers."""
    accepted_runs = {(submission.team, submission.run) for submission in accepted}
    shown = {claim.team: shown_name(claim, settings) for claim in claims}
    chosen = [replace(run, team=shown.get(run.team, run.team)) for run in settings.policies.chosen]
    return tuple(run for run in chosen if (run.team, run.run) in accepted_runs)


def _unknown_names(settings: TrackSettings, claims: Sequence[FileRow]) -> list[Issue]:
    """The issues for teams, roles, paths and runs of task.toml that no submission is of."""
    toml = settings.toml
    paths = {claim.file for claim in claims}
    shown = {claim.team: shown_name(claim, settings) for claim in claims}
    names = {*shown, *(claim.run for claim in claims if claim.run)}
    roles = {claim.role for claim in claims if claim.role}
    by_path = dict(settings.submission_layout.score_by_name)
    by = "by the team"
    of = "of the path, run or team"
    globs = "* stands for any text"
    of_roles = f"a role's name in a path or in files.csv, or a run or a team; {globs}"
    issues = []
    for place, stated, known, fits, relation, expected in (
        (["teams"], toml.teams, {*shown}, eq, by, "a team's name as the file names give it"),
        (
            ["latex_names"],
            toml.latex_names,
            {*shown.values()},
            eq,
            by,
            "a team's name as the report shows it",
        ),
        (["roles"], toml.roles, names | roles, fnmatchcase, "of the role, run or team", of_roles),
        (
            ["submissions", "score"],
            by_path,
            names | paths,
            fnmatchcase,
            of,
            f"a path, a run or a team; {globs}",
        ),
    ):
        for name in (name for name in stated if not any(fits(each, name) for each in known)):
            if name in shown:
                near = f" The report shows {quoted(shown[name])}."
            else:
                near = did_you_mean(name, known)
            # The test sets together are asked, each with a pattern of its own.
            if settings.part is None:
                files = toml.submissions.files
            else:
                files = None
            if files is None:
                pattern = ""
            else:
                pattern = f" Submissions are what files = {toml_text(files.text)} fits."
            defect = f"no submission is {relation} {quoted(name)}.{near}{pattern}"
            issues.append(settings.issue("bad-setting", defect, *place, name, expected=expected))
    return [*issues, *_unknown_runs(settings, claims)]


def _unknown_runs(settings: TrackSettings, claims: Sequence[FileRow]) -> list[Issue]:
    """An issue for every chosen run that no test set has; a team may be called by its name for readers."""
    runs = {
        (team, claim.run) for claim in claims for team in (claim.team, shown_name(claim, settings))
    }
    issues = []
    for number, chosen in enumerate(settings.policies.chosen, start=1):
        if (chosen.team, chosen.run) not in runs:
            of_team = [run for team, run in runs if team == chosen.team]
            names = of_team or [team for team, _ in runs]
            near = did_you_mean(chosen.run if of_team else chosen.team, names)
            defect = f"there is no run {quoted(chosen.run)} of {quoted(chosen.team)}.{near}"
            expected = "a team and its run, as the paths give them"
            issues.append(
                settings.issue("bad-setting", defect, "chosen", str(number), expected=expected)
            )
    return issues


def _prevalences(
    settings: TrackSettings, gold: Gold, issues: list[Issue]
) -> tuple[Prevalence, ...]:
    present = [gold.label_set.labels[code] for code in np.unique(gold.codes).tolist()]
    prevalences = []
    for name, shares in settings.toml.prevalence.items():
        missing = [quoted(label) for label in present if label not in shares]
        further = [quoted(label) for label in shares if label not in present]
        total = sum(shares.values())
        scaled = tuple((label, shares[label] / total) for label in present if label in shares)
        defects = [f"no share for {listed(missing)}"] * bool(missing)
        defects += [f"a share for {listed(further)}"] * bool(further)
        if not defects and (not math.isfinite(total) or not all(share > 0 for _, share in scaled)):
            defects = ["the shares cannot be scaled to 1"]
        if defects:
            expected = "one positive number for each class in gold"
            found = f"the prevalence {name}: {listed(defects)}"
            issues.append(
                settings.issue("bad-setting", found, "prevalence", name, expected=expected)
            )
        else:
            prevalences.append(Prevalence(name, scaled))
    return tuple(prevalences)


def _official_metric(
    settings: TrackSettings,
    label_set: LabelSet,
    scored_labels: tuple[str, ...],
    issues: list[Issue],
) -> ScoreKey | None:
    if settings.official_metric is None:
        if len(label_set.columns) > 1:
            issues.append(_which_column(settings, label_set))
        return None
    from audit.metrics.official_metric import official_metric  # noqa: PLC0415 - a check of a file needs no metrics

    place = _place_of_metric(settings)
    try:
        key, defects = official_metric(
            settings.official_metric,
            label_set,
            prevalences=settings.toml.prevalence,
            scored_labels=scored_labels,
            policies=settings.policies,
        )
    except MetricNameError as error:
        issues.append(settings.issue("bad-metric", str(error), *place))
        return None
    for defect in defects:
        if defect.about == "item scores":
            remedy = _how_to_keep_scores(settings)
        else:
            remedy = None
        issues.append(
            settings.issue(
                "bad-metric", defect.found, *place, expected=defect.expected, remedy=remedy
            )
        )
    return key


def _which_column(settings: TrackSettings, label_set: LabelSet) -> Issue:
    """The question by which of several columns teams rank."""
    names = [column.name for column in label_set.columns]
    shown = listed([quoted(name, 40) for name in names], limit=8)
    stated = f"official_metric = {toml_text(names[0])}"
    remedy = (
        f"state it: --official-metric {quote(names[0])}, or {stated} at the top of {SETTINGS_FILE}"
    )
    defect = f"the columns {shown}: by which do teams rank?"
    return settings.issue(
        "bad-metric", defect, "official_metric", expected="one column", remedy=remedy
    )


def _how_to_keep_scores(settings: TrackSettings) -> str:
    """The settings by which scores of single items are kept."""
    table = "submissions"
    like = 'label = "label", score = "score", above = "yes"'
    if settings.toml.wide is not None:
        table = "wide"
        like = 'score = "{team}_score", above = "yes"'
    return f"keep scores for one of two labels: under [{table}], like {like}, the label that higher scores mean"


def _scored_labels(
    settings: TrackSettings, label_set: LabelSet, issues: list[Issue]
) -> tuple[str, ...]:
    """The labels that kept scores speak for; an issue where scores beside labels speak for none of two, or others."""
    wide = settings.toml.wide
    if wide is None:
        stated = settings.submission_layout
        table = "submissions"
    else:
        stated = settings.gold_layout
        table = "wide"
    scored = stated.scored_labels(label_set)
    place = (table, "above" if stated.above else "score")
    of_some = stated.score_by_name and not stated.makes_labels
    if (stated.score or of_some if wide is None else wide.score) and not scored:
        labels = listed(list(map(quoted, label_set)), limit=12)
        defect = f"scores for {listed(list(map(quoted, stated.above)), limit=8)}, and the labels are {labels}"
        issues.append(
            settings.issue("bad-setting", defect, *place, expected="one of two labels, or several")
        )
    return scored


def _place_of_metric(settings: TrackSettings) -> tuple[str, ...]:
    """The place of the official metric in task.toml: its name, or a mean of scores."""
    official = settings.toml.official
    if official.metric is None:
        return ("official_metric",)
    return ("official", official.name)


def read_campaign(
    folder: Path,
    *,
    skip_rejected: bool = False,
    strict: bool | None = None,
    on_progress: Progress | None = None,
) -> Campaign:
    r"""Read a campaign: task.toml where there is one, gold, and every submission.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as name:
    ...     root = Path(name)
    ...     _ = (root / "gold.csv").write_text("id,label\n1,no\n2,yes\n3,no\n")
    ...     (root / "submissions").mkdir()
    ...     _ = (root / "submissions" / "A.csv").write_text("id,label\n1,no\n2,no\n3,yes\n")
    ...     _ = (root / "submissions" / "B.csv").write_text("id;label\n3;no\n1;no\n")
    ...     campaign = read_campaign(root)
    >>> [(submission.team, submission.codes.tolist()) for submission in campaign.submissions]
    [('A', [0, 0, 1]), ('B', [0, 2, 0])]
    >>> print(campaign.task.assumptions[3])
    gold.csv: comma-separated, header; column “id” holds the ids, column “label” the labels.
    """
    campaigns = read_campaigns(
        folder, skip_rejected=skip_rejected, strict=strict, on_progress=on_progress
    )
    if len(campaigns) > 1:
        parts = listed([quoted(campaign.task.part or "") for campaign in campaigns])
        raise UsageError(
            f"The campaign has several test sets, {parts}: read_campaigns reads them all."
        )
    return campaigns[0]


def read_campaigns(
    folder: Path,
    *,
    skip_rejected: bool = False,
    strict: bool | None = None,
    executor: Executor = THIS_PROCESS,
    on_progress: Progress | None = None,
) -> tuple[Campaign, ...]:
    """Read every test set of a campaign: one for each [subtask.NAME] of task.toml, or the one that there is."""
    with Tree(Path(folder)) as tree:
        return campaigns_of(
            tree,
            skip_rejected=skip_rejected,
            strict=strict,
            executor=executor,
            on_progress=on_progress,
        )


def campaigns_of(
    tree: Tree,
    *,
    skip_rejected: bool = False,
    strict: bool | None = None,
    executor: Executor = THIS_PROCESS,
    on_progress: Progress | None = None,
) -> tuple[Campaign, ...]:
    """Read every test set of the files of a tree, as `read_campaigns` does of a folder's."""
    every = [_with_policies(settings, strict) for settings in read_settings(tree)]
    read: list[tuple[TrackSettings, FilesRead]] = []
    issues: list[Issue] = []
    for settings in every:
        try:
            read.append(
                (settings, _files(tree, settings, executor, _continued_progress(on_progress, read)))
            )
        except InputError as error:
            issues.extend(error.issues)
    issues += _mixed(tree, read)
    every_part = [parts for _, parts in read]
    is_whole = not issues
    campaigns = []
    for settings, parts in read:
        try:
            campaign = _judged(
                tree, settings, parts, every_part, is_whole=is_whole, skip_rejected=skip_rejected
            )
            campaigns.append(campaign)
        except InputError as error:
            issues.extend(error.issues)
    if issues:
        raise InputError(dict.fromkeys(issues))
    if len(campaigns) == 1:
        return tuple(campaigns)
    return tuple(_with_teams(campaigns, about_teams(tree)))


def _with_teams(campaigns: Sequence[Campaign], about: AboutTeams) -> Iterator[Campaign]:
    """The test sets with what teams.csv says of each team, where there is one."""
    for campaign in campaigns:
        if not about:
            yield campaign
            continue
        ignored = tuple(path for path in campaign.ignored if path != TEAMS_FILE)
        yield replace(campaign, task=replace(campaign.task, about_teams=about), ignored=ignored)


def read_part(
    tree: Tree, part: str | None, *, slug: str, title: str, strict: bool | None = None
) -> Campaign:
    """One test set as it was read before, though its folder may have another name, or lack the files of the others."""
    every = [each for each in read_settings(tree, is_whole=False) if each.part == part]
    if not every:
        if part is None:
            defect = "several test sets"
        else:
            defect = f"no test set {quoted(part)}"
        expected = "the test set that was exported"
        raise InputError([Issue.of("bad-setting", SETTINGS_FILE, defect, expected=expected)])
    settings = _with_policies(every[0], strict)
    parts = _files(tree, settings, THIS_PROCESS, None)
    campaign = _judged(tree, settings, parts, [parts], is_whole=False, skip_rejected=True)
    if settings.toml.slug is not None:
        slug = campaign.task.slug
    if settings.toml.title is not None:
        title = campaign.task.title
    return replace(campaign, task=replace(campaign.task, slug=slug, title=title))


def _with_policies(settings: TrackSettings, strict: bool | None) -> TrackSettings:  # noqa: FBT001 - as the command line has it
    """The settings, where --strict or --lenient was said with the policies that it stands for."""
    if strict is None:
        return settings
    if strict:
        of_unanswered = "reject"
    else:
        of_unanswered = "wrong"
    policies = replace(settings.policies, missing=of_unanswered, unusable=of_unanswered)
    return replace(settings, policies=policies)


def _mixed(tree: Tree, read: Sequence[tuple[TrackSettings, FilesRead]]) -> Iterator[Issue]:
    """An issue for submissions that a pattern finds, and that rather answer another gold file, by their paths."""
    golds = [parts.gold.source.path for _, parts in read if parts.gold.source is not None]
    by_pattern = [
        settings.toml.submissions.files is not None and settings.manifest is None
        for settings, _ in read
    ]
    if len(golds) < len(read) or not any(by_pattern):
        return
    if len(read) == 1:
        others = gold_candidates(every_path(tree))
    else:
        others = []
    for (_, parts), gold, has_pattern in zip(read, golds, by_pattern, strict=True):
        paths = [answer.claim.file for answer in parts.answers if answer.submission is not None]
        if has_pattern:
            rivals = conventions.of_others(paths, gold, {*golds, *others} - set(paths))
        else:
            rivals = {}
        if rivals:
            path, rival = next(iter(rivals.items()))
            defect = (
                f"{plural(len(rivals), 'submission')} of {quoted(gold, 120)} by a pattern of "
                f"{SETTINGS_FILE}; by their "
            )
            defect += f"paths they rather answer {quoted(rival, 120)}"
            remedy = f"say in {MANIFEST} which test set each answers, or narrow the pattern"
            yield Issue.of("ambiguous-reading", path, defect, remedy=remedy)


def _continued_progress(
    on_progress: Progress | None, read: Sequence[tuple[TrackSettings, FilesRead]]
) -> Progress | None:
    """Progress that counts on from the test sets read before."""
    before = sum(len(parts.answers) for _, parts in read)
    return on_progress and (lambda done, total: on_progress(before + done, before + total))


def _files(
    tree: Tree, settings: TrackSettings, executor: Executor, on_progress: Progress | None
) -> FilesRead:
    if settings.toml.gives_columns:
        return read_score_files(tree, settings, on_progress)
    path = wide_file(tree, settings)
    if path is None:
        return read_files(tree, settings, executor, on_progress)
    return read_wide_file(tree, path, settings, on_progress)


def _judged(  # noqa: PLR0913 - a test set, and what is known of all
    tree: Tree,
    settings: TrackSettings,
    parts: FilesRead,
    every: Sequence[FilesRead],
    *,
    is_whole: bool,
    skip_rejected: bool,
) -> Campaign:
    """The campaign, unless something in it has to be mended first.

    A name that task.toml gives to all test sets need not occur in each; in none only where the whole was read.
    """
    if is_whole:
        claims = [answer.claim for each in every for answer in each.answers]
    else:
        claims = None
    twins = duplicate_teams(parts.answers)
    name = conventions.printable(tree.name)
    names, label_names_file = names_in(tree, settings, parts.gold.label_set)
    gold = replace(
        parts.gold, label_set=with_rest(with_names(parts.gold.label_set, settings, names), settings)
    )
    task, task_issues = build_task(name, settings, gold, claims, parts.assumptions)
    gold_labels = parts.gold.label_set.labels
    # Who mends a team's file must not be told labels, by ids that name them.
    is_telling = parts.gold.label_set.n_scored > 0 and ids_tell_labels(
        parts.gold.item_ids, [gold_labels[code] for code in parts.gold.codes.tolist()]
    )
    if is_telling:
        ids = ItemIds.of(parts.gold.item_ids, gold_labels)
    else:
        ids = None
    accepted = [
        answer.submission for answer in parts.answers if answer.submission and answer not in twins
    ]
    if ids is not None:
        accepted = list(map(ids.of_submission, accepted))
    rejections = [
        *(Rejection(issue.file, (issue,)) for issue in parts.misplaced),
        *(
            Rejection(
                conventions.printable(answer.claim.file),
                (*answer.checked.issues, *twins.get(answer, ())),
            )
            for answer in parts.answers
            if answer.submission is None or answer in twins
        ),
    ]
    if ids is not None:
        rejections = [replace(each, issues=ids.of_issues(each.issues)) for each in rejections]
    if parts.answers or parts.misplaced:
        missing = []
    else:
        missing = [no_submissions(tree, settings)]
    if task_issues or missing or (rejections and not (skip_rejected and accepted)):
        of_files = [issue for rejection in rejections for issue in rejection.issues]
        of_accepted = [issue for submission in accepted for issue in submission.issues]
        raise InputError([*task_issues, *missing, *of_files, *of_accepted])
    chosen = chosen_runs(settings, [answer.claim for answer in parts.answers], accepted)
    task = replace(
        task,
        likely_groups=parts.likely_groups,
        door=tree.door,
        said=tree.said,
        policies=replace(task.policies, chosen=chosen),
        assumptions=(
            *task.assumptions,
            *_sentence_on_runs(settings, accepted, {run.team for run in chosen}),
        ),
    )
    return Campaign(
        task,
        gold,
        tuple(sorted(accepted, key=lambda submission: (submission.team, submission.run or ""))),
        tuple(rejections),
        conventions.unclaimed(
            tree, chain(*(each.claimed for each in every)), settings.toml.submissions.ignore
        ),
        settings.source,
        None if settings.manifest is None else settings.manifest.source,
        (
            *parts.journal,
            *(
                JournalEntry("read", file.path, "The names of labels.")
                for file in [label_names_file]
                if file
            ),
            *map(journal_of_rejection, rejections),
            *(
                JournalEntry("chose", run.team, f"The run {quoted(run.run)}: {run.reason}")
                for run in chosen
            ),
        ),
        tuple(published_in(tree, path) for path in settings.published),
        Options(**settings.toml.resampling.stated),
        label_names_file,
        further_files=parts.further,
    )


def _sentence_on_runs(
    settings: TrackSettings, accepted: Sequence[Submission], chosen: AbstractSet[str]
) -> list[str]:
    """The assumption that every run is a row, where nobody said so and some team has several."""
    if "runs" in settings.toml.policies.stated:
        return []
    roles: defaultdict[str, list[Role]] = defaultdict(list)
    for submission in accepted:
        if submission.role not in (Role.BASELINE, Role.WITHDRAWN):
            roles[submission.team].append(submission.role)
    n_ranked = [1 if team in chosen else _n_ranked(of_runs) for team, of_runs in roles.items()]
    if max(n_ranked, default=0) <= 1:
        return []
    counted = f"{sum(n_ranked):,} runs of {plural(sum(map(bool, n_ranked)), 'team')}"
    how = 'runs = "last" or "best", or runs = "primary" with the other runs as "contrastive" under [roles]'
    same = "a team’s runs with the same answers are one"
    told = f"Every run is a row of the ranking ({counted}); {same}."
    return [f"{told} To count one of each team, write under [policies]: {how}."]


def _n_ranked(roles: Sequence[Role]) -> int:
    """How many runs of a team take a rank where every run is a row: contrastive ones only beside no others."""
    counting = [role for role in roles if role is not Role.CONTRASTIVE] or roles
    return sum(role is not Role.UNOFFICIAL for role in counting)
