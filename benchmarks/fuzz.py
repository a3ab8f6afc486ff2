"""Fuzzes every reader with atheris: any bytes are a submission, gold, or listed issues.

Run `python benchmarks/fuzz.py -max_total_time=600 CORPUS`; every option of libFuzzer is taken. It needs atheris, which
installs on Linux and macOS: `pip install atheris`. The laws in tests/formats/test_readers.py try the same with
hypothesis, everywhere.
"""

import sys
from collections.abc import Iterator
from dataclasses import replace

from audit.domain import Policies, SourceFile
from audit.errors import ISSUE_KINDS, InputError
from audit.formats.align.alignment import Target, align
from audit.formats.align.gold import build_gold
from audit.formats.files.content import decode
from audit.formats.recognise import read_table
from audit.formats.settings.layout import FORMATS, StatedLayout
from audit.formats.settings.parsing import TrackSettings
from audit.formats.table.parsed import TaskFacts
from audit.formats.wide import looks_wide, read_wide

NAMES = ("A.csv", "A.json", "A.jsonl", "A.txt")
CHOICES = (None, *FORMATS)
GOLDS = (
    "id,label\n1,no\n2,yes\n3,no\n4,yes\n",
    "no\nyes\nno\nyes\n",
    "no yes no\nyes\nno no yes yes\n",
)


def targets() -> Iterator[tuple[Target | None, TaskFacts]]:
    """Gold with ids, by position and of sequences; and nothing, for a file that is gold itself."""
    for text in GOLDS:
        table = read_table(decode("gold.txt", text.encode()), StatedLayout(), TaskFacts())
        gold = build_gold(table, TrackSettings(), SourceFile.of("gold.txt", b""))
        target = Target(gold, table.sequences)
        yield (
            target,
            TaskFacts(gold.label_set.code_of, target.position_of, gold.n_items, table.layout),
        )
    yield None, TaskFacts()


TARGETS = tuple(targets())
WIDE = len(TARGETS)
"""What the third byte chooses beyond the targets: gold and systems in one file."""


def attempt(data: bytes) -> None:
    """Read the bytes behind the first three, which choose the format, the file's name and what it is to be."""
    if len(data) < 3:
        return
    stated = StatedLayout(format=CHOICES[data[0] % len(CHOICES)])
    name = NAMES[data[1] % len(NAMES)]
    try:
        read(data[3:], name, stated, data[2] % (WIDE + 1))
    except InputError as error:
        unlisted = {issue.slug for issue in error.issues} - set(ISSUE_KINDS)
        if unlisted or not error.issues:
            raise RuntimeError(f"unlisted issues: {unlisted}") from error


def read(data: bytes, name: str, stated: StatedLayout, which: int) -> None:
    """Read a file as a submission beside one kind of gold, as gold, or as a wide file."""
    if which == WIDE:
        content = decode(name, data)
        looks_wide(content)
        build_gold(
            read_wide(content, stated=stated).gold, TrackSettings(), SourceFile.of(name, b"")
        )
        return
    target, known = TARGETS[which]
    table = read_table(decode(name, data), stated, known)
    if target is None:
        build_gold(table, TrackSettings(), SourceFile.of(name, b""))
    else:
        align(table, replace(target, policies=Policies(duplicates="last", extra="ignore")))


def main() -> None:
    """Fuzz until libFuzzer's options say stop."""
    try:
        import atheris  # noqa: PLC0415 - where it installs
    except ImportError:
        sys.exit(
            "atheris is not installed, or does not install here: pip install atheris (Linux, macOS)"
        )
    atheris.instrument_all()
    atheris.Setup(sys.argv, attempt)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
