"""Policies, roles, families, groups and the journal of a load; baselines and competition in an evaluation.

A load of an earlier revision was strict or not; it gets a row for each policy that says the same, and an empty journal.
What it says keeps its fingerprint.
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

ROLES = ("primary", "contrastive", "baseline", "late", "unofficial", "withdrawn")
DEFAULTS = {
    "missing": "wrong",
    "unusable": "wrong",
    "extra": "reject",
    "duplicates": "reject",
    "runs": "all",
    "baselines": "beside",
    "skipped": "left-out",
}
UNANSWERED = ("missing", "unusable")
NO_JOURNAL = "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"
"""SHA-256 of a journal without an entry, which is the JSON text ``[]``."""

KEPT = (
    "id, task_id, gold_id, loaded_at, program_version, fingerprint, title, labels_declared, official_metric,"
    " official_prevalence, official_decimals, gold_path, gold_file_id, settings_path, settings_file_id, n_replicates,"
    " seed"
)


def upgrade() -> None:
    """Give every load its policies, and add columns and tables; nothing else that is there changes."""
    _create_tables_of_loads()
    for slug, value in DEFAULTS.items():
        where_strict = "reject" if slug in UNANSWERED else value
        op.execute(
            f"INSERT INTO policy (load_id, slug, value)"  # noqa: S608 - our own words
            f" SELECT id, '{slug}', iif(strict, '{where_strict}', '{value}') FROM load"
        )
    _rebuild_load(
        f"{KEPT}, family, part, journal_digest",
        f"{KEPT}, NULL, NULL, '{NO_JOURNAL}'",
        sa.Column("family", sa.Text(), nullable=True),
        sa.Column("part", sa.Text(), nullable=True),
        sa.Column("journal_digest", sa.Text(), nullable=False),
        sa.CheckConstraint("part IS NULL OR family IS NOT NULL", name=op.f("ck_load_part")),
        sa.CheckConstraint("length(journal_digest) = 64", name=op.f("ck_load_journal_digest")),
    )
    op.add_column("item", sa.Column("group_code", sa.Integer(), nullable=True))
    one_of = f"role IN ({', '.join(map(repr, ROLES))})"
    op.add_column(
        "submission",
        sa.Column(
            "role",
            sa.Text(),
            sa.CheckConstraint(one_of, name=op.f("ck_submission_role")),
            nullable=False,
            server_default=sa.text("'primary'"),
        ),
    )
    op.add_column("submission", sa.Column("affiliation", sa.Text(), nullable=True))
    op.add_column("submission", sa.Column("paper", sa.Text(), nullable=True))
    _create_tables_of_evaluations()
    op.execute(
        "INSERT INTO entry (evaluation_id, submission_id, competes, n_dropped)"
        " SELECT DISTINCT evaluation_id, submission_id, 1, 0 FROM score"
    )


def _create_tables_of_loads() -> None:
    op.create_table(
        "policy",
        sa.Column("load_id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["load_id"], ["load.id"], name=op.f("fk_policy_load_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("load_id", "slug", name=op.f("pk_policy")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "chosen_run",
        sa.Column("load_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("team", sa.Text(), nullable=False),
        sa.Column("run", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["load_id"], ["load.id"], name=op.f("fk_chosen_run_load_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("load_id", "position", name=op.f("pk_chosen_run")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "journal",
        sa.Column("load_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["load_id"], ["load.id"], name=op.f("fk_journal_load_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("load_id", "position", name=op.f("pk_journal")),
        sqlite_with_rowid=False,
    )


def _create_tables_of_evaluations() -> None:
    op.create_table(
        "entry",
        sa.Column("evaluation_id", sa.Integer(), nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("competes", sa.Boolean(), nullable=False),
        sa.Column("n_dropped", sa.Integer(), nullable=False),
        sa.CheckConstraint("competes IN (0, 1)", name=op.f("ck_entry_competes")),
        sa.CheckConstraint("n_dropped >= 0", name=op.f("ck_entry_n_dropped")),
        sa.ForeignKeyConstraint(
            ["evaluation_id"], ["evaluation.id"], name=op.f("fk_entry_evaluation_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.id"], name=op.f("fk_entry_submission_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("evaluation_id", "submission_id", name=op.f("pk_entry")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_entry_submission_id"), "entry", ["submission_id"])
    op.create_table(
        "baseline",
        sa.Column("evaluation_id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("explanation", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["evaluation_id"], ["evaluation.id"], name=op.f("fk_baseline_evaluation_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("evaluation_id", "slug", name=op.f("pk_baseline")),
        sa.UniqueConstraint("evaluation_id", "position", name=op.f("uq_baseline_evaluation_id_position")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "baseline_score",
        sa.Column("evaluation_id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("metric", sa.Text(), nullable=False),
        sa.Column("prevalence", sa.Text(), nullable=False),
        sa.Column("value", sa.REAL(), nullable=True),
        sa.Column("standard_error", sa.REAL(), nullable=True),
        sa.CheckConstraint("standard_error >= 0", name=op.f("ck_baseline_score_standard_error")),
        sa.ForeignKeyConstraint(
            ["evaluation_id", "slug"],
            ["baseline.evaluation_id", "baseline.slug"],
            name=op.f("fk_baseline_score_evaluation_id_slug"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("evaluation_id", "slug", "metric", "prevalence", name=op.f("pk_baseline_score")),
        sqlite_with_rowid=False,
    )


def _rebuild_load(columns: str, values: str, *own: sa.Column[object] | sa.CheckConstraint) -> None:
    """Make ``load`` anew with these columns and constraints of its own, since SQLite drops no column with a CHECK.

    Nothing is renamed: references to ``load`` stay as they are, and whoever has a view on it keeps it.
    """
    op.execute("CREATE TEMPORARY TABLE load_before AS SELECT * FROM load")
    op.drop_table("load")
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
        sa.Column("gold_path", sa.Text(), nullable=True),
        sa.Column("gold_file_id", sa.Integer(), nullable=True),
        sa.Column("settings_path", sa.Text(), nullable=True),
        sa.Column("settings_file_id", sa.Integer(), nullable=True),
        sa.Column(
            "n_replicates",
            sa.Integer(),
            sa.CheckConstraint("n_replicates >= 0", name=op.f("ck_load_n_replicates")),
            nullable=True,
        ),
        sa.Column(
            "seed",
            sa.Integer(),
            sa.CheckConstraint("seed >= 0", name=op.f("ck_load_seed")),
            nullable=False,
            server_default=sa.text("1"),
        ),
        *own,
        sa.CheckConstraint("(gold_path IS NULL) = (gold_file_id IS NULL)", name=op.f("ck_load_gold_file")),
        sa.CheckConstraint("(official_metric IS NULL) = (official_prevalence IS NULL)", name=op.f("ck_load_official")),
        sa.CheckConstraint("(settings_path IS NULL) = (settings_file_id IS NULL)", name=op.f("ck_load_settings_file")),
        sa.CheckConstraint("labels_declared IN (0, 1)", name=op.f("ck_load_labels_declared")),
        sa.CheckConstraint("length(fingerprint) = 64", name=op.f("ck_load_fingerprint")),
        sa.CheckConstraint("official_decimals >= 0", name=op.f("ck_load_official_decimals")),
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
    op.execute(f"INSERT INTO load ({columns}) SELECT {values} FROM load_before")  # noqa: S608 - our own words
    op.execute("DROP TABLE load_before")
    for column in ("gold_file_id", "gold_id", "settings_file_id", "task_id"):
        op.create_index(op.f(f"ix_load_{column}"), "load", [column])


def downgrade() -> None:
    """Drop what 0002 has no place for: the journal, and evaluations that can be made again.

    Raises
    ------
    ValueError
        When a load says something else that 0002 cannot keep, since its fingerprint covers that.
    """
    bind = op.get_bind()
    for what, own in _beyond_0002().items():
        if bind.exec_driver_sql(f"SELECT EXISTS ({own})").scalar():
            raise ValueError(f"Revision 0002 cannot keep {what}.")
    evaluations = (
        "SELECT evaluation_id FROM baseline UNION SELECT evaluation_id FROM entry WHERE NOT competes OR n_dropped > 0"
    )
    for table in ("score", "flag", "uncertainty", "comparison", "rank_set", "packed_array"):
        op.execute(f"DELETE FROM {table} WHERE evaluation_id IN ({evaluations})")  # noqa: S608 - our own words
    op.execute(f"DELETE FROM evaluation WHERE id IN ({evaluations})")  # noqa: S608 - likewise
    for table in ("baseline_score", "baseline", "entry"):
        op.drop_table(table)
    strict = (
        "(SELECT count(*) = 2 FROM policy WHERE load_id = load_before.id"
        " AND slug IN ('missing', 'unusable') AND value = 'reject')"
    )
    _rebuild_load(
        f"{KEPT}, strict",
        f"{KEPT}, {strict}",
        sa.Column("strict", sa.Boolean(), nullable=False),
        sa.CheckConstraint("strict IN (0, 1)", name=op.f("ck_load_strict")),
    )
    for table in ("journal", "chosen_run", "policy"):
        op.drop_table(table)
    for table, column in (
        ("submission", "paper"),
        ("submission", "affiliation"),
        ("submission", "role"),
        ("item", "group_code"),
    ):
        op.drop_column(table, column)


def _beyond_0002() -> dict[str, str]:
    """What an older program could not say, with a query that finds it."""
    known = " OR ".join(f"slug = '{slug}' AND value = '{value}'" for slug, value in DEFAULTS.items())
    of_load = "SELECT 1 FROM policy AS other WHERE other.load_id = policy.load_id"
    both = " AND ".join(f"EXISTS ({of_load} AND slug = '{slug}' AND value = 'reject')" for slug in UNANSWERED)
    strict = f"slug IN ('missing', 'unusable') AND {both}"
    return {
        "a policy of its own": f"SELECT 1 FROM policy WHERE NOT ({known} OR {strict})",  # noqa: S608 - our own words
        "a run that was chosen": "SELECT 1 FROM chosen_run",
        "a family": "SELECT 1 FROM load WHERE family IS NOT NULL",
        "a role": "SELECT 1 FROM submission WHERE role <> 'primary'",
        "where a team is from": "SELECT 1 FROM submission WHERE affiliation IS NOT NULL OR paper IS NOT NULL",
        "groups of items": "SELECT 1 FROM item WHERE group_code IS NOT NULL",
    }
