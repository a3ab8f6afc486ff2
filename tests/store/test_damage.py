"""A damaged store says so, or gives back what was saved: never anything else."""

import random
import shutil
import sqlite3
import zlib
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from audit.domain import SliceColumn
from audit.errors import AuditError, StoreError
from audit.store import open_store
from audit.store.column_types import AnyText, PlainText
from tests.nightly import whole_or

from .campaigns import (
    beside,
    campaign,
    certain,
    contents,
    evaluation,
    keep,
    policed,
    published,
    scored,
    submission,
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A store with history and an evaluation, and the campaign it holds."""
    path = tmp_path_factory.mktemp("whole") / "audit.db"
    some = np.random.default_rng(1)
    gold = tuple(some.integers(0, 3, 300).tolist())
    teams = [submission(f"team {team}", some.integers(0, 5, 300).tolist()) for team in range(6)]
    said = policed()
    last = replace(
        campaign(gold=gold, submissions=tuple(teams), policies=said.task.policies, family="flood"),
        journal=said.journal,
    )
    slices = (SliceColumn("language", ("de", "en", "es"), some.integers(0, 3, 300)),)
    last = replace(last, gold=replace(last.gold, groups=some.integers(0, 40, 300), slices=slices))
    with open_store(path) as store:
        store.save_campaigns(campaign(gold=gold, submissions=tuple(teams[:3]), title="Before"))
        store.save_campaigns(last)
        keep(store, certain(beside(evaluation(last))))
    return path.read_bytes(), last


def overwrite(content, chance):
    start = chance.randrange(len(content))
    content[start : start + chance.choice([1, 1, 1, 4, 100])] = chance.randbytes(
        chance.choice([1, 1, 4, 100])
    )


def flip(content, chance):
    content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)


def cut(content, chance):
    del content[chance.randrange(len(content)) :]


def blank(content, chance):
    start = chance.randrange(0, len(content), 4096)
    content[start : start + 4096] = bytes(4096)


def swap(content, chance):
    one, other = chance.randrange(0, len(content), 4096), chance.randrange(0, len(content), 4096)
    content[one : one + 4096], content[other : other + 4096] = (
        content[other : other + 4096],
        content[one : one + 4096],
    )


def header(content, chance):
    content[chance.randrange(100)] = chance.randrange(256)


@pytest.mark.parametrize("seed", range(whole_or(2, 60)))
@pytest.mark.parametrize(
    "damage", [overwrite, flip, cut, blank, swap, header], ids=lambda damage: damage.__name__
)
def test_bytes_damaged_at_random_give_an_error_or_what_was_saved(whole, path, damage, seed):
    """Reading and writing; no error of another kind, and no campaign that differs."""
    original, saved = whole
    content = bytearray(original)
    damage(content, random.Random(seed))  # noqa: S311 - which bytes are damaged is no secret
    path.write_bytes(content)
    with suppress(StoreError), open_store(path, create=False) as store:
        assert contents(store.load_campaign("task")) == contents(saved)
        assert contents(store.load_outline("task")) == contents(replace(saved, submissions=()))
    for use in (
        lambda store: store.tasks(),
        lambda store: store.submissions("task"),
        lambda store: store.history("task"),
        lambda store: keep(store, certain(evaluation(saved), seed=2)),
        lambda store: store.save_campaigns(replace(saved, ignored=("new",))),
    ):
        path.write_bytes(content)
        with suppress(AuditError), open_store(path, create=False) as store:
            use(store)


@pytest.mark.parametrize("kind", [PlainText, AnyText])
def test_a_number_that_an_index_gives_for_a_text_is_damage(kind):
    """As where two pages of a file changed places, of which few seeds of a day tell."""
    assert [kind().process_result_value(each, None) for each in ("text", None)] == ["text", None]
    with pytest.raises(sqlite3.DatabaseError, match="int in place of text"):
        kind().process_result_value(3, None)


def damaged(path, statement, **parameters):
    """Change the store behind its back."""
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA ignore_check_constraints = ON")
        other.execute(statement, parameters)
        other.commit()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE submission SET codes = x'0001' WHERE position = 0",
        "UPDATE submission SET codes = x'00010205' WHERE position = 0",
        "UPDATE submission SET codes = x'00000000' WHERE position = 0",
        "UPDATE submission SET codes = 'text' WHERE position = 0",
        "UPDATE submission SET codes = 12 WHERE position = 0",
        "UPDATE submission SET codes = '' WHERE position = 0",
        "UPDATE submission SET team = 'Zoe' WHERE position = 0",
        "UPDATE submission SET team = x'FF' WHERE position = 0",
        "UPDATE submission SET team = CAST(x'FF' AS TEXT) WHERE position = 0",
        "UPDATE submission SET position = 7 WHERE position = 0",
        "UPDATE submission SET path = 'elsewhere' WHERE position = 0",
        "UPDATE submission SET source_file_id = 99 WHERE position = 0",
        "UPDATE submission SET source_file_id = 1 WHERE position = 0",
        "UPDATE submission SET replaced_in = 2 WHERE position = 0",
        "DELETE FROM submission WHERE position = 0",
        "UPDATE item SET code = 3 WHERE position = 0",
        "UPDATE item SET code = -1 WHERE position = 0",
        "UPDATE item SET code = 1 WHERE position = 0",
        "UPDATE item SET code = 'x' WHERE position = 0",
        "UPDATE item SET code = 1e300 WHERE position = 0",
        "UPDATE item SET code = 9223372036854775807 WHERE position = 0",
        "UPDATE item SET external_id = NULL WHERE position = 0",
        "UPDATE item SET external_id = NULL",
        "UPDATE item SET external_id = x'00' WHERE position = 0",
        "DELETE FROM item WHERE position = 0",
        "DELETE FROM item",
        "UPDATE gold SET labels = '[]'",
        "UPDATE gold SET labels = '{}'",
        "UPDATE gold SET labels = '7'",
        "UPDATE gold SET labels = 'null'",
        "UPDATE gold SET n_items = 3",
        "DELETE FROM gold",
        "UPDATE load SET settings = '7'",
        "UPDATE load SET settings = replace(hex(zeroblob(50000)), '0', '[')",
        "UPDATE load SET settings = ''",
        "UPDATE load SET settings = x'7B7D'",
        "UPDATE load SET gold_id = 99",
        "INSERT INTO load_file VALUES (1, 'groups', 'x', 1)",
        "INSERT INTO load_file VALUES (1, 'mine', 'x', 1)",
        "UPDATE load_file SET path = 'elsewhere' WHERE kind = 'gold'",
        "UPDATE load_file SET source_file_id = 99 WHERE kind = 'gold'",
        "DELETE FROM load_file WHERE kind = 'gold'",
        "UPDATE gold SET stratified = 1",
        "UPDATE gold SET unit = 'author'",
        "UPDATE load SET journal = '{}'",
        "UPDATE load SET journal = '[7]'",
        "UPDATE load SET published = '{}'",
        "UPDATE load SET ignored = '{}'",
        "UPDATE load SET rejections = '[]'",
        "UPDATE load SET words_digest = upper(words_digest)",
        "UPDATE submission SET words_digest = upper(words_digest)",
        "UPDATE submission SET role = 'late' WHERE position = 0",
        "UPDATE submission SET role = 'first' WHERE position = 0",
        "UPDATE submission SET role = '' WHERE position = 0",
        "UPDATE submission SET affiliation = 'elsewhere' WHERE position = 0",
        "UPDATE submission SET paper = x'FF' WHERE position = 0",
        "UPDATE item SET group_code = 1",
        "UPDATE item SET group_code = 1 WHERE position = 0",
        "UPDATE item SET group_code = 'x'",
        "UPDATE item SET group_code = 1.5",
        "UPDATE gold SET slices = '[]'",
        "UPDATE gold SET slice_codes = zeroblob(4)",
        "UPDATE gold SET slice_codes = zeroblob(3)",
        "UPDATE gold SET slice_codes = x'00010701'",
        "UPDATE gold SET slice_codes = 'x'",
        "UPDATE submission SET issues = '[' || hex(zeroblob(3000)) || ']'",
        "UPDATE submission SET issues = replace(hex(zeroblob(50000)), '0', '[')",
        "UPDATE submission SET issues = 'no JSON'",
        "UPDATE submission SET issues = x'00'",
        "UPDATE submission SET issues = '[]' WHERE team = 'Bob'",
        "UPDATE source_file SET compressed = x'00'",
        "UPDATE source_file SET compressed = 'text'",
        "UPDATE source_file SET sha256 = upper(sha256) WHERE id = 1",
        "UPDATE source_file SET size = size + 1",
        "DELETE FROM source_file",
    ],
)
def test_what_audit_did_not_write_is_not_given_out(filled, path, statement):
    """Every change behind its back is found, by the fingerprint at the latest."""
    damaged(path, statement)
    with pytest.raises(StoreError) as caught:
        filled.load_campaign("task")
    assert caught.value.issue.slug == "store-corrupt"
    with suppress(StoreError):  # what it does not read may be damaged
        filled.load_outline("task")
    with suppress(StoreError):
        filled.history("task")
    with suppress(StoreError):
        filled.tasks()
        filled.submissions("task")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE submission SET scores = NULL",
        "UPDATE submission SET scores = zeroblob(32) WHERE scores IS NOT NULL",
        "UPDATE submission SET scores = zeroblob(31) WHERE scores IS NOT NULL",
        "UPDATE submission SET scores = zeroblob(40) WHERE scores IS NOT NULL",
        "UPDATE submission SET scores = zeroblob(32) WHERE scores IS NULL",
        "UPDATE submission SET scores = x'000000000000F07F' || zeroblob(24) WHERE scores IS NOT NULL",
        "UPDATE submission SET scores = 'x' WHERE scores IS NOT NULL",
        "UPDATE load SET settings = json_set(settings, '$.scored_labels', json_array('no'))",
        "UPDATE load SET settings = json_set(settings, '$.scored_labels', json_array('maybe'))",
        "UPDATE load SET settings = json_set(settings, '$.scored_labels', json_array())",
    ],
)
def test_scores_that_audit_did_not_write_are_not_given_out(store, path, statement):
    """Neither others, nor of another number, nor for another label."""
    store.save_campaigns(scored())
    damaged(path, statement)
    with pytest.raises(StoreError) as caught:
        store.load_campaign("task")
    assert caught.value.issue.slug == "store-corrupt"


def test_no_part_of_a_json_column_can_be_changed(path, empty):
    """Another value, another type, or left out, which a part may be whose value is its default: by day, every third."""
    saved = replace(policed(), published=published().published)
    with open_store(Path(shutil.copy(empty, path))) as store:
        store.save_campaigns(saved)
        original = path.read_bytes()
        parts = [each for column in JSON_COLUMNS for each in parts_of(path, *column.split("."))]
        assert len(parts) > 150
        for statement, row, part, other in parts[:: whole_or(3, 1)]:
            path.write_bytes(original)
            with suppress(StoreError, sqlite3.IntegrityError):  # a column that must not be NULL
                damaged(path, statement, row=row, part=part, other=other)
                assert contents(store.load_campaign("task")) == contents(saved), (statement, part)
                assert "json_remove" in statement, (statement, part)


JSON_COLUMNS = (
    *("load.settings", "load.journal", "load.rejections", "load.ignored", "load.published"),
    *("gold.labels", "gold.slices", "submission.issues", "submission.unusable_labels"),
)
OTHER_VALUE = """
    CASE part.type
        WHEN 'integer' THEN part.value + 1
        WHEN 'real' THEN part.value / 2
        WHEN 'true' THEN 'false'
        WHEN 'false' THEN 'true'
        WHEN 'array' THEN '{}'
        WHEN 'object' THEN '[]'
        ELSE '"other"'
    END
"""


def parts_of(path, table, column):
    """Every part of what a JSON column holds: how to change it, in which row, where, and JSON of something else."""
    query = f"SELECT {table}.id, fullkey, {OTHER_VALUE} FROM {table}, json_tree({table}.{column}) AS part"  # noqa: S608 - our own names
    with closing(sqlite3.connect(path)) as opened:
        parts = opened.execute(query).fetchall()
    return [
        (
            f"UPDATE {table} SET {column} = {change.format(column)} WHERE id = :row",  # noqa: S608 - likewise
            row,
            part,
            str(other),
        )
        for row, part, other in parts
        for change in ("json_set({}, :part, json(:other))", "json_remove({}, :part)")
    ]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE evaluation SET signature = x'FF'",
        "UPDATE evaluation SET evaluated_at = x'00'",
        "UPDATE evaluation SET options = '{}'",
        "UPDATE load SET settings = json_set(settings, '$.policies.missing', 'mine')",
        "UPDATE load SET journal = json_set(journal, '$[0].count', 'many')",
        "UPDATE load_file SET source_file_id = 99 WHERE kind = 'settings'",
        "UPDATE load SET gold_id = 99",
        "UPDATE gold SET labels = CAST(x'5B22FF225D' AS TEXT)",
        "UPDATE submission SET team = x'FF' WHERE position = 0",
        "UPDATE load SET settings = json_set(settings, '$.prevalences', 'much')",
    ],
)
def test_a_history_that_audit_did_not_write_is_not_given_out(store, path, statement):
    """Not even of former loads."""
    store.save_campaigns(policed())
    keep(store, evaluation(policed()))
    damaged(path, statement)
    with pytest.raises(StoreError) as caught:
        store.history("task")
    assert caught.value.issue.slug == "store-corrupt"


@pytest.mark.parametrize(
    "column",
    [
        *(
            "submission.codes",
            "submission.team",
            "submission.fingerprint",
            "submission.position",
            "submission.role",
        ),
        *(
            "load.settings",
            "load.fingerprint",
            "load.journal",
            "load.words_digest",
            "task.options",
            "load.loaded_at",
        ),
        *(
            "submission.issues",
            "load_file.source_file_id",
            "item.code",
            "gold.labels",
            "gold.n_items",
            "gold.digest",
        ),
        *("source_file.compressed", "source_file.size", "source_file.sha256"),
    ],
)
def test_a_schema_that_allows_nothing_in_place_of_something_is_damage(store, path, column):
    """NULL where a value has to be, in a store that somebody made by hand."""
    store.save_campaigns(policed())
    table, name = column.split(".")
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA writable_schema = ON")
        for end in (",", " CONSTRAINT"):
            nullable = "UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL' || :end, :end) WHERE name = :table"
            other.execute(nullable, {"end": end, "table": table})
        other.commit()
    damaged(path, f"UPDATE {table} SET {name} = NULL")  # noqa: S608 - our own names
    with pytest.raises(StoreError) as caught:
        store.load_campaign("task")
    assert caught.value.issue.slug == "store-corrupt"
    for use in (
        lambda: store.history("task"),
        store.tasks,
        lambda: store.submissions("task"),
        lambda: store.save_campaigns(campaign()),
        lambda: keep(store, evaluation(policed())),
    ):
        with suppress(AuditError):
            use()


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM task",
        "DELETE FROM load",
        "UPDATE load SET task_id = 99",
        "UPDATE task SET slug = x'FF'",
    ],
)
def test_a_task_that_was_taken_out_is_not_there(filled, path, statement):
    """Whether that was damage or intent cannot be told; nobody's traceback either way."""
    damaged(path, statement)
    with pytest.raises(AuditError):
        filled.load_campaign("task")


@pytest.mark.parametrize(
    "options",
    [
        "",
        "[]",
        "7",
        "{}",
        '{"seed": 1, "certainty": true}',
        '{"seed": -1, "certainty": true, "compare": []}',
        '{"seed": 1.5, "certainty": true, "compare": []}',
        '{"seed": true, "certainty": true, "compare": []}',
        '{"seed": 1, "certainty": 1, "compare": []}',
        '{"seed": 1, "certainty": true, "compare": "mcc"}',
        '{"seed": 1, "certainty": true, "compare": [7]}',
        "[" * 100_000,
        7,
        b"\xff",
    ],
)
def test_options_that_are_none_are_damage(filled, path, options):
    """They stand in no fingerprint, so that each is checked by itself."""
    damaged(path, "UPDATE task SET options = :options", options=options)
    with pytest.raises(StoreError) as caught:
        filled.load_campaign("task")
    assert caught.value.issue.slug == "store-corrupt"


OTHER = zlib.compress(b"other")


def test_a_damaged_page_stops_a_load_before_anything_is_written(store, path):
    """The page is one that the load itself would not read."""
    store.save_campaigns(campaign())
    keep(store, evaluation(campaign()))
    with closing(sqlite3.connect(path)) as other:
        (page,) = other.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'evaluation'"
        ).fetchone()
        (size,) = other.execute("PRAGMA page_size").fetchone()
    content = bytearray(path.read_bytes())
    content[(page - 1) * size : page * size] = b"\xff" * size
    path.write_bytes(content)
    with pytest.raises(StoreError) as caught:
        store.save_campaigns(campaign(title="New"))
    assert caught.value.issue.slug == "store-corrupt"
    assert path.read_bytes() == content


def test_a_damaged_schema_is_a_store_error(store, path):
    """SQLite quotes the byte that it stumbles over, which is no UTF-8."""
    path.write_bytes(path.read_bytes().replace(b"CASCADE", b"CASCAD\xc5"))
    with pytest.raises(StoreError):
        store.tasks()
    with pytest.raises(StoreError) as caught:
        open_store(path)
    assert r"CASCAD\xc5" in caught.value.issue.found


def test_an_index_that_hides_a_task_is_damage_not_absence(store, path):
    """Before a task is said not to be there, the indices are compared with their tables."""
    store.save_campaigns(campaign())
    with closing(sqlite3.connect(path)) as other:
        (page,) = other.execute(
            "SELECT rootpage FROM sqlite_master WHERE name LIKE 'sqlite_autoindex_task%'"
        ).fetchone()
        (size,) = other.execute("PRAGMA page_size").fetchone()
    content = bytearray(path.read_bytes())
    start = content.index(b"task", (page - 1) * size)
    assert start < page * size
    content[start : start + 4] = b"tusk"
    path.write_bytes(content)
    with pytest.raises(StoreError) as caught:
        store.load_campaign("task")
    assert caught.value.issue.slug == "store-corrupt"


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE task SET slug = 'tusk'",
        "UPDATE load SET settings = json_set(settings, '$.title', 'Another')",
        "UPDATE load SET settings = json_set(settings, '$.official_metric.metric', 'kappa')",
        "UPDATE load SET settings = json_set(settings, '$.family', 'fluid', '$.part', 'x')",
        "UPDATE gold SET labels = json_set(labels, '$[0]', 'other')",
        "UPDATE gold SET n_items = n_items + 1",
        "DELETE FROM submission WHERE position = 0",
    ],
)
def test_tasks_are_listed_as_they_were_written_or_not_at_all(filled, path, statement):
    """A name, a count or a metric that was changed is found."""
    assert filled.tasks()
    damaged(path, statement)
    with pytest.raises(StoreError) as caught:
        filled.tasks()
    assert caught.value.issue.slug == "store-corrupt"


@pytest.mark.parametrize("which", ["replaced_in IS NULL", "replaced_in IS NOT NULL"])
@pytest.mark.parametrize(
    "change",
    [
        *("team = 'another'", "run = 'r9'", "path = 'submissions/z.csv'", "role = 'late'"),
        *("n_missing = n_missing + 1", "n_unusable = n_unusable + 1", "codes = x'00'"),
    ],
)
def test_submissions_are_listed_as_they_were_written_or_not_at_all(whole, path, change, which):
    """Those of history too."""
    path.write_bytes(whole[0])
    task = whole[1].task.slug
    with open_store(path, create=False) as store:
        assert store.submissions(task)
        damaged(
            path,
            f"UPDATE submission SET {change} WHERE id = (SELECT min(id) FROM submission WHERE {which})",  # noqa: S608 - our own
        )
        for listing in (store.submissions, store.history):
            with pytest.raises(StoreError) as caught:
                listing(task)
            assert caught.value.issue.slug == "store-corrupt"


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM submission WHERE id = (SELECT max(id) FROM submission WHERE replaced_in IS NULL)",
        "UPDATE submission SET position = position + 9 WHERE position = 0 AND replaced_in IS NULL",
        "UPDATE submission SET replaced_in = NULL WHERE replaced_in IS NOT NULL",
        "UPDATE submission SET replaced_in = 2 WHERE position = 5",
        "UPDATE load SET settings = json_set(settings, '$.title', 'Another')",
        "UPDATE gold SET labels = json_set(labels, '$[0]', 'other')",
        "DELETE FROM item WHERE position = 299",
    ],
)
def test_nothing_is_listed_of_a_store_from_which_something_was_taken(whole, path, statement):
    """A list that lacks a row says so, as the list of tasks and the scores do, and so does one in another order."""
    path.write_bytes(whole[0])
    task = whole[1].task.slug
    damaged(path, statement)
    with open_store(path, create=False) as store:
        for listing in (store.submissions, store.history):
            with pytest.raises(StoreError) as caught:
                listing(task)
            assert caught.value.issue.slug == "store-corrupt"
