"""The tables of the store. ``docs/store.md`` describes them for readers of the database.

Every load that changes something is one row of ``load``, with all that the campaign said beside its labels; the task's
latest load is what the store holds of it. Gold is kept once for each digest, and a submission belongs to the gold that
its codes are aligned with, from the load that brought it to the load that replaced it.

What was handed in stands in tables. What was computed of it is one JSON document for each evaluation, and scores as
rows; views over both (``migrations/versions/0001_first_schema.py``) answer what people ask in SQL.
"""

import zlib
from collections.abc import Iterable
from functools import cached_property
from typing import Annotated, Any

from sqlalchemy import (
    CheckConstraint,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    MetaData,
    UniqueConstraint,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship

from audit.domain import Role
from audit.store.types import AnyText, Bytes, PlainText, RealNumber, Truth, WholeNumber, check_while_reading


class Base(DeclarativeBase):
    """The base of all tables: the types of their columns and the names of their constraints."""

    type_annotation_map = {  # noqa: RUF012 - SQLAlchemy reads the class attribute
        str: AnyText,
        bytes: Bytes,
        float: RealNumber,
        int: WholeNumber,
        bool: Truth,
    }
    metadata = MetaData(
        naming_convention={
            "pk": "pk_%(table_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
        },
    )

    def __init_subclass__(cls, **options: Any) -> None:  # noqa: ANN401 - what SQLAlchemy takes
        super().__init_subclass__(**options)
        check_while_reading(cls.metadata.tables[cls.__tablename__].columns)


Key = Annotated[int, mapped_column(primary_key=True)]
Part = Annotated[int, mapped_column(primary_key=True, autoincrement=False)]
Plain = Annotated[str, mapped_column(PlainText)]


def _part_of(column: str, **options: Any) -> Mapped[Any]:  # noqa: ANN401 - what mapped_column takes
    """A reference to the row that this one is part of, and goes with."""
    return mapped_column(ForeignKey(column, ondelete="CASCADE"), **options)


def _refers_to(column: str, **options: Any) -> Mapped[Any]:  # noqa: ANN401 - what mapped_column takes
    """A reference to a row that has to stay while this one does (checked when the statement ends)."""
    return mapped_column(ForeignKey(column, ondelete="NO ACTION"), **options)


def _is_digest(column: str) -> CheckConstraint:
    return CheckConstraint(f"length({column}) = 64", column)


def _is_boolean(column: str) -> CheckConstraint:
    return CheckConstraint(f"{column} IN (0, 1)", column)


def _is_one_of(column: str, values: Iterable[str]) -> CheckConstraint:
    return CheckConstraint(f"{column} IN ({', '.join(map(repr, map(str, values)))})", column)


def _at_least(least: int, column: str) -> CheckConstraint:
    return CheckConstraint(f"{column} >= {least}", column)


def _come_together(name: str, one: str, other: str) -> CheckConstraint:
    return CheckConstraint(f"({one} IS NULL) = ({other} IS NULL)", name)


class TaskRow(Base):
    """A task's name; everything else about it may change from load to load."""

    __tablename__ = "task"
    __table_args__ = (CheckConstraint("slug <> ''", "slug"),)

    id: Mapped[Key]
    slug: Mapped[str] = mapped_column(unique=True)
    options: Mapped[Plain]
    """A JSON object: how the task is evaluated where nobody says otherwise. No part of its history."""


class SourceFileRow(Base):
    """An original file's bytes, once for each digest."""

    __tablename__ = "source_file"
    __table_args__ = (
        _is_digest("sha256"),
        CheckConstraint("size >= 0", "size"),
        CheckConstraint("length(compressed) > 0", "compressed"),
    )

    id: Mapped[Key]
    sha256: Mapped[Plain] = mapped_column(unique=True)
    size: Mapped[int]
    crc32: Mapped[int]
    """CRC-32 of the compressed bytes: tells damage without inflating them."""
    compressed: Mapped[bytes]

    @cached_property
    def intact(self) -> bytes:
        """The compressed bytes, after checking that they are those that were written."""
        if zlib.crc32(self.compressed) != self.crc32:
            raise ValueError("an original file is damaged")
        return self.compressed


class GoldRow(Base):
    """One gold of a task: its labels and items. A task has as many as its gold was changed."""

    __tablename__ = "gold"
    __table_args__ = (
        UniqueConstraint("task_id", "digest"),
        _is_digest("digest"),
        CheckConstraint("n_items >= 1", "n_items"),
    )

    id: Mapped[Key]
    task_id: Mapped[int] = _part_of("task.id")
    digest: Mapped[Plain]
    n_items: Mapped[int]
    unit: Mapped[str | None]
    """What a group of items is, in words; NULL where nothing says it, or items are independent."""
    stratified: Mapped[bool] = mapped_column(_is_boolean("stratified"))
    """Whether the class counts were fixed by design."""

    labels: Mapped[list["LabelRow"]] = relationship(order_by="LabelRow.code")
    slices: Mapped[list["SliceColumnRow"]] = relationship(order_by="SliceColumnRow.position")


class LabelRow(Base):
    """A label of the label set, with its code."""

    __tablename__ = "label"
    __table_args__ = (
        UniqueConstraint("gold_id", "name"),
        CheckConstraint("code >= 0", "code"),
        {"sqlite_with_rowid": False},
    )

    gold_id: Mapped[Part] = _part_of("gold.id")
    code: Mapped[Part]
    name: Mapped[str]


class ItemRow(Base):
    """A gold item: where it stands, its id where it has one, and its class."""

    __tablename__ = "item"
    __table_args__ = (
        UniqueConstraint("gold_id", "external_id"),
        CheckConstraint("position >= 0", "position"),
        CheckConstraint("code >= 0", "code"),
        {"sqlite_with_rowid": False},
    )

    gold_id: Mapped[Part] = _part_of("gold.id")
    position: Mapped[Part]
    external_id: Mapped[Plain | None]
    code: Mapped[int]
    group_code: Mapped[int | None]
    """The group it belongs to; NULL where items are independent."""


class SliceColumnRow(Base):
    """A column of the gold file whose values cut the test set into parts."""

    __tablename__ = "slice_column"
    __table_args__ = (CheckConstraint("position >= 0", "position"), {"sqlite_with_rowid": False})

    gold_id: Mapped[Part] = _part_of("gold.id")
    position: Mapped[Part]
    name: Mapped[str]
    codes: Mapped[bytes]
    """Each item's value, a byte for each item in gold order."""

    values: Mapped[list["SliceValueRow"]] = relationship(order_by="SliceValueRow.code")


class SliceValueRow(Base):
    """A value of such a column, with its code."""

    __tablename__ = "slice_value"
    __table_args__ = (
        UniqueConstraint("gold_id", "column_position", "name"),
        CheckConstraint("code >= 0", "code"),
        ForeignKeyConstraint(
            ["gold_id", "column_position"], ["slice_column.gold_id", "slice_column.position"], ondelete="CASCADE"
        ),
        {"sqlite_with_rowid": False},
    )

    gold_id: Mapped[Part]
    column_position: Mapped[Part]
    code: Mapped[Part]
    name: Mapped[str]


class LoadRow(Base):
    """A load that changed something, and all that the campaign said beside its labels."""

    __tablename__ = "load"
    __table_args__ = (
        _is_digest("fingerprint"),
        _is_digest("words_digest"),
        _is_boolean("labels_declared"),
        CheckConstraint("official_decimals >= 0", "official_decimals"),
        _come_together("official", "official_metric", "official_prevalence"),
        _come_together("gold_file", "gold_path", "gold_file_id"),
        _come_together("group_file", "group_path", "group_file_id"),
        _come_together("label_names_file", "label_names_path", "label_names_file_id"),
        _come_together("roster_file", "roster_path", "roster_file_id"),
        _come_together("settings_file", "settings_path", "settings_file_id"),
        CheckConstraint("part IS NULL OR family IS NOT NULL", "part"),
    )

    id: Mapped[Key]
    task_id: Mapped[int] = _part_of("task.id", index=True)
    gold_id: Mapped[int] = _refers_to("gold.id", index=True)
    loaded_at: Mapped[Plain]
    program_version: Mapped[Plain]
    fingerprint: Mapped[Plain]
    title: Mapped[str]
    note: Mapped[str]
    labels_declared: Mapped[bool]
    rest_label: Mapped[str | None]
    official_metric: Mapped[str | None]
    official_prevalence: Mapped[str | None]
    official_decimals: Mapped[int | None]
    family: Mapped[str | None]
    part: Mapped[str | None]
    overall: Mapped[str | None]
    weight: Mapped[float]
    scored_label: Mapped[str | None]
    """The label that a higher score of an item speaks for; NULL where scores of items are not kept."""
    gold_path: Mapped[str | None]
    gold_file_id: Mapped[int | None] = _refers_to("source_file.id", index=True)
    group_path: Mapped[str | None]
    """The file that says which items belong together, where it is not the gold file."""
    group_file_id: Mapped[int | None] = _refers_to("source_file.id", index=True)
    label_names_path: Mapped[str | None]
    """The file that gives labels their names."""
    label_names_file_id: Mapped[int | None] = _refers_to("source_file.id", index=True)
    roster_path: Mapped[str | None]
    """The table of the submissions."""
    roster_file_id: Mapped[int | None] = _refers_to("source_file.id", index=True)
    settings_path: Mapped[str | None]
    settings_file_id: Mapped[int | None] = _refers_to("source_file.id", index=True)
    words_digest: Mapped[Plain]
    """Of journal, assumptions and the words of issues: the fingerprint leaves them out, they make no other campaign."""

    task: Mapped[TaskRow] = relationship()
    gold: Mapped[GoldRow] = relationship()
    gold_file: Mapped[SourceFileRow | None] = relationship(foreign_keys=[gold_file_id])
    group_file: Mapped[SourceFileRow | None] = relationship(foreign_keys=[group_file_id])
    label_names_file: Mapped[SourceFileRow | None] = relationship(foreign_keys=[label_names_file_id])
    roster_file: Mapped[SourceFileRow | None] = relationship(foreign_keys=[roster_file_id])
    settings_file: Mapped[SourceFileRow | None] = relationship(foreign_keys=[settings_file_id])
    label_names: Mapped[list["LabelNameRow"]] = relationship(order_by="LabelNameRow.code")
    policies: Mapped[list["PolicyRow"]] = relationship(order_by="PolicyRow.slug")
    chosen_runs: Mapped[list["ChosenRunRow"]] = relationship(order_by="ChosenRunRow.position")
    journal: Mapped[list["JournalRow"]] = relationship(order_by="JournalRow.position")
    prevalences: Mapped[list["PrevalenceRow"]] = relationship(order_by="PrevalenceRow.position")
    assumptions: Mapped[list["AssumptionRow"]] = relationship(order_by="AssumptionRow.position")
    rejections: Mapped[list["RejectionRow"]] = relationship(order_by="RejectionRow.position")
    ignored_files: Mapped[list["IgnoredFileRow"]] = relationship(order_by="IgnoredFileRow.position")
    published: Mapped["PublishedTableRow | None"] = relationship(viewonly=True)


class LabelNameRow(Base):
    """What readers see in place of a label, by its code; of every label of the load's gold, or of none."""

    __tablename__ = "label_name"
    __table_args__ = (UniqueConstraint("load_id", "name"), {"sqlite_with_rowid": False})

    load_id: Mapped[Part] = _part_of("load.id")
    code: Mapped[Part]
    name: Mapped[str]


class PolicyRow(Base):
    """A policy in force, whether by default or not."""

    __tablename__ = "policy"
    __table_args__ = ({"sqlite_with_rowid": False},)

    load_id: Mapped[Part] = _part_of("load.id")
    slug: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[str]


class ChosenRunRow(Base):
    """The run that counts for a team by name, whatever the run policy says."""

    __tablename__ = "chosen_run"
    __table_args__ = ({"sqlite_with_rowid": False},)

    load_id: Mapped[Part] = _part_of("load.id")
    position: Mapped[Part]
    team: Mapped[str]
    run: Mapped[str]
    reason: Mapped[str]


class JournalRow(Base):
    """A thing that was done while the campaign was read."""

    __tablename__ = "journal"
    __table_args__ = ({"sqlite_with_rowid": False},)

    load_id: Mapped[Part] = _part_of("load.id")
    position: Mapped[Part]
    action: Mapped[str]
    subject: Mapped[str]
    text: Mapped[str]
    count: Mapped[int]


class PrevalenceRow(Base):
    """A named prevalence."""

    __tablename__ = "prevalence"
    __table_args__ = (UniqueConstraint("load_id", "position"),)

    id: Mapped[Key]
    load_id: Mapped[int] = _part_of("load.id")
    position: Mapped[int]
    name: Mapped[str]

    shares: Mapped[list["PrevalenceShareRow"]] = relationship(order_by="PrevalenceShareRow.position")


class PrevalenceShareRow(Base):
    """The share that a named prevalence gives to a class."""

    __tablename__ = "prevalence_share"
    __table_args__ = (CheckConstraint("share > 0", "share"), {"sqlite_with_rowid": False})

    prevalence_id: Mapped[Part] = _part_of("prevalence.id")
    position: Mapped[Part]
    label: Mapped[str]
    share: Mapped[float]


class AssumptionRow(Base):
    """What was assumed because no task.toml says it."""

    __tablename__ = "assumption"
    __table_args__ = ({"sqlite_with_rowid": False},)

    load_id: Mapped[Part] = _part_of("load.id")
    position: Mapped[Part]
    sentence: Mapped[str]


class IgnoredFileRow(Base):
    """A file of the campaign folder that no rule claims."""

    __tablename__ = "ignored_file"
    __table_args__ = ({"sqlite_with_rowid": False},)

    load_id: Mapped[Part] = _part_of("load.id")
    position: Mapped[Part]
    path: Mapped[str]


class RejectionRow(Base):
    """A file that was not accepted; its issues say why."""

    __tablename__ = "rejection"
    __table_args__ = (UniqueConstraint("load_id", "position"),)

    id: Mapped[Key]
    load_id: Mapped[int] = _part_of("load.id")
    position: Mapped[int]
    path: Mapped[str]

    issues: Mapped[list["IssueRow"]] = relationship(order_by="IssueRow.position")


class PublishedTableRow(Base):
    """The table of published scores that a load brought."""

    __tablename__ = "published_table"

    load_id: Mapped[Part] = _part_of("load.id")
    path: Mapped[str]
    source_file_id: Mapped[int | None] = _refers_to("source_file.id", index=True)

    source_file: Mapped[SourceFileRow | None] = relationship(viewonly=True)
    teams: Mapped[list["PublishedTeamRow"]] = relationship(order_by="PublishedTeamRow.position", viewonly=True)
    columns: Mapped[list["PublishedColumnRow"]] = relationship(order_by="PublishedColumnRow.position", viewonly=True)
    scores: Mapped[list["PublishedScoreRow"]] = relationship(viewonly=True)


class PublishedTeamRow(Base):
    """A row of a published table: a team's name as it stands there."""

    __tablename__ = "published_team"
    __table_args__ = ({"sqlite_with_rowid": False},)

    load_id: Mapped[Part] = _part_of("published_table.load_id")
    position: Mapped[Part]
    team: Mapped[str]


class PublishedColumnRow(Base):
    """A column of a published table; what holds no scores is set aside."""

    __tablename__ = "published_column"
    __table_args__ = ({"sqlite_with_rowid": False},)

    load_id: Mapped[Part] = _part_of("published_table.load_id")
    position: Mapped[Part]
    heading: Mapped[str]
    set_aside: Mapped[str | None]
    """Why it holds no scores; NULL where it does."""


class PublishedScoreRow(Base):
    """A published score; a team without one has no row."""

    __tablename__ = "published_score"
    __table_args__ = (
        ForeignKeyConstraint(
            ["load_id", "column_position"],
            ["published_column.load_id", "published_column.position"],
            ondelete="CASCADE",
        ),
        ForeignKeyConstraint(
            ["load_id", "team_position"], ["published_team.load_id", "published_team.position"], ondelete="CASCADE"
        ),
        _at_least(0, "decimals"),
        _is_boolean("percent"),
        {"sqlite_with_rowid": False},
    )

    load_id: Mapped[Part] = _part_of("published_table.load_id")
    column_position: Mapped[Part]
    team_position: Mapped[Part]
    printed: Mapped[str]
    units: Mapped[int]
    """The digits of the cell as a whole number, with the sign."""
    decimals: Mapped[int]
    percent: Mapped[bool]


class SubmissionRow(Base):
    """A submission with its packed codes; current while ``replaced_in`` is NULL."""

    __tablename__ = "submission"
    __table_args__ = (
        _is_digest("fingerprint"),
        _is_digest("words_digest"),
        _come_together("source_file", "path", "source_file_id"),
        CheckConstraint("replaced_in > loaded_in", "replaced_in"),
        CheckConstraint("n_missing >= 0", "n_missing"),
        CheckConstraint("n_unusable >= 0", "n_unusable"),
        CheckConstraint("length(codes) > 0", "codes"),
        CheckConstraint("length(scores) > 0", "scores"),
    )

    id: Mapped[Key]
    gold_id: Mapped[int] = _part_of("gold.id", index=True)
    loaded_in: Mapped[int] = _refers_to("load.id", index=True)
    replaced_in: Mapped[int | None] = _refers_to("load.id", index=True)
    position: Mapped[int]
    team: Mapped[str]
    run: Mapped[str | None]
    path: Mapped[str | None]
    source_file_id: Mapped[int | None] = _refers_to("source_file.id", index=True)
    n_missing: Mapped[int]
    n_unusable: Mapped[int]
    fingerprint: Mapped[Plain]
    words_digest: Mapped[Plain]
    """Of the words of its issues, which the fingerprint leaves out."""
    codes: Mapped[bytes]
    scores: Mapped[bytes | None]
    """Its score of each item in gold order, 8 bytes each, little-endian; NULL where it has not one for every item."""
    role: Mapped[str] = mapped_column(_is_one_of("role", Role))
    affiliation: Mapped[str | None]
    paper: Mapped[str | None]

    source_file: Mapped[SourceFileRow | None] = relationship()
    unusable_labels: Mapped[list["UnusableLabelRow"]] = relationship(order_by="UnusableLabelRow.position")
    issues: Mapped[list["IssueRow"]] = relationship(order_by="IssueRow.position")


# Two indices, because SQLite takes no two NULLs for the same run.
Index(
    "uq_submission_current_team",
    SubmissionRow.gold_id,
    SubmissionRow.team,
    unique=True,
    sqlite_where=SubmissionRow.replaced_in.is_(None) & SubmissionRow.run.is_(None),
)
Index(
    "uq_submission_current_run",
    SubmissionRow.gold_id,
    SubmissionRow.team,
    SubmissionRow.run,
    unique=True,
    sqlite_where=SubmissionRow.replaced_in.is_(None) & SubmissionRow.run.is_not(None),
)


class UnusableLabelRow(Base):
    """A label outside the label set, with the number of items it stands on."""

    __tablename__ = "unusable_label"
    __table_args__ = (CheckConstraint("count >= 1", "count"), {"sqlite_with_rowid": False})

    submission_id: Mapped[Part] = _part_of("submission.id")
    position: Mapped[Part]
    label: Mapped[str]
    count: Mapped[int]


class IssueRow(Base):
    """A defect found in a file: of an accepted submission, or of a rejected one."""

    __tablename__ = "issue"
    __table_args__ = (
        UniqueConstraint("submission_id", "position"),
        UniqueConstraint("rejection_id", "position"),
        CheckConstraint("(submission_id IS NULL) <> (rejection_id IS NULL)", "owner"),
        _is_boolean("fatal"),
    )

    id: Mapped[Key]
    submission_id: Mapped[int | None] = _part_of("submission.id")
    rejection_id: Mapped[int | None] = _part_of("rejection.id")
    position: Mapped[int]
    slug: Mapped[str]
    file: Mapped[str]
    found: Mapped[str]
    expected: Mapped[str]
    remedy: Mapped[str]
    lines: Mapped[str]
    """A JSON array of line numbers."""
    count: Mapped[int]
    fatal: Mapped[bool]


class EvaluationRow(Base):
    """An evaluation of what one load left in the store: all that was computed, as one JSON document."""

    __tablename__ = "evaluation"
    __table_args__ = (UniqueConstraint("load_id", "signature"), _is_digest("digest"), _at_least(0, "n_flags"))

    id: Mapped[Key]
    load_id: Mapped[int] = _part_of("load.id")
    evaluated_at: Mapped[Plain]
    program_version: Mapped[Plain]
    signature: Mapped[str]
    options: Mapped[Plain]
    """A JSON object: what was asked of the evaluation."""
    n_flags: Mapped[int]
    digest: Mapped[Plain]
    """SHA-256 of the document."""
    document: Mapped[Plain]


class EntryRow(Base):
    """A submission as a row of an evaluation's ranking, with the name that it has in the document."""

    __tablename__ = "entry"
    __table_args__ = (
        UniqueConstraint("evaluation_id", "name"),
        _is_boolean("competes"),
        _at_least(0, "n_dropped"),
        {"sqlite_with_rowid": False},
    )

    evaluation_id: Mapped[Part] = _part_of("evaluation.id")
    submission_id: Mapped[Part] = _part_of("submission.id", index=True)
    name: Mapped[str]
    competes: Mapped[bool]
    n_dropped: Mapped[int]


class ScoreRow(Base):
    """A score of the document as a row, with its rank and its interval, for those who ask in SQL."""

    __tablename__ = "score"
    __table_args__ = (
        _at_least(1, "rank"),
        CheckConstraint("lower <= value", "lower"),
        CheckConstraint("upper >= value AND (lower IS NULL) = (upper IS NULL)", "upper"),
        CheckConstraint("lower IS NULL OR mark IS NULL", "mark"),
        {"sqlite_with_rowid": False},
    )

    evaluation_id: Mapped[Part] = _part_of("evaluation.id")
    metric: Mapped[str] = mapped_column(primary_key=True)
    prevalence: Mapped[str] = mapped_column(primary_key=True)
    submission_id: Mapped[Part] = _part_of("submission.id", index=True)
    value: Mapped[float | None]
    """NULL is undefined."""
    rank: Mapped[int]
    lower: Mapped[float | None]
    upper: Mapped[float | None]
    mark: Mapped[Plain | None]
    """Why a defined score has no interval; NULL where it has one, or where none was asked for."""


class StandingRow(Base):
    """What the comparison of all pairs by one score says of one entry that is in it."""

    __tablename__ = "standing"
    __table_args__ = (
        _is_boolean("could_be_best"),
        CheckConstraint("1 <= first_rank AND first_rank <= last_rank", "ranks"),
        _at_least(1, "tier"),
        CheckConstraint("leader_lower <= leader_upper", "leader"),
        _come_together("leader_interval", "leader_lower", "leader_upper"),
        {"sqlite_with_rowid": False},
    )

    evaluation_id: Mapped[Part] = _part_of("evaluation.id")
    metric: Mapped[str] = mapped_column(primary_key=True)
    prevalence: Mapped[str] = mapped_column(primary_key=True)
    submission_id: Mapped[Part] = _part_of("submission.id", index=True)
    could_be_best: Mapped[bool]
    first_rank: Mapped[int]
    last_rank: Mapped[int]
    tier: Mapped[int]
    leader_lower: Mapped[float | None]
    leader_upper: Mapped[float | None]
    """The interval of who is first, corrected for having been chosen as the best; NULL for all others."""
