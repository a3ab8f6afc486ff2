"""What is saved is what is loaded, to the last byte."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.domain import Campaign, Gold, LabelSet, SliceColumn, Submission, Task
from audit.errors import UsageError
from audit.store import LoadSummary
from tests.nightly import examples

from .campaigns import (
    HOSTILE,
    campaign,
    campaigns,
    contents,
    policed,
    saved_as,
    scored,
    source,
    submission,
)


def test_a_campaign_comes_back_as_it_was(store):
    """With something in every field."""
    for saved in (campaign(), policed(), scored()):
        store.save_campaigns(saved)
        assert contents(store.load_campaign("task")) == contents(saved)


def test_a_campaign_without_files_is_the_same_but_for_the_bytes_of_its_submissions(store):
    """Their digests are there, gold and settings have theirs, and whoever asks for what was left gets no empty file."""
    for saved in (campaign(), policed()):
        store.save_campaigns(saved)
        found, whole = store.load_campaign("task", with_files=False), store.load_campaign("task")
        files = [
            (each, other)
            for each, other in zip(found.submissions, whole.submissions, strict=True)
            if each.source
        ]
        assert files
        for each, other in files:
            assert each.source == replace(other.source, compressed=None)
            with pytest.raises(ValueError, match="left in the store"):
                _ = each.source.content
        put_back = tuple(
            replace(each, source=other.source)
            for each, other in zip(found.submissions, whole.submissions, strict=True)
        )
        assert contents(replace(found, submissions=put_back)) == contents(saved)


def test_an_outline_is_the_campaign_without_its_submissions(store):
    """What a check of a file needs: the task, gold and settings, compared with the fingerprint all the same."""
    for saved in (campaign(), policed()):
        store.save_campaigns(saved)
        assert contents(store.load_outline("task")) == contents(replace(saved, submissions=()))


@given(saved=campaigns())
def test_any_campaign_comes_back_as_it_was(fresh, saved):
    """Whatever its texts and numbers are, file names of other encodings included."""
    with fresh() as store:
        store.save_campaigns(saved)
        assert contents(store.load_campaign(saved.task.slug)) == contents(saved)


def sliced(good, values, codes):
    """The campaign, its gold cut by a column."""
    return replace(
        good, gold=replace(good.gold, slices=(SliceColumn("x", values, np.array(codes)),))
    )


def with_scores(scores, *labels):
    """The campaign of two classes, with other scores of items."""
    made = scored()
    teams = (replace(made.submissions[0], scores=np.array(scores)), *made.submissions[1:])
    return replace(made, task=replace(made.task, scored_labels=labels), submissions=teams)


def wordless(saved):
    """The campaign without what the program says of it in words."""

    def silent(issues):
        return tuple(replace(issue, found="", expected="", remedy="") for issue in issues)

    return replace(
        saved,
        task=replace(saved.task, assumptions=()),
        submissions=tuple(replace(each, issues=silent(each.issues)) for each in saved.submissions),
        rejections=tuple(replace(each, issues=silent(each.issues)) for each in saved.rejections),
        journal=(),
    )


@examples(6)
@given(
    versions=st.lists(campaigns(slug="task"), min_size=2, max_size=3), other=campaigns(slug="other")
)
def test_the_last_of_many_versions_comes_back(fresh, versions, other):
    """Each load replaces what the task was, saving it twice changes no byte, and no other task is touched."""
    # the words of a former load stay where nothing else has changed
    versions = list(map(wordless, versions))
    with fresh() as store:
        store.save_campaigns(other)
        for version in [*versions, versions[0]]:
            store.save_campaigns(version)
            before = store.path.read_bytes()
            again = saved_as(store, version)
            assert store.path.read_bytes() == before
            assert again == LoadSummary(created=False, unchanged=again.unchanged)
            assert len(again.unchanged) == len(version.submissions)
            assert contents(store.load_campaign("task")) == contents(version)
        assert contents(store.load_campaign("other")) == contents(other)


@pytest.mark.parametrize("text", [text for text in HOSTILE if text])
def test_hostile_text_is_data_everywhere(store, text):
    """As slug, title, label, id, team, run, path and issue."""
    labels = LabelSet((text, f"{text} too"))
    gold = Gold(labels, np.array([0, 1], np.uint8), (text, f"{text} too"), source(text))
    saved = Campaign(
        Task(text, text, labels, assumptions=(text,)),
        gold,
        (submission(text, [0, 1]), submission(text, [1, 1], run=text)),
        ignored=(text,),
    )
    store.save_campaigns(saved)
    assert contents(store.load_campaign(text)) == contents(saved)
    assert [task.slug for task in store.tasks()] == [text]
    assert [each.team for each in store.submissions(text)] == [text, text]


def test_a_file_name_that_is_no_unicode_comes_back(store):
    """File systems hold bytes; Python shows those that are no UTF-8 as lone surrogates."""
    saved = replace(
        campaign(),
        ignored=("caf\udce9.txt", "\ud83d\ude00"),
        submissions=(submission("caf\udce9", [0, 1, 2, 3]),),
    )
    store.save_campaigns(saved)
    assert contents(store.load_campaign("task")) == contents(saved)


@pytest.mark.parametrize(("n_classes", "dtype"), [(253, "|u1"), (254, "<u2")])
def test_codes_take_the_smallest_type_that_holds_them(store, n_classes, dtype):
    """The two codes of unanswered items included."""
    labels = LabelSet(tuple(map(str, range(n_classes))))
    codes = np.array([0, n_classes - 1, n_classes, n_classes + 1], dtype)
    gold = Gold(labels, np.array([0, 1, 2, n_classes - 1], dtype))
    store.save_campaigns(Campaign(Task("many", "Many", labels), gold, (Submission("A", codes),)))
    loaded = store.load_campaign("many")
    assert loaded.submissions[0].codes.dtype == loaded.gold.codes.dtype == np.dtype(dtype)
    assert loaded.submissions[0].codes.tolist() == codes.tolist()
    summary = store.submissions("many")[0]
    assert (summary.n_missing, summary.n_unusable, summary.path, summary.sha256) == (
        1,
        1,
        None,
        None,
    )


def test_codes_of_another_integer_type_are_packed_alike(store):
    """A campaign made from arrays of int64 is the same campaign."""
    saved = campaign()
    store.save_campaigns(saved)
    wide = replace(
        saved,
        gold=replace(saved.gold, codes=saved.gold.codes.astype(np.int64)),
        submissions=tuple(
            replace(each, given=each.codes.astype(">i4")) for each in saved.submissions
        ),
    )
    assert len(saved_as(store, wide).unchanged) == 3
    assert contents(store.load_campaign("task")) == contents(saved)


def test_groups_of_another_integer_type_are_the_same_groups(store):
    """As they come from a table."""
    saved = policed()
    store.save_campaigns(saved)
    other = replace(saved, gold=replace(saved.gold, groups=saved.gold.groups.astype(">i8")))
    assert len(saved_as(store, other).unchanged) == 3


def test_numpy_counts_are_stored_as_numbers(store):
    """Counts and line numbers that come from arrays."""
    issue = replace(campaign().issues[0], lines=(np.int64(3),), count=np.int64(7))
    saved = campaign(
        submissions=(
            submission("A", [0, 1, 2, 3], unusable_labels=(("x", np.int64(2)),), issues=(issue,)),
        )
    )
    store.save_campaigns(saved)
    assert contents(store.load_campaign("task")) == contents(saved)


def test_loaded_codes_cannot_be_changed(store):
    """They are shared, and frozen like every domain value."""
    store.save_campaigns(campaign())
    loaded = store.load_campaign("task")
    assert not any(each.codes.flags.writeable for each in (loaded.gold, *loaded.submissions))
    store.save_campaigns(policed())
    assert not store.load_campaign("task").gold.groups.flags.writeable


def test_two_items_of_one_id_are_refused(store, counts):
    """Parts of composite ids may look so."""
    good = campaign()
    with pytest.raises(UsageError, match="two items have one id"):
        store.save_campaigns(replace(good, gold=replace(good.gold, item_ids=("a", "a", "b", "c"))))
    assert counts()["task"] == 0
