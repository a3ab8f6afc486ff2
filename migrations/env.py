"""Alembic's way to the store.

The program hands over its connection, inside the transaction that the whole upgrade is. A developer names a store:
``alembic -x store=audit.db revision --autogenerate -m "…"``.
"""

from pathlib import Path

from alembic import context
from sqlalchemy import Connection

from audit.store.sqlite_file import engine_for, for_writing
from audit.store.tables import Base


def migrate(connection: Connection) -> None:
    """Run the migrations that are asked for on this connection."""
    context.configure(connection=connection, target_metadata=Base.metadata, render_as_batch=True)
    with context.begin_transaction():
        context.run_migrations()


def migrate_named_store() -> None:
    """Run them on the store that ``-x store=PATH`` names."""
    path = Path(context.get_x_argument(as_dictionary=True).get("store", "audit.db"))
    with for_writing(engine_for(path, create=True, foreign_keys=False)).begin() as connection:
        migrate(connection)


if "connection" in context.config.attributes:
    migrate(context.config.attributes["connection"])
else:
    migrate_named_store()
