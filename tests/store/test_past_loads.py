"""A task as any of its loads left it: what later loads replaced is there as it was."""

import sqlite3
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.domain import LabelSet, Options, Role
from audit.errors import StoreError, UsageError
from tests.nightly import examples

from .campaigns import campaign, campaigns, contents, policed, published, submission

ADA, BOB, BOB_2 = campaign().submissions


def without_bytes(made):
    """What of a campaign is there in the past: everything but the bytes of the submissions' files."""
    return contents(replace(made, options=Options()))


def test_every_load_is_there_as_it_was(store):
    """Another file, a withdrawn run, another gold, the first one again, and further settings: each as it was loaded."""
    loaded = [
        campaign(),
        campaign(submissions=(submission("Ada", [0, 1, 2, 1], content=b"better"), BOB, BOB_2)),
        campaign(submissions=(ADA, BOB)),
        campaign(gold=(0, 1, 2, 2)),
        campaign(
            labels=LabelSet(("negative", "neutral", "positive", "mixed")), submissions=(ADA, BOB)
        ),
        campaign(),
        policed(),
        published(title="Another title"),
        campaign(
            submissions=(
                replace(ADA, role=Role.WITHDRAWN),
                BOB,
                BOB_2,
                submission("Zoe", [1, 1, 1, 1]),
            )
        ),
    ]
    for made in loaded:
        store.save_campaigns(made)
    assert store.n_loads("task") == len(loaded)
    for number, made in enumerate(loaded, start=1):
        assert without_bytes(store.past_campaign("task", number)) == without_bytes(made), number


def test_the_latest_load_is_what_the_store_holds(store):
    """Whichever way it is asked for."""
    for made in (campaign(), campaign(gold=(2, 1, 2, 2)), policed()):
        store.save_campaigns(made)
        now = store.load_campaign("task", with_files=False)
        assert contents(store.past_campaign("task", store.n_loads("task"))) == contents(now)


def test_loads_of_other_tasks_are_not_counted(store):
    """Loads are numbered in one row over all tasks; a history counts those of one."""
    store.save_campaigns(campaign(), campaign("other"))
    store.save_campaigns(campaign("other", gold=(0, 0, 2, 1)))
    store.save_campaigns(campaign(gold=(0, 1, 2, 2)))
    assert (store.n_loads("task"), store.n_loads("other")) == (2, 2)
    assert without_bytes(store.past_campaign("task", 1)) == without_bytes(campaign())
    assert without_bytes(store.past_campaign("other", 1)) == without_bytes(campaign("other"))


@given(st.lists(campaigns(slug="task"), min_size=1, max_size=4))
@examples(6)
def test_any_loads_of_files_are_there_as_they_were(fresh, made):
    """Submissions in the order in which files are read: by team and run."""
    in_order = [
        replace(
            each,
            submissions=tuple(sorted(each.submissions, key=lambda one: (one.team, one.run or ""))),
        )
        for each in made
    ]
    with fresh() as store:
        numbers = {}
        for each in in_order:
            store.save_campaigns(each)
            numbers[store.n_loads("task")] = each
        for number, each in numbers.items():
            assert said(store.past_campaign("task", number)) == said(each)


def said(made):
    """What a campaign says beside words and the bytes of its files, its codes as numbers."""
    return (
        made.task.policies,
        made.gold.codes.tolist(),
        made.gold.item_ids,
        [
            (each.team, each.run, each.role, each.codes.tolist(), each.unusable_labels)
            for each in made.submissions
        ],
    )


@pytest.mark.parametrize("number", [0, 2, -1, 10**30])
def test_a_load_that_does_not_exist(store, number):
    """The message says how many there are, and where they are listed."""
    store.save_campaigns(campaign())
    with pytest.raises(
        UsageError, match=f"has one load in its history, and no load {number}: audit history task"
    ):
        store.past_campaign("task", number)
    store.save_campaigns(campaign(gold=(0, 1, 2, 2)))
    with pytest.raises(UsageError, match="has 2 loads"):
        store.past_campaign("task", 7)
    with pytest.raises(UsageError, match="no task “tusk”"):
        store.n_loads("tusk")


def test_a_past_that_was_tampered_with_is_found_out(store, rows):
    """An answer that is another one now, in a submission that was replaced since."""
    store.save_campaigns(campaign())
    store.save_campaigns(campaign(gold=(0, 1, 2, 2)))
    store.close()
    _change(store.path, np.array([2, 2, 2, 2], np.uint8).tobytes())
    with pytest.raises(StoreError, match="not what was loaded"):
        store.past_campaign("task", 1)
    assert store.past_campaign("task", 2).gold.codes.tolist() == [0, 1, 2, 2]
    assert rows("SELECT count(*) FROM load") == [(2,)]


def _change(path, codes):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "UPDATE submission SET codes = ? WHERE replaced_in IS NOT NULL AND team = 'Ada'",
            [codes],
        )
        connection.commit()
