"""Revisions of the files: nobody overwrites what they have not seen, and every number that is named is looked at."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import insert, select, update

from audit.service import queue, revisions
from audit.service.control_tables import RELEASE, UPLOAD
from audit.service.credentials import in_days
from audit.service.files import Stored
from audit.service.queue import ask_for, cancel
from audit.service.revisions import FileChange
from audit.service.rules import ConflictError, NotFoundError, RefusedError

FILE = Stored("a" * 64, 3)


class Desk:
    def __init__(self, hosting):
        self.database, self.person = hosting.database, hosting.person()
        self.hosted = hosting.campaign(self.person)

    def do(self, act, *given, **named):
        with self.database.writing() as connection:
            return act(connection, *given, **named)

    def change(self, added=("a.csv",), removed=(), base=0, note="a change"):
        change = FileChange(dict.fromkeys(added, FILE), tuple(removed))
        return self.do(
            revisions.change_files, self.hosted, self.person, change, base=base, note=note
        )


@pytest.fixture
def desk(hosting):
    return Desk(hosting)


def test_a_change_makes_the_next_revision_and_the_job_that_reads_it(desk):
    number, job = desk.change()
    assert (number, job.kind, job.arguments) == (1, queue.READ, {"revision": 1})
    revision = desk.do(revisions.revision_of, desk.hosted.id, 1)
    assert (revision.by, revision.files, revision.findings) == (desk.person.name, None, None)
    assert revision.change == FileChange({"a.csv": FILE}, (), unpack=True)
    desk.do(revisions.keep_reading, desk.hosted.id, 1, {"a.csv": FILE}, {"label": "\0\ud800"})
    revision = desk.do(revisions.revision_of, desk.hosted.id, 1)
    assert (revision.files, revision.findings) == ({"a.csv": FILE}, {"label": "\0\ud800"})


def test_space_of_earlier_revisions_is_given_back_and_what_is_needed_stays(desk):
    """The newest files, those that a release is of, and uploads that no change names yet; no archive once unpacked."""
    zipped, old, evaluated, new, waiting = (Stored(letter * 64, 3) for letter in "bcdef")
    of_revisions = (
        ({"all.zip": zipped}, {"a": evaluated, "b": FILE}),
        ({"b": old}, {"a": evaluated, "b": old}),
        ({"b": new}, {"b": new}),
    )
    for number, (added, files) in enumerate(of_revisions):
        change = FileChange(added)
        _, job = desk.do(
            revisions.change_files, desk.hosted, desk.person, change, base=number, note=""
        )
        desk.do(revisions.keep_upload, desk.hosted.id, desk.person, "x", next(iter(added.values())))
        with pytest.raises(ConflictError, match="wait or run"):
            desk.do(revisions.forget_earlier, desk.hosted, desk.person)
        desk.do(revisions.keep_reading, desk.hosted.id, number + 1, files, {})
        desk.do(cancel, desk.hosted.id, desk.person.id, job.number)
    desk.do(revisions.keep_upload, desk.hosted.id, desk.person, "later.csv", waiting)
    release = {
        "campaign": desk.hosted.id,
        "number": 1,
        "revision": 1,
        "job": job.number,
        "folder": "1-1",
        "made_at": "",
    }
    desk.do(
        lambda connection: connection.execute(
            insert(RELEASE).values(**release, signatures="{}", summary="{}")
        )
    )
    gone = desk.do(revisions.forget_earlier, desk.hosted, desk.person)
    assert gone == {zipped.sha256, old.sha256}
    files = [each.files for each in desk.do(revisions.revisions_of, desk.hosted.id)]
    assert files == [{"b": new}, None, {"a": evaluated, "b": FILE}]
    uploads = desk.do(
        lambda connection: connection.execute(select(UPLOAD.c.sha256)).scalars().all()
    )
    assert {new.sha256, waiting.sha256} <= set(uploads)
    assert not gone & set(uploads)
    earlier, newest = (desk.do(revisions.revision_of, desk.hosted.id, number) for number in (2, 3))
    with pytest.raises(RefusedError, match="its space was freed"):
        revisions.restored(earlier, newest)


def test_a_change_in_view_of_an_older_revision_is_refused_with_what_came_between(desk):
    desk.change(note="first")
    desk.change(base=1, note="gold corrected")
    with pytest.raises(ConflictError, match="Ada: gold corrected"):
        desk.change(base=1, note="mine")
    assert [each.number for each in desk.do(revisions.revisions_of, desk.hosted.id)] == [2, 1]


def test_of_ten_who_change_at_once_one_does(desk):
    def try_it(number):
        try:
            return desk.change(note=f"change {number}")[0]
        except ConflictError:
            return None

    with ThreadPoolExecutor(10) as pool:
        found = list(pool.map(try_it, range(10)))
    assert sorted(found, key=str) == [1] + [None] * 9
    assert len(desk.do(revisions.revisions_of, desk.hosted.id)) == 1


@pytest.mark.parametrize(
    ("added", "says"),
    [((), "Nothing changes"), ([str(n) for n in range(20_001)], "At most 20,000 files")],
)
def test_a_change_of_nothing_or_of_too_much_is_refused(added, says, desk):
    with pytest.raises(RefusedError, match=says):
        desk.change(added)


def test_uploads_are_found_in_the_order_in_which_they_are_named(desk, hosting):
    """Of two of one path the later counts."""
    made = [
        desk.do(revisions.keep_upload, desk.hosted.id, desk.person, "a.csv", Stored(letter * 64, 5))
        for letter in "abc"
    ]
    ids = [made[number].id for number in (2, 0, 1)]
    assert list(desk.do(revisions.uploads_by_id, desk.hosted.id, ids)) == ids
    other = hosting.campaign(desk.person, "Another")
    for campaign, wanted in ((other.id, ids), (desk.hosted.id, ["nothing"])):
        with pytest.raises(NotFoundError):
            desk.do(revisions.uploads_by_id, campaign, wanted)


def test_a_revision_that_is_not_there_is_not_found(desk):
    with pytest.raises(NotFoundError):
        desk.do(revisions.revision_of, desk.hosted.id, 1)
    with pytest.raises(NotFoundError):
        desk.do(revisions.read_revision, desk.hosted.id, 1)


def test_a_revision_that_was_read_can_be_evaluated(desk):
    desk.change()
    desk.do(revisions.keep_reading, desk.hosted.id, 1, {"a.csv": FILE}, {})
    revision, files = desk.do(revisions.read_revision, desk.hosted.id, 1)
    assert (revision.number, files) == (1, {"a.csv": FILE})


# Earlier revisions taken up again


OTHER = Stored("b" * 64, 4)


def read(desk, number, files):
    """As a worker keeps what a revision holds."""
    desk.do(revisions.keep_reading, desk.hosted.id, number, files, {})


def restore(desk, number, paths=None, *, base):
    earlier, newest = (
        desk.do(revisions.revision_of, desk.hosted.id, each) for each in (number, base)
    )
    change = revisions.restored(earlier, newest, paths)
    note = revisions.restored_in_words(change, earlier)
    return desk.do(revisions.change_files, desk.hosted, desk.person, change, base=base, note=note)


@pytest.fixture
def changed(desk):
    """Two files, of which the second revision replaces one, removes the other, and adds a third."""
    desk.change(["a.csv", "b.csv"])
    read(desk, 1, {"a.csv": FILE, "b.csv": FILE})
    desk.change(["c.csv"], removed=["b.csv"], base=1)
    read(desk, 2, {"a.csv": OTHER, "c.csv": FILE})
    return desk


def test_a_restored_revision_has_the_files_of_the_earlier_one_and_no_other(changed):
    """What the job that reads it begins with; and every revision stays as it was."""
    before = changed.do(revisions.revisions_of, changed.hosted.id)
    number, job = restore(changed, 1, base=2)
    assert (number, job.kind, job.arguments) == (3, queue.READ, {"revision": 3})
    assert changed.do(revisions.files_before, changed.hosted.id, 3) == {
        "a.csv": FILE,
        "b.csv": FILE,
    }
    revision = changed.do(revisions.revision_of, changed.hosted.id, 3)
    assert revision.change == FileChange({}, (), unpack=False, restores=1)
    assert revision.note == "revision 1 restored"
    assert changed.do(revisions.revisions_of, changed.hosted.id)[1:] == before


def test_files_are_brought_back_beside_those_that_are_there(changed):
    restore(changed, 1, ["b.csv"], base=2)
    assert changed.do(revisions.files_before, changed.hosted.id, 3) == {
        "a.csv": OTHER,
        "c.csv": FILE,
    }
    revision = changed.do(revisions.revision_of, changed.hosted.id, 3)
    assert revision.change == FileChange({"b.csv": FILE}, (), unpack=False)
    assert revision.note == "b.csv brought back from revision 1"


def test_nothing_is_restored_over_what_somebody_has_not_seen(changed):
    changed.change(["d.csv"], base=2, note="late submission")
    with pytest.raises(ConflictError, match="Ada: late submission"):
        restore(changed, 1, base=2)
    assert changed.do(revisions.revisions_of, changed.hosted.id)[0].number == 3


@pytest.mark.parametrize(
    ("number", "paths", "error", "says"),
    [
        (2, None, RefusedError, "those of revision 2 already"),
        (3, None, RefusedError, "Revision 3 was never read"),
        (1, ["c.csv"], NotFoundError, "not in revision 1"),
        (1, [], RefusedError, "Nothing changes"),
        (9, None, NotFoundError, "no such revision"),
    ],
)
def test_what_cannot_be_restored_is_refused(changed, number, paths, error, says):
    base = 2
    if number == 3:
        changed.change(["d.csv"], base=2)
        base = 3
    with pytest.raises(error, match=says):
        restore(changed, number, paths, base=base)


def test_uploads_that_nothing_names_are_forgotten_a_day_later(desk):
    """So that the quota shrinks; what a revision or an open question names, and what came today, stays."""
    kept = {
        name: desk.do(
            revisions.keep_upload,
            desk.hosted.id,
            desk.person,
            f"{name}.csv",
            Stored(letter * 64, 5),
        )
        for name, letter in (
            ("abandoned", "b"),
            ("named", "c"),
            ("asked", "d"),
            ("today", "e"),
            ("again", "c"),
        )
    }
    change = FileChange({"named.csv": kept["named"].stored})
    desk.do(revisions.change_files, desk.hosted, desk.person, change, base=0, note="")
    table = {"sha256": "d" * 64, "name": "asked.csv"}
    desk.do(ask_for, desk.hosted.id, desk.person.id, "ask", table=table)
    old = [each.id for name, each in kept.items() if name != "today"]
    desk.do(lambda connection: connection.execute(
        update(UPLOAD).where(UPLOAD.c.id.in_(old)).values(received_at=in_days(-2))
    ))  # fmt: skip
    assert desk.do(revisions.forget_abandoned, desk.hosted.id) == {"b" * 64}
    left = desk.do(lambda connection: set(connection.execute(select(UPLOAD.c.path)).scalars()))
    assert left == {f"{name}.csv" for name in kept if name != "abandoned"}
    assert desk.do(revisions.forget_abandoned, desk.hosted.id) == set()
