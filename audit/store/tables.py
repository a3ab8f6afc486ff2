"""The tables of the store. ``docs/store.md`` describes them for readers of the database.

Every load that changes something is one row of ``load``, with all that the campaign said beside its labels; the task's
latest load is what the store holds of it. Gold is kept once for each digest, and a submission belongs to the gold that
its codes are aligned with, from the load that brought it to the load that replaced it.
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
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship

from audit.domain import HEADING_SAYS, ClassSet, F1Undefined, Missing, Named, Role, Undefined
from audit.metrics import Holds
from audit.store.types import AnyText, Bytes, PlainText, RealNumber, Truth, WholeNumber, check_while_reading


class Base(DeclarativeBase):
    """What all tables share: the types of their columns and the names of their constraints."""

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


def _refers_to(column: str, **options: Any) -> Mapped[Any]:  # noqa: ANN401 - likewise
    """A reference to a row that has to stay while this one does (checked when the statement ends)."""
    return mapped_column(ForeignKey(column, ondelete="NO ACTION"), **options)


def _is_digest(column: str) -> CheckConstraint:
    return CheckConstraint(f"length({column}) = 64", column)


def _is_boolean(column: str) -> CheckConstraint:
    return CheckConstraint(f"{column} IN (0, 1)", column)


def _is_share(column: str) -> CheckConstraint:
    return CheckConstraint(f"{column} BETWEEN 0 AND 1", column)


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

    labels: Mapped[list["LabelRow"]] = relationship(order_by="LabelRow.code")


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


class LoadRow(Base):
    """A load that changed something, and all that the campaign said beside its labels."""

    __tablename__ = "load"
    __table_args__ = (
        _is_digest("fingerprint"),
        _is_digest("journal_digest"),
        _is_boolean("labels_declared"),
        CheckConstraint("official_decimals >= 0", "official_decimals"),
        _come_together("official", "official_metric", "official_prevalence"),
        _come_together("gold_file", "gold_path", "gold_file_id"),
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
    labels_declared: Mapped[bool]
    official_metric: Mapped[str | None]
    official_prevalence: Mapped[str | None]
    official_decimals: Mapped[int | None]
    family: Mapped[str | None]
    part: Mapped[str | None]
    gold_path: Mapped[str | None]
    gold_file_id: Mapped[int | None] = _refers_to("source_file.id", index=True)
    settings_path: Mapped[str | None]
    settings_file_id: Mapped[int | None] = _refers_to("source_file.id", index=True)
    n_replicates: Mapped[int | None] = mapped_column(_at_least(0, "n_replicates"))
    seed: Mapped[int] = mapped_column(_at_least(0, "seed"), server_default=text("1"))
    journal_digest: Mapped[Plain]
    """Of the journal, which the fingerprint leaves out: other words for what was read make no other campaign."""

    task: Mapped[TaskRow] = relationship()
    gold: Mapped[GoldRow] = relationship()
    gold_file: Mapped[SourceFileRow | None] = relationship(foreign_keys=[gold_file_id])
    settings_file: Mapped[SourceFileRow | None] = relationship(foreign_keys=[settings_file_id])
    policies: Mapped[list["PolicyRow"]] = relationship(order_by="PolicyRow.slug")
    chosen_runs: Mapped[list["ChosenRunRow"]] = relationship(order_by="ChosenRunRow.position")
    journal: Mapped[list["JournalRow"]] = relationship(order_by="JournalRow.position")
    prevalences: Mapped[list["PrevalenceRow"]] = relationship(order_by="PrevalenceRow.position")
    assumptions: Mapped[list["AssumptionRow"]] = relationship(order_by="AssumptionRow.position")
    rejections: Mapped[list["RejectionRow"]] = relationship(order_by="RejectionRow.position")
    ignored_files: Mapped[list["IgnoredFileRow"]] = relationship(order_by="IgnoredFileRow.position")
    published: Mapped["PublishedTableRow | None"] = relationship(viewonly=True)


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
    """Its digits as a whole number, with the sign."""
    decimals: Mapped[int]
    percent: Mapped[bool]


class SubmissionRow(Base):
    """A submission with its packed codes; current while ``replaced_in`` is NULL."""

    __tablename__ = "submission"
    __table_args__ = (
        _is_digest("fingerprint"),
        _come_together("source_file", "path", "source_file_id"),
        CheckConstraint("replaced_in > loaded_in", "replaced_in"),
        CheckConstraint("n_missing >= 0", "n_missing"),
        CheckConstraint("n_unusable >= 0", "n_unusable"),
        CheckConstraint("length(codes) > 0", "codes"),
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
    codes: Mapped[bytes]
    role: Mapped[str] = mapped_column(_is_one_of("role", Role), server_default=text("'primary'"))
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
    """An evaluation of what one load left in the store."""

    __tablename__ = "evaluation"
    __table_args__ = (UniqueConstraint("load_id", "signature"), _is_digest("digest"))

    id: Mapped[Key]
    load_id: Mapped[int] = _part_of("load.id")
    evaluated_at: Mapped[Plain]
    program_version: Mapped[Plain]
    signature: Mapped[str]
    digest: Mapped[Plain]


class EntryRow(Base):
    """A submission as a row of an evaluation's ranking."""

    __tablename__ = "entry"
    __table_args__ = (_is_boolean("competes"), _at_least(0, "n_dropped"), {"sqlite_with_rowid": False})

    evaluation_id: Mapped[Part] = _part_of("evaluation.id")
    submission_id: Mapped[Part] = _part_of("submission.id", index=True)
    competes: Mapped[bool]
    n_dropped: Mapped[int]


class BaselineRow(Base):
    """A built-in baseline: computed, not submitted."""

    __tablename__ = "baseline"
    __table_args__ = (UniqueConstraint("evaluation_id", "position"), {"sqlite_with_rowid": False})

    evaluation_id: Mapped[Part] = _part_of("evaluation.id")
    slug: Mapped[str] = mapped_column(primary_key=True)
    position: Mapped[int]
    title: Mapped[str]
    explanation: Mapped[str]


class BaselineScoreRow(Base):
    """A baseline's score, an expectation where it is random; NULL is undefined."""

    __tablename__ = "baseline_score"
    __table_args__ = (
        ForeignKeyConstraint(
            ["evaluation_id", "slug"], ["baseline.evaluation_id", "baseline.slug"], ondelete="CASCADE"
        ),
        _at_least(0, "standard_error"),
        {"sqlite_with_rowid": False},
    )

    evaluation_id: Mapped[Part]
    slug: Mapped[str] = mapped_column(primary_key=True)
    metric: Mapped[str] = mapped_column(primary_key=True)
    prevalence: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[float | None]
    standard_error: Mapped[float | None]


class ScoreRow(Base):
    """A score with its rank and its interval; NULL is undefined, and an interval that was not asked for."""

    __tablename__ = "score"
    __table_args__ = (CheckConstraint("rank >= 1", "rank"), {"sqlite_with_rowid": False})

    evaluation_id: Mapped[Part] = _part_of("evaluation.id")
    metric: Mapped[str] = mapped_column(primary_key=True)
    prevalence: Mapped[str] = mapped_column(primary_key=True)
    submission_id: Mapped[Part] = _part_of("submission.id", index=True)
    value: Mapped[float | None]
    rank: Mapped[int]
    lower: Mapped[float | None] = mapped_column(CheckConstraint("lower <= value", "lower"))
    upper: Mapped[float | None] = mapped_column(
        CheckConstraint("upper >= value AND (lower IS NULL) = (upper IS NULL)", "upper")
    )


class FlagRow(Base):
    """A finding of the audit."""

    __tablename__ = "flag"
    __table_args__ = (CheckConstraint("severity IN (1, 2, 3)", "severity"), {"sqlite_with_rowid": False})

    evaluation_id: Mapped[Part] = _part_of("evaluation.id")
    position: Mapped[Part]
    slug: Mapped[str]
    severity: Mapped[int]
    sentence: Mapped[str]
    remedy: Mapped[str]
    paper: Mapped[str]
    evidence: Mapped[str]
    """A JSON object."""


class UncertaintyRow(Base):
    """What was resampled in an evaluation, and what concerns all teams at once."""

    __tablename__ = "uncertainty"
    __table_args__ = (
        _at_least(1, "n_replicates"),
        _at_least(0, "seed"),
        _at_least(1, "n_groups"),
        _is_share("share_left_out"),
        _at_least(0, "n_repaired"),
        _is_share("macro_f1_disagreement"),
        _is_share("prevalence_disagreement"),
        _at_least(0, "n_spearman"),
        _is_digest("digest"),
    )

    evaluation_id: Mapped[Part] = _part_of("evaluation.id")
    n_replicates: Mapped[int]
    seed: Mapped[int]
    n_groups: Mapped[int | None]
    share_left_out: Mapped[float]
    n_repaired: Mapped[int]
    macro_f1_disagreement: Mapped[float | None]
    prevalence_disagreement: Mapped[float | None]
    n_spearman: Mapped[int]
    digest: Mapped[Plain]
    """Of this row, of the comparisons and of the packed arrays: all that is read back."""


class ComparisonRow(Base):
    """All pairs of teams by one metric; NULL where no pair ever differs."""

    __tablename__ = "comparison"
    __table_args__ = (
        UniqueConstraint("evaluation_id", "position"),
        _at_least(0, "critical_value"),
        _at_least(0, "resolution"),
        {"sqlite_with_rowid": False},
    )

    evaluation_id: Mapped[Part] = _part_of("evaluation.id")
    metric: Mapped[str] = mapped_column(primary_key=True)
    prevalence: Mapped[str] = mapped_column(primary_key=True)
    position: Mapped[int]
    critical_value: Mapped[float | None]
    resolution: Mapped[float | None]


class RankSetRow(Base):
    """The ranks of one team that the data do not reject, and what else a comparison says of it."""

    __tablename__ = "rank_set"
    __table_args__ = (
        ForeignKeyConstraint(
            ["evaluation_id", "metric", "prevalence"],
            ["comparison.evaluation_id", "comparison.metric", "comparison.prevalence"],
            ondelete="CASCADE",
        ),
        CheckConstraint("1 <= first AND first <= last", "ranks"),
        _at_least(1, "tier"),
        _is_share("share_first"),
        CheckConstraint("behind_lower <= behind_upper", "behind"),
        _come_together("behind_interval", "behind_lower", "behind_upper"),
        CheckConstraint("randomization_p > 0 AND randomization_p <= 1", "randomization_p"),
        {"sqlite_with_rowid": False},
    )

    evaluation_id: Mapped[Part]
    metric: Mapped[str] = mapped_column(primary_key=True)
    prevalence: Mapped[str] = mapped_column(primary_key=True)
    submission_id: Mapped[Part] = _part_of("submission.id", index=True)
    first: Mapped[int]
    last: Mapped[int]
    tier: Mapped[int]
    share_first: Mapped[float]
    behind_lower: Mapped[float | None]
    behind_upper: Mapped[float | None]
    randomization_p: Mapped[float | None]


class PackedArrayRow(Base):
    """An array that would be too many rows, or whose order and last bit count."""

    __tablename__ = "packed_array"
    __table_args__ = (CheckConstraint("length(deflated) > 0", "deflated"),)

    evaluation_id: Mapped[Part] = _part_of("evaluation.id")
    name: Mapped[str] = mapped_column(primary_key=True)
    shape: Mapped[Plain]
    """A JSON array."""
    stands_for: Mapped[Plain]
    """What its rows stand for: a JSON array."""
    deflated: Mapped[bytes]


# What readings, class distributions and rules with several winners make of an evaluation, and the properties of metrics


class ReadingGroupRow(Base):
    """Readings of macro F1 that give every team the same score: the campaign cannot tell them apart."""

    __tablename__ = "reading_group"
    __table_args__ = (_at_least(0, "n_changes"), {"sqlite_with_rowid": False})

    evaluation_id: Mapped[Part] = _part_of("evaluation.id")
    position: Mapped[Part]
    reading: Mapped[str]
    """The signature of the one with the fewest changes from the base."""
    n_changes: Mapped[int]


class ReadingRow(Base):
    """A reading of macro F1 that was tried, choice by choice."""

    __tablename__ = "reading"
    __table_args__ = (
        ForeignKeyConstraint(
            ["evaluation_id", "group_position"],
            ["reading_group.evaluation_id", "reading_group.position"],
            ondelete="CASCADE",
        ),
        _is_one_of("class_set", ClassSet),
        _is_one_of("named", Named),
        _is_one_of("undefined", Undefined),
        _is_one_of("f1_undefined", F1Undefined),
        _is_one_of("missing", Missing),
        {"sqlite_with_rowid": False},
    )

    evaluation_id: Mapped[Part]
    group_position: Mapped[Part]
    position: Mapped[Part]
    reading: Mapped[str]
    metric: Mapped[str]
    class_set: Mapped[Plain]
    named: Mapped[Plain]
    undefined: Mapped[Plain]
    f1_undefined: Mapped[Plain]
    missing: Mapped[Plain]
    prevalence: Mapped[str]


class ReadingScoreRow(Base):
    """A team's macro F1 by the readings of a group, with its rank; NULL is undefined."""

    __tablename__ = "reading_score"
    __table_args__ = (
        ForeignKeyConstraint(
            ["evaluation_id", "group_position"],
            ["reading_group.evaluation_id", "reading_group.position"],
            ondelete="CASCADE",
        ),
        _at_least(1, "rank"),
        {"sqlite_with_rowid": False},
    )

    evaluation_id: Mapped[Part]
    group_position: Mapped[Part]
    submission_id: Mapped[Part] = _part_of("submission.id", index=True)
    value: Mapped[float | None]
    rank: Mapped[int]


class WinnerMapRow(Base):
    """Who would win under other class distributions by the ranking metric, and how near the next winner is."""

    __tablename__ = "winner_map"
    __table_args__ = (
        _is_share("holds_uniform"),
        _is_share("holds_nearby"),
        _at_least(1, "n_draws"),
        _at_least(0, "seed"),
        CheckConstraint("concentration > 0", "concentration"),
        _is_share("mean_total_variation_nearby"),
        CheckConstraint("nearest_total_variation > 0 AND nearest_total_variation <= 1", "nearest_total_variation"),
    )

    evaluation_id: Mapped[Part] = _part_of("evaluation.id")
    metric: Mapped[str]
    prevalence: Mapped[str]
    holds_uniform: Mapped[float]
    holds_nearby: Mapped[float]
    n_draws: Mapped[int]
    seed: Mapped[int]
    concentration: Mapped[float]
    mean_total_variation_nearby: Mapped[float]
    nearest_total_variation: Mapped[float | None]
    """NULL where no class distribution was found at which another team is first."""


class WinnerMapShareRow(Base):
    """A team's share of the class distributions, and whether it is first where the map starts and where it changes."""

    __tablename__ = "winner_map_share"
    __table_args__ = (
        _is_share("uniform"),
        _is_share("nearby"),
        _is_boolean("is_first"),
        _is_boolean("is_first_at_nearest"),
        {"sqlite_with_rowid": False},
    )

    evaluation_id: Mapped[Part] = _part_of("winner_map.evaluation_id")
    submission_id: Mapped[Part] = _part_of("submission.id", index=True)
    uniform: Mapped[float]
    nearby: Mapped[float]
    is_first: Mapped[bool]
    is_first_at_nearest: Mapped[bool | None]


class WinnerMapClassRow(Base):
    """A class's share where the map starts, and at the nearest class distribution with another winner."""

    __tablename__ = "winner_map_class"
    __table_args__ = (_is_share("share"), _is_share("share_at_nearest"), {"sqlite_with_rowid": False})

    evaluation_id: Mapped[Part] = _part_of("winner_map.evaluation_id")
    position: Mapped[Part]
    label: Mapped[str]
    share: Mapped[float]
    share_at_nearest: Mapped[float | None]


class ElectionRow(Base):
    """A rule that makes one ranking of several."""

    __tablename__ = "election"
    __table_args__ = (UniqueConstraint("evaluation_id", "position"), {"sqlite_with_rowid": False})

    evaluation_id: Mapped[Part] = _part_of("evaluation.id")
    rule: Mapped[str] = mapped_column(primary_key=True)
    position: Mapped[int]
    title: Mapped[str]
    unit: Mapped[str]
    assumes: Mapped[str]


class ElectionVoterRow(Base):
    """A metric that votes in the elections of an evaluation."""

    __tablename__ = "election_voter"
    __table_args__ = ({"sqlite_with_rowid": False},)

    evaluation_id: Mapped[Part] = _part_of("evaluation.id")
    position: Mapped[Part]
    metric: Mapped[str]
    prevalence: Mapped[str]


class ElectionValueRow(Base):
    """What a rule makes of a team, in the rule's unit, and whether it crowns it; NULL where the team has no value."""

    __tablename__ = "election_value"
    __table_args__ = (
        ForeignKeyConstraint(
            ["evaluation_id", "rule"], ["election.evaluation_id", "election.rule"], ondelete="CASCADE"
        ),
        _is_boolean("is_winner"),
        {"sqlite_with_rowid": False},
    )

    evaluation_id: Mapped[Part]
    rule: Mapped[str] = mapped_column(primary_key=True)
    submission_id: Mapped[Part] = _part_of("submission.id", index=True)
    value: Mapped[float | None]
    is_winner: Mapped[bool]


class MetricPropertyRow(Base):
    """Whether a metric has a property in general."""

    __tablename__ = "metric_property"
    __table_args__ = (_is_one_of("holds", [each.words for each in Holds]), {"sqlite_with_rowid": False})

    evaluation_id: Mapped[Part] = _part_of("evaluation.id")
    metric: Mapped[str] = mapped_column(primary_key=True)
    property: Mapped[str] = mapped_column(primary_key=True)
    holds: Mapped[Plain]


class WitnessRow(Base):
    """One of the confusions on which a metric visibly lacks a property, with the score that it gives."""

    __tablename__ = "witness"
    __table_args__ = (
        ForeignKeyConstraint(
            ["evaluation_id", "metric", "property"],
            ["metric_property.evaluation_id", "metric_property.metric", "metric_property.property"],
            ondelete="CASCADE",
        ),
        _is_boolean("balanced"),
    )

    evaluation_id: Mapped[Part]
    metric: Mapped[str] = mapped_column(primary_key=True)
    property: Mapped[str] = mapped_column(primary_key=True)
    position: Mapped[Part]
    submission_id: Mapped[int | None] = _part_of("submission.id", index=True)
    """Whose confusion it is; NULL for a chance classifier."""
    balanced: Mapped[bool]
    score: Mapped[float | None]
    confusion: Mapped[Plain]
    """A JSON array: gold × predicted, the last column *unanswered*."""


class WitnessAdditionRow(Base):
    """Items that a witness adds to a submission's confusion."""

    __tablename__ = "witness_addition"
    __table_args__ = (
        ForeignKeyConstraint(
            ["evaluation_id", "metric", "property", "witness_position"],
            ["witness.evaluation_id", "witness.metric", "witness.property", "witness.position"],
            ondelete="CASCADE",
        ),
        _at_least(1, "n_items"),
        {"sqlite_with_rowid": False},
    )

    evaluation_id: Mapped[Part]
    metric: Mapped[str] = mapped_column(primary_key=True)
    property: Mapped[str] = mapped_column(primary_key=True)
    witness_position: Mapped[Part]
    position: Mapped[Part]
    gold: Mapped[str]
    predicted: Mapped[str | None]
    """The label that answers them; NULL where they are left unanswered."""
    n_items: Mapped[int]


# Which readings the published scores are of


class IdentifiedColumnRow(Base):
    """What the numbers of a published column are, and whether its heading names them."""

    __tablename__ = "identified_column"
    __table_args__ = (
        _at_least(0, "n_teams"),
        _is_boolean("percent"),
        _is_one_of("heading_says", HEADING_SAYS),
        {"sqlite_with_rowid": False},
    )

    evaluation_id: Mapped[Part] = _part_of("evaluation.id")
    position: Mapped[Part]
    heading: Mapped[str]
    n_teams: Mapped[int]
    percent: Mapped[bool]
    heading_says: Mapped[Plain]


class IdentifiedMatchRow(Base):
    """Readings that give every score of a published column or, where none does, the most of them."""

    __tablename__ = "identified_match"
    __table_args__ = (
        ForeignKeyConstraint(
            ["evaluation_id", "column_position"],
            ["identified_column.evaluation_id", "identified_column.position"],
            ondelete="CASCADE",
        ),
        _at_least(1, "n_readings"),
        _at_least(0, "n_matched"),
        {"sqlite_with_rowid": False},
    )

    evaluation_id: Mapped[Part]
    column_position: Mapped[Part]
    position: Mapped[Part]
    reading: Mapped[str]
    n_readings: Mapped[int]
    """How many readings this campaign cannot tell apart, with this one."""
    n_matched: Mapped[int]
    rounding: Mapped[Plain]
    decimals: Mapped[Plain]


class IdentifiedMissRow(Base):
    """A team whose published score the readings of a match do not give."""

    __tablename__ = "identified_miss"
    __table_args__ = (
        ForeignKeyConstraint(
            ["evaluation_id", "column_position", "match_position"],
            ["identified_match.evaluation_id", "identified_match.column_position", "identified_match.position"],
            ondelete="CASCADE",
        ),
        {"sqlite_with_rowid": False},
    )

    evaluation_id: Mapped[Part]
    column_position: Mapped[Part]
    match_position: Mapped[Part]
    submission_id: Mapped[Part] = _part_of("submission.id", index=True)
    printed: Mapped[str]
    computed: Mapped[float | None]
    difference: Mapped[float | None]
    reading_that_gives_it: Mapped[str | None]
