"""Every test that takes ``hosting`` runs on SQLite and on PostgreSQL, as those of the tables do."""

from tests.hosting.conftest import hosting, made

__all__ = ["hosting", "made"]
