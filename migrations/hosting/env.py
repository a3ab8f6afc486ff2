"""Alembic's way to the control tables of the service: the program hands over its connection, in one transaction."""

from alembic import context

from audit.service.control_tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    render_as_batch=True,
    version_table="hosting_version",
)
with context.begin_transaction():
    context.run_migrations()
