"""What ``audit check`` prints: how a file is read and what it answers, and nothing of what is right.

Without the libraries of scores and reports, since a check takes less than a second.
"""

import os
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import typer

from audit.errors import told
from audit.formats.align.alignment import Checked
from audit.text import plural, visible

_MOST_ANNOTATIONS = 10  # of errors, and of warnings, that GitHub shows of a step
_MOST_SUMMARY = 900_000  # bytes: GitHub takes a MiB


def check_data(checked: Checked, counts: Mapping[str, Any]) -> dict[str, Any]:
    """The result of a check, as data for JSON; counts only of a file that is accepted."""
    return {
        "file": checked.path,
        "accepted": checked.is_accepted,
        "read_as": checked.layout,
        "assumed": checked.is_assumed,
        **counts,
        "issues": [issue.data() for issue in checked.issues],
    }


def print_check(checked: Checked, counts: Mapping[str, Any]) -> None:
    """Issues on standard error, the verdict and the counts on standard output."""
    if checked.issues:
        typer.echo(told(checked.issues), err=True)
    typer.echo(_verdict(checked, checked.path))
    if checked.layout is not None:
        typer.echo(
            f"    read as: {visible(checked.layout, 1000)}{' (assumed)' if checked.is_assumed else ''}"
        )
    if checked.is_accepted:
        _print_counts(counts)


def _verdict(checked: Checked, path: str) -> str:
    return f"{'Accepted' if checked.is_accepted else 'Not accepted'}: {visible(path, 200)}"


def _print_counts(counts: Mapping[str, Any]) -> None:
    if "answered" in counts:
        if "items" in counts:
            of_items = f" of {plural(counts['items'], 'item')}"
        else:
            of_items = ""
        lacking = [
            f"{counts[kind]:,} {kind}" for kind in ("missing", "unusable") if counts.get(kind)
        ]
        answered = f"{counts['answered']:,} answered{of_items}"
        typer.echo(f"    {', '.join([answered, *lacking])}")
    if "given" in counts:
        found = f"{counts['right']:,} as in gold, {counts['false_alarms']:,} not; {counts['missed']:,} of gold missed"
        typer.echo(f"    {plural(counts['given'], 'label')} given: {found}")
    width = len(f"{max(counts['labels'].values(), default=0):,}")
    for label, count in counts["labels"].items():
        typer.echo(f"    {count:>{width},}  {visible(label, 200)}")


# On a pull request


def print_annotations(checked: Sequence[tuple[str, Checked]]) -> None:
    """Workflow commands of GitHub: an annotation for each issue at its line, as many as are shown.

    All of them stand in the summary of the step, whose file GitHub names.
    """
    issues = [(path, issue) for path, each in checked for issue in each.issues]
    for command, is_fatal in (("error", True), ("warning", False)):
        of_kind = [(path, issue) for path, issue in issues if issue.fatal == is_fatal]
        for path, issue in of_kind[:_MOST_ANNOTATIONS]:
            if issue.lines:
                line = f",line={issue.lines[0]}"
            else:
                line = ""
            without_place = str(issue).partition(f": {issue.slug}: ")[2]
            properties = f"file={_property(path)}{line},title={_property(issue.slug)}"
            typer.echo(f"::{command} {properties}::{_data(without_place)}")
    for path, each in checked:
        # which a runner would take for a command
        typer.echo(_verdict(each, path).replace("##[", "## ["))
    if (summary := os.environ.get("GITHUB_STEP_SUMMARY")) is not None:
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(_summary(checked)[:_MOST_SUMMARY])


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _summary(checked: Sequence[tuple[str, Checked]]) -> str:
    """Every file with every issue, as HTML in which nothing of a file is markup."""
    parts = []
    for path, each in checked:
        issues = "\n".join(map(str, each.issues))
        parts.append(
            f"<h3>{escape(_verdict(each, path))}</h3>\n"
            + (f"<pre>{escape(issues)}</pre>\n" if issues else "")
        )
    return "".join(parts)
