"""What each file is, as somebody chooses it in a table: files.csv, and what it replaces in task.toml."""

import csv
import io
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from audit.service.settings_text import Setting
from audit.text import composed

REMOVE = "remove"
CHOICES: Mapping[str, str] = {
    "": "not used",
    "gold": "gold",
    "submission": "submission of …",
    "baseline": "baseline",
    "contrastive": "submission, contrastive",
    "late": "submission, late",
    "unofficial": "submission, unofficial",
    "withdrawn": "submission, withdrawn",
    "published": "published scores",
    "names": "names of the labels",
    "reference": "accompanying file, not read",
    "ignore": "ignore",
}
"""What a file can be, in words: a kind, or the role of a submission."""
COLUMNS = ("file", "kind", "role", "team", "run", "part", "why")
NAMES = ("team", "run", "part")
_FOR_SPREADSHEETS = re.compile(r'\A\ufeff?"?sep=.?"?\n', re.IGNORECASE)
_KINDS = frozenset({"", "gold", "submission", "published", "names", "reference", "ignore"})
_ROLES = frozenset(CHOICES) - _KINDS
OF_TEAMS = _ROLES | {"submission"}
_FORMULA = "=+-@"  # what a spreadsheet takes for the beginning of a formula
_REPLACED = (
    *(("gold", "path"), ("published", "path")),
    *(("submissions", key) for key in ("files", "split", "ignore")),
)

Row = Mapping[str, Any]


def choice_of(row: Row) -> str:
    """What a row of the table is, in one word.

    >>> choice_of({"kind": "submission", "role": "baseline"}), choice_of({"kind": "gold", "role": ""})
    ('baseline', 'gold')
    """
    has_role = row["kind"] == "submission" and row["role"] in _ROLES
    return str(row["role"] if has_role else row["kind"])


def changed_rows(
    rows: Iterable[Row], chosen: Mapping[str, Mapping[str, str]]
) -> dict[str, Mapping[str, str]]:
    """The choices that differ from the rows that they were made in view of."""
    changed = {}
    for row in rows:
        values = chosen.get(row["file"])
        if values is not None and values != {
            "choice": choice_of(row),
            **{name: row[name] for name in NAMES},
        }:
            changed[row["file"]] = values
    return changed


def with_choices(
    rows: Iterable[Row], changed: Mapping[str, Mapping[str, str]], *, why: str
) -> list[Row]:
    """The rows that somebody has decided, with these changes; what is not used and what is removed has none."""
    decided = []
    for row in rows:
        values = changed.get(row["file"])
        if values is not None and values["choice"] == REMOVE:
            continue
        if values is not None:
            choice = values["choice"]
            if choice in _KINDS:
                kind = choice
                role = ""
            else:
                kind = "submission"
                role = choice
            names = {name: " ".join(values[name].split()) for name in NAMES}
            row = {**row, "kind": kind, "role": role, **names, "why": why}  # noqa: PLW2901 - the row as it is now
        if row["kind"]:
            decided.append(row)
    return decided


def _path_of(line: Mapping[str, str | None]) -> str:
    """The path on a line of files.csv, in its one spelling."""
    return composed((line.get("file") or "").replace("\\", "/")).removeprefix("./")


def written_table(rows: Iterable[Row], before: str) -> str:
    r"""files.csv with these rows; further columns of the one before stay.

    >>> row = {"file": "=a.csv", "kind": "submission", "role": "primary", "team": "A, B", "run": "", "part": ""}
    >>> print(written_table([{**row, "why": "x"}], "file,kind,paper\n=a.csv,,P1\n"))
    file,kind,role,team,run,part,why,paper
    ./=a.csv,submission,,"A, B",,,x,P1
    <BLANKLINE>
    """
    heads = []
    further = {}
    if before.strip():
        # of which any system may have ended the lines
        lines = io.StringIO(before, newline=None).read()
        lines = _FOR_SPREADSHEETS.sub("", lines, count=1)
        reader = csv.DictReader(
            io.StringIO(lines), delimiter=max(",;\t", key=lines.partition("\n")[0].count)
        )
        heads = [head for head in reader.fieldnames or () if head.strip().casefold() not in COLUMNS]
        further = {_path_of(line): line for line in reader}
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*COLUMNS, *heads])
    for row in rows:
        cells = {name: str(row[name]).lstrip(_FORMULA) for name in COLUMNS}
        if row["file"][0] in _FORMULA:
            cells["file"] = f"./{row['file']}"
        else:
            cells["file"] = row["file"]
        if row["role"] == "primary":
            cells["role"] = ""
        else:
            cells["role"] = row["role"]
        writer.writerow(
            [*cells.values(), *(further.get(row["file"], {}).get(head) or "" for head in heads)]
        )
    return text.getvalue()


def replaced_settings(
    settings: str | None, rows: Sequence[Row], chosen_runs: Sequence[Row]
) -> list[Setting]:
    """What files.csv says in place of task.toml: where files are, whose, and in which role.

    Where gold's file has a column for each system, names and roles stay: no row says them.
    """
    try:
        toml = tomllib.loads(settings or "")
    except (tomllib.TOMLDecodeError, RecursionError):
        return []
    parts = toml.get("subtask", {})
    tables = [
        ((), toml),
        *((("subtask", part), parts[part]) for part in (parts if isinstance(parts, dict) else ())),
    ]
    replaced = [
        Setting((*place, table), key, None)
        for place, stated in tables
        if isinstance(stated, dict)
        for table, key in _REPLACED
        if isinstance(stated.get(table), dict) and key in stated[table]
    ]
    if any(row["kind"] == "submission" for row in rows):
        replaced += [
            Setting((), name, None)
            for name in ("teams", "roles", "label_names_file")
            if name in toml
        ]
        if "teams" in toml and "chosen" in toml:
            replaced.append(Setting((), "chosen", [dict(each) for each in chosen_runs] or None))
    return replaced
