"""One submission's bytes → its label codes in gold order and every issue, the same for a load and for a check."""

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from audit.domain import Gold, JournalEntry, Policies
from audit.domain.arrays import Codes
from audit.errors import InputError, Issue
from audit.formats.align.alignment import Target, align
from audit.formats.align.score_column import KeptScores, scores_of
from audit.formats.campaign.claims import FileClaim
from audit.formats.campaign.conventions import check_name, only_member
from audit.formats.campaign.file_journal import journal_of
from audit.formats.campaign.single_file import settings_of_file
from audit.formats.files.compressed import unpacked
from audit.formats.files.content import Content, decode
from audit.formats.recognise.unique_layout import read_table
from audit.formats.recognise.wide import read_wide
from audit.formats.settings.keys import SILENT, Keys
from audit.formats.settings.layout import Layout
from audit.formats.settings.parsing import parse_settings
from audit.formats.settings.task_settings import Settings
from audit.formats.table.issues import capped
from audit.formats.table.parsed import Table, TaskFacts


@dataclass(frozen=True, eq=False)
class Checked:
    """The result of reading one submission."""

    path: str
    codes: Codes | None  # the label codes in gold order; None where the file is rejected
    unusable_labels: tuple[tuple[str, int], ...] = ()  # the labels outside the label set
    issues: tuple[Issue, ...] = ()  # everything found; a fatal one where the file is rejected
    layout: str | None = None  # how it was read, in words; None where it could not be
    is_assumed: bool = False  # whether task.toml leaves some of the layout open
    journal: tuple[JournalEntry, ...] = ()  # what was read, repaired and decided
    scores: NDArray[np.float64] | None = None  # in gold order; None where none are kept

    @property
    def is_accepted(self) -> bool:
        """Whether a load would accept the file."""
        return self.codes is not None


def check_submission(  # noqa: PLR0913 - the file, and all that a load would know beside it
    path: str,
    data: bytes,
    gold: Gold,
    settings: bytes | None,
    *,
    part: str | None = None,
    policies: Policies | None = None,
    claims: Sequence[FileClaim] = (),
    place: str | None = None,
) -> Checked:
    r"""Check one file exactly as loading its campaign would.

    >>> import numpy as np
    >>> from audit.domain import LabelSet
    >>> gold = Gold(LabelSet(("no", "yes")), np.array([0, 1], "u1"), ("1", "2"))
    >>> checked = check_submission("A.csv", b"id,label\n2,yes\n1,nope\n", gold, None)
    >>> checked.codes.tolist(), checked.unusable_labels
    ([3, 1], (('nope', 1),))
    >>> check_submission("A.csv", b"id,label\n1,no\n1,no\n", gold, None).issues[0].slug
    'duplicate-item'
    """
    parsed = Settings() if settings is None else parse_settings(settings, part)
    if policies is not None:
        parsed = replace(parsed, policies=policies)
    name = path
    try:
        check_name(path)
        path, data = only_member(path, data)
    except InputError as error:
        return Checked(path, None, issues=error.issues)
    target = Target(gold)
    table = _gold_table(target, parsed)
    target = Target(gold, None if table is None else table.sequences, gold_digest(gold))
    parsed = settings_of_file(name, place, parsed, claims)
    return read_submission(path, data, parsed, facts_of(target, None if table is None else table.layout), target)


def gold_digest(gold: Gold) -> str | None:
    """The digest of the gold file's bytes, unpacked; None where there is no file, or its bytes are not at hand."""
    source = gold.source
    if source is None or source.compressed is None:
        return None
    with suppress(InputError):
        return digest_of(unpacked(source.path, source.content))
    return None


def _refuse_copy(path: str, data: bytes, settings: Settings, target: Target) -> None:
    if settings.policies.gold_copy == "refuse" and target.gold_file == digest_of(data):
        raise InputError([Issue.of("gold-copy", path, "it is the gold file, byte for byte")])


def _refuse_without_scores(path: str, keys: Keys) -> None:
    """Labels are made of scores, and task.toml says for other submissions what their column is called."""
    if keys.makes_labels and keys.label is None:
        defect = "score names the columns of other submissions, and none of this one"
        remedy = 'write under [submissions] into score what it is called here, or "*" for all others'
        raise InputError([Issue.of("no-such-column", path, defect, expected="a column of scores", remedy=remedy)])


def digest_of(data: bytes) -> str:
    """The digest of some bytes."""
    return hashlib.sha256(data).hexdigest()


def read_submission(path: str, data: bytes, settings: Settings, facts: TaskFacts, target: Target) -> Checked:
    """Read and align one submission, whatever is wrong with it."""
    try:
        unpacked_data = unpacked(path, data)
        _refuse_copy(path, unpacked_data, settings, target)
        _refuse_without_scores(path, settings.submissions)
        content = decode(path, unpacked_data, settings.submissions.encoding)
        table = read_table(content, settings.submissions, facts)
    except InputError as error:
        return Checked(path, None, issues=capped(error.issues))
    is_realigned = table.ids is None and facts.ids is not None
    return checked(path, table, target, settings.policies, settings.submissions, is_realigned=is_realigned)


def checked(  # noqa: PLR0913 - a table, and all that says how it is aligned
    path: str, table: Table, target: Target, policies: Policies, keys: Keys = SILENT, *, is_realigned: bool = False
) -> Checked:
    """Align one table with gold; realigned is one without ids beside gold with them."""
    aligned, kept = align(table, target, path, policies), _NOTHING_KEPT
    if aligned.row_of is not None and keys.scored_label(target.gold.label_set) is not None:
        kept = scores_of(table, aligned.row_of, path, policies, keys.score)
        aligned = replace(aligned, issues=(*aligned.issues, *kept.issues))
    is_rejected = aligned.codes is None or any(issue.fatal for issue in aligned.issues)
    return Checked(
        path,
        codes=None if is_rejected else aligned.codes,
        unusable_labels=aligned.unusable_labels,
        issues=aligned.issues,
        layout=f"{table.layout}; aligned with gold by position" if is_realigned else str(table.layout),
        is_assumed=is_realigned or not table.layout.stated,
        journal=(*journal_of(path, table, aligned.issues, None if is_rejected else policies), *kept.journal),
        scores=None if is_rejected else kept.scores,
    )


_NOTHING_KEPT = KeptScores(None)


def facts_of(target: Target, layout: Layout | None) -> TaskFacts:
    """Facts that gold gives about the submissions."""
    gold = target.gold
    return TaskFacts(gold.label_set.code_of, target.position_of, gold.n_items, layout)


def _gold_table(target: Target, settings: Settings) -> Table | None:
    """The gold file as it was read when its campaign was loaded; None where gold came from no file."""
    source = target.gold.source
    if source is None:
        return None
    path, data = source.path, source.content
    encoding = settings.gold.encoding if settings.wide is None else settings.wide.keys.encoding
    try:
        return _table_of(decode(path, unpacked(path, data), encoding), target, settings)
    except InputError:  # settings that have changed since say nothing about it
        return None


def _table_of(content: Content, target: Target, settings: Settings) -> Table:
    if settings.wide is not None:
        return read_wide(content, settings.wide).gold
    with suppress(InputError):  # gold answers itself: that this is the only layout is seen from its first lines
        table = read_table(content, settings.gold, facts_of(target, None))
        if table.ids is not None and target.has_ids(table.ids):
            return table
    declared = None if settings.toml.labels is None else dict.fromkeys(settings.toml.labels)
    try:
        return read_table(content, settings.gold, TaskFacts(declared))
    except InputError:
        return read_wide(content).gold
