"""Folders dropped onto the field for uploads, as a file manager hands them over; and the field without a mouse."""

import pytest

from tests.nightly import by_day
from tests.report.conftest import CHROMIUM
from tests.web_browser.conftest import PATIENCE

pytestmark = [pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium to look with")]
MANY = 101
"""More than the hundred that a browser lists at once."""


@pytest.fixture(scope="module")
def host(served, people):
    """Whoever started the service, at a browser."""
    page = people.at_a_browser()
    page.goto(served.link)
    return page


@pytest.fixture
def page(host, served):
    """The files of an audit that has none yet."""
    host.goto(f"{served.address}/")
    host.get_by_label("Name of the campaign").fill("Dropped")
    host.get_by_role("button", name="Begin").click()
    host.wait_for_url("**/files")
    return host


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Gold, many submissions, folders in folders, an empty one, and what systems leave behind."""
    root = tmp_path_factory.mktemp("drop") / "flood 2031"
    gold = ["yes" if number % 3 else "no" for number in range(12)]
    (root / "submissions").mkdir(parents=True)
    for number in range(MANY):  # each has two items wrong
        wrong = {number % 12, (number + 1 + number // 12) % 12}
        answers = [
            {"yes": "no", "no": "yes"}[label] if item in wrong else label
            for item, label in enumerate(gold)
        ]
        (root / "submissions" / f"Team {number}.csv").write_text(rows_of(answers), encoding="utf-8")
    (root / "notes" / "of" / "2031").mkdir(parents=True)
    (root / "notes" / "of" / "2031" / "März.txt").write_text("x", encoding="utf-8")
    (root / "empty").mkdir()
    (root / "gold.csv").write_text(rows_of(gold), encoding="utf-8")
    (root / ".DS_Store").write_bytes(b"\0")
    return root


def rows_of(labels):
    return "id,label\n" + "".join(f"{item},{label}\n" for item, label in enumerate(labels))


def paths_in(folder):
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and path.name != ".DS_Store"
    }


def dropped(page, *paths):
    """Drop files and folders of the disk onto the field, as a file manager does."""
    box = page.locator("#upload").bounding_box()
    session = page.context.new_cdp_session(page)
    place = {"x": box["x"] + box["width"] / 2, "y": box["y"] + 8}
    data = {"items": [], "files": list(map(str, paths)), "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver"):
        session.send("Input.dispatchDragEvent", {"type": kind, **place, "data": data})
    assert "over" in page.locator("#upload").get_attribute("class").split()
    session.send("Input.dispatchDragEvent", {"type": "drop", **place, "data": data})


def read_in(page, number):
    """The paths of a revision, once it is read."""
    page.get_by_role("heading", name="What each file is").wait_for(timeout=3 * PATIENCE)
    campaign = page.url.rpartition("/campaigns/")[2].partition("/")[0]
    base = page.url.partition("/campaigns/")[0]
    revision = page.request.get(f"{base}/api/v1/campaigns/{campaign}/revisions/{number}").json()
    return set(revision["files"])


def test_a_dropped_folder_comes_whole(page, folder):
    """Every file of every folder in it, once, with its path; and it is what the service then has."""
    dropped(page, folder)
    page.get_by_text(f"{MANY} submissions, 12 items").wait_for()
    assert read_in(page, 1) == paths_in(folder)


def test_a_folder_and_a_file_are_dropped_together_and_one_after_the_other(page, folder):
    """What comes again under one path takes the place of the first."""
    dropped(page, folder / "notes", folder / "gold.csv")
    assert read_in(page, 1) == {"gold.csv", "notes/of/2031/März.txt"}
    dropped(page, folder / "gold.csv", folder / "submissions" / "Team 7.csv")
    page.get_by_text("3 files are").or_(
        page.get_by_text("2 revisions of the files")
    ).first.wait_for()
    assert read_in(page, 2) == {"Team 7.csv", "gold.csv", "notes/of/2031/März.txt"}


def test_an_empty_folder_is_none(page, folder):
    dropped(page, folder / "empty")
    page.get_by_text("There is no file in it.").wait_for()


def test_who_leaves_during_an_upload_is_asked(page, folder):
    """And stays, where they say so: the upload then comes to its end."""
    asked, held = [], []
    page.once("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    page.route("**/uploads?*", lambda route: held.append(route))  # noqa: PLW0108 - Playwright looks into it
    page.get_by_label("Choose files, or a zip").set_input_files(folder / "gold.csv")
    page.get_by_text("Uploading 1 of 1.").wait_for()
    page.locator("h1").click()  # a browser asks only who has done something on the page
    with page.expect_event("dialog"):
        page.evaluate("() => { setTimeout(() => { location.href = '/'; }); }")
    assert asked == ["beforeunload"]
    held.pop().continue_()
    assert read_in(page, 1) == {"gold.csv"}
    page.unroute("**/uploads?*")  # the next test is on this page, too


@by_day(1)
@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_the_field_is_used_without_a_mouse(key, page, folder):
    """By Tab to each of its two buttons, in order, with an outline; a key opens the choice, and that is uploaded."""
    # from now on, or the first one may open before the browser is asked to tell
    page.on("filechooser", lambda _: None)
    page.locator("h1").click()
    files, whole = (
        page.get_by_label("Choose files, or a zip"),
        page.get_by_label("Choose a whole folder"),
    )
    for _ in range(40):
        page.keyboard.press("Tab")
        if files.evaluate("each => each === document.activeElement"):
            break
    assert files.evaluate("each => getComputedStyle(each.parentElement).outlineStyle") != "none"
    page.keyboard.press("Tab")
    assert whole.evaluate("each => each === document.activeElement")
    page.keyboard.press("Shift+Tab")
    with page.expect_file_chooser() as chosen:
        page.keyboard.press(key)
    chosen.value.set_files(folder / "gold.csv")
    assert read_in(page, 1) == {"gold.csv"}
