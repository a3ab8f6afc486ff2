"""The notebook of the docs: what stands in it is what its cells show today."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
NOTEBOOK = DOCS / "notebook.ipynb"


@pytest.fixture(scope="module")
def cells():
    return json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]


def test_a_fresh_run_gives_the_outputs_that_are_in_the_file():
    """Every cell, in order, in a Python of its own, with warnings as errors."""
    command = [sys.executable, DOCS / "execute_notebook.py", "--stdout"]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == NOTEBOOK.read_text(encoding="utf-8"), "run: python docs/execute_notebook.py"


def test_its_outputs_are_of_every_kind(cells):
    """The verdict as HTML, a picture, a sentence, and an error that is a message alone."""
    outputs = {cell["id"]: cell["outputs"] for cell in cells if cell["cell_type"] == "code"}
    assert "is first by averaged F1" in "".join(outputs["evaluation"][0]["data"]["text/html"])
    assert "<svg" in outputs["plot-ranking"][0]["data"]["image/svg+xml"][0]
    (error,) = outputs["error"]
    assert error["traceback"] == [f"UsageError: {error['evalue']}"]
    assert all(outputs.values())


def test_its_cells_have_names_of_their_own(cells):
    """As the format of notebooks asks."""
    names = [cell["id"] for cell in cells]
    assert len(set(names)) == len(names)
