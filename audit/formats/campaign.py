"""A folder → a Campaign: which files, how each is read, what was assumed, and every issue of all of them."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from audit.domain import (
    BALANCED,
    OBSERVED,
    Campaign,
    Gold,
    LabelSet,
    Prevalence,
    Rejection,
    ScoreKey,
    SourceFile,
    Submission,
    Task,
)
from audit.errors import InputError, Issue, MetricNameError
from audit.formats import folder as folders
from audit.formats.align import Target, align
from audit.formats.content import decode, read_bytes
from audit.formats.folder import Claim
from audit.formats.gold import build_gold
from audit.formats.issues import capped
from audit.formats.reading import Known, Table
from audit.formats.recognise import read_table
from audit.formats.settings import FILE_NAME, Settings, Wide, parse_settings
from audit.formats.wide import is_wide, read_wide
from audit.metrics import parse_score_key
from audit.text import did_you_mean, listed, plural, quoted, slugify

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class _Answer:
    """What became of one submission: None where it is rejected, with its issues, and how it was read."""

    claim: Claim
    submission: Submission | None
    issues: tuple[Issue, ...]
    assumption: str | None = None


@dataclass(frozen=True, eq=False)
class _Parts:
    """Everything that was read, before it is judged.

    ``misplaced`` are issues of places rather than files; ``assumptions`` say how files were read.
    """

    gold: Gold
    answers: Sequence[_Answer]
    assumptions: Sequence[str]
    claimed: Sequence[str]
    misplaced: Sequence[Issue] = ()


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
    root = Path(folder)
    settings = read_settings(root)
    if strict is not None:
        settings = replace(settings, strict=strict)
    path = _wide_path(root, settings)
    parts = _read_files(root, settings, on_progress) if path is None else _read_wide(root, path, settings, on_progress)
    return _judged(root, settings, parts, skip_rejected=skip_rejected)


def read_settings(root: Path) -> Settings:
    """What task.toml says; the silent settings where there is none.

    Raises
    ------
    InputError
        no-folder, or what is wrong with task.toml.
    """
    if not root.is_dir():
        found = "it is a file" if root.exists() else "there is no such folder"
        raise InputError([Issue.of("no-folder", str(root), found)])
    if not (root / FILE_NAME).exists() and not (root / FILE_NAME).is_symlink():
        return Settings()
    return parse_settings(read_bytes(root, FILE_NAME))


# Gold and submissions in files of their own


def _read_files(root: Path, settings: Settings, on_progress: Progress | None) -> _Parts:
    claims, misplaced = _claims(root, settings)
    try:
        path = settings.gold_path or folders.find_gold(root)
        table, gold = _read_gold(root, path, settings)
    except InputError as error:
        missing = [] if claims else [_no_submissions(settings)]
        raise InputError([*error.issues, *misplaced, *missing]) from None
    claims = [claim for claim in claims if claim.path != path]
    known = Known(gold.label_set.code_of, None, gold.n_items, table.reading.id_name, table.reading.label_name)
    target = Target(gold)
    known = replace(known, ids=target.position_of)
    answers = _read_all(claims, on_progress, lambda claim: _read_submission(root, claim, settings, known, target))
    gold_sentence = [] if table.reading.stated else [f"{path}: {table.reading}."]
    assumptions = [*gold_sentence, *_reading_sentences(answers)]
    return _Parts(gold, answers, assumptions, [path, *(claim.path for claim in claims)], misplaced)


def _claims(root: Path, settings: Settings) -> tuple[list[Claim], list[Issue]]:
    if settings.files is None:
        return folders.conventional_claims(root, settings.ignore)
    return folders.matching_claims(root, settings.files, settings.ignore)


def _no_submissions(settings: Settings) -> Issue:
    if settings.files is None:
        return Issue.of("no-submissions", f"{folders.SUBMISSIONS}/", "no file is there")
    return settings.issue("no-submissions", f"no file matches {quoted(settings.files.text)}", "submissions", "files")


def _read_gold(root: Path, path: str, settings: Settings) -> tuple[Table, Gold]:
    data = read_bytes(root, path)
    declared = None if settings.labels is None else dict.fromkeys(settings.labels)
    content = decode(path, data, settings.gold.encoding)
    table = read_table(content, settings.gold, Known(declared))
    return table, build_gold(table, settings.labels, path, SourceFile.of(path, data))


def _read_submission(root: Path, claim: Claim, settings: Settings, known: Known, target: Target) -> _Answer:
    try:
        folders.check_name(claim.path)
        data = read_bytes(root, claim.path)
        content = decode(claim.path, data, settings.submissions.encoding)
        table = read_table(content, settings.submissions, known)
    except InputError as error:
        return _Answer(claim, None, capped(error.issues))
    how = str(table.reading)
    if table.ids is None and known.ids is not None:
        how += "; aligned with gold by position"
    assumption = None if table.reading.stated and table.ids is not None else how
    return _answer(claim, table, target, settings, SourceFile.of(claim.path, data), how=assumption)


def _answer(  # noqa: PLR0913 - whose table it is, what it is aligned with, and what is said about it
    claim: Claim, table: Table, target: Target, settings: Settings, source: SourceFile, *, how: str | None = None
) -> _Answer:
    aligned = align(table, target, claim.path, strict=bool(settings.strict))
    if aligned.codes is None or any(issue.fatal for issue in aligned.issues):
        return _Answer(claim, None, aligned.issues, how)
    team = settings.teams.get(claim.team, claim.team)
    submission = Submission(team, aligned.codes, claim.run, aligned.unusable_labels, aligned.issues, source)
    return _Answer(claim, submission, aligned.issues, how)


def _read_all(claims: Sequence[Claim], on_progress: Progress | None, read: Callable[[Claim], _Answer]) -> list[_Answer]:
    answers = []
    for claim in claims:
        answers.append(read(claim))
        if on_progress is not None:
            on_progress(len(answers), len(claims))
    return answers


def _reading_sentences(answers: Iterable[_Answer]) -> list[str]:
    """One sentence for all submissions that were read alike, most frequent first."""
    counts = Counter(answer.assumption for answer in answers if answer.assumption is not None)
    return [f"{plural(count, 'submission')}: {how}." for how, count in counts.most_common()]


# Gold and systems in one file


def _wide_path(root: Path, settings: Settings) -> str | None:
    """The wide file: as task.toml says, or the only data file, if it reads as one."""
    if settings.wide is not None and settings.wide.path is not None:
        return settings.wide.path
    says_otherwise = settings.gold_path is not None or settings.files is not None
    if settings.wide is None and (says_otherwise or (root / folders.SUBMISSIONS).exists()):
        return None
    data = folders.data_files(folders.list_folder(root, "").files)
    if settings.wide is not None and len(data) != 1:
        found = f"{plural(len(data), 'data file')} at the top of the folder"
        raise InputError(
            [settings.issue("bad-setting", found, "wide", expected="path in [wide], where there is not exactly one")]
        )
    if len(data) != 1:
        return None
    return data[0] if settings.wide is not None or _reads_as_wide(root, data[0]) else None


def _reads_as_wide(root: Path, path: str) -> bool:
    try:
        return is_wide(decode(path, read_bytes(root, path)))
    except InputError:
        return False


def _read_wide(root: Path, path: str, settings: Settings, on_progress: Progress | None) -> _Parts:
    wide = settings.wide or Wide()
    data = read_bytes(root, path)
    table = read_wide(decode(path, data, wide.keys.encoding), wide)
    source = SourceFile.of(path, data)
    gold = build_gold(table.gold, settings.labels, path, source)
    target = Target(gold)

    def read(claim: Claim) -> _Answer:
        answer = _answer(claim, table.systems[claim.team], target, settings, source)
        return _of_column(answer, claim.team)

    answers = _read_all([Claim(path, name) for name in table.systems], on_progress, read)
    return _Parts(gold, answers, [f"{path}: {table}."], [path])


def _of_column(answer: _Answer, column: str) -> _Answer:
    """The answer, its issues naming the column."""
    named = tuple(replace(issue, found=f"column {quoted(column)}: {issue.found}") for issue in answer.issues)
    submission = answer.submission and replace(answer.submission, issues=named)
    return replace(answer, issues=named, submission=submission)


# Judging what was read


def _judged(root: Path, settings: Settings, parts: _Parts, *, skip_rejected: bool) -> Campaign:
    """The campaign, unless something in it has to be mended first."""
    twins = _duplicate_teams(parts.answers, settings)
    task, task_issues = _task(root, settings, parts)
    accepted = [answer.submission for answer in parts.answers if answer.submission and answer not in twins]
    rejections = [
        *(Rejection(issue.file, (issue,)) for issue in parts.misplaced),
        *(
            Rejection(answer.claim.path, (*answer.issues, *twins.get(answer, ())))
            for answer in parts.answers
            if answer.submission is None or answer in twins
        ),
    ]
    missing = [] if parts.answers or parts.misplaced else [_no_submissions(settings)]
    if task_issues or missing or (rejections and not (skip_rejected and accepted)):
        of_files = [issue for rejection in rejections for issue in rejection.issues]
        of_accepted = [issue for submission in accepted for issue in submission.issues]
        raise InputError([*task_issues, *missing, *of_files, *of_accepted])
    return Campaign(
        task,
        parts.gold,
        tuple(sorted(accepted, key=lambda submission: (submission.team, submission.run or ""))),
        tuple(rejections),
        folders.unclaimed(root, parts.claimed),
        settings.source,
    )


def _duplicate_teams(answers: Sequence[_Answer], settings: Settings) -> dict[_Answer, list[Issue]]:
    """An issue for every submission whose name folds to that of another."""
    by_name: defaultdict[tuple[str, str | None], list[_Answer]] = defaultdict(list)
    for answer in answers:
        team = settings.teams.get(answer.claim.team, answer.claim.team)
        run = answer.claim.run
        by_name[slugify(team), None if run is None else slugify(run)].append(answer)
    return {answer: [_twin(answer, group)] for group in by_name.values() if len(group) > 1 for answer in group}


def _twin(answer: _Answer, group: Sequence[_Answer]) -> Issue:
    others = [other.claim for other in group if other is not answer]
    where = listed([quoted(claim.path if claim.path != answer.claim.path else claim.team, 200) for claim in others])
    return Issue.of(
        "duplicate-team", answer.claim.path, f"the team {quoted(answer.claim.team)} is also that of {where}"
    )


def _task(root: Path, settings: Settings, parts: _Parts) -> tuple[Task, list[Issue]]:
    name = root.resolve().name
    label_set = parts.gold.label_set
    issues = _unknown_teams(settings, parts.answers)
    prevalences = _prevalences(settings, parts.gold, issues)
    task = Task(
        slug=settings.slug or _slug_of(name),
        title=settings.title or name or "Campaign",
        label_set=label_set,
        official_metric=_official_metric(settings, label_set, issues),
        official_decimals=settings.official_decimals,
        strict=bool(settings.strict),
        prevalences=prevalences,
        assumptions=(*_task_sentences(settings, label_set), *parts.assumptions),
    )
    return task, issues


def _slug_of(name: str) -> str:
    """A folder's name as a task's slug."""
    return re.sub(r"[^\w.]+", "-", slugify(name)).strip("-._")[:100] or "campaign"


def _task_sentences(settings: Settings, label_set: LabelSet) -> list[str]:
    sentences = []
    if settings.title is None:
        reason = f"No {FILE_NAME}" if settings.source is None else f"{FILE_NAME} states no title"
        sentences.append(f"{reason}: the title is the folder's name.")
    if settings.labels is None:
        labels = listed([quoted(label) for label in label_set], limit=30)
        sentences.append(f"The label set is taken from gold, in sorted order: {labels}.")
    if settings.official_metric is None:
        sentences.append("No official metric is stated.")
    return sentences


def _unknown_teams(settings: Settings, answers: Sequence[_Answer]) -> list[Issue]:
    teams = {answer.claim.team for answer in answers}
    return [
        settings.issue(
            "bad-setting",
            f"no submission is by the team {quoted(name)}.{did_you_mean(name, teams)}",
            "teams",
            name,
            expected="a team's name as the file names give it",
        )
        for name in settings.teams
        if name not in teams
    ]


def _prevalences(settings: Settings, gold: Gold, issues: list[Issue]) -> tuple[Prevalence, ...]:
    present = [label for label, count in zip(gold.label_set, _counts(gold), strict=True) if count]
    found = []
    for name, shares in settings.prevalences.items():
        missing = [quoted(label) for label in present if label not in shares]
        further = [quoted(label) for label in shares if label not in present]
        total = math.fsum(shares.values())
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
            found.append(Prevalence(name, scaled))
    return tuple(found)


def _counts(gold: Gold) -> list[int]:
    counts: list[int] = np.bincount(gold.codes, minlength=len(gold.label_set)).tolist()
    return counts


def _official_metric(settings: Settings, label_set: LabelSet, issues: list[Issue]) -> ScoreKey | None:
    if settings.official_metric is None:
        return None
    try:
        key = parse_score_key(settings.official_metric, label_set)
    except MetricNameError as error:
        issues.append(settings.issue("bad-metric", str(error), "official_metric"))
        return None
    known = [OBSERVED.name, BALANCED.name, *settings.prevalences]
    if key.prevalence not in known:
        found = f"there is no prevalence {quoted(key.prevalence)}.{did_you_mean(key.prevalence, known)}"
        issues.append(settings.issue("bad-metric", found, "official_metric"))
    return key
