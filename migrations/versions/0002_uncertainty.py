"""How sure scores and ranks are: what is resampled, intervals, comparisons, rank sets.

A load of revision 0001 said nothing of resampling; read back, it asks for as much as the rule gives, with seed 1.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add columns and tables; no row changes."""
    op.add_column(
        "load",
        sa.Column(
            "n_replicates",
            sa.Integer(),
            sa.CheckConstraint("n_replicates >= 0", name=op.f("ck_load_n_replicates")),
            nullable=True,
        ),
    )
    op.add_column(
        "load",
        sa.Column(
            "seed",
            sa.Integer(),
            sa.CheckConstraint("seed >= 0", name=op.f("ck_load_seed")),
            nullable=False,
            server_default=sa.text("1"),
        ),
    )
    op.add_column(
        "score",
        sa.Column("lower", sa.REAL(), sa.CheckConstraint("lower <= value", name=op.f("ck_score_lower")), nullable=True),
    )
    op.add_column(
        "score",
        sa.Column(
            "upper",
            sa.REAL(),
            sa.CheckConstraint("upper >= value AND (lower IS NULL) = (upper IS NULL)", name=op.f("ck_score_upper")),
            nullable=True,
        ),
    )
    op.create_table(
        "uncertainty",
        sa.Column("evaluation_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("n_replicates", sa.Integer(), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("n_groups", sa.Integer(), nullable=True),
        sa.Column("share_left_out", sa.REAL(), nullable=False),
        sa.Column("n_repaired", sa.Integer(), nullable=False),
        sa.Column("macro_f1_disagreement", sa.REAL(), nullable=True),
        sa.Column("prevalence_disagreement", sa.REAL(), nullable=True),
        sa.Column("n_spearman", sa.Integer(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.CheckConstraint("length(digest) = 64", name=op.f("ck_uncertainty_digest")),
        sa.CheckConstraint("macro_f1_disagreement BETWEEN 0 AND 1", name=op.f("ck_uncertainty_macro_f1_disagreement")),
        sa.CheckConstraint("n_groups >= 1", name=op.f("ck_uncertainty_n_groups")),
        sa.CheckConstraint("n_repaired >= 0", name=op.f("ck_uncertainty_n_repaired")),
        sa.CheckConstraint("n_replicates >= 1", name=op.f("ck_uncertainty_n_replicates")),
        sa.CheckConstraint("n_spearman >= 0", name=op.f("ck_uncertainty_n_spearman")),
        sa.CheckConstraint(
            "prevalence_disagreement BETWEEN 0 AND 1", name=op.f("ck_uncertainty_prevalence_disagreement")
        ),
        sa.CheckConstraint("seed >= 0", name=op.f("ck_uncertainty_seed")),
        sa.CheckConstraint("share_left_out BETWEEN 0 AND 1", name=op.f("ck_uncertainty_share_left_out")),
        sa.ForeignKeyConstraint(
            ["evaluation_id"], ["evaluation.id"], name=op.f("fk_uncertainty_evaluation_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("evaluation_id", name=op.f("pk_uncertainty")),
    )
    op.create_table(
        "comparison",
        sa.Column("evaluation_id", sa.Integer(), nullable=False),
        sa.Column("metric", sa.Text(), nullable=False),
        sa.Column("prevalence", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("critical_value", sa.REAL(), nullable=True),
        sa.Column("resolution", sa.REAL(), nullable=True),
        sa.CheckConstraint("critical_value >= 0", name=op.f("ck_comparison_critical_value")),
        sa.CheckConstraint("resolution >= 0", name=op.f("ck_comparison_resolution")),
        sa.ForeignKeyConstraint(
            ["evaluation_id"], ["evaluation.id"], name=op.f("fk_comparison_evaluation_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("evaluation_id", "metric", "prevalence", name=op.f("pk_comparison")),
        sa.UniqueConstraint("evaluation_id", "position", name=op.f("uq_comparison_evaluation_id_position")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "rank_set",
        sa.Column("evaluation_id", sa.Integer(), nullable=False),
        sa.Column("metric", sa.Text(), nullable=False),
        sa.Column("prevalence", sa.Text(), nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("first", sa.Integer(), nullable=False),
        sa.Column("last", sa.Integer(), nullable=False),
        sa.Column("tier", sa.Integer(), nullable=False),
        sa.Column("share_first", sa.REAL(), nullable=False),
        sa.Column("behind_lower", sa.REAL(), nullable=True),
        sa.Column("behind_upper", sa.REAL(), nullable=True),
        sa.Column("randomization_p", sa.REAL(), nullable=True),
        sa.CheckConstraint("(behind_lower IS NULL) = (behind_upper IS NULL)", name=op.f("ck_rank_set_behind_interval")),
        sa.CheckConstraint("1 <= first AND first <= last", name=op.f("ck_rank_set_ranks")),
        sa.CheckConstraint("behind_lower <= behind_upper", name=op.f("ck_rank_set_behind")),
        sa.CheckConstraint("randomization_p > 0 AND randomization_p <= 1", name=op.f("ck_rank_set_randomization_p")),
        sa.CheckConstraint("share_first BETWEEN 0 AND 1", name=op.f("ck_rank_set_share_first")),
        sa.CheckConstraint("tier >= 1", name=op.f("ck_rank_set_tier")),
        sa.ForeignKeyConstraint(
            ["evaluation_id", "metric", "prevalence"],
            ["comparison.evaluation_id", "comparison.metric", "comparison.prevalence"],
            name=op.f("fk_rank_set_evaluation_id_metric_prevalence"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.id"], name=op.f("fk_rank_set_submission_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("evaluation_id", "metric", "prevalence", "submission_id", name=op.f("pk_rank_set")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_rank_set_submission_id"), "rank_set", ["submission_id"])

    op.create_table(
        "packed_array",
        sa.Column("evaluation_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("shape", sa.Text(), nullable=False),
        sa.Column("stands_for", sa.Text(), nullable=False),
        sa.Column("deflated", sa.LargeBinary(), nullable=False),
        sa.CheckConstraint("length(deflated) > 0", name=op.f("ck_packed_array_deflated")),
        sa.ForeignKeyConstraint(
            ["evaluation_id"], ["evaluation.id"], name=op.f("fk_packed_array_evaluation_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("evaluation_id", "name", name=op.f("pk_packed_array")),
    )


def downgrade() -> None:
    """Drop what 0001 has no place for: evaluations with uncertainty, which can be made again, go with it.

    Raises
    ------
    ValueError
        When a load says how to resample, since its fingerprint covers that.
    """
    own = "SELECT count(*) FROM load WHERE n_replicates IS NOT NULL OR seed <> 1"
    if op.get_bind().exec_driver_sql(own).scalar():
        raise ValueError("Revision 0001 cannot keep a load that says how to resample.")
    op.execute("DELETE FROM score WHERE evaluation_id IN (SELECT evaluation_id FROM uncertainty)")
    op.execute("DELETE FROM flag WHERE evaluation_id IN (SELECT evaluation_id FROM uncertainty)")
    op.execute("DELETE FROM evaluation WHERE id IN (SELECT evaluation_id FROM uncertainty)")
    for table in ("packed_array", "rank_set", "comparison", "uncertainty"):
        op.drop_table(table)
    for table, column in (("score", "upper"), ("score", "lower"), ("load", "seed"), ("load", "n_replicates")):
        op.drop_column(table, column)
