"""Every test that takes ``hosting`` runs on SQLite and on PostgreSQL."""

import pytest

from tests.control_databases import KINDS, hosting_of, module_database


@pytest.fixture(params=KINDS, scope="module")
def made(request, tmp_path_factory):
    """Tables for a module of tests."""
    with module_database(request.param, tmp_path_factory.mktemp("tables")) as made:
        yield made


@pytest.fixture
def hosting(made, tmp_path):
    """A data folder and tables without rows."""
    with hosting_of(made, tmp_path / "data") as found:
        yield found
