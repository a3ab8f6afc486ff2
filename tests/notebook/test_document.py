"""The notebook of the docs: what stands in it is what its cells show today."""

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

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
    written = NOTEBOOK.read_text(encoding="utf-8")
    assert said(done.stdout) == said(written), "run: python docs/execute_notebook.py"


def said(notebook):
    """Everything in a notebook, of its drawings the texts: strokes and fonts are Matplotlib's and the machine's."""
    document = json.loads(notebook)
    for cell in document["cells"]:
        for output in cell.get("outputs", ()):
            if drawing := output.get("data", {}).get("image/svg+xml"):
                texts = ET.fromstring("".join(drawing)).itertext()  # noqa: S314 - our own
                output["data"]["image/svg+xml"] = " ".join(" ".join(texts).split())
    return document


def test_its_outputs_are_of_every_kind(cells):
    """The verdict as HTML, a picture, a sentence, and an error that is a message alone."""
    outputs = {cell["id"]: cell["outputs"] for cell in cells if cell["cell_type"] == "code"}
    assert "ranks first with a macro-averaged F1 of " in "".join(
        outputs["evaluation"][0]["data"]["text/html"]
    )
    assert "<svg" in outputs["plot-ranking"][0]["data"]["image/svg+xml"][0]
    (error,) = outputs["error"]
    assert error["traceback"] == [f"UsageError: {error['evalue']}"]
    assert all(outputs.values())


def test_its_cells_have_names_of_their_own(cells):
    """As the format of notebooks asks."""
    names = [cell["id"] for cell in cells]
    assert len(set(names)) == len(names)
