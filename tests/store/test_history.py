"""Loading again: what is the same stays, what changed is replaced, and nothing is lost."""

import sqlite3
import zlib
from dataclasses import replace

import numpy as np
import pytest

from audit.domain import (
    STRICT_POLICIES,
    ChosenRun,
    JournalEntry,
    LabelSet,
    Options,
    Origin,
    Policies,
    Role,
    ScoreKey,
    SliceColumn,
    SourceFile,
)
from audit.errors import UsageError
from audit.store import LoadSummary
from audit.version import __version__

from .campaigns import (
    campaign,
    certain,
    contents,
    evaluation,
    keep,
    label_set,
    original,
    policed,
    saved_as,
    scored,
    source,
    submission,
)

ADA, BOB, BOB_2 = campaign().submissions


@pytest.fixture
def loaded(store):
    """A store with one campaign."""
    store.save_campaigns(campaign())
    return store


def test_the_first_load_says_what_it_added(store):
    """Names are TEAM, or TEAM/RUN."""
    assert saved_as(store, campaign()) == LoadSummary(created=True, added=("Ada", "Bob", "Bob/2"))


def test_loading_the_same_again_changes_no_byte(loaded, counts):
    """No row, and no byte of the file."""
    before = counts(), loaded.path.read_bytes()
    assert saved_as(loaded, campaign()) == LoadSummary(
        created=False, unchanged=("Ada", "Bob", "Bob/2")
    )
    assert (counts(), loaded.path.read_bytes()) == before


def test_what_gold_says_of_its_groups_has_a_history(loaded):
    """Which items belong together, what they are called, by which file, and that classes are stratified."""
    grouped = replace(
        campaign().gold, groups=np.array([0, 0, 1, 1]), unit="author", group_file=source("by.txt")
    )
    stratified = replace(grouped, stratified=True)
    renamed = replace(stratified, unit="user")
    for gold in (grouped, stratified, renamed, campaign().gold):
        saved = replace(campaign(), gold=gold)
        assert saved_as(loaded, saved).gold_changed
        assert contents(loaded.load_campaign("task")) == contents(saved)
        assert not saved_as(loaded, saved).replaced
    assert original(loaded, "by.txt") == source("by.txt").content
    back, *said, _ = (
        {
            change.what: (change.before, change.after)
            for change in event.changes
            if change.what != "gold"
        }
        for event in loaded.history("task")
    )
    by_file = f"by.txt ({source('by.txt').sha256[:12]})"
    assert said == [
        {"unit of groups": ("author", "user")},
        {"class counts": (None, "fixed by design")},
        {"unit of groups": (None, "author"), "file of groups": (None, by_file)},
    ]
    assert back == {
        "unit of groups": ("user", None),
        "class counts": ("fixed by design", None),
        "file of groups": (by_file, None),
    }


def test_a_cut_of_the_test_set_has_a_history(loaded):
    """Columns and how many parts they make; other parts of the same number are another gold."""
    by_language = SliceColumn("language", ("de", "en"), np.array([0, 0, 1, 1], np.uint8))
    cuts = (by_language,), (replace(by_language, codes=by_language.codes[::-1]),), ()
    for slices in cuts:
        saved = replace(campaign(), gold=replace(campaign().gold, slices=slices))
        assert saved_as(loaded, saved).gold_changed
        assert contents(loaded.load_campaign("task")) == contents(saved)
    events = loaded.history("task")
    changes = [
        {change.what: (change.before, change.after) for change in event.changes} for event in events
    ]
    assert [each.get("slices") for each in changes[:3]] == [
        ("language (2)", None),
        None,
        (None, "language (2)"),
    ]


def test_scores_of_items_have_a_history(loaded):
    """Which label they are for; a submission with others is another one, and the same again change no byte."""
    plain = scored()
    teams = (
        replace(plain.submissions[0], scores=np.array([0.25, 0.75, 0.5, 1.0])),
        plain.submissions[1],
    )
    loaded.save_campaigns(plain)
    assert saved_as(loaded, replace(plain, submissions=teams)).replaced == ("Ada",)
    before = loaded.path.read_bytes()
    assert saved_as(loaded, replace(plain, submissions=teams)).unchanged == ("Ada", "Bob")
    assert loaded.path.read_bytes() == before
    saved_as(loaded, replace(plain, task=replace(plain.task, scored_labels=("no",))))
    changes = [
        {each.what: (each.before, each.after) for each in event.changes}
        for event in loaded.history("task")
    ]
    assert [each.get("scores for") for each in changes] == [
        ("yes", "no"),
        None,
        (None, "yes"),
        None,
    ]


def test_a_changed_submission_replaces_the_old_one_which_stays_in_history(loaded):
    """With its file, byte by byte."""
    better = submission("Ada", [0, 1, 2, 1], content=b"better")
    assert saved_as(loaded, campaign(submissions=(better, BOB, BOB_2))) == LoadSummary(
        created=False, replaced=("Ada",), unchanged=("Bob", "Bob/2")
    )
    first, *_, last = loaded.submissions("task")
    assert (first.team, first.sha256, first.replaced_at) == ("Ada", better.source.sha256, None)
    assert (last.team, last.sha256) == ("Ada", ADA.source.sha256)
    assert last.replaced_at == first.loaded_at
    assert original(loaded, "submissions/Ada.txt") == b"better"
    assert original(loaded, "submissions/Ada.txt", ADA.source.sha256) == ADA.source.content


def test_the_same_file_read_otherwise_is_another_submission(loaded):
    """Settings decide which column holds the label, so the bytes alone do not decide."""
    read_otherwise = replace(ADA, given=np.array([1, 1, 1, 1], np.uint8))
    summary = saved_as(loaded, campaign(submissions=(read_otherwise, BOB, BOB_2)))
    assert summary.replaced == ("Ada",)
    assert len(loaded.submissions("task")) == 4


def test_a_submission_that_is_gone_is_retired_into_history(loaded):
    """And comes back when its file does."""
    assert saved_as(loaded, campaign(submissions=(ADA, BOB))) == LoadSummary(
        created=False, unchanged=("Ada", "Bob"), removed=("Bob/2",)
    )
    assert [each.run for each in loaded.submissions("task") if each.replaced_at] == ["2"]
    assert original(loaded, "submissions/Bob/2.txt") == BOB_2.source.content
    assert saved_as(loaded, campaign()).added == ("Bob/2",)


def test_another_order_is_kept_without_a_new_submission(loaded):
    """The order of a campaign's submissions is part of it."""
    reordered = campaign(submissions=(BOB_2, ADA, BOB))
    assert saved_as(loaded, reordered) == LoadSummary(
        created=False, unchanged=("Bob/2", "Ada", "Bob")
    )
    assert contents(loaded.load_campaign("task")) == contents(reordered)
    assert len(loaded.submissions("task")) == 3


def test_changed_gold_is_superseded_with_everything_attached_to_it(loaded, counts, rows):
    """Submissions are aligned with their gold, so all of them go into history with it, scores included."""
    keep(loaded, evaluation(campaign()))
    changed = campaign(gold=(0, 1, 2, 2))
    summary = saved_as(loaded, changed)
    assert summary == LoadSummary(
        created=False, replaced=("Ada", "Bob", "Bob/2"), gold_changed=True
    )
    assert contents(loaded.load_campaign("task")) == contents(changed)
    assert counts()["gold"] == 2
    assert counts()["item"] == 8
    assert counts()["evaluation"] == 1
    assert (
        original(loaded, "gold.txt", campaign().gold.source.sha256)
        == campaign().gold.source.content
    )
    aligned = rows(
        "SELECT gold_id, replaced_in IS NULL, count(*) FROM submission GROUP BY 1, 2 ORDER BY 1"
    )
    assert aligned == [(1, 0, 3), (2, 1, 3)]


def test_a_changed_label_set_is_another_gold(loaded, counts):
    """Codes mean nothing without it, even where no item changes its class."""
    more = campaign(
        labels=label_set("negative", "neutral", "positive", "mixed"), submissions=(ADA, BOB)
    )
    summary = saved_as(loaded, more)
    assert (summary.replaced, summary.removed, summary.gold_changed) == (
        ("Ada", "Bob"),
        ("Bob/2",),
        True,
    )
    assert summary.n_retired == 3
    assert counts()["gold"] == 2


def test_gold_that_returns_is_kept_once(loaded, counts):
    """An organiser may try a correction and take it back."""
    loaded.save_campaigns(campaign(gold=(0, 1, 2, 2)))
    loaded.save_campaigns(campaign())
    assert contents(loaded.load_campaign("task")) == contents(campaign())
    assert counts()["gold"] == 2
    assert counts()["submission"] == 9


def test_another_gold_file_that_says_the_same_supersedes_nothing(loaded, counts):
    """A comment added to it, say."""
    same = campaign()
    same = replace(same, gold=replace(same.gold, source=source("gold.csv", b"commented")))
    assert saved_as(loaded, same) == LoadSummary(created=False, unchanged=("Ada", "Bob", "Bob/2"))
    assert contents(loaded.load_campaign("task")) == contents(same)
    assert counts()["gold"] == 1


@pytest.mark.parametrize(
    "change",
    [
        {"title": "Another title"},
        {"official_metric": ScoreKey("mcc", "balanced")},
        {"official_metric": None},
        {"official_decimals": None},
        {"policies": STRICT_POLICIES},
        {"policies": Policies(missing="reject")},
        {"policies": Policies(chosen=(ChosenRun("Bob", "2", "It is the better one."),))},
        {"family": "flood"},
        {"family": "flood", "part": "Spanish"},
        {"prevalences": ()},
        {"settings": b"title = 'x'"},
        {"labels": LabelSet(label_set().labels, declared=True)},
    ],
    ids="-".join,
)
def test_changed_settings_update_the_task_and_keep_the_previous_ones(loaded, counts, rows, change):
    """One more load row says what they are now; the one before says what they were."""
    before = counts()
    settings = "settings, (SELECT json_group_object(kind, source_file_id) FROM load_file WHERE load_id = load.id)"
    (previous,) = rows(f"SELECT {settings} FROM load")  # noqa: S608 - our own names
    changed = campaign(**change)
    assert saved_as(loaded, changed) == LoadSummary(
        created=False, unchanged=("Ada", "Bob", "Bob/2")
    )
    assert contents(loaded.load_campaign("task")) == contents(changed)
    assert rows(f"SELECT {settings} FROM load ORDER BY id")[0] == previous  # noqa: S608 - likewise
    assert counts()["load"] == before["load"] + 1
    assert [counts()[table] for table in ("gold", "item", "submission")] == [1, 4, 3]


@pytest.mark.parametrize(
    "change",
    [{"role": Role.LATE}, {"origin": Origin("A university")}, {"origin": Origin(None, "A paper")}],
    ids=str,
)
def test_what_is_said_of_a_run_is_part_of_it(loaded, change):
    """A run that is late is another one than a run that is not, with the same file."""
    late = campaign(submissions=(replace(ADA, **change), BOB, BOB_2))
    assert saved_as(loaded, late) == LoadSummary(
        created=False, replaced=("Ada",), unchanged=("Bob", "Bob/2")
    )
    assert contents(loaded.load_campaign("task")) == contents(late)


@pytest.mark.parametrize(
    "asked",
    [Options(seed=7), Options(certainty=False), Options(compare=("mcc~", "kappa"))],
    ids=str,
)
def test_other_options_make_no_load(loaded, dump, asked):
    """They are kept, for whoever evaluates the task next, and stand in no fingerprint and no history."""
    before, events = dump(), loaded.history("task")
    assert saved_as(loaded, campaign(options=asked)).unchanged == ("Ada", "Bob", "Bob/2")
    assert loaded.load_campaign("task").options == asked
    assert loaded.history("task") == events
    loaded.save_campaigns(campaign())
    assert dump() == before


def test_other_options_beside_another_title_are_no_change_of_their_own(loaded):
    """The history speaks of the title alone."""
    loaded.save_campaigns(campaign(title="New", options=Options(seed=7)))
    assert [change.what for change in loaded.history("task")[0].changes] == ["title"]
    assert loaded.load_campaign("task").options == Options(seed=7)


def test_other_words_for_what_was_read_make_no_load(loaded):
    """Neither the assumptions nor the advice of an issue are the campaign's own."""
    before = loaded.path.read_bytes()
    reworded = [
        replace(issue, found="Otherwise.", expected="More.", remedy="Mend it.")
        for issue in BOB.issues
    ]
    bob = replace(BOB, issues=tuple(reworded))
    (rejection,) = campaign().rejections
    rejected = replace(rejection, issues=(replace(rejection.issues[0], remedy="Say more."),))
    said = campaign(assumptions=("The gold file is gold.txt.",), submissions=(ADA, bob, BOB_2))
    assert saved_as(loaded, replace(said, rejections=(rejected,))).unchanged == (
        "Ada",
        "Bob",
        "Bob/2",
    )
    assert loaded.path.read_bytes() == before


@pytest.mark.parametrize(
    "other", [{"slug": "empty-file"}, {"lines": (4,)}, {"count": 2}, {"fatal": True}], ids=str
)
def test_other_facts_about_a_file_make_a_load(loaded, other):
    """Another issue, another line."""
    bob = replace(BOB, issues=(replace(BOB.issues[0], **other), *BOB.issues[1:]))
    assert saved_as(loaded, campaign(submissions=(ADA, bob, BOB_2))).replaced == ("Bob",)


def test_a_journal_in_other_words_makes_no_load(store):
    """A newer program may word what it did otherwise; the campaign is the same."""
    store.save_campaigns(policed())
    before = store.path.read_bytes()
    reworded = replace(policed(), journal=(JournalEntry("read", "gold.txt", "Label lines.", 4),))
    assert saved_as(store, reworded).unchanged == ("Ada", "Bob", "Bob/2")
    assert store.path.read_bytes() == before
    assert store.load_campaign("task").journal == policed().journal


@pytest.mark.parametrize("change", [{"rejections": ()}, {"ignored": ()}, {"settings": None}])
def test_what_else_a_load_found_is_recorded_with_it(loaded, change):
    """Rejected and ignored files, and the settings file."""
    changed = replace(campaign(), **change)
    loaded.save_campaigns(changed)
    assert contents(loaded.load_campaign("task")) == contents(changed)


def test_every_load_is_recorded(loaded, rows):
    """When, and by which version of the program."""
    loaded.save_campaigns(campaign(title="Another"))
    (first, second) = rows("SELECT loaded_at, program_version FROM load ORDER BY id")
    assert first[0] <= second[0]
    assert first[0].endswith("+00:00")
    assert first[1] == second[1] == __version__


def test_equal_files_are_stored_once(store, counts, rows):
    """One wide file with every team's column, or two teams that handed in the same file."""
    wide = source("all.csv", b"everything")
    teams = tuple(replace(each, source=wide) for each in (ADA, BOB, BOB_2))
    shared = campaign(submissions=teams, settings=b"everything")
    shared = replace(shared, gold=replace(shared.gold, source=wide))
    store.save_campaigns(shared)
    assert counts()["source_file"] == 1
    assert contents(store.load_campaign("task")) == contents(shared)
    assert rows("SELECT DISTINCT path FROM submission") == [("all.csv",)]


def test_original_files_are_had_by_their_paths(loaded):
    """Gold, settings and submissions."""
    assert original(loaded, "gold.txt") == campaign().gold.source.content
    assert original(loaded, "task.toml") == b""
    assert original(loaded, "submissions/Bob.txt") == BOB.source.content


@pytest.mark.parametrize("ask", ["load_campaign", "submissions"])
def test_a_task_that_is_not_there_brings_the_closest_slug(loaded, ask):
    """Likewise."""
    with pytest.raises(UsageError, match=r"The store has no task “tsak”. Did you mean “task”\?"):
        getattr(loaded, ask)("tsak")
    with pytest.raises(UsageError, match=r"no task “qqq”\.$"):
        getattr(loaded, ask)("qqq")


def test_tasks_are_listed_with_their_counts(loaded):
    """As their latest loads left them, in the order of their slugs."""
    loaded.save_campaigns(
        campaign("another", official_metric=None, labels=label_set("a", "b", "c", "d"))
    )
    loaded.save_campaigns(
        campaign(submissions=(ADA,), official_metric=ScoreKey("mcc", "balanced"), title="New")
    )
    another, task = loaded.tasks()
    assert (another.slug, another.n_classes, another.n_submissions, another.official_metric) == (
        "another",
        4,
        3,
        None,
    )
    assert (task.slug, task.title, task.n_items, task.n_classes, task.n_submissions) == (
        "task",
        "New",
        4,
        3,
        1,
    )
    assert task.official_metric == ScoreKey("mcc", "balanced")
    assert task.loaded_at >= loaded.submissions("task")[0].loaded_at
    assert (task.family, task.part) == (None, None)
    loaded.save_campaigns(policed())
    assert [(task.family, task.part) for task in loaded.tasks()] == [
        (None, None),
        ("flood", "Spanish"),
    ]


def test_submissions_are_listed_current_first_then_history_latest_first(loaded):
    """With the numbers of unanswered items."""
    for codes in ([0, 0, 0, 0], [1, 1, 1, 1]):
        loaded.save_campaigns(campaign(submissions=(submission("Ada", codes), BOB)))
    current, history = loaded.submissions("task")[:2], loaded.submissions("task")[2:]
    assert [(each.team, each.n_missing, each.n_unusable) for each in current] == [
        ("Ada", 0, 0),
        ("Bob", 1, 1),
    ]
    assert not any(each.replaced_at for each in current)
    assert {each.role for each in current} == {Role.PRIMARY}
    assert [each.sha256 for each in history] == [
        submission("Ada", [0, 0, 0, 0]).source.sha256,
        ADA.source.sha256,
        BOB_2.source.sha256,
    ]


def test_a_task_is_deleted_whole(loaded, counts, path):
    """By SQL, should somebody want to: everything goes with it but the files, and no other task."""
    keep(loaded, certain(evaluation(campaign())))
    loaded.save_campaigns(campaign(gold=(0, 0, 0, 1)))
    loaded.save_campaigns(campaign("other"))
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("DELETE FROM task WHERE slug = 'task'")
    connection.close()
    assert {counts()[table] for table in ("task", "gold", "load")} == {1}
    assert (counts()["evaluation"], counts()["load_file"]) == (0, 2)
    assert contents(loaded.load_campaign("other")) == contents(campaign("other"))


def test_bytes_that_are_already_there_keep_the_form_they_have(loaded):
    """Another zlib may deflate otherwise; what counts is the content."""
    content = ADA.source.content
    deflated = SourceFile(
        ADA.source.path, ADA.source.sha256, len(content), zlib.compress(content, 0)
    )
    assert (
        saved_as(loaded, campaign(submissions=(replace(ADA, source=deflated), BOB, BOB_2))).replaced
        == ()
    )


def test_the_history_says_who_came_stayed_and_went(loaded):
    """Latest load first, with what each left."""
    better = submission("Ada", [0, 1, 2, 1], content=b"better")
    loaded.save_campaigns(campaign(submissions=(better, BOB)))
    loaded.save_campaigns(campaign())
    third, second, first = loaded.history("task")
    assert [event.number for event in (first, second, third)] == [1, 2, 3]
    assert first.loaded_at <= second.loaded_at <= third.loaded_at
    assert (first.added, first.n_submissions, first.n_items, first.n_classes) == (
        ("Ada", "Bob", "Bob/2"),
        3,
        4,
        3,
    )
    assert (second.added, second.replaced, second.unchanged, second.removed) == (
        (),
        ("Ada",),
        ("Bob",),
        ("Bob/2",),
    )
    assert (third.added, third.replaced, third.unchanged, third.removed) == (
        ("Bob/2",),
        ("Ada",),
        ("Bob",),
        (),
    )
    assert not any(event.gold_changed or event.changes for event in (first, second, third))


def test_the_history_says_when_gold_was_replaced(loaded):
    """By another campaign that happens to have the same slug, say; and when it returned."""
    other = campaign(
        gold=(1, 1, 2, 2),
        labels=label_set("a", "b", "c"),
        submissions=(submission("Zoe", [0, 0, 0, 0]),),
    )
    loaded.save_campaigns(other)
    loaded.save_campaigns(campaign())
    third, second, first = loaded.history("task")
    assert [event.gold_changed for event in (first, second, third)] == [False, True, True]
    assert (second.added, second.removed) == (("Zoe",), ("Ada", "Bob", "Bob/2"))
    changed = {change.what: (change.before, change.after) for change in second.changes}
    assert changed["label set"] == ("negative, neutral, positive", "a, b, c")
    old, new = (each.gold.digest()[:12] for each in (campaign(), other))
    assert changed["gold"] == (f"4 items ({old})", f"4 items ({new})")
    assert {change.what for change in third.changes} == set(changed)


@pytest.mark.parametrize(
    ("changed", "changes"),
    [
        ({"title": "Another title"}, {"title": ("A task", "Another title")}),
        ({"official_metric": None}, {"official metric": ("averaged_f1", None)}),
        (
            {"official_metric": ScoreKey("mcc", "balanced")},
            {"official metric": ("averaged_f1", "mcc~")},
        ),
        ({"official_decimals": 4}, {"official decimals": ("3", "4")}),
        (
            {"policies": STRICT_POLICIES},
            {"policy missing": ("wrong", "reject"), "policy unusable": ("wrong", "reject")},
        ),
        (
            {"policies": Policies(chosen=(ChosenRun("Bob", "2", "Sent last."),))},
            {"run of Bob": (None, "2: Sent last.")},
        ),
        ({"family": "flood", "part": "es"}, {"family": (None, "flood"), "part": (None, "es")}),
        (
            {"prevalences": ()},
            {"prevalence even": ("negative 0.333333, neutral 0.333333, positive 0.333333", None)},
        ),
        (
            {"labels": LabelSet(label_set().labels, declared=True)},
            {"label set declared": ("no", "yes")},
        ),
        (
            {"settings": b"x = 1"},
            {
                "settings file": (
                    f"task.toml ({source('', b'').sha256[:12]})",
                    f"task.toml ({source('', b'x = 1').sha256[:12]})",
                )
            },
        ),
    ],
    ids=str,
)
def test_the_history_says_what_was_said_otherwise(loaded, changed, changes):
    """What it was, and what it became."""
    loaded.save_campaigns(campaign(**changed))
    latest, first = loaded.history("task")
    assert {change.what: (change.before, change.after) for change in latest.changes} == changes
    assert first.changes == ()
    assert latest.policies == changed.get("policies", Policies())


def test_the_history_says_which_files_were_not_taken(loaded):
    """Rejected or claimed by no rule."""
    loaded.save_campaigns(replace(campaign(), rejections=(), ignored=("README",)))
    (changes,) = [event.changes for event in loaded.history("task") if event.changes]
    assert {change.what: (change.before, change.after) for change in changes} == {
        "rejected files": ("submissions/Eve.txt", None),
        "ignored files": ("README and .DS_Store", "README"),
    }


def test_the_history_has_the_journal_of_each_load(loaded):
    """As it was then."""
    loaded.save_campaigns(policed())
    reworded = replace(policed(title="New"), journal=policed().journal[1:])
    loaded.save_campaigns(reworded)
    assert [event.journal for event in loaded.history("task")] == [
        reworded.journal,
        policed().journal,
        (),
    ]


def test_the_history_has_the_evaluations_of_each_load(loaded):
    """Latest first, with the number of their flags."""
    keep(loaded, evaluation(campaign(), signature="one"))
    keep(loaded, evaluation(campaign(), signature="two", flags=()))
    loaded.save_campaigns(campaign(title="New"))
    latest, first = loaded.history("task")
    assert latest.evaluations == ()
    assert [(each.signature, each.n_flags) for each in first.evaluations] == [
        ("two", 0),
        ("one", 1),
    ]
    assert all(
        each.evaluated_at.endswith("+00:00") and each.program_version for each in first.evaluations
    )


def test_the_history_of_a_task_is_of_no_other(loaded):
    """Their loads alternate."""
    before = loaded.history("task")
    loaded.save_campaigns(campaign("other"))
    assert loaded.history("task") == before
    assert [event.number for event in loaded.history("other")] == [1]
    with pytest.raises(UsageError, match="no task “tsak”"):
        loaded.history("tsak")


# Several campaigns at once


def test_campaigns_are_saved_together(loaded):
    """A summary for each, in their order."""
    parts = [policed(part="Spanish"), campaign("english", family="flood", part="English")]
    first, second = loaded.save_campaigns(*parts)
    assert (first.created, first.replaced, first.gold_changed) == (
        False,
        ("Ada", "Bob", "Bob/2"),
        True,
    )
    assert second == LoadSummary(created=True, added=("Ada", "Bob", "Bob/2"))
    assert [contents(loaded.load_campaign(each.task.slug)) for each in parts] == list(
        map(contents, parts)
    )
    assert not any(summary.added or summary.replaced for summary in loaded.save_campaigns(*parts))
    assert loaded.save_campaigns() == ()


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (campaign(title="Twice"), "are of one task, “task”"),
        (
            replace(
                campaign("other"), gold=replace(campaign().gold, item_ids=("a", "a", "b", "c"))
            ),
            "one id",
        ),
    ],
)
def test_no_campaign_is_saved_when_one_cannot_be(loaded, dump, wrong, reason):
    """All of them or none."""
    before = dump()
    with pytest.raises(UsageError, match=reason):
        loaded.save_campaigns(campaign(title="New"), wrong)
    assert dump() == before
