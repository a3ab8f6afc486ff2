"""The first schema: the statements of ``0001_first_schema.sql``.

Until the first release it is amended in place, and stores that were made before are refused: the mark in their header,
a checksum of the statements, tells them apart. From then on it never changes, and every change is a migration of its
own.
"""

import re
import zlib
from pathlib import Path

from sqlalchemy import Connection

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_TEXT = re.sub(
    r"^--.*\n",
    "",
    Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"),
    flags=re.MULTILINE,
)
STATEMENTS = [statement.strip() for statement in _TEXT.split(";\n") if statement.strip()]
_CREATED = re.compile(r"^CREATE (?:UNIQUE )?(TABLE|INDEX|VIEW) (\w+)", re.MULTILINE)
MARK = zlib.crc32("\n".join(STATEMENTS).encode("utf-8")) >> 1
"""Of 31 bits, as ``PRAGMA user_version`` takes them."""


def create(connection: Connection) -> None:
    """Create every table and view, and mark the file as a store of this program and this schema."""
    connection.exec_driver_sql(f"PRAGMA application_id = {int.from_bytes(b'STAu')}")
    connection.exec_driver_sql(f"PRAGMA user_version = {MARK}")
    for statement in STATEMENTS:
        connection.exec_driver_sql(statement)


def upgrade() -> None:
    """Make the first schema, as the program makes it of a new file without Alembic."""
    from alembic import op  # noqa: PLC0415 - a new store does without

    create(op.get_bind())


def downgrade() -> None:
    """Drop everything, what refers to others first."""
    from alembic import op  # noqa: PLC0415 - a new store does without

    connection = op.get_bind()
    for kind, name in reversed(_CREATED.findall("\n".join(STATEMENTS))):
        connection.exec_driver_sql(f"DROP {kind} {name}")
    connection.exec_driver_sql("PRAGMA user_version = 0")
    connection.exec_driver_sql("PRAGMA application_id = 0")
