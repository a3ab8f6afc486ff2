"""Submissions from their files, in this process, or in several where there is much to read."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from audit.domain import Gold, JournalEntry, SourceFile, Submission
from audit.errors import InputError, Issue
from audit.execution import THIS_PROCESS, Executor, Progress, counted
from audit.formats.align.alignment import Target
from audit.formats.campaign.claims import FileClaim
from audit.formats.campaign.conventions import check_name
from audit.formats.campaign.submission import Checked, facts_of, read_submission
from audit.formats.campaign.task_building import shown_name
from audit.formats.files.tree import Tree
from audit.formats.settings.task_settings import Settings
from audit.formats.table.parsed import Table, TaskFacts

MUCH = 50_000_000
"""Below this size in bytes, worker processes cost more than they save: each starts as slowly as some MB are read."""


@dataclass(frozen=True, eq=False)
class Answer:
    """The result of reading one submission file."""

    claim: FileClaim  # the path, team and run of the file
    submission: Submission | None  # the submission; None where it is rejected
    issues: tuple[Issue, ...]  # everything found in it
    assumption: str | None = None  # how it was read, where task.toml leaves some of it open
    journal: tuple[JournalEntry, ...] = ()  # what was read, repaired and decided


@dataclass(frozen=True, eq=False)
class ReadingContext:
    """The context in which submissions of a test set are read. Other processes get it without the bytes of gold."""

    tree: Tree
    gold: Gold
    table: Table  # the gold file as read
    settings: Settings
    gold_file: str | None = None  # the digest of the gold file's bytes, unpacked

    @cached_property
    def target(self) -> Target:
        """Gold as submissions are aligned with it."""
        return Target(self.gold, self.table.sequences, self.gold_file)

    @cached_property
    def facts(self) -> TaskFacts:
        """Facts that gold gives about the submissions."""
        return facts_of(self.target, self.table.layout)

    def __reduce__(self) -> tuple[type["ReadingContext"], tuple[Tree, Gold, Table, Settings, str | None]]:
        gold = replace(self.gold, source=None, group_file=None)
        table = replace(self.table, ids=None, labels=(), lines=(), issues=())
        return ReadingContext, (self.tree, gold, table, self.settings, self.gold_file)


def read_claims(
    context: ReadingContext,
    claims: Sequence[FileClaim],
    *,
    executor: Executor = THIS_PROCESS,
    on_progress: Progress | None = None,
) -> list[Answer]:
    """Every submission in the order of the claims, whatever is wrong with it."""
    is_worth_it = executor.n_workers > 1 and context.tree.size(claim.path for claim in claims) >= MUCH
    answers = (executor if is_worth_it else THIS_PROCESS).map(read_claim, context, claims)
    return list(counted(answers, len(claims), on_progress))


def read_claim(context: ReadingContext, claim: FileClaim) -> Answer:
    """One submission, whatever is wrong with it."""
    try:
        check_name(claim.path)
        data = context.tree.original(claim.path)
    except InputError as error:
        return Answer(claim, None, error.issues)
    settings = context.settings.of_submission(claim.path, claim.run, claim.team, score=claim.score)
    read = read_submission(claim.path, data, settings, context.facts, context.target)
    return answer_of(claim, read, context.settings, SourceFile.of(claim.path, data))


def answer_of(claim: FileClaim, read: Checked, settings: Settings, source: SourceFile) -> Answer:
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
        read.scores,
    )
    return Answer(claim, submission, read.issues, assumption, read.journal)
