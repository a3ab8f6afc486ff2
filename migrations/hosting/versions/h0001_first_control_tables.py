"""The control tables of release 0.1.0: the statements of ``h0001_first_control_tables.DIALECT.sql``, never changed."""

from pathlib import Path

from alembic import op

revision = "h0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make every table of the release."""
    connection = op.get_bind()
    path = Path(__file__).with_suffix(f".{connection.dialect.name}.sql")
    for statement in path.read_text(encoding="utf-8").strip().split("\n\n"):
        # psycopg takes one % for a parameter
        connection.exec_driver_sql(statement.replace("%", "%%"))
