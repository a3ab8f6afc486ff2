"""The tables of the store. ``docs/store.md`` describes them for readers of the database.

Every load that changes something is one row of ``load``, with all that the campaign said beside its labels; the task's
latest load is what the store holds of it. Gold is kept once for each digest, and a submission belongs to the gold that
its codes are aligned with, from the load that brought it to the load that replaced it.

What was handed in stands in tables; what of it is only ever read whole is plain data in one JSON column. What was
computed of it is one JSON document for each evaluation. Views over both (``0001_first_schema.sql`` of the migrations)
answer what people ask in SQL.
"""

import zlib
from collections.abc import Iterable
from functools import cached_property
from typing import Annotated, Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, MetaData, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship

from audit.domain import Role
from audit.store.column_types import AnyText, Json, PlainText


class Base(DeclarativeBase):
    """The base of all tables: the types of their columns and the names of their constraints."""

    type_annotation_map = {str: AnyText}  # noqa: RUF012 - SQLAlchemy reads the class attribute
    metadata = MetaData(
        naming_convention={
            "pk": "pk_%(table_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
        }
    )


Key = Annotated[int, mapped_column(primary_key=True)]
Part = Annotated[int, mapped_column(primary_key=True, autoincrement=False)]
Plain = Annotated[str, mapped_column(PlainText)]
Data = Annotated[Any, mapped_column(Json, nullable=False)]


def _part_of(column: str, **options: Any) -> Mapped[Any]:  # noqa: ANN401 - what mapped_column takes
    """A reference to the row that this one is part of, and goes with."""
    return mapped_column(ForeignKey(column, ondelete="CASCADE"), **options)


def _refers_to(column: str, **options: Any) -> Mapped[Any]:  # noqa: ANN401 - what mapped_column takes
    """A reference to a row that has to stay while this one does (checked when the statement ends)."""
    return mapped_column(ForeignKey(column, ondelete="NO ACTION"), **options)


def _is_digest(column: str) -> CheckConstraint:
    return CheckConstraint(f"length({column}) = 64", column)


def _is_one_of(column: str, values: Iterable[str]) -> CheckConstraint:
    return CheckConstraint(f"{column} IN ({', '.join(map(repr, map(str, values)))})", column)


FILE_KINDS = ("gold", "groups", "label-names", "roster", "settings", "published", "scores")
"""The files of a load beside its submissions: gold, the file that says which items belong together, the one that gives
labels their names, files.csv, the settings file, the published scores, and what of a scorer's output is no
submission's own file."""


class TaskRow(Base):
    """A task's name; everything else about it may change from load to load."""

    __tablename__ = "task"
    __table_args__ = (CheckConstraint("slug <> ''", "slug"),)

    id: Mapped[Key]
    slug: Mapped[str] = mapped_column(unique=True)
    options: Mapped[Data]
    """How the task is evaluated where nobody says otherwise. No part of its history."""


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
    crc32: Mapped[int]  # CRC-32 of the compressed bytes: tells damage without inflating them
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
    labels: Mapped[Data]  # the label set: a label's place is its code
    unit: Mapped[str | None]
    """What a group of items is, in words; NULL where nothing says it, or items are independent."""
    stratified: Mapped[bool] = mapped_column(CheckConstraint("stratified IN (0, 1)", "stratified"))
    """Whether the class counts were fixed by design."""
    slices: Mapped[Data]
    """The columns of the gold file whose values cut the test set into parts: of each its name and its values."""
    slice_codes: Mapped[bytes]
    """Each item's value in them, a byte for each item in gold order, one column after the other."""
    own: Mapped[bytes | None]
    """Where sets are scored, each item's own label as its place in `labels`, which a submission has or has not."""
    numbers: Mapped[bytes | None]
    """Where numbers are predicted, the true one of each item in gold order, 8 bytes each, little-endian."""
    weights: Mapped[bytes | None]
    """What each item counts in means of a scorer's numbers, likewise; NULL where all count alike."""


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
    group_code: Mapped[int | None]  # the group it belongs to; NULL where items are independent


class LoadRow(Base):
    """A load that changed something, and all that the campaign said beside its labels."""

    __tablename__ = "load"
    __table_args__ = (_is_digest("fingerprint"), _is_digest("words_digest"))

    id: Mapped[Key]
    task_id: Mapped[int] = _part_of("task.id", index=True)
    gold_id: Mapped[int] = _refers_to("gold.id", index=True)
    loaded_at: Mapped[Plain]
    program_version: Mapped[Plain]
    fingerprint: Mapped[Plain]
    words_digest: Mapped[Plain]
    """Of journal, assumptions and the words of issues: the fingerprint leaves them out, they make no other campaign."""
    settings: Mapped[Data]  # the task without its slug and its labels
    journal: Mapped[Data]
    rejections: Mapped[Data]  # files that were not accepted, with their issues
    ignored: Mapped[Data]  # files of the campaign folder that no rule claims
    published: Mapped[Any | None] = mapped_column(Json)
    """The tables of published scores; NULL where there is none."""

    task: Mapped[TaskRow] = relationship()
    gold: Mapped[GoldRow] = relationship()
    files: Mapped[list["LoadFileRow"]] = relationship(order_by="LoadFileRow.kind")


class LoadFileRow(Base):
    """An original file of a load that is no submission."""

    __tablename__ = "load_file"
    __table_args__ = (_is_one_of("kind", FILE_KINDS), {"sqlite_with_rowid": False})

    load_id: Mapped[Part] = _part_of("load.id")
    kind: Mapped[Plain] = mapped_column(primary_key=True)
    path: Mapped[str] = mapped_column(primary_key=True)  # of published scores there may be several
    source_file_id: Mapped[int] = _refers_to("source_file.id", index=True)

    source_file: Mapped[SourceFileRow | None] = relationship()


class SubmissionRow(Base):
    """A submission with its packed codes; current while ``replaced_in`` is NULL."""

    __tablename__ = "submission"
    __table_args__ = (
        _is_digest("fingerprint"),
        _is_digest("words_digest"),
        CheckConstraint("(path IS NULL) = (source_file_id IS NULL)", "source_file"),
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
    words_digest: Mapped[Plain]  # of the words of its issues, which the fingerprint leaves out
    codes: Mapped[bytes]
    """An integer for each item in gold order; where items have labels of their own, a bit: whether it has this one."""
    scores: Mapped[bytes | None]
    """Its score of each item in gold order, 8 bytes each, little-endian; NULL where it has not one for every item."""
    role: Mapped[str] = mapped_column(_is_one_of("role", Role))
    affiliation: Mapped[str | None]
    paper: Mapped[str | None]

    unusable_labels: Mapped[Data]
    """Labels outside the label set, each with the number of items it stands on."""
    issues: Mapped[Data]  # defects found in its file

    source_file: Mapped[SourceFileRow | None] = relationship()


# Two indices, because SQLite takes no two NULLs for the same run.
Index(
    "uq_load_file_kind",
    LoadFileRow.load_id,
    LoadFileRow.kind,
    unique=True,
    sqlite_where=LoadFileRow.kind.not_in(("published", "scores")),
)
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


class EvaluationRow(Base):
    """An evaluation of what one load left in the store: all that was computed, as one JSON document."""

    __tablename__ = "evaluation"
    __table_args__ = (
        UniqueConstraint("load_id", "signature"),
        _is_digest("digest"),
        CheckConstraint("n_flags >= 0", "n_flags"),
    )

    id: Mapped[Key]
    load_id: Mapped[int] = _part_of("load.id")
    evaluated_at: Mapped[Plain]
    program_version: Mapped[Plain]
    signature: Mapped[str]
    options: Mapped[Data]  # what was asked of the evaluation
    n_flags: Mapped[int]
    digest: Mapped[Plain]  # SHA-256 of the document
    document: Mapped[Plain]
