"""What the package offers by name, and what it costs to import it."""

import importlib
import json
import re
import subprocess
import sys

import pytest

import audit

HEAVY = ("alembic", "jinja2", "numpy", "pandas", "scipy", "sqlalchemy", "typer")


@pytest.mark.parametrize("name", [name for name in audit.__all__ if not name.startswith("__")])
def test_every_public_name_can_be_imported(name):
    """And is the object that its room defines under that name."""
    found = getattr(audit, name)
    assert found.__name__ == name
    assert found is getattr(importlib.import_module(found.__module__), name)


def test_the_version_is_a_release():
    """Numbers with points between them."""
    assert re.fullmatch(r"\d+(\.\d+)+\S*", audit.__version__)


def test_a_star_import_gives_exactly_the_public_names():
    """No more, no less, in order."""
    names = {}
    exec("from audit import *", names)  # noqa: S102 - the statement under test
    assert sorted(set(names) - {"__builtins__"}) == audit.__all__ == sorted(audit.__all__)


def test_a_name_that_does_not_exist_is_an_attribute_error():
    """As of any module."""
    with pytest.raises(AttributeError, match="no attribute 'evaluat'"):
        audit.evaluat  # noqa: B018 - the access is what fails


def modules_after(statement):
    """Heavy modules in memory after a statement in a fresh interpreter."""
    ask = f"import json, sys; {statement}; print(json.dumps([name for name in {HEAVY!r} if name in sys.modules]))"
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_importing_the_package_imports_nothing_heavy():
    """Nor does importing what its errors need."""
    assert modules_after("import audit") == []
    assert (
        modules_after(
            "from audit import AuditError, UsageError, InputError, StoreError, MetricNameError"
        )
        == []
    )


def test_evaluating_needs_no_pandas_database_or_template():
    """Pandas comes with the first DataFrame, the rest with stores and reports."""
    evaluating = 'import audit; audit.evaluate("ab", {"X": "aa"})'
    assert not {"alembic", "jinja2", "pandas", "sqlalchemy", "typer"} & set(
        modules_after(evaluating)
    )
    assert "pandas" in modules_after(f"{evaluating}.scores")


def test_a_notebook_completes_the_public_names():
    """Also those that are imported on first use."""
    assert dir(audit) == sorted(audit.__all__)


def test_predictions_without_teams_are_a_wrong_call():
    """A list of labels is not a mapping of teams."""
    with pytest.raises(audit.UsageError, match="mapping of team names"):
        audit.evaluate(["a", "b"], ["a", "b"])
