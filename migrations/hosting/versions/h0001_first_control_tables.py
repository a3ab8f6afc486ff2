"""The control tables, as they are declared; amended in place until the first release, and never after it."""

from alembic import op

from audit.service.control_tables import METADATA

revision = "h0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make every table."""
    METADATA.create_all(op.get_bind(), checkfirst=False)


def downgrade() -> None:
    """Drop every table."""
    METADATA.drop_all(op.get_bind(), checkfirst=False)
