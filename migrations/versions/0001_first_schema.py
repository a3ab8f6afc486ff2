"""The first schema.

Tables are written out as they were, whatever ``audit.store.tables`` says today.
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create every table, and mark the file as a store of this program."""
    op.execute(f"PRAGMA application_id = {int.from_bytes(b'STAu')}")
    op.create_table(
        "source_file",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("crc32", sa.Integer(), nullable=False),
        sa.Column("compressed", sa.LargeBinary(), nullable=False),
        sa.CheckConstraint("length(compressed) > 0", name=op.f("ck_source_file_compressed")),
        sa.CheckConstraint("length(sha256) = 64", name=op.f("ck_source_file_sha256")),
        sa.CheckConstraint("size >= 0", name=op.f("ck_source_file_size")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_source_file")),
        sa.UniqueConstraint("sha256", name=op.f("uq_source_file_sha256")),
    )
    op.create_table(
        "task",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.CheckConstraint("slug <> ''", name=op.f("ck_task_slug")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_task")),
        sa.UniqueConstraint("slug", name=op.f("uq_task_slug")),
    )
    op.create_table(
        "gold",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("n_items", sa.Integer(), nullable=False),
        sa.CheckConstraint("length(digest) = 64", name=op.f("ck_gold_digest")),
        sa.CheckConstraint("n_items >= 1", name=op.f("ck_gold_n_items")),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_gold_task_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gold")),
        sa.UniqueConstraint("task_id", "digest", name=op.f("uq_gold_task_id_digest")),
    )
    op.create_table(
        "item",
        sa.Column("gold_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("external_id", sa.Text(), nullable=True),
        sa.Column("code", sa.Integer(), nullable=False),
        sa.CheckConstraint("code >= 0", name=op.f("ck_item_code")),
        sa.CheckConstraint("position >= 0", name=op.f("ck_item_position")),
        sa.ForeignKeyConstraint(["gold_id"], ["gold.id"], name=op.f("fk_item_gold_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("gold_id", "position", name=op.f("pk_item")),
        sa.UniqueConstraint("gold_id", "external_id", name=op.f("uq_item_gold_id_external_id")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "label",
        sa.Column("gold_id", sa.Integer(), nullable=False),
        sa.Column("code", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.CheckConstraint("code >= 0", name=op.f("ck_label_code")),
        sa.ForeignKeyConstraint(["gold_id"], ["gold.id"], name=op.f("fk_label_gold_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("gold_id", "code", name=op.f("pk_label")),
        sa.UniqueConstraint("gold_id", "name", name=op.f("uq_label_gold_id_name")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "load",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("gold_id", sa.Integer(), nullable=False),
        sa.Column("loaded_at", sa.Text(), nullable=False),
        sa.Column("program_version", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("labels_declared", sa.Boolean(), nullable=False),
        sa.Column("official_metric", sa.Text(), nullable=True),
        sa.Column("official_prevalence", sa.Text(), nullable=True),
        sa.Column("official_decimals", sa.Integer(), nullable=True),
        sa.Column("strict", sa.Boolean(), nullable=False),
        sa.Column("gold_path", sa.Text(), nullable=True),
        sa.Column("gold_file_id", sa.Integer(), nullable=True),
        sa.Column("settings_path", sa.Text(), nullable=True),
        sa.Column("settings_file_id", sa.Integer(), nullable=True),
        sa.CheckConstraint("(gold_path IS NULL) = (gold_file_id IS NULL)", name=op.f("ck_load_gold_file")),
        sa.CheckConstraint("(official_metric IS NULL) = (official_prevalence IS NULL)", name=op.f("ck_load_official")),
        sa.CheckConstraint("(settings_path IS NULL) = (settings_file_id IS NULL)", name=op.f("ck_load_settings_file")),
        sa.CheckConstraint("labels_declared IN (0, 1)", name=op.f("ck_load_labels_declared")),
        sa.CheckConstraint("length(fingerprint) = 64", name=op.f("ck_load_fingerprint")),
        sa.CheckConstraint("official_decimals >= 0", name=op.f("ck_load_official_decimals")),
        sa.CheckConstraint("strict IN (0, 1)", name=op.f("ck_load_strict")),
        sa.ForeignKeyConstraint(
            ["gold_file_id"], ["source_file.id"], name=op.f("fk_load_gold_file_id"), ondelete="NO ACTION"
        ),
        sa.ForeignKeyConstraint(["gold_id"], ["gold.id"], name=op.f("fk_load_gold_id"), ondelete="NO ACTION"),
        sa.ForeignKeyConstraint(
            ["settings_file_id"], ["source_file.id"], name=op.f("fk_load_settings_file_id"), ondelete="NO ACTION"
        ),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name=op.f("fk_load_task_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_load")),
    )
    op.create_index(op.f("ix_load_gold_file_id"), "load", ["gold_file_id"])
    op.create_index(op.f("ix_load_gold_id"), "load", ["gold_id"])
    op.create_index(op.f("ix_load_settings_file_id"), "load", ["settings_file_id"])
    op.create_index(op.f("ix_load_task_id"), "load", ["task_id"])

    op.create_table(
        "assumption",
        sa.Column("load_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("sentence", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["load_id"], ["load.id"], name=op.f("fk_assumption_load_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("load_id", "position", name=op.f("pk_assumption")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "evaluation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("load_id", sa.Integer(), nullable=False),
        sa.Column("evaluated_at", sa.Text(), nullable=False),
        sa.Column("program_version", sa.Text(), nullable=False),
        sa.Column("signature", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.CheckConstraint("length(digest) = 64", name=op.f("ck_evaluation_digest")),
        sa.ForeignKeyConstraint(["load_id"], ["load.id"], name=op.f("fk_evaluation_load_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_evaluation")),
        sa.UniqueConstraint("load_id", "signature", name=op.f("uq_evaluation_load_id_signature")),
    )
    op.create_table(
        "ignored_file",
        sa.Column("load_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["load_id"], ["load.id"], name=op.f("fk_ignored_file_load_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("load_id", "position", name=op.f("pk_ignored_file")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "prevalence",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("load_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["load_id"], ["load.id"], name=op.f("fk_prevalence_load_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_prevalence")),
        sa.UniqueConstraint("load_id", "position", name=op.f("uq_prevalence_load_id_position")),
    )
    op.create_table(
        "rejection",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("load_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["load_id"], ["load.id"], name=op.f("fk_rejection_load_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rejection")),
        sa.UniqueConstraint("load_id", "position", name=op.f("uq_rejection_load_id_position")),
    )
    op.create_table(
        "submission",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("gold_id", sa.Integer(), nullable=False),
        sa.Column("loaded_in", sa.Integer(), nullable=False),
        sa.Column("replaced_in", sa.Integer(), nullable=True),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("team", sa.Text(), nullable=False),
        sa.Column("run", sa.Text(), nullable=True),
        sa.Column("path", sa.Text(), nullable=True),
        sa.Column("source_file_id", sa.Integer(), nullable=True),
        sa.Column("n_missing", sa.Integer(), nullable=False),
        sa.Column("n_unusable", sa.Integer(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("codes", sa.LargeBinary(), nullable=False),
        sa.CheckConstraint("(path IS NULL) = (source_file_id IS NULL)", name=op.f("ck_submission_source_file")),
        sa.CheckConstraint("length(codes) > 0", name=op.f("ck_submission_codes")),
        sa.CheckConstraint("length(fingerprint) = 64", name=op.f("ck_submission_fingerprint")),
        sa.CheckConstraint("n_missing >= 0", name=op.f("ck_submission_n_missing")),
        sa.CheckConstraint("n_unusable >= 0", name=op.f("ck_submission_n_unusable")),
        sa.CheckConstraint("replaced_in > loaded_in", name=op.f("ck_submission_replaced_in")),
        sa.ForeignKeyConstraint(["gold_id"], ["gold.id"], name=op.f("fk_submission_gold_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["loaded_in"], ["load.id"], name=op.f("fk_submission_loaded_in"), ondelete="NO ACTION"),
        sa.ForeignKeyConstraint(
            ["replaced_in"], ["load.id"], name=op.f("fk_submission_replaced_in"), ondelete="NO ACTION"
        ),
        sa.ForeignKeyConstraint(
            ["source_file_id"], ["source_file.id"], name=op.f("fk_submission_source_file_id"), ondelete="NO ACTION"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_submission")),
    )
    op.create_index(op.f("ix_submission_gold_id"), "submission", ["gold_id"])
    op.create_index(op.f("ix_submission_loaded_in"), "submission", ["loaded_in"])
    op.create_index(op.f("ix_submission_replaced_in"), "submission", ["replaced_in"])
    op.create_index(op.f("ix_submission_source_file_id"), "submission", ["source_file_id"])
    op.create_index(
        "uq_submission_current_run",
        "submission",
        ["gold_id", "team", "run"],
        unique=True,
        sqlite_where=sa.text("replaced_in IS NULL AND run IS NOT NULL"),
    )
    op.create_index(
        "uq_submission_current_team",
        "submission",
        ["gold_id", "team"],
        unique=True,
        sqlite_where=sa.text("replaced_in IS NULL AND run IS NULL"),
    )

    op.create_table(
        "flag",
        sa.Column("evaluation_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("severity", sa.Integer(), nullable=False),
        sa.Column("sentence", sa.Text(), nullable=False),
        sa.Column("remedy", sa.Text(), nullable=False),
        sa.Column("paper", sa.Text(), nullable=False),
        sa.Column("evidence", sa.Text(), nullable=False),
        sa.CheckConstraint("severity IN (1, 2, 3)", name=op.f("ck_flag_severity")),
        sa.ForeignKeyConstraint(
            ["evaluation_id"], ["evaluation.id"], name=op.f("fk_flag_evaluation_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("evaluation_id", "position", name=op.f("pk_flag")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "issue",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=True),
        sa.Column("rejection_id", sa.Integer(), nullable=True),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("file", sa.Text(), nullable=False),
        sa.Column("found", sa.Text(), nullable=False),
        sa.Column("expected", sa.Text(), nullable=False),
        sa.Column("remedy", sa.Text(), nullable=False),
        sa.Column("lines", sa.Text(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("fatal", sa.Boolean(), nullable=False),
        sa.CheckConstraint("(submission_id IS NULL) <> (rejection_id IS NULL)", name=op.f("ck_issue_owner")),
        sa.CheckConstraint("fatal IN (0, 1)", name=op.f("ck_issue_fatal")),
        sa.ForeignKeyConstraint(
            ["rejection_id"], ["rejection.id"], name=op.f("fk_issue_rejection_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.id"], name=op.f("fk_issue_submission_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_issue")),
        sa.UniqueConstraint("rejection_id", "position", name=op.f("uq_issue_rejection_id_position")),
        sa.UniqueConstraint("submission_id", "position", name=op.f("uq_issue_submission_id_position")),
    )
    op.create_table(
        "prevalence_share",
        sa.Column("prevalence_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("share", sa.REAL(), nullable=False),
        sa.CheckConstraint("share > 0", name=op.f("ck_prevalence_share_share")),
        sa.ForeignKeyConstraint(
            ["prevalence_id"], ["prevalence.id"], name=op.f("fk_prevalence_share_prevalence_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("prevalence_id", "position", name=op.f("pk_prevalence_share")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "score",
        sa.Column("evaluation_id", sa.Integer(), nullable=False),
        sa.Column("metric", sa.Text(), nullable=False),
        sa.Column("prevalence", sa.Text(), nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("value", sa.REAL(), nullable=True),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.CheckConstraint("rank >= 1", name=op.f("ck_score_rank")),
        sa.ForeignKeyConstraint(
            ["evaluation_id"], ["evaluation.id"], name=op.f("fk_score_evaluation_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.id"], name=op.f("fk_score_submission_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("evaluation_id", "metric", "prevalence", "submission_id", name=op.f("pk_score")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_score_submission_id"), "score", ["submission_id"])

    op.create_table(
        "unusable_label",
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.CheckConstraint("count >= 1", name=op.f("ck_unusable_label_count")),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.id"], name=op.f("fk_unusable_label_submission_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("submission_id", "position", name=op.f("pk_unusable_label")),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    """Drop every table, those that refer to others first."""
    for name in (
        "unusable_label",
        "score",
        "prevalence_share",
        "issue",
        "flag",
        "submission",
        "rejection",
        "prevalence",
        "ignored_file",
        "evaluation",
        "assumption",
        "load",
        "label",
        "item",
        "gold",
        "task",
        "source_file",
    ):
        op.drop_table(name)
