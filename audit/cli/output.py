"""Data as a command prints it: JSON, or records and entries of a registry for people."""

from typing import Any

import typer


def print_json(data: object) -> None:
    """Data as JSON."""
    from audit.writers.data.export import to_json

    typer.echo(to_json(data), nl=False)


def print_records(records: list[dict[str, Any]], *, as_json: bool) -> None:
    """Records of one shape as a table, or as JSON."""
    if as_json:
        print_json(records)
        return
    from audit.writers.terminal import write_records

    if not records:
        typer.echo("Nothing here yet. Load a campaign: audit load FOLDER")
        return
    rows = [[_cell(name, value) for name, value in record.items()] for record in records]
    numeric = frozenset(column for column, value in enumerate(records[0].values()) if isinstance(value, int))
    write_records(list(records[0]), rows, numeric)


def _cell(name: str, value: object) -> str:
    """A value of a record as people read it."""
    from audit.cli.load_log import time_text

    if value is None:
        return ""
    if name in {"loaded", "replaced"}:
        return time_text(str(value))
    return f"{value:,}" if isinstance(value, int) else str(value)


def print_entries(entries: list[dict[str, Any]], details: tuple[str, ...], *, as_json: bool) -> None:
    """Entries of a registry: slug and title, the explanation, then the details one a line."""
    if as_json:
        print_json(entries)
        return
    for entry in entries:
        typer.echo(f"{entry['slug']}: {entry['title']}\n    {entry['explanation']}")
        for name in details:
            typer.echo(f"    {name}: {entry[name]}")
        typer.echo()
