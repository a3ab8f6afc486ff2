"""Releases can be withdrawn, links made on the host sign people in, and sessions say which browser they are of."""

import sqlalchemy as sa
from alembic import op

revision = "h0002"
down_revision = "h0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add two columns and two tables."""
    op.add_column("session", sa.Column("client", sa.Text, nullable=True))
    op.add_column("session", sa.Column("by_link", sa.Integer, nullable=False, server_default="0"))
    op.create_table(
        "sign_in_link",
        sa.Column("digest", sa.Text, primary_key=True),
        sa.Column("person", sa.Text, sa.ForeignKey("person.id"), nullable=False),
        sa.Column("made_at", sa.Text, nullable=False),
        sa.Column("expires_at", sa.Text, nullable=False),
        sa.Column("used_at", sa.Text, nullable=True),
    )
    op.create_table(
        "withdrawal",
        sa.Column("campaign", sa.Text, sa.ForeignKey("campaign.id"), primary_key=True),
        sa.Column("release", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("person", sa.Text, sa.ForeignKey("person.id"), nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
    )
