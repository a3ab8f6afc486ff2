"""A folder → a Campaign, and every issue of all its files."""

from collections import defaultdict
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from audit.domain import Campaign, JournalEntry, Rejection, Role, SourceFile, Submission
from audit.errors import SETTINGS_FILE, InputError, Issue, UsageError
from audit.execution import THIS_PROCESS, Executor, Progress
from audit.formats.campaign import conventions
from audit.formats.campaign.all_files import FilesRead, no_submissions, read_files, read_wide_file, wide_file
from audit.formats.campaign.claimed_files import Answer
from audit.formats.campaign.claims import FileClaim
from audit.formats.campaign.file_journal import journal_of_rejection
from audit.formats.campaign.surveying.next_steps import leading_on, sections_in_words
from audit.formats.campaign.surveying.sets_by_name import named_test_sets
from audit.formats.campaign.task_building import build_task, chosen_runs, shown_name, with_rest
from audit.formats.files.tree import Tree
from audit.formats.published.label_names import names_in, with_names
from audit.formats.published.published_table import published_in
from audit.formats.settings.parsing import parse_parts
from audit.formats.settings.task_settings import Settings
from audit.text import listed, plural, quoted, slugify


def read_campaign(
    folder: Path, *, skip_rejected: bool = False, strict: bool | None = None, on_progress: Progress | None = None
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
    campaigns = read_campaigns(folder, skip_rejected=skip_rejected, strict=strict, on_progress=on_progress)
    if len(campaigns) > 1:
        parts = listed([quoted(campaign.task.part or "") for campaign in campaigns])
        raise UsageError(f"The campaign has several test sets, {parts}: read_campaigns reads them all.")
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
    conventions.check_folder(Path(folder))
    with Tree(Path(folder)) as tree:
        every = [_with_policies(settings, strict) for settings in read_settings(tree)]
        read, issues = _read_all(tree, every, executor, on_progress)
        issues.extend(issue for settings, parts in read for issue in _of_mixed_test_sets(tree, settings, parts))
        everywhere = _Everywhere.of(read, is_whole=not issues)
        campaigns = []
        for settings, parts in read:
            try:
                campaigns.append(_judged(tree, settings, parts, everywhere, skip_rejected=skip_rejected))
            except InputError as error:
                issues.extend(error.issues)
        if issues:
            raise InputError(leading_on(tree, dict.fromkeys(issues)))
    return tuple(campaigns)


def read_part(folder: Path, part: str | None, *, slug: str, title: str, strict: bool | None = None) -> Campaign:
    """One test set as it was read before, though its folder may have another name, or lack the files of the others."""
    conventions.check_folder(Path(folder))
    with Tree(Path(folder)) as tree:
        every = [each for each in read_settings(tree) if each.part == part]
        if not every:
            defect = "several test sets" if part is None else f"no test set {quoted(part)}"
            raise InputError(
                [Issue.of("bad-setting", SETTINGS_FILE, defect, expected="the test set that was exported")]
            )
        settings = _with_policies(every[0], strict)
        parts = _files(tree, settings, THIS_PROCESS, None)
        everywhere = _Everywhere.of([(settings, parts)], is_whole=False)
        campaign = _judged(tree, settings, parts, everywhere, skip_rejected=True)
    slug = slug if settings.toml.slug is None else campaign.task.slug
    title = title if settings.toml.title is None else campaign.task.title
    return replace(campaign, task=replace(campaign.task, slug=slug, title=title))


def read_settings(tree: Tree) -> tuple[Settings, ...]:
    """The settings of each test set in task.toml; silent settings of one test set where there is none."""
    return parse_parts(tree.original(SETTINGS_FILE)) if tree.exists(SETTINGS_FILE) else (Settings(),)


def _with_policies(settings: Settings, strict: bool | None) -> Settings:  # noqa: FBT001 - as the command line has it
    """The settings, where --strict or --lenient was said with the policies that it stands for."""
    if strict is None:
        return settings
    of_unanswered = "reject" if strict else "wrong"
    policies = replace(settings.policies, missing=of_unanswered, unusable=of_unanswered)
    return replace(settings, policies=policies)


def _read_all(
    tree: Tree, every: Sequence[Settings], executor: Executor, on_progress: Progress | None
) -> tuple[list[tuple[Settings, FilesRead]], list[Issue]]:
    """The files of every test set; and the issues of those whose gold or settings cannot be used."""
    read: list[tuple[Settings, FilesRead]] = []
    issues: list[Issue] = []
    for settings in every:
        try:
            read.append((settings, _files(tree, settings, executor, _continued_progress(on_progress, read))))
        except InputError as error:
            issues.extend(error.issues)
    return read, issues


def _of_mixed_test_sets(tree: Tree, settings: Settings, parts: FilesRead) -> list[Issue]:
    """The issue for submissions to another test set, told by names, that would stand in the ranking of this one."""
    if settings.part is not None or settings.toml.gold.path is None or parts.gold.source is None:
        return []
    claimed = {answer.claim.path for answer in parts.answers}
    mixed = [(part, sorted(claimed & set(part.submissions))) for part in named_test_sets(tree)]
    mixed = [(part, files) for part, files in mixed if files]
    if len(mixed) < 2 or parts.gold.source.path not in {part.gold for part, _ in mixed}:  # noqa: PLR2004 - two are mixed
        return []
    files = listed([quoted(files[0], 120) for _, files in mixed], limit=4)
    defect = f"submissions to several test sets would stand in one ranking, by their names: {files}"
    issue = settings.issue(
        "several-golds", defect, "gold", "path", expected="the submissions of each with its own gold"
    )
    return [replace(issue, remedy=sections_in_words([part for part, _ in mixed], has_settings=True))]


def _continued_progress(on_progress: Progress | None, read: Sequence[tuple[Settings, FilesRead]]) -> Progress | None:
    """Progress that counts on from the test sets read before."""
    before = sum(len(parts.answers) for _, parts in read)
    return on_progress and (lambda done, total: on_progress(before + done, before + total))


def _files(tree: Tree, settings: Settings, executor: Executor, on_progress: Progress | None) -> FilesRead:
    path = wide_file(tree, settings)
    if path is None:
        return read_files(tree, settings, executor=executor, on_progress=on_progress)
    return read_wide_file(tree, path, settings, on_progress)


@dataclass(frozen=True, slots=True)
class _Everywhere:
    """Names that occur in any test set: one that task.toml gives to all need not occur in each.

    The submissions are None where not all could be found.
    """

    claims: Sequence[FileClaim] | None
    claimed: frozenset[str]

    @classmethod
    def of(cls, read: Sequence[tuple[Settings, FilesRead]], *, is_whole: bool) -> Self:
        claims = [answer.claim for _, parts in read for answer in parts.answers]
        claimed = frozenset(
            path
            for settings, parts in read
            for path in (*parts.claimed, settings.toml.published.path, settings.toml.label_names_file)
            if path is not None
        )
        return cls(claims if is_whole else None, claimed)


def _judged(
    tree: Tree, settings: Settings, parts: FilesRead, everywhere: _Everywhere, *, skip_rejected: bool
) -> Campaign:
    """The campaign, unless something in it has to be mended first."""
    twins = _duplicate_teams(parts.answers, settings)
    name = conventions.printable(tree.root.resolve().name)
    names, label_names_file = names_in(tree, settings, parts.gold.label_set)
    gold = replace(parts.gold, label_set=with_rest(with_names(parts.gold.label_set, settings, names), settings))
    task, task_issues = build_task(name, settings, gold, everywhere.claims, parts.assumptions)
    accepted = [answer.submission for answer in parts.answers if answer.submission and answer not in twins]
    rejections = [
        *(Rejection(issue.file, (issue,)) for issue in parts.misplaced),
        *(
            Rejection(conventions.printable(answer.claim.path), (*answer.issues, *twins.get(answer, ())))
            for answer in parts.answers
            if answer.submission is None or answer in twins
        ),
    ]
    missing = [] if parts.answers or parts.misplaced else [no_submissions(tree, settings)]
    if task_issues or missing or (rejections and not (skip_rejected and accepted)):
        of_files = [issue for rejection in rejections for issue in rejection.issues]
        of_accepted = [issue for submission in accepted for issue in submission.issues]
        raise InputError([*task_issues, *missing, *of_files, *of_accepted])
    published = None if settings.toml.published.path is None else published_in(tree, settings.toml.published.path)
    roster = (
        None
        if settings.toml.submissions.table is None
        else SourceFile.of(settings.toml.submissions.table, tree.original(settings.toml.submissions.table))
    )
    chosen = chosen_runs(settings, [answer.claim for answer in parts.answers], accepted)
    task = replace(
        task,
        policies=replace(task.policies, chosen=chosen),
        assumptions=(*task.assumptions, *_sentence_on_runs(settings, accepted, {run.team for run in chosen})),
    )
    return Campaign(
        task,
        gold,
        tuple(sorted(accepted, key=lambda submission: (submission.team, submission.run or ""))),
        tuple(rejections),
        conventions.unclaimed(tree, everywhere.claimed, settings.toml.submissions.ignore),
        settings.source,
        roster,
        (
            *parts.journal,
            *(JournalEntry("read", file.path, "The names of labels.") for file in [label_names_file] if file),
            *map(journal_of_rejection, rejections),
            *(JournalEntry("chose", run.team, f"The run {quoted(run.run)}: {run.reason}") for run in chosen),
        ),
        published,
        settings.options,
        label_names_file,
    )


def _sentence_on_runs(settings: Settings, accepted: Sequence[Submission], chosen: AbstractSet[str]) -> list[str]:
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


def _duplicate_teams(answers: Sequence[Answer], settings: Settings) -> dict[Answer, list[Issue]]:
    """An issue for every submission under the name of another, or of a team whose name looks like another's."""
    by_name: defaultdict[tuple[str, str | None], list[Answer]] = defaultdict(list)
    by_team: defaultdict[str, dict[str, list[Answer]]] = defaultdict(dict)
    for answer in answers:
        team, run = shown_name(answer.claim, settings), answer.claim.run
        by_name[slugify(team), None if run is None else slugify(run)].append(answer)
        by_team[slugify(team)].setdefault(team, []).append(answer)
    groups = [group for group in by_name.values() if len(group) > 1]
    groups += [[first for first, *_ in teams.values()] for teams in by_team.values() if len(teams) > 1]
    return {answer: [_twin(answer, group)] for group in groups for answer in group}


def _twin(answer: Answer, group: Sequence[Answer]) -> Issue:
    others = [other.claim for other in group if other is not answer]
    where = listed([quoted(claim.path if claim.path != answer.claim.path else claim.team, 200) for claim in others])
    return Issue.of(
        "duplicate-team", answer.claim.path, f"the team {quoted(answer.claim.team)} is also that of {where}"
    )
