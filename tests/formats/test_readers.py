"""Every reader, on any bytes and on damaged files of its own: a Table, or listed issues, in bounded time."""

import json
import time
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from audit.domain import POLICY_KINDS, Policies, SourceFile
from audit.errors import ISSUE_KINDS, InputError
from audit.formats.align.alignment import Target, align
from audit.formats.align.gold import build_gold
from audit.formats.align.groups import suggestions
from audit.formats.campaign.campaigns import read_campaign
from audit.formats.files.content import decode
from audit.formats.recognise import read_table
from audit.formats.settings.answers import Combinations, Spelling, Threshold
from audit.formats.settings.layout import FORMATS, GroupFile, Separator, StatedLayout
from audit.formats.settings.parsing import TrackSettings
from audit.formats.settings.task_toml import TaskToml
from audit.formats.table.parsed import TaskFacts
from audit.formats.wide import looks_wide, read_wide
from tests.nightly import examples, whole_or

from .campaigns import ANSWERS, GOLD, write
from .tables import parquet_table, rows_of, with_shared_strings, workbook

SEQUENCES = "no yes no\nyes\nno no yes yes\n"
TOKENS = "a\tno\nb\tyes\n\nc\tno\n"
OBJECTS = [{"id": str(number), "label": "no", "x": {"y": [1]}} for number in range(1, 5)]
SEEDS = {
    "delimited": ANSWERS.encode(),
    "jsonl": "\n".join(map(json.dumps, OBJECTS)).encode(),
    "json": json.dumps({"team": "A", "data": {"items": OBJECTS}}).encode(),
    "lines": b"no\nyes\n\nno\n",
    "excel": workbook({"A": rows_of(ANSWERS), "B": [[1, 2.5, True, None, "=1+1"]]}),
    "excel with shared strings": with_shared_strings(rows_of(ANSWERS)),
    "parquet": parquet_table(
        id=["1", "2", "3", "4"], label=["no", "no", None, "yes"], x=[{"y": 1.5}] * 4
    ),
    "sequences": SEQUENCES.encode(),
    "tokens": TOKENS.encode(),
}

KEYS = st.builds(
    StatedLayout,
    format=st.sampled_from([None, *FORMATS]),
    delimiter=st.sampled_from([None, ",", "blanks", "\t"]),
    header=st.sampled_from([None, True, False]),
    skip=st.sampled_from([None, 0, 1, 3]),
    comment=st.sampled_from([None, "", "#"]),
    sheet=st.sampled_from([None, 1, "A"]),
    records=st.sampled_from([None, "data.items"]),
    id=st.sampled_from([None, False, ("id",), (1,), (1, 2)]),
    label=st.sampled_from([None, ("label",), (2,), (1, 2)]),
    group=st.sampled_from(
        [None, None, (1,), False, Separator(""), Separator("no"), GroupFile("by.txt")]
    ),
    spelling=st.sampled_from([Spelling(), Spelling({"y": "yes"}, fold_case=True)]),
)
RULES = {
    1: st.sampled_from([None, Threshold(0.5, "yes", "no", abstain=(0.4, 0.6))]),
    2: st.just(Combinations({"1,no": "no"})),
}
POLICIES = st.builds(
    Policies, **{slug: st.sampled_from(list(kind.values)) for slug, kind in POLICY_KINDS.items()}
)


@st.composite
def keys(draw):
    """Settings as task.toml can have them: several columns of labels never without what they mean."""
    found = draw(KEYS)
    return StatedLayout(
        **{name: getattr(found, name) for name in StatedLayout.__slots__ if name != "rule"},
        rule=draw(RULES[len(found.label or (1,))]),
    )


@st.composite
def damaged(draw, seeds=SEEDS):
    """A file of some format, with a few of its bytes replaced, left out or doubled."""
    data = draw(st.sampled_from(sorted(seeds.values())))
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(data)))
        end = draw(st.integers(start, min(len(data), start + 40)))
        data = (
            data[:start]
            + draw(
                st.sampled_from([b"", data[start:end] * 2, b"\xff\xff\xff\x7f"])
                | st.binary(max_size=8)
            )
            + data[end:]
        )
    return data


@cache
def golds():
    """Gold of every kind: with ids, by position, and of sequences."""
    found = []
    for content in (GOLD, "no\nyes\nno\nyes\n", SEQUENCES):
        table = read_table(decode("gold.txt", content.encode()), StatedLayout(), TaskFacts())
        gold = build_gold(table, TrackSettings(), SourceFile.of("gold.txt", content.encode()))
        target = Target(gold, table.sequences)
        found.append(
            (
                target,
                TaskFacts(gold.label_set.code_of, target.position_of, gold.n_items, table.layout),
            )
        )
    return found


def issues_of(work):
    """The issues that work raises or gives; it never raises without any."""
    try:
        return list(work() or ())
    except InputError as error:
        return list(error.issues) or pytest.fail("an error without an issue")


@examples(60)
@given(
    data=damaged(),
    stated=keys(),
    policies=POLICIES,
    which=st.integers(0, 2),
    name=st.sampled_from(["A.csv", "A.json", "A.jsonl"]),
)
def test_damaged_files_are_submissions_or_listed_issues(data, stated, policies, which, name):
    """By any settings and policies, beside any kind of gold."""
    target, known = golds()[which]

    def work():
        aligned = align(
            read_table(decode(name, data), stated, known), replace(target, policies=policies)
        )
        assert aligned.codes is None or (
            aligned.codes.size == target.gold.n_items and aligned.codes.max() <= target.unusable
        )
        assert aligned.codes is not None or any(issue.fatal for issue in aligned.issues)
        return aligned.issues

    started = time.process_time()
    assert {issue.slug for issue in issues_of(work)} <= set(ISSUE_KINDS)
    assert time.process_time() - started < 10


@examples(40)
@given(data=damaged(), stated=keys(), declared=st.sampled_from([None, ("no", "yes")]))
def test_damaged_files_are_gold_or_listed_issues(data, stated, declared):
    """Likewise, with a label set or without."""

    def work():
        table = read_table(decode("gold.txt", data), stated, TaskFacts(declared))
        source, lines = SourceFile.of("gold.txt", data), list("xyxy")
        settings = TrackSettings(TaskToml.model_construct(labels=declared), gold_layout=stated)
        gold = build_gold(table, settings, source, lines)
        assert gold.groups is None or gold.groups.size == gold.n_items
        assert (gold.groups is None) == (gold.unit is None)
        assert all(
            map(str.isprintable, suggestions(decode("gold.txt", data), table, stated).sentences)
        )

    assert {issue.slug for issue in issues_of(work)} <= set(ISSUE_KINDS)


WIDE = "id,gold,A,B\n1,no,no,yes\n2,yes,,yes\n3,no,maybe,no\n4,yes,yes,no\n"
WIDE_ROWS = rows_of(WIDE)
WIDE_COLUMNS = {name: list(cells) for name, *cells in zip(*WIDE_ROWS, strict=True)}
WIDE_SEEDS = {
    "csv": WIDE.encode(),
    "title": f"Answers\n{WIDE}".encode(),
    "xlsx": workbook({"A": WIDE_ROWS, "B": [["x"]]}),
    "parquet": parquet_table(**WIDE_COLUMNS),
    "json": json.dumps(
        {"items": [dict(zip(WIDE_ROWS[0], row, strict=True)) for row in WIDE_ROWS[1:]]}
    ).encode(),
    "jsonl": "\n".join(
        json.dumps(dict(zip(WIDE_ROWS[0], row, strict=True))) for row in WIDE_ROWS[1:]
    ).encode(),
    "columns": json.dumps(WIDE_COLUMNS).encode(),
}


@examples(40)
@given(
    data=damaged(WIDE_SEEDS), stated=keys(), name=st.sampled_from(["A.csv", "A.json", "A.jsonl"])
)
@example(b"gold,A\n", StatedLayout(), "A.csv")
@example(b'[{"gold": "a"}, {"A": "a"}]', StatedLayout(), "A.json")
def test_damaged_wide_files_are_gold_and_systems_or_listed_issues(data, stated, name):
    """Every system has an answer, or none, to each item; and what a file looks like is said without an error."""

    def work():
        content = decode(name, data)
        looks_wide(content)
        found = read_wide(content, stated=replace(stated, label=None, rule=None))
        gold = build_gold(found.gold, TrackSettings(), SourceFile.of(name, data))
        assert all(len(system.labels) == gold.n_items for system in found.systems.values())

    assert {issue.slug for issue in issues_of(work)} <= set(ISSUE_KINDS)


@pytest.mark.parametrize("name", WIDE_SEEDS)
def test_every_wide_seed_is_read_as_it_stands(name):
    """Or else the law above would try nothing but refusals."""
    found = read_wide(decode("A.txt", WIDE_SEEDS[name]))
    assert {team: list(system.labels) for team, system in found.systems.items()} == {
        team: WIDE_COLUMNS[team] for team in "AB"
    }


FOUND_BY_FUZZING = [
    (b"no no yes yes\n", "A.txt"),
    (b"a\tno\nb\tyes\n\nb\tyes\n\nc\tnoAc\tnoA\n", "A.csv"),
]


@pytest.mark.parametrize(("data", "name"), FOUND_BY_FUZZING)
def test_what_fuzzing_found_stays_mended(data, name):
    """As gold and beside every kind of gold."""
    for target, known in golds():
        issues = issues_of(
            lambda t=target, k=known: (
                align(read_table(decode(name, data), StatedLayout(), k), t).issues
            )
        )
        assert {issue.slug for issue in issues} <= set(ISSUE_KINDS)


@pytest.mark.parametrize("name", SEEDS)
def test_every_seed_is_read_as_it_stands(name):
    """Or else the laws above would try nothing but refusals."""
    target, known = golds()[2 if name in {"sequences", "tokens"} else 0]
    table = read_table(decode("A.txt", SEEDS[name]), StatedLayout(format=name.split()[0]), known)
    assert len(table.labels) in {3, 4, 8}
    assert table.layout.format == name.split()[0]
    assert target.gold.n_items in {4, 8}


@given(
    data=st.binary(max_size=300),
    prefix=st.sampled_from(
        [b"", b"PAR1", b"PK\x03\x04xl/", b"[", b"{", b"\xff\xfe", b"\xef\xbb\xbf"]
    ),
    stated=keys(),
)
def test_any_bytes_are_a_table_or_listed_issues(data, prefix, stated):
    """Whatever they begin with."""
    _, known = golds()[0]

    def work():
        read_table(decode("A.txt", prefix + data), stated, known)

    assert {issue.slug for issue in issues_of(work)} <= set(ISSUE_KINDS)


SIZE = whole_or(1, 16)
"""Sixteen times as large by night: two megabytes."""

BOMBS = {
    "brackets": b"[" * 60_000 * SIZE,
    "objects": b'{"a":' * 12_500 * SIZE,
    "delimiters": b"," * 60_000 * SIZE,
    "quotes": b'"' * 60_000 * SIZE,
    "blank lines": b"\n" * 60_000 * SIZE + b"x",
    "one long line": b"a " * 75_000 * SIZE,
    "labels of one letter": b"x\n" * 25_000 * SIZE,
    "digits": b'[{"id": ' + b"9" * 60_000 * SIZE + b"}]",
    "fields": "\n".join(
        json.dumps({f"f{number}": "no"}) for number in range(1_250 * SIZE)
    ).encode(),
    "keys": json.dumps({str(number): {"a": "b"} for number in range(2_500 * SIZE)}).encode(),
}


@pytest.mark.parametrize("name", BOMBS)
def test_no_small_file_takes_long(name):
    """A hundred kilobytes of what is worst for a reader, by each format; of processor time, generously bounded."""
    for known in (golds()[0][1], golds()[2][1], TaskFacts()):
        started = time.process_time()
        issues_of(
            lambda known=known: (
                read_table(decode("A.json", BOMBS[name]), StatedLayout(), known) and None
            )
        )
        assert time.process_time() - started < 1.5 * SIZE


@pytest.mark.parametrize("delimiter", ["\t", ";", "|"])
def test_quotes_around_every_cell_are_read_by_any_delimiter(delimiter, tmp_path):
    """A cell that closes before a tab is a mistake by commas alone."""
    gold = GOLD.replace(",", f'"{delimiter}"').replace("\n", '"\n"')[:-1]
    files = {"gold.csv": f'"{gold}', "submissions/A.csv": ANSWERS}
    if delimiter == "|":
        files["task.toml"] = '[gold]\ndelimiter = "|"\n'
    assert read_campaign(write(tmp_path, files)).gold.item_ids == ("1", "2", "3", "4")
