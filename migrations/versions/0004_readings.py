"""Readings, class distributions, elections and properties in an evaluation; published scores in a load.

No row of an earlier revision changes. An evaluation that it holds gets rows in the new tables when it is made again.
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

OF_LOADS = ("published_table", "published_team", "published_column", "published_score")
OF_EVALUATIONS = (
    "reading_group",
    "reading",
    "reading_score",
    "winner_map",
    "winner_map_share",
    "winner_map_class",
    "election",
    "election_voter",
    "election_value",
    "metric_property",
    "witness",
    "witness_addition",
    "identified_column",
    "identified_match",
    "identified_miss",
)
"""Those first that others refer to."""
BEFORE = (
    "score",
    "flag",
    "uncertainty",
    "comparison",
    "rank_set",
    "packed_array",
    "entry",
    "baseline_score",
    "baseline",
)
"""The tables of an evaluation that were there before."""


def upgrade() -> None:
    """Add tables."""
    _create_tables_of_published()
    _create_tables_of_readings()
    _create_tables_of_distributions()
    _create_tables_of_elections()
    _create_tables_of_properties()
    _create_tables_of_identification()


def _create_tables_of_published() -> None:
    """What the organisers published, of a load."""
    op.create_table(
        "published_table",
        sa.Column("load_id", sa.Integer(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("source_file_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["load_id"], ["load.id"], name=op.f("fk_published_table_load_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["source_file_id"], ["source_file.id"], name=op.f("fk_published_table_source_file_id"), ondelete="NO ACTION"
        ),
        sa.PrimaryKeyConstraint("load_id", name=op.f("pk_published_table")),
    )
    op.create_index(op.f("ix_published_table_source_file_id"), "published_table", ["source_file_id"])
    op.create_table(
        "published_team",
        sa.Column("load_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("team", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["load_id"], ["published_table.load_id"], name=op.f("fk_published_team_load_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("load_id", "position", name=op.f("pk_published_team")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "published_column",
        sa.Column("load_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("heading", sa.Text(), nullable=False),
        sa.Column("set_aside", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["load_id"], ["published_table.load_id"], name=op.f("fk_published_column_load_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("load_id", "position", name=op.f("pk_published_column")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "published_score",
        sa.Column("load_id", sa.Integer(), nullable=False),
        sa.Column("column_position", sa.Integer(), nullable=False),
        sa.Column("team_position", sa.Integer(), nullable=False),
        sa.Column("printed", sa.Text(), nullable=False),
        sa.Column("units", sa.Integer(), nullable=False),
        sa.Column("decimals", sa.Integer(), nullable=False),
        sa.Column("percent", sa.Boolean(), nullable=False),
        sa.CheckConstraint("decimals >= 0", name=op.f("ck_published_score_decimals")),
        sa.CheckConstraint("percent IN (0, 1)", name=op.f("ck_published_score_percent")),
        sa.ForeignKeyConstraint(
            ["load_id", "column_position"],
            ["published_column.load_id", "published_column.position"],
            name=op.f("fk_published_score_load_id_column_position"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["load_id", "team_position"],
            ["published_team.load_id", "published_team.position"],
            name=op.f("fk_published_score_load_id_team_position"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["load_id"], ["published_table.load_id"], name=op.f("fk_published_score_load_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("load_id", "column_position", "team_position", name=op.f("pk_published_score")),
        sqlite_with_rowid=False,
    )


def _create_tables_of_readings() -> None:
    """The macro F1 audit."""
    op.create_table(
        "reading_group",
        sa.Column("evaluation_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("reading", sa.Text(), nullable=False),
        sa.Column("n_changes", sa.Integer(), nullable=False),
        sa.CheckConstraint("n_changes >= 0", name=op.f("ck_reading_group_n_changes")),
        sa.ForeignKeyConstraint(
            ["evaluation_id"], ["evaluation.id"], name=op.f("fk_reading_group_evaluation_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("evaluation_id", "position", name=op.f("pk_reading_group")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "reading",
        sa.Column("evaluation_id", sa.Integer(), nullable=False),
        sa.Column("group_position", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("reading", sa.Text(), nullable=False),
        sa.Column("metric", sa.Text(), nullable=False),
        sa.Column("class_set", sa.Text(), nullable=False),
        sa.Column("named", sa.Text(), nullable=False),
        sa.Column("undefined", sa.Text(), nullable=False),
        sa.Column("f1_undefined", sa.Text(), nullable=False),
        sa.Column("missing", sa.Text(), nullable=False),
        sa.Column("prevalence", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "class_set IN ('in-gold', 'declared', 'union', 'union-per-team')", name=op.f("ck_reading_class_set")
        ),
        sa.CheckConstraint(
            "f1_undefined IN ('empty', 'one-sided', 'none-correct')", name=op.f("ck_reading_f1_undefined")
        ),
        sa.CheckConstraint("missing IN ('wrong', 'dropped')", name=op.f("ck_reading_missing")),
        sa.CheckConstraint("named IN ('only', 'all-but')", name=op.f("ck_reading_named")),
        sa.CheckConstraint("undefined IN ('0', '1', 'dropped', 'whole')", name=op.f("ck_reading_undefined")),
        sa.ForeignKeyConstraint(
            ["evaluation_id", "group_position"],
            ["reading_group.evaluation_id", "reading_group.position"],
            name=op.f("fk_reading_evaluation_id_group_position"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("evaluation_id", "group_position", "position", name=op.f("pk_reading")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "reading_score",
        sa.Column("evaluation_id", sa.Integer(), nullable=False),
        sa.Column("group_position", sa.Integer(), nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("value", sa.REAL(), nullable=True),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.CheckConstraint("rank >= 1", name=op.f("ck_reading_score_rank")),
        sa.ForeignKeyConstraint(
            ["evaluation_id", "group_position"],
            ["reading_group.evaluation_id", "reading_group.position"],
            name=op.f("fk_reading_score_evaluation_id_group_position"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.id"], name=op.f("fk_reading_score_submission_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("evaluation_id", "group_position", "submission_id", name=op.f("pk_reading_score")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_reading_score_submission_id"), "reading_score", ["submission_id"])


def _create_tables_of_distributions() -> None:
    """Who would win under other class distributions."""
    op.create_table(
        "winner_map",
        sa.Column("evaluation_id", sa.Integer(), nullable=False),
        sa.Column("metric", sa.Text(), nullable=False),
        sa.Column("prevalence", sa.Text(), nullable=False),
        sa.Column("holds_uniform", sa.REAL(), nullable=False),
        sa.Column("holds_nearby", sa.REAL(), nullable=False),
        sa.Column("n_draws", sa.Integer(), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("concentration", sa.REAL(), nullable=False),
        sa.Column("mean_total_variation_nearby", sa.REAL(), nullable=False),
        sa.Column("nearest_total_variation", sa.REAL(), nullable=True),
        sa.CheckConstraint("concentration > 0", name=op.f("ck_winner_map_concentration")),
        sa.CheckConstraint("holds_nearby BETWEEN 0 AND 1", name=op.f("ck_winner_map_holds_nearby")),
        sa.CheckConstraint("holds_uniform BETWEEN 0 AND 1", name=op.f("ck_winner_map_holds_uniform")),
        sa.CheckConstraint(
            "mean_total_variation_nearby BETWEEN 0 AND 1", name=op.f("ck_winner_map_mean_total_variation_nearby")
        ),
        sa.CheckConstraint("n_draws >= 1", name=op.f("ck_winner_map_n_draws")),
        sa.CheckConstraint(
            "nearest_total_variation > 0 AND nearest_total_variation <= 1",
            name=op.f("ck_winner_map_nearest_total_variation"),
        ),
        sa.CheckConstraint("seed >= 0", name=op.f("ck_winner_map_seed")),
        sa.ForeignKeyConstraint(
            ["evaluation_id"], ["evaluation.id"], name=op.f("fk_winner_map_evaluation_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("evaluation_id", name=op.f("pk_winner_map")),
    )
    op.create_table(
        "winner_map_share",
        sa.Column("evaluation_id", sa.Integer(), nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("uniform", sa.REAL(), nullable=False),
        sa.Column("nearby", sa.REAL(), nullable=False),
        sa.Column("is_first", sa.Boolean(), nullable=False),
        sa.Column("is_first_at_nearest", sa.Boolean(), nullable=True),
        sa.CheckConstraint("is_first IN (0, 1)", name=op.f("ck_winner_map_share_is_first")),
        sa.CheckConstraint("is_first_at_nearest IN (0, 1)", name=op.f("ck_winner_map_share_is_first_at_nearest")),
        sa.CheckConstraint("nearby BETWEEN 0 AND 1", name=op.f("ck_winner_map_share_nearby")),
        sa.CheckConstraint("uniform BETWEEN 0 AND 1", name=op.f("ck_winner_map_share_uniform")),
        sa.ForeignKeyConstraint(
            ["evaluation_id"],
            ["winner_map.evaluation_id"],
            name=op.f("fk_winner_map_share_evaluation_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.id"], name=op.f("fk_winner_map_share_submission_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("evaluation_id", "submission_id", name=op.f("pk_winner_map_share")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_winner_map_share_submission_id"), "winner_map_share", ["submission_id"])
    op.create_table(
        "winner_map_class",
        sa.Column("evaluation_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("share", sa.REAL(), nullable=False),
        sa.Column("share_at_nearest", sa.REAL(), nullable=True),
        sa.CheckConstraint("share BETWEEN 0 AND 1", name=op.f("ck_winner_map_class_share")),
        sa.CheckConstraint("share_at_nearest BETWEEN 0 AND 1", name=op.f("ck_winner_map_class_share_at_nearest")),
        sa.ForeignKeyConstraint(
            ["evaluation_id"],
            ["winner_map.evaluation_id"],
            name=op.f("fk_winner_map_class_evaluation_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("evaluation_id", "position", name=op.f("pk_winner_map_class")),
        sqlite_with_rowid=False,
    )


def _create_tables_of_elections() -> None:
    """Whom which rule crowns."""
    op.create_table(
        "election",
        sa.Column("evaluation_id", sa.Integer(), nullable=False),
        sa.Column("rule", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("unit", sa.Text(), nullable=False),
        sa.Column("assumes", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["evaluation_id"], ["evaluation.id"], name=op.f("fk_election_evaluation_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("evaluation_id", "rule", name=op.f("pk_election")),
        sa.UniqueConstraint("evaluation_id", "position", name=op.f("uq_election_evaluation_id_position")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "election_voter",
        sa.Column("evaluation_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("metric", sa.Text(), nullable=False),
        sa.Column("prevalence", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["evaluation_id"], ["evaluation.id"], name=op.f("fk_election_voter_evaluation_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("evaluation_id", "position", name=op.f("pk_election_voter")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "election_value",
        sa.Column("evaluation_id", sa.Integer(), nullable=False),
        sa.Column("rule", sa.Text(), nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("value", sa.REAL(), nullable=True),
        sa.Column("is_winner", sa.Boolean(), nullable=False),
        sa.CheckConstraint("is_winner IN (0, 1)", name=op.f("ck_election_value_is_winner")),
        sa.ForeignKeyConstraint(
            ["evaluation_id", "rule"],
            ["election.evaluation_id", "election.rule"],
            name=op.f("fk_election_value_evaluation_id_rule"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.id"], name=op.f("fk_election_value_submission_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("evaluation_id", "rule", "submission_id", name=op.f("pk_election_value")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_election_value_submission_id"), "election_value", ["submission_id"])


def _create_tables_of_properties() -> None:
    """The properties of the metrics, with what shows that one is lacking."""
    op.create_table(
        "metric_property",
        sa.Column("evaluation_id", sa.Integer(), nullable=False),
        sa.Column("metric", sa.Text(), nullable=False),
        sa.Column("property", sa.Text(), nullable=False),
        sa.Column("holds", sa.Text(), nullable=False),
        sa.CheckConstraint("holds IN ('yes', 'after calibration', 'no')", name=op.f("ck_metric_property_holds")),
        sa.ForeignKeyConstraint(
            ["evaluation_id"], ["evaluation.id"], name=op.f("fk_metric_property_evaluation_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("evaluation_id", "metric", "property", name=op.f("pk_metric_property")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "witness",
        sa.Column("evaluation_id", sa.Integer(), nullable=False),
        sa.Column("metric", sa.Text(), nullable=False),
        sa.Column("property", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=True),
        sa.Column("balanced", sa.Boolean(), nullable=False),
        sa.Column("score", sa.REAL(), nullable=True),
        sa.Column("confusion", sa.Text(), nullable=False),
        sa.CheckConstraint("balanced IN (0, 1)", name=op.f("ck_witness_balanced")),
        sa.ForeignKeyConstraint(
            ["evaluation_id", "metric", "property"],
            ["metric_property.evaluation_id", "metric_property.metric", "metric_property.property"],
            name=op.f("fk_witness_evaluation_id_metric_property"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.id"], name=op.f("fk_witness_submission_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("evaluation_id", "metric", "property", "position", name=op.f("pk_witness")),
    )
    op.create_index(op.f("ix_witness_submission_id"), "witness", ["submission_id"])
    op.create_table(
        "witness_addition",
        sa.Column("evaluation_id", sa.Integer(), nullable=False),
        sa.Column("metric", sa.Text(), nullable=False),
        sa.Column("property", sa.Text(), nullable=False),
        sa.Column("witness_position", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("gold", sa.Text(), nullable=False),
        sa.Column("predicted", sa.Text(), nullable=True),
        sa.Column("n_items", sa.Integer(), nullable=False),
        sa.CheckConstraint("n_items >= 1", name=op.f("ck_witness_addition_n_items")),
        sa.ForeignKeyConstraint(
            ["evaluation_id", "metric", "property", "witness_position"],
            ["witness.evaluation_id", "witness.metric", "witness.property", "witness.position"],
            name=op.f("fk_witness_addition_evaluation_id_metric_property_witness_position"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint(
            "evaluation_id", "metric", "property", "witness_position", "position", name=op.f("pk_witness_addition")
        ),
        sqlite_with_rowid=False,
    )


def _create_tables_of_identification() -> None:
    """Which readings the published scores are of."""
    op.create_table(
        "identified_column",
        sa.Column("evaluation_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("heading", sa.Text(), nullable=False),
        sa.Column("n_teams", sa.Integer(), nullable=False),
        sa.Column("percent", sa.Boolean(), nullable=False),
        sa.Column("heading_says", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "heading_says IN ('yes', 'no', 'leaves open', 'names no metric', 'cannot tell')",
            name=op.f("ck_identified_column_heading_says"),
        ),
        sa.CheckConstraint("n_teams >= 0", name=op.f("ck_identified_column_n_teams")),
        sa.CheckConstraint("percent IN (0, 1)", name=op.f("ck_identified_column_percent")),
        sa.ForeignKeyConstraint(
            ["evaluation_id"], ["evaluation.id"], name=op.f("fk_identified_column_evaluation_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("evaluation_id", "position", name=op.f("pk_identified_column")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "identified_match",
        sa.Column("evaluation_id", sa.Integer(), nullable=False),
        sa.Column("column_position", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("reading", sa.Text(), nullable=False),
        sa.Column("n_readings", sa.Integer(), nullable=False),
        sa.Column("n_matched", sa.Integer(), nullable=False),
        sa.Column("rounding", sa.Text(), nullable=False),
        sa.Column("decimals", sa.Text(), nullable=False),
        sa.CheckConstraint("n_matched >= 0", name=op.f("ck_identified_match_n_matched")),
        sa.CheckConstraint("n_readings >= 1", name=op.f("ck_identified_match_n_readings")),
        sa.ForeignKeyConstraint(
            ["evaluation_id", "column_position"],
            ["identified_column.evaluation_id", "identified_column.position"],
            name=op.f("fk_identified_match_evaluation_id_column_position"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("evaluation_id", "column_position", "position", name=op.f("pk_identified_match")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "identified_miss",
        sa.Column("evaluation_id", sa.Integer(), nullable=False),
        sa.Column("column_position", sa.Integer(), nullable=False),
        sa.Column("match_position", sa.Integer(), nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("printed", sa.Text(), nullable=False),
        sa.Column("computed", sa.REAL(), nullable=True),
        sa.Column("difference", sa.REAL(), nullable=True),
        sa.Column("reading_that_gives_it", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["evaluation_id", "column_position", "match_position"],
            ["identified_match.evaluation_id", "identified_match.column_position", "identified_match.position"],
            name=op.f("fk_identified_miss_evaluation_id_column_position_match_position"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.id"], name=op.f("fk_identified_miss_submission_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint(
            "evaluation_id", "column_position", "match_position", "submission_id", name=op.f("pk_identified_miss")
        ),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_identified_miss_submission_id"), "identified_miss", ["submission_id"])


def downgrade() -> None:
    """Drop what 0003 has no place for, and the evaluations that say it, which can be made again.

    Raises
    ------
    ValueError
        When a load has published scores, since its fingerprint covers them.
    """
    if op.get_bind().exec_driver_sql("SELECT EXISTS (SELECT 1 FROM published_table)").scalar():
        raise ValueError("Revision 0003 cannot keep published scores.")
    roots = ("reading_group", "winner_map", "election", "metric_property", "identified_column")
    evaluations = " UNION ".join(f"SELECT evaluation_id FROM {table}" for table in roots)  # noqa: S608 - our own words
    for table in BEFORE:
        op.execute(f"DELETE FROM {table} WHERE evaluation_id IN ({evaluations})")  # noqa: S608 - likewise
    op.execute(f"DELETE FROM evaluation WHERE id IN ({evaluations})")  # noqa: S608 - likewise
    for table in reversed((*OF_LOADS, *OF_EVALUATIONS)):
        op.drop_table(table)
