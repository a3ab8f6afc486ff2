"""Sets as bits, in memory and in the store, and what reading them takes."""

import sqlite3
import tracemalloc
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from audit.domain import PackedCodes
from audit.errors import StoreError
from audit.formats.campaign.campaigns import read_campaign
from audit.store import open_store, repository
from tests.sets.drawn import LABELS, in_cell, matrices, tag_file, tag_sequences, written

SETTINGS = 'kind = "sets"\n[policies]\nmissing = "wrong"\n'


@pytest.fixture
def campaign(tmp_path):
    """Labels in cells; the first team lacks every third message, and another says nothing of one."""
    folder = written(tmp_path / "sets", *matrices(3), in_cell(";"))
    (folder / "task.toml").write_text(SETTINGS, encoding="utf-8")
    file = folder / "submissions" / "t0.csv"
    header, *lines = file.read_text(encoding="utf-8").splitlines()
    kept = [line for unit, line in enumerate(lines) if unit % 3]
    file.write_text("\n".join([header, *kept, ""]), encoding="utf-8")
    return read_campaign(folder)


@given(
    some.lists(some.tuples(some.integers(0, 300), some.sampled_from(["own", "nothing", "missing"])))
)
def test_codes_are_the_same_out_of_bits(items):
    """A bit for each item; where some are unanswered, another."""
    own = np.array([300, *(label for label, _ in items)], np.uint16)
    said = ["nothing", *(what for _, what in items)]
    code_of = {"nothing": 300, "missing": 301}
    codes = np.array(
        [code_of.get(what, label) for label, what in zip(own, said, strict=True)], "<u2"
    )
    packed = PackedCodes.of(codes, own)
    assert packed.codes.dtype == codes.dtype
    assert np.array_equal(packed.codes, codes)
    assert len(packed.bits) == -(-own.size // 8) * (1 + ("missing" in said))


def test_an_item_has_its_own_label_or_none():
    """Bits could not say another."""
    with pytest.raises(ValueError, match="not of its item"):
        PackedCodes.of(np.array([2, 1], np.uint8), np.array([2, 0], np.uint8))


def test_a_submission_is_a_bit_an_item(campaign):
    """And a second one for the team that leaves messages out: every code stands for what its file says."""
    n_bytes = -(-campaign.gold.n_items // 8)
    assert [len(each.packed) for each in campaign.submissions] == [2 * n_bytes, n_bytes, n_bytes]
    _, teams = matrices(3)
    units = np.cumsum(campaign.gold.is_unit) - 1
    for each, matrix in zip(campaign.submissions, teams, strict=True):
        has = np.zeros(campaign.gold.n_items, bool)
        is_thing = ~campaign.gold.is_unit
        # gold lacks the last
        named = {**{label: code for code, label in enumerate(LABELS)}, "other": len(LABELS) - 1}
        labels = np.array(
            [named[campaign.task.label_set.labels[code]] for code in campaign.gold.own[is_thing]]
        )
        has[is_thing] = matrix[units[is_thing], labels] == 1
        missing = (units % 3 == 0) & (each.team == "t0")
        nothing = len(LABELS)
        expected = np.where(missing, nothing + 1, np.where(has, campaign.gold.own, nothing))
        assert np.array_equal(each.codes, expected)


def test_the_store_keeps_bits_and_says_labels(campaign, tmp_path, monkeypatch):
    """The same campaign comes back, also mapped, and the view of answers says what each code is."""
    with open_store(tmp_path / "s.db") as store:
        store.save_campaigns(campaign)
        again = store.load_campaign("sets")
        assert [each.packed for each in again.submissions] == [
            each.packed for each in campaign.submissions
        ]
        assert np.array_equal(again.gold.own, campaign.gold.own)
        monkeypatch.setattr(repository, "spans", lambda *_: [(0, 1), (1, 2)])
        with store.campaign_to_evaluate("sets") as mapped:
            codes = [each.tolist() for each in mapped.codes_of(mapped.submissions)]
        assert codes == [each.codes.tolist() for each in campaign.submissions]
        assert not store.save_campaigns(campaign)[0].replaced
    labels = [*campaign.task.label_set.labels, None]
    with closing(sqlite3.connect(tmp_path / "s.db")) as opened:
        for each in campaign.submissions:
            query = (
                "SELECT predicted, unanswered, external_id FROM answer WHERE team = ? ORDER BY item"
            )
            rows = opened.execute(query, (each.team,)).fetchall()
            expected = [
                (labels[code], "missing" if code == len(labels) - 1 else None)
                for code in each.codes
            ]
            assert [row[:2] for row in rows] == expected
            assert tuple(row[2] for row in rows) == campaign.gold.item_ids


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE submission SET codes = substr(codes, 2) WHERE position = 1",
        "UPDATE submission SET codes = CAST(codes || x'00' AS BLOB) WHERE position = 1",
        "UPDATE submission SET codes = zeroblob(length(codes)) WHERE position = 1",
        "UPDATE submission SET codes = CAST(substr(codes, 1, length(codes) - 1) || x'FF' AS BLOB) WHERE position = 1",
        "UPDATE gold SET own = NULL",
        "UPDATE gold SET own = substr(own, 2)",
        "UPDATE gold SET own = zeroblob(length(own))",
        "UPDATE gold SET own = CAST(substr(own, 1, length(own) - 1) || x'00' AS BLOB)",
        "UPDATE gold SET own = CAST(substr(own, 1, length(own) - 1) || x'FF' AS BLOB)",
    ],
)
def test_damaged_bits_are_refused(campaign, tmp_path, statement):
    """Whether of a team or of what items stand for."""
    with open_store(tmp_path / "s.db") as store:
        store.save_campaigns(campaign)
    with closing(sqlite3.connect(tmp_path / "s.db")) as opened, opened:
        assert opened.execute(statement).rowcount
    with open_store(tmp_path / "s.db") as store, pytest.raises(StoreError, match="store-corrupt"):
        store.load_campaign("sets")


def test_what_is_no_set_is_not_saved(campaign, tmp_path):
    """A label of another item."""
    others = replace(campaign.submissions[1], given=np.zeros(campaign.gold.n_items, np.uint8))
    with open_store(tmp_path / "s.db") as store, pytest.raises(ValueError, match="not of its item"):
        store.save_campaigns(replace(campaign, submissions=(others,)))


def test_the_spans_of_all_teams_are_held_as_numbers(tmp_path):
    """Each further file takes below 60 bytes for each of its spans while it is read, where lists of them took 130."""
    folder, gold = tmp_path / "tags", tag_sequences(1, 500)
    (folder / "submissions").mkdir(parents=True)
    tokens = 'format = "tokens"\n'
    (folder / "task.toml").write_text(
        f'kind = "sets"\n[gold]\n{tokens}[submissions]\n{tokens}', encoding="utf-8"
    )
    tag_file(folder / "gold.txt", gold)

    def peak(n_teams):
        rng = np.random.default_rng(1)
        for number in range(n_teams):
            tags = [[tag if rng.random() < 0.8 else "I-PER" for tag in tags] for tags in gold]
            tag_file(folder / "submissions" / f"t{number}.txt", tags)
        read_campaign(folder)  # what is made once is there
        tracemalloc.start()
        read = read_campaign(folder)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        nothing = len(read.task.label_set) - 1
        return most, np.mean([(each.codes < nothing).sum() for each in read.submissions])

    (few, _), (many, n_spans) = peak(3), peak(23)
    assert (many - few) / 20 < 60 * n_spans
