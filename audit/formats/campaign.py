"""A folder → a Campaign, and every issue of all its files."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from audit.domain import Campaign, Rejection
from audit.errors import InputError, Issue
from audit.formats import folder as folders
from audit.formats.files import Answer, Parts, Progress, no_submissions, read_files, read_wide_file, wide_file
from audit.formats.settings import FILE_NAME, Settings, parse_settings
from audit.formats.task import build_task
from audit.formats.tree import Tree
from audit.text import listed, quoted, slugify


def read_campaign(
    folder: Path, *, skip_rejected: bool = False, strict: bool | None = None, on_progress: Progress | None = None
) -> Campaign:
    r"""Read a campaign: task.toml where there is one, gold, and every submission.

    Parameters
    ----------
    folder : Path
        The campaign folder.
    skip_rejected : bool
        Whether files that cannot be accepted go to the campaign's rejections instead of failing it.
    strict : bool, optional
        Whether unanswered items reject a submission; None leaves it to task.toml.
    on_progress : callable, optional
        Called with the number of submissions read and their total.

    Returns
    -------
    Campaign
        Submissions in the order of team and run; the task says in its assumptions what task.toml left open.

    Raises
    ------
    InputError
        With every issue of every file, when settings or gold are unusable, a submission is rejected, or none remains.

    Examples
    --------
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
    folders.check_folder(Path(folder))
    with Tree(Path(folder)) as tree:
        return _read(tree, read_settings(tree), skip_rejected=skip_rejected, strict=strict, on_progress=on_progress)


def _read(
    tree: Tree, settings: Settings, *, skip_rejected: bool, strict: bool | None, on_progress: Progress | None
) -> Campaign:
    if strict is not None:
        of_unanswered = "reject" if strict else "wrong"
        policies = replace(settings.policies, missing=of_unanswered, unusable=of_unanswered)
        settings = replace(settings, policies=policies)
    path = wide_file(tree, settings)
    parts = (
        read_files(tree, settings, on_progress) if path is None else read_wide_file(tree, path, settings, on_progress)
    )
    return _judged(tree, settings, parts, skip_rejected=skip_rejected)


def read_settings(tree: Tree) -> Settings:
    """What task.toml says; the silent settings where there is none.

    Raises
    ------
    InputError
        no-folder, or what is wrong with task.toml.
    """
    return parse_settings(tree.original(FILE_NAME)) if tree.exists(FILE_NAME) else Settings()


def _judged(tree: Tree, settings: Settings, parts: Parts, *, skip_rejected: bool) -> Campaign:
    """The campaign, unless something in it has to be mended first."""
    twins = _duplicate_teams(parts.answers, settings)
    teams = [answer.claim.team for answer in parts.answers]
    task, task_issues = build_task(
        folders.printable(tree.root.resolve().name), settings, parts.gold, teams, parts.assumptions
    )
    accepted = [answer.submission for answer in parts.answers if answer.submission and answer not in twins]
    rejections = [
        *(Rejection(issue.file, (issue,)) for issue in parts.misplaced),
        *(
            Rejection(folders.printable(answer.claim.path), (*answer.issues, *twins.get(answer, ())))
            for answer in parts.answers
            if answer.submission is None or answer in twins
        ),
    ]
    missing = [] if parts.answers or parts.misplaced else [no_submissions(tree, settings)]
    if task_issues or missing or (rejections and not (skip_rejected and accepted)):
        of_files = [issue for rejection in rejections for issue in rejection.issues]
        of_accepted = [issue for submission in accepted for issue in submission.issues]
        raise InputError([*task_issues, *missing, *of_files, *of_accepted])
    return Campaign(
        task,
        parts.gold,
        tuple(sorted(accepted, key=lambda submission: (submission.team, submission.run or ""))),
        tuple(rejections),
        folders.unclaimed(tree, parts.claimed),
        settings.source,
    )


def _duplicate_teams(answers: Sequence[Answer], settings: Settings) -> dict[Answer, list[Issue]]:
    """An issue for every submission whose name folds to that of another."""
    by_name: defaultdict[tuple[str, str | None], list[Answer]] = defaultdict(list)
    for answer in answers:
        team = settings.teams.get(answer.claim.team, answer.claim.team)
        run = answer.claim.run
        by_name[slugify(team), None if run is None else slugify(run)].append(answer)
    return {answer: [_twin(answer, group)] for group in by_name.values() if len(group) > 1 for answer in group}


def _twin(answer: Answer, group: Sequence[Answer]) -> Issue:
    others = [other.claim for other in group if other is not answer]
    where = listed([quoted(claim.path if claim.path != answer.claim.path else claim.team, 200) for claim in others])
    return Issue.of(
        "duplicate-team", answer.claim.path, f"the team {quoted(answer.claim.team)} is also that of {where}"
    )
