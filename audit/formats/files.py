"""Gold and submissions: every file read and aligned, whatever is wrong with others."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from audit.domain import Gold, SourceFile, Submission
from audit.errors import InputError, Issue
from audit.formats import folder as folders
from audit.formats.align import Target, align
from audit.formats.content import decode, read_bytes
from audit.formats.folder import Claim
from audit.formats.gold import build_gold
from audit.formats.issues import capped
from audit.formats.reading import Known, Reading, Table
from audit.formats.recognise import read_table
from audit.formats.settings import Settings, Wide
from audit.formats.wide import is_wide, looks_wide, read_wide
from audit.text import plural, quoted, visible

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Answer:
    """What became of one submission: None where it is rejected, with its issues, and how it was read."""

    claim: Claim
    submission: Submission | None
    issues: tuple[Issue, ...]
    assumption: str | None = None


@dataclass(frozen=True, eq=False)
class Parts:
    """Everything that was read, before it is judged.

    ``misplaced`` are issues of places rather than files; ``assumptions`` say how files were read.
    """

    gold: Gold
    answers: Sequence[Answer]
    assumptions: Sequence[str]
    claimed: Sequence[str]
    misplaced: Sequence[Issue] = ()


# Gold and submissions in files of their own


def read_files(root: Path, settings: Settings, on_progress: Progress | None) -> Parts:
    """Gold, and every submission beside it.

    Raises
    ------
    InputError
        With everything that is wrong with gold, and with the places of submissions.
    """
    claims, misplaced = _claims(root, settings)
    try:
        path = settings.gold_path or folders.find_gold(root)
        table, gold = read_gold(root, path, settings)
    except InputError as error:
        missing = [] if claims else [no_submissions(root, settings)]
        raise InputError([*error.issues, *misplaced, *missing]) from None
    claims = [claim for claim in claims if claim.path != path]
    target = Target(gold, table.sequences)
    known = known_of(target, table.reading)
    answers = _read_all(claims, on_progress, lambda claim: _read_submission(root, claim, settings, known, target))
    gold_sentence = [] if table.reading.stated else [f"{visible(path, 200)}: {table.reading}."]
    assumptions = [*gold_sentence, *_reading_sentences(answers)]
    return Parts(gold, answers, assumptions, [path, *(claim.path for claim in claims)], misplaced)


def _claims(root: Path, settings: Settings) -> tuple[list[Claim], list[Issue]]:
    if settings.files is None:
        return folders.conventional_claims(root, settings.ignore)
    return folders.matching_claims(root, settings.files, settings.ignore)


def no_submissions(root: Path, settings: Settings) -> Issue:
    """The issue for a campaign without submissions."""
    if settings.files is None:
        expected_place = f"{folders.SUBMISSIONS}/"
        misspelt = folders.misspelt_submissions(root)
        if misspelt is None:
            return Issue.of("no-submissions", expected_place, "no file is there")
        found = f"there is no such folder, but there is {quoted(misspelt + '/')}: upper and lower case count"
        remedy = f'rename it to {expected_place}, or write into task.toml, under [submissions]: files = "{misspelt}/…"'
        return Issue.of("no-submissions", expected_place, found, remedy=remedy)
    return settings.issue("no-submissions", f"no file matches {quoted(settings.files.text)}", "submissions", "files")


def known_of(target: Target, reading: Reading) -> Known:
    """What gold says about the submissions."""
    gold = target.gold
    return Known(gold.label_set.code_of, target.position_of, gold.n_items, reading)


def read_gold(root: Path, path: str, settings: Settings) -> tuple[Table, Gold]:
    """The gold file as a table and as Gold.

    Raises
    ------
    InputError
        With everything that is wrong with it.
    """
    folders.check_name(path)
    data = read_bytes(root, path)
    declared = None if settings.labels is None else dict.fromkeys(settings.labels)
    content = decode(path, data, settings.gold.encoding)
    table = read_table(content, settings.gold, Known(declared))
    return table, build_gold(table, settings.labels, path, SourceFile.of(path, data))


def _read_submission(root: Path, claim: Claim, settings: Settings, known: Known, target: Target) -> Answer:
    try:
        folders.check_name(claim.path)
        data = read_bytes(root, claim.path)
        content = decode(claim.path, data, settings.submissions.encoding)
        table = read_table(content, settings.submissions, known)
    except InputError as error:
        return Answer(claim, None, capped(error.issues))
    realigned = table.ids is None and known.ids is not None
    how = f"{table.reading}; aligned with gold by position" if realigned else str(table.reading)
    assumption = how if realigned or not table.reading.stated else None
    return _answer(claim, table, target, settings, SourceFile.of(claim.path, data), how=assumption)


def _answer(  # noqa: PLR0913 - whose table it is, what it is aligned with, and what is said about it
    claim: Claim, table: Table, target: Target, settings: Settings, source: SourceFile, *, how: str | None = None
) -> Answer:
    aligned = align(table, target, claim.path, settings.policies)
    if aligned.codes is None or any(issue.fatal for issue in aligned.issues):
        return Answer(claim, None, aligned.issues, how)
    team = settings.teams.get(claim.team, claim.team)
    submission = Submission(team, aligned.codes, claim.run, aligned.unusable_labels, aligned.issues, source)
    return Answer(claim, submission, aligned.issues, how)


def _read_all(claims: Sequence[Claim], on_progress: Progress | None, read: Callable[[Claim], Answer]) -> list[Answer]:
    answers = []
    for claim in claims:
        answers.append(read(claim))
        if on_progress is not None:
            on_progress(len(answers), len(claims))
    return answers


def _reading_sentences(answers: Iterable[Answer]) -> list[str]:
    """One sentence for all submissions that were read alike, most frequent first."""
    counts = Counter(answer.assumption for answer in answers if answer.assumption is not None)
    return [f"{plural(count, 'submission')}: {how}." for how, count in counts.most_common()]


# Gold and systems in one file


def wide_file(root: Path, settings: Settings) -> str | None:
    """The wide file: as task.toml says, or the only data file, if it reads as one or at least looks like one."""
    if settings.wide is not None and settings.wide.path is not None:
        return settings.wide.path
    says_otherwise = settings.gold_path is not None or settings.files is not None
    if settings.wide is None and (says_otherwise or _has_submissions(root)):
        return None
    data = folders.data_files(folders.list_folder(root, "").files)
    if settings.wide is not None and len(data) != 1:
        found = f"{plural(len(data), 'data file')} at the top of the folder"
        raise InputError(
            [settings.issue("bad-setting", found, "wide", expected="path in [wide], where there is not exactly one")]
        )
    if len(data) != 1:
        return None
    return data[0] if settings.wide is not None or _seems_wide(root, data[0]) else None


def _has_submissions(root: Path) -> bool:
    return (root / folders.SUBMISSIONS).exists() or folders.misspelt_submissions(root) is not None


def _seems_wide(root: Path, path: str) -> bool:
    """Whether a file is to be read as a wide one; gold.* is that, with whatever columns, unless all of them fit."""
    try:
        content = decode(path, read_bytes(root, path))
    except InputError:
        return False
    return is_wide(content) or (not path.startswith("gold.") and looks_wide(content))


def read_wide_file(root: Path, path: str, settings: Settings, on_progress: Progress | None) -> Parts:
    """Gold and systems of one wide file.

    Raises
    ------
    InputError
        With everything that is wrong with the file or its gold column.
    """
    folders.check_name(path)
    wide = settings.wide or Wide()
    data = read_bytes(root, path)
    table = read_wide(decode(path, data, wide.keys.encoding), wide)
    source = SourceFile.of(path, data)
    gold = build_gold(table.gold, settings.labels, path, source)
    target = Target(gold)

    def read(claim: Claim) -> Answer:
        answer = _answer(claim, table.systems[claim.team], target, settings, source)
        return _of_column(answer, claim.team)

    answers = _read_all([Claim(path, name) for name in table.systems], on_progress, read)
    return Parts(gold, answers, [] if table.gold.reading.stated else [f"{visible(path, 200)}: {table}."], [path])


def _of_column(answer: Answer, column: str) -> Answer:
    """The answer, its issues naming the column."""
    named = tuple(replace(issue, found=f"column {quoted(column)}: {issue.found}") for issue in answer.issues)
    submission = answer.submission and replace(answer.submission, issues=named)
    return replace(answer, issues=named, submission=submission)
