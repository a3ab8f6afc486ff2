"""The sample's report and LaTeX are as they were, or the change was wanted."""

import difflib
import re

import pytest

from audit.version import versions

from .update import FOLDER, golden_files

HOW = "If the change is wanted: python tests/golden/update.py, and read the diff before it is committed."


@pytest.fixture(scope="module")
def files():
    """The files as they are made now."""
    return golden_files()


def test_the_golden_files_are_those_that_are_made(files):
    """None is missing, and none is left over."""
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(files), HOW


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.iterdir()))
def test_a_file_is_as_it_was(files, name):
    """Every line of it; the failure shows the lines that are not."""
    golden = (FOLDER / name).read_text(encoding="utf-8")
    changed = difflib.unified_diff(
        golden.splitlines(), files.get(name, "").splitlines(), "golden", "now", lineterm="", n=1
    )
    shown = "\n".join(line[:300] for line, _ in zip(changed, range(60), strict=False))
    assert not shown, f"{name}\n{shown}\n{HOW}"


def test_no_golden_file_depends_on_the_machine():
    """No version of the program or of a library stands in one, and no picture."""
    for path in FOLDER.iterdir():
        text = path.read_text(encoding="utf-8")
        for version in versions().values():
            assert not re.search(rf"(?<![\d.]){re.escape(version)}(?![\d.])", text), (
                path.name,
                version,
            )
        assert "<path" not in text
