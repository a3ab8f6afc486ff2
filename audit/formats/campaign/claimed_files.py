"""Submissions from their files: one after the other, or by several processes where there is much to read."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path

from audit.domain import Gold, JournalEntry, SourceFile, Submission
from audit.errors import InputError, Issue
from audit.formats.align.alignment import Target
from audit.formats.campaign.claims import Claim
from audit.formats.campaign.conventions import check_name
from audit.formats.campaign.submission import Checked, known_of, read_submission
from audit.formats.campaign.task_building import shown_name
from audit.formats.files.tree import Tree
from audit.formats.settings.task_settings import Settings
from audit.formats.table.parsed import Known, Table

Progress = Callable[[int, int], None]

MUCH = 50_000_000
"""So many bytes are worth the start of further processes, which takes as long as reading some megabytes."""


@dataclass(frozen=True, eq=False)
class Answer:
    """What became of one submission.

    Parameters
    ----------
    claim : Claim
        Where it is and whose.
    submission : Submission, optional
        None where it is rejected.
    issues : tuple of Issue
        Everything found in it.
    assumption : str, optional
        How it was read, where task.toml leaves some of it open.
    journal : tuple of JournalEntry
        What was read, repaired and decided.
    """

    claim: Claim
    submission: Submission | None
    issues: tuple[Issue, ...]
    assumption: str | None = None
    journal: tuple[JournalEntry, ...] = ()


@dataclass(frozen=True, eq=False)
class Beside:
    """What submissions are read beside: gold, how it was read, and the settings.

    Parameters
    ----------
    gold : Gold
        The gold labels.
    table : Table
        The gold file as read.
    settings : Settings
        What task.toml says.
    """

    gold: Gold
    table: Table
    settings: Settings

    @cached_property
    def target(self) -> Target:
        """Gold as submissions are aligned with it."""
        return Target(self.gold, self.table.sequences)

    @cached_property
    def known(self) -> Known:
        """What gold says about the submissions."""
        return known_of(self.target, self.table.layout)

    def without_files(self) -> "Beside":
        """The same without what is not needed for reading submissions: the bytes of the gold file, and its rows."""
        table = replace(self.table, ids=None, labels=(), lines=(), issues=())
        return Beside(replace(self.gold, source=None, group_file=None), table, self.settings)


def read_claims(
    tree: Tree, claims: Sequence[Claim], beside: Beside, *, n_processes: int = 1, on_progress: Progress | None = None
) -> list[Answer]:
    """Every submission in the order of the claims, whatever is wrong with it.

    Parameters
    ----------
    tree : Tree
        The files.
    claims : sequence of Claim
        Where the submissions are.
    beside : Beside
        What they are read beside.
    n_processes : int
        Processes that may be used, where there is much to read.
    on_progress : callable, optional
        Called with the number of submissions read and their total.
    """
    n_processes = min(n_processes, len(claims))
    is_worth_it = n_processes > 1 and tree.size(claim.path for claim in claims) >= MUCH
    read = _by_processes(tree.root, claims, beside, n_processes) if is_worth_it else iter(())
    return [
        _counted(answer, number, len(claims), on_progress)
        for number, answer in enumerate(_finished(read, tree, claims, beside), start=1)
    ]


def _counted(answer: Answer, number: int, total: int, on_progress: Progress | None) -> Answer:
    if on_progress is not None:
        on_progress(number, total)
    return answer


def _by_processes(root: Path, claims: Sequence[Claim], beside: Beside, n_processes: int) -> Iterator[Answer]:
    """As many as other processes read, in order; fewer than all where one of them died, for want of memory say."""
    from audit.formats.campaign.processes import read_by_processes  # noqa: PLC0415 - only where there is much to read

    return read_by_processes(root, claims, beside, n_processes)


def _finished(read: Iterator[Answer], tree: Tree, claims: Sequence[Claim], beside: Beside) -> Iterator[Answer]:
    """What other processes read, and the rest."""
    n_read = 0
    for answer in read:
        n_read += 1
        yield answer
    yield from (read_claim(tree, claim, beside) for claim in islice(claims, n_read, None))


def read_claim(tree: Tree, claim: Claim, beside: Beside) -> Answer:
    """One submission, whatever is wrong with it."""
    try:
        check_name(claim.path)
        data = tree.original(claim.path)
    except InputError as error:
        return Answer(claim, None, error.issues)
    read = read_submission(claim.path, data, beside.settings, beside.known, beside.target)
    return answer_of(claim, read, beside.settings, SourceFile.of(claim.path, data))


def answer_of(claim: Claim, read: Checked, settings: Settings, source: SourceFile) -> Answer:
    """The submission under its team's name, if it is accepted."""
    assumption = read.layout if read.is_assumed else None
    if read.codes is None:
        return Answer(claim, None, read.issues, assumption, read.journal)
    submission = Submission(
        shown_name(claim, settings),
        read.codes,
        claim.run,
        read.unusable_labels,
        read.issues,
        source,
        claim.role,
        claim.origin,
    )
    return Answer(claim, submission, read.issues, assumption, read.journal)
