"""The drawing and the table of docs/architecture.md are true: they say what the import contracts hold."""

import re
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
DRAWING = re.search(r"```text\n(.*?)```", PAGE, re.DOTALL)[1]
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
    "importlinter"
]["contracts"]


def levels():
    """How high each room of the package stands: 0 is the lowest, which imports from none."""
    (contract,) = [contract for contract in CONTRACTS if contract.get("containers") == ["audit"]]
    assert contract["type"] == "layers"
    assert contract["exhaustive"]
    layers = [re.split(r" [|:] ", layer) for layer in contract["layers"]]
    return {room: height for height, rooms in enumerate(reversed(layers)) for room in rooms}


def arrows(drawing):
    """The rooms on the arrows of a drawing that point to the left, from left to right."""
    return re.findall(r"◀──(\w+)──", drawing)


def test_arrows_are_found_in_a_drawing():
    assert arrows("a ◀──writers── b ◀──report── c ──store──▶ d") == ["writers", "report"]


def test_what_an_arrow_makes_is_known_to_no_room_farther_along_it():
    """Documents are made of findings, findings of an evaluation; nobody imports against the arrows."""
    made, heights = [*arrows(DRAWING), "evaluation"], levels()
    assert made == ["writers", "report", "findings", "evaluation"]
    assert [heights[room] for room in made] == sorted(
        (heights[room] for room in made), reverse=True
    )
    assert len({heights[room] for room in made}) == len(made)


def test_every_room_on_an_arrow_is_a_room():
    named = re.findall(r"──(\w+)──", DRAWING)
    assert {"formats", "store", "findings", "report", "writers"} <= set(named) <= levels().keys()


def test_the_table_lists_the_rooms_from_the_highest_to_the_lowest():
    table = PAGE.partition("| room of `audit/` |")[2].partition("\n\n")[0]
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    rows = [re.findall(r"`(\w+)(?:/|\.py)`", cell) for cell in cells]
    listed = [room for row in rows for room in row]
    heights = [[levels()[room] for room in row] for row in rows]
    assert len(listed) == len(set(listed))
    for above, below in pairwise(heights):
        assert min(above) >= max(below), (above, below)
    kept_aside = {
        "__main__",
        "extras",
        "errors",
        "text",
        "content_policy",
        "resources",
        "threads",
        "version",
    }
    assert levels().keys() - set(listed) <= kept_aside | {"vocabulary"}


@pytest.mark.parametrize(
    "room", ["findings", "evaluation", "inference", "ranking", "metrics", "readings", "domain"]
)
def test_decisions_and_what_they_stand_on_know_no_document(room):
    heights = levels()
    assert heights[room] < heights["document"] < heights["report"]
