"""The forms in which files give sets, and the rule by which columns of 0 and 1 become lists."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

FORMS: Mapping[str, str] = {
    "list": "a list in a cell: parted by `separator`, JSON, or as Python writes a list or set",
    "rows": "a row for each label of an item",
    "columns": "a column of 0 and 1 for each label, which `label` lists",
    "tags": "the tags of tokens (B-, I-, E-, S-, and O), whose spans are the things",
    "spans": "a JSON list of objects with `start`, `end` and `label`, or of such triples",
}
REPAIRS: Mapping[str, str] = {
    "conll": "as conlleval and seqeval read broken tags: an I- behind O or another type opens a span",
    "strict": "only B- (S-) opens a span, and what is broken is none",
}

SETS = 'kind = "sets"'  # what task.toml states where an item has any number of labels, or spans are found

NEITHER = "[neither 0 nor 1: "  # in front of a cell that no column of 0 and 1 has
_YES, _NO = frozenset({"1", "1.0", "true"}), frozenset({"0", "0.0", "false"})


@dataclass(frozen=True, slots=True)
class Indicators:
    """Columns of 0 and 1, one for each label, as a JSON list of the labels."""

    names: tuple[str, ...]

    def labels(self, columns: Sequence[Sequence[str]]) -> list[str]:
        """The labels of each row; a cell that is neither yes nor no stays for the reader of sets to refuse."""
        if len(columns) != len(self.names):  # of a layout that is tried and is none
            return [f"[{len(columns)} columns"] * len(columns[0])
        rows = []
        for cells in zip(*columns, strict=True):
            odd = [cell for cell in cells if cell.casefold() not in _YES | _NO]
            chosen = [name for name, cell in zip(self.names, cells, strict=True) if cell.casefold() in _YES]
            rows.append(f"{NEITHER}{odd[0]}" if odd else json.dumps(chosen))
        return rows

    def __str__(self) -> str:
        """The rule in words."""
        return "each of them says whether an item has the label that it is called"
