"""Fuzzes every reader with atheris: any bytes are a submission, gold, or listed issues.

Run `python benchmarks/fuzz.py -max_total_time=600 CORPUS`; every option of libFuzzer is taken. It needs atheris, which
installs on Linux and macOS: `pip install atheris`. The laws in tests/formats/test_readers.py try the same with
hypothesis, everywhere.
"""

import sys
from collections.abc import Iterator

from audit.domain import Policies, SourceFile
from audit.errors import ISSUE_KINDS, InputError
from audit.formats.align import Target, align
from audit.formats.content import decode
from audit.formats.gold import build_gold
from audit.formats.reading import FORMATS, Keys, Known
from audit.formats.recognise import read_table

NAMES = ("A.csv", "A.json", "A.jsonl", "A.txt")
CHOICES = (None, *FORMATS)
GOLDS = ("id,label\n1,no\n2,yes\n3,no\n4,yes\n", "no\nyes\nno\nyes\n", "no yes no\nyes\nno no yes yes\n")


def targets() -> Iterator[tuple[Target | None, Known]]:
    """Gold with ids, by position and of sequences; and nothing, for a file that is gold itself."""
    for text in GOLDS:
        table = read_table(decode("gold.txt", text.encode()), Keys(), Known())
        gold = build_gold(table, None, "gold.txt", SourceFile.of("gold.txt", b""))
        target = Target(gold, table.sequences)
        yield target, Known(gold.label_set.code_of, target.position_of, gold.n_items, table.reading)
    yield None, Known()


TARGETS = tuple(targets())


def attempt(data: bytes) -> None:
    """Read the bytes behind the first three, which choose the format, the file's name and what it is to be."""
    if len(data) < 3:
        return
    keys = Keys(format=CHOICES[data[0] % len(CHOICES)])
    name = NAMES[data[1] % len(NAMES)]
    target, known = TARGETS[data[2] % len(TARGETS)]
    try:
        table = read_table(decode(name, data[3:]), keys, known)
        if target is None:
            build_gold(table, None, name, SourceFile.of(name, b""))
        else:
            align(table, target, name, Policies(duplicates="last", extra="ignore"))
    except InputError as error:
        unlisted = {issue.slug for issue in error.issues} - set(ISSUE_KINDS)
        if unlisted or not error.issues:
            raise RuntimeError(f"unlisted issues: {unlisted}") from error


def main() -> None:
    """Fuzz until libFuzzer's options say stop."""
    try:
        import atheris  # noqa: PLC0415 - where it installs
    except ImportError:
        sys.exit("atheris is not installed, or does not install here: pip install atheris (Linux, macOS)")
    atheris.instrument_all()
    atheris.Setup(sys.argv, attempt)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
