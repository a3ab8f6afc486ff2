"""The main job as a person does it: from a messy folder of downloads to a published audit, by the pages alone."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from audit.resources import samples
from audit.service import people as accounts
from audit.service.credentials import password_digest
from tests.nightly import slow
from tests.report.conftest import CHROMIUM, EMOJI
from tests.web.planted import PASSWORD

from .conftest import PATIENCE, uploaded
from .messy import GOLD, messy_folder, plain_folder, zipped

WAY = "tests/web over HTTP, and test_several_test_sets by a browser"
pytestmark = [
    slow(WAY),
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium to look with"),
]
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


@dataclass(frozen=True)
class Walked:
    """What came of the way."""

    address: str
    """Of the audit."""
    shared: str
    """A link without names."""
    invited: str
    """A link to an invitation that was not used."""
    answer: str
    """The page of an answer."""
    ready: str
    """Another audit, whose files can be evaluated and were not."""
    state: dict
    """The host's browser, to begin another one with."""


@pytest.fixture(scope="module")
def host(served, people):
    """Whoever started the service, at a browser."""
    page = people.at_a_browser()
    page.goto(served.link)
    return page


@pytest.fixture(scope="module")
def walked(host, people, tmp_path_factory) -> Walked:
    """The six steps."""
    root = tmp_path_factory.mktemp("messy")
    address = _files_and_table(host, messy_folder(root / "form downloads"))
    _evaluated(host, address, release=1)
    answer = _read(host, address)
    corrected = messy_folder(root / "corrected", corrected=3) / GOLD
    shared = _corrected_and_published(host, address, corrected)
    invited = _with_others(host, people, address)
    base = address.partition("/campaigns/")[0]
    ready = uploaded(host, base, "Plain", plain_folder(root / "plain"), folder=True)
    host.get_by_text("2 submissions, 20 items, 2 labels.").wait_for()
    return Walked(address, shared, invited, answer, ready, host.context.storage_state())


def _files_and_table(page, folder: Path) -> str:
    """Upload the folder and say which file is gold; a name and a role are mended in the table."""
    address = uploaded(page, page.url.rstrip("/"), "Form downloads", folder, folder=True)
    page.locator("select[name=gold]").select_option(GOLD)
    page.locator("select[name=submissions]").select_option("uploads")
    page.get_by_role("button", name="Read the submissions").click()
    page.get_by_text("2 of 8 files are not used.").wait_for()
    page.get_by_label("Team of uploads/submission (3) - Dan.csv").fill("Delta & <Sons>")
    page.get_by_label("What uploads/submission (9) - Eve.csv is").select_option("submission")
    page.get_by_label("Team of uploads/submission (9) - Eve.csv").fill("Eve")
    page.get_by_role("button", name="Save and read again").click()
    page.get_by_text("1 submission is refused.").wait_for()
    assert "4 submissions, 60 items, 3 labels." in page.locator(".verdict").inner_text()
    assert "An empty file" in page.locator(".finding").inner_text()
    page.get_by_text("task.toml as text").click()
    assert 'label = "label"' in page.locator("#toml").input_value()
    return address


def _evaluated(page, address: str, *, release: int) -> None:
    """It ends in the audit, without a further click."""
    page.goto(f"{address}/files")
    page.get_by_label("Leave out what is refused").check()
    if release == 1:
        page.locator("select[name=official]").select_option("none")
    page.get_by_role("button", name="Evaluate").click()
    page.wait_for_url("**/audit", timeout=5 * PATIENCE)
    page.get_by_text(f"Release {release} of").wait_for()


def _without_further_work(page, address: str) -> None:
    """End what is made of a release afterwards and is not looked at here: drawing takes long."""
    campaign = address.rpartition("/")[2]
    base = address.removesuffix(f"/campaigns/{campaign}")
    for job in page.request.get(f"{base}/api/v1/campaigns/{campaign}/jobs").json():
        if job["kind"] == "export":
            page.request.post(f"{base}/api/v1/campaigns/{campaign}/jobs/{job['number']}/cancel")


def _read(page, address: str) -> str:
    """The page is the report, which works in its frame; a question is answered in a sentence."""
    report = page.frame_locator("iframe.report")
    report.get_by_role("heading", level=1).wait_for()
    assert page.evaluate("document.scrollingElement.scrollHeight <= innerHeight"), (
        "one scrollbar, the report's"
    )
    _report_works(report)
    _without_further_work(page, address)
    page.get_by_role("link", name="Downloads and questions").click()
    first, second = (page.locator(f"select[name={name}]") for name in ("first", "second"))
    assert first.input_value() == first.locator("option").first.inner_text(), "places 1 and 2"
    assert second.input_value() == second.locator("option").nth(1).inner_text()
    first.select_option("Ann Miller")
    second.select_option("Delta & <Sons>")
    page.get_by_role("button", name="Compare", exact=True).click()
    page.get_by_role("row", name="Delta & <Sons>").wait_for()
    assert re.search(r"Ann Miller.* by macro-averaged F1", page.locator("p.verdict").inner_text())
    assert (
        "audit compare -- form-downloads 'Ann Miller' 'Delta & <Sons>'"
        in page.locator("#command").inner_text()
    )
    return page.url


def _report_works(report) -> None:
    """Sorting, anchors and copying, without a right that the frame does not have."""
    report.locator("#ranking > summary").click()
    head = report.locator("#table-ranking thead th").nth(1)
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    button = report.locator("button[data-copy]").first
    button.click()
    report.locator(
        "button[data-copy]", has_text=re.compile("^(Copied|Selected: press Ctrl\\+C)$")
    ).first.wait_for()
    report.locator("nav a").nth(2).click()
    assert report.locator("nav a[aria-current]").count() == 1


def _corrected_and_published(page, address: str, gold: Path) -> str:
    """Another gold file takes the place of the first; what changed is told; the new release is published and shared."""
    page.goto(f"{address}/files")
    page.get_by_label("Choose files, or a zip").set_input_files(gold)
    page.get_by_text("4 revisions of the files").wait_for()
    _evaluated(page, address, release=2)
    page.get_by_role("link", name="Before and after").click()
    page.get_by_text("3 of 60 gold labels were corrected.", exact=True).wait_for()
    _without_further_work(page, address)
    assert (
        page.locator("#erratum-1")
        .inner_text()
        .startswith("After 3 of 60 gold labels were corrected")
    )
    assert page.get_by_role("row", name="Ann Miller").is_visible()
    page.get_by_role("link", name="Publish release 2").click()
    page.get_by_text("You can withdraw it later").wait_for()
    page.get_by_role("button", name="Publish release 2").click()
    page.locator(".published").wait_for()
    page.locator("select[name=release]").select_option("2")
    page.locator("select[name=anonymous]").select_option("true")
    page.get_by_role("button", name="Make a link").click()
    return page.locator("#shown-once").inner_text()


def _with_others(page, people, address: str) -> str:
    """A reader is invited, makes an account, and sees the audit and not the files; another invitation stays open."""
    links = []
    for _ in range(2):
        page.goto(f"{address}/people")
        page.locator("select[name=role]").select_option("reader")
        page.get_by_role("button", name="Make an invitation").click()
        links.append(page.locator("#shown-once").inner_text())
    guest = people.at_a_browser()
    guest.goto(links[0])
    guest.get_by_label("Your name").fill("Grace")
    guest.get_by_label("A password").fill("a long enough one")
    guest.get_by_role("button", name="Accept").click()
    guest.get_by_text("Release 2 of").wait_for()
    steps = guest.get_by_role("navigation", name="Steps").get_by_role("link").all_inner_texts()
    assert steps == ["The audit", "Releases"]
    assert guest.request.get(f"{address}/files").status == 403
    page.goto(f"{address}/people")
    assert page.get_by_role("rowheader", name="Grace").is_visible()
    return links[1]


def test_from_a_messy_folder_to_a_published_audit(walked, people):
    """Every step is done in the browser, and nothing goes wrong in its console."""
    assert walked.address
    assert people.complaints == []


@pytest.mark.usefixtures("silence")
def test_a_link_without_names_shows_none(walked, people):
    """Neither on the page nor in the report, nor before it is made."""
    stranger = people.at_a_browser()
    stranger.goto(walked.shared)
    stranger.locator("iframe.report").wait_for()
    report = stranger.frame_locator("iframe.report")
    report.get_by_role("heading", level=1).wait_for()
    everything = stranger.content() + report.locator("html").inner_html()
    assert "Team 4" in everything
    assert not [
        name
        for name in ("Ann Miller", "Delta", "Çelik", "Sons", "uploads", GOLD)
        if name in everything
    ]


def pages_of(walked: Walked) -> list[str]:
    """Every page that somebody can see."""
    base = walked.address.partition("/campaigns/")[0]
    steps = (
        *(
            "files",
            "files?revision=1",
            "evaluate",
            "audit",
            "more/2",
            "releases",
            "releases/2",
            "releases/1/publish",
        ),
        *("people", "log"),
    )
    own = [f"{walked.address}/{step}" for step in steps]
    own += [f"{walked.ready}/{step}" for step in ("files", "evaluate", "audit", "releases")]
    return [
        f"{base}/",
        f"{base}/account",
        *own,
        walked.answer,
        walked.shared,
        walked.invited,
        f"{walked.address}/none",
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1440])
def test_axe_finds_nothing(width, scheme, walked, people):
    """The rules of WCAG 2.2 AA and good practice on every page, and in the framed report.

    No page is wider than the screen. This is no claim of conformance.
    """
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-core is not installed"
    ).Axe()
    screen = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
    page = people.at_a_browser(storage_state=walked.state, **screen)
    outside = people.at_a_browser(**screen)
    sign_in = walked.address.partition("/campaigns/")[0] + "/sign-in"
    for looking, address in [
        *((page, each) for each in pages_of(walked)),
        (outside, walked.invited),
        (outside, sign_in),
    ]:
        looking.goto(address)
        if address == walked.shared:
            # it looks again until the reports without names are made
            looking.locator("iframe.report").wait_for()
        for framed in [
            each for each in looking.frames if "/framed/" in each.url or "/report/" in each.url
        ]:
            framed.wait_for_load_state()
            assert violations(axe, framed, [*WCAG, "best-practice"]) == []
        looking.locator("iframe").evaluate_all("all => all.forEach((each) => each.remove())")
        assert violations(axe, looking, [*WCAG, "best-practice"]) == []
        assert looking.evaluate(WIDER) == [], address
        assert looking.title()
        assert looking.get_by_role("heading", level=1).count() == 1, address


WIDER = """() => document.scrollingElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll("main *")]
    .filter((each) => each.getBoundingClientRect().right > innerWidth && !each.closest(".scroll"))
    .map((each) => `${each.tagName} ${each.className} ${Math.round(each.getBoundingClientRect().right)}`).slice(0, 8)"""
"""The elements that make a page wider than the screen."""


def violations(axe, looking, tags):
    """What axe finds in a page or a frame by the rules with these tags, all of it unfolded."""
    looking.evaluate(
        "document.querySelectorAll('details').forEach((part) => { part.open = true; })"
    )
    found = axe.run(
        looking, options={"runOnly": {"type": "tag", "values": tags}, "resultTypes": ["violations"]}
    )
    return [
        (looking.url, each["id"], each["nodes"][0]["html"]) for each in found.response["violations"]
    ]


def test_without_a_script_upload_and_report_work(walked, served, people, tmp_path):
    """By a form, a page that looks again by itself, and the report in its frame."""
    page = people.at_a_browser(storage_state=walked.state, java_script_enabled=False)
    archive = zipped(plain_folder(tmp_path / "plain"), tmp_path / "plain.zip")
    uploaded(page, served.address, "Plain", archive)
    page.get_by_role("button", name="Upload").click()
    page.get_by_text("2 submissions, 20 items, 2 labels.").wait_for()
    page.goto(f"{walked.address}/audit")
    assert (
        page.frame_locator("iframe.report").get_by_role("heading", level=1).inner_text()
        == "Form downloads"
    )


def test_two_organisers_at_once(walked, people):
    """The second sees what the first did; nothing is overwritten, and what they wrote is still there."""
    first, second = (people.at_a_browser(storage_state=walked.state) for _ in range(2))
    for page in (first, second):
        page.goto(f"{walked.address}/files")
    first.get_by_label("Title").fill("Of the first")
    first.locator("form", has=first.get_by_label("Title")).get_by_role(
        "button", name="Save"
    ).click()
    first.get_by_role("heading", name="What each file is").wait_for()
    second.get_by_text("task.toml as text").click()
    second.locator("#toml").fill('title = "Of the second"')
    second.get_by_role("button", name="Save the text").click()
    problem = second.locator(".trouble").inner_text()
    assert "You: settings: title" in problem
    assert second.locator("#toml").input_value() == 'title = "Of the second"'
    assert 'title = "Of the first"' in first.locator("#toml").input_value()


def test_a_broken_upload_is_sent_again(walked, served, people, tmp_path):
    """Only what did not arrive is."""
    page = people.at_a_browser(storage_state=walked.state)
    folder = plain_folder(tmp_path / "plain")
    sent = []

    def break_off(route):
        sent.append(route.request.url)
        route.abort() if len(sent) == 2 else route.continue_()

    page.route("**/uploads?*", break_off)
    page.goto(f"{served.address}/")
    page.get_by_label("Name of the campaign").fill("Broken")
    page.get_by_role("button", name="Begin").click()
    page.get_by_label("Choose a whole folder").set_input_files(folder)
    page.get_by_text("1 of 3 did not arrive").wait_for()
    page.get_by_role("button", name="Upload again").click()
    page.get_by_role("heading", name="What each file is").wait_for()
    assert len(sent) == 4
    assert sent[3] == sent[1]


def test_what_is_no_archive_is_said_and_kept(walked, served, people, tmp_path):
    """The page says what is wrong and leads on; the way is not closed."""
    page = people.at_a_browser(storage_state=walked.state)
    (tmp_path / "none.zip").write_bytes(b"PK no zip")
    uploaded(page, served.address, "No zip", tmp_path / "none.zip")
    page.get_by_text("A file that is damaged or locked").wait_for()
    assert page.get_by_role("heading", name="Add or replace files").is_visible()
    assert page.get_by_label("Choose files, or a zip").count() == 1


@pytest.mark.parametrize("campaign", ["flood-posts", "emoji-en"])
def test_whole_campaigns_go_the_same_way(campaign, walked, served, people, tmp_path):
    """The sample, and a real one of 48 teams, zipped as they stand: the report is read, and its parts are made."""
    if campaign == "emoji-en" and not EMOJI.is_dir():
        pytest.skip("the real campaigns stand beside the checkout, not in it")
    folder = EMOJI if campaign == "emoji-en" else samples() / "flood-posts"
    page = people.at_a_browser(storage_state=walked.state)
    address = uploaded(page, served.address, campaign, zipped(folder, tmp_path / "campaign.zip"))
    page.get_by_role("heading", name="What each file is").wait_for()
    if not page.get_by_role("button", name="Evaluate").count():
        page.get_by_role("button", name="Save and read again").click()
    official = page.locator("select[name=official]")
    if official.input_value() == "":
        official.select_option("none")
    if page.locator("input[name=skip_rejected]").count():
        page.locator("input[name=skip_rejected]").check()
    page.get_by_role("button", name="Evaluate").click()
    page.wait_for_url("**/audit", timeout=1_200_000)
    page.frame_locator("iframe.report").get_by_role("heading", level=1).wait_for()
    page.goto(f"{address}/more/1")
    shown = page.get_by_role("link", name="Bundle").or_(page.get_by_role("link", name="Show it"))
    shown.wait_for(timeout=1_200_000)
    page.reload()
    assert page.get_by_role("link", name="Bundle").is_visible()


PUBLISH = ("Publish …", "Publish release")
CLICKS = (
    "Begin",
    "Read the submissions",
    "Evaluate",
    *PUBLISH,
    "Files",
    "Evaluate",
    "Before and after",
    *PUBLISH,
)
"""All that is clicked from seven messy files to a published audit, a correction and its erratum; files are dropped."""
_LINKS = {"Files": "Files", "Before and after": "Before and after", "Publish …": "Publish"}


@pytest.mark.parametrize("width", [390, 1440])
def test_ten_clicks_lead_from_messy_files_to_an_erratum(width, served, people, tmp_path):
    """From signing in to publishing by keyboard alone: what is used is reached by Tab, and pressed by Enter.

    Nothing is cut, and nothing scrolls sideways. The keys open the choice of files; what is chosen
    there, the browser is told.
    """
    page = people.at_a_browser(viewport={"width": width, "height": 844})
    # from now on, or the first choice of files may open before the browser is asked to tell
    page.on("filechooser", lambda _: None)
    first = messy_folder(tmp_path / "first")
    (first / "Call for participation.pdf").unlink()
    corrected = messy_folder(tmp_path / "second", corrected=3) / GOLD
    page.goto(f"{served.address}/sign-in")
    _type(page, "Name", account_of(served, f"Kay {width}"))
    _type(page, "Password", PASSWORD)
    _pressed(page, "Sign in")
    _type(page, "Name of the campaign", "Seven files")
    pressed = [_pressed(page, "Begin")]
    page.wait_for_url("**/files")
    _choose_files(page, "Choose a whole folder", first)
    gold = page.locator("select[name=gold]")
    _tab_to(page, gold)
    page.keyboard.type("answers")
    assert gold.input_value() == GOLD
    pressed.append(_pressed(page, "Read the submissions"))
    official = page.locator("select[name=official]")
    _tab_to(page, official)
    page.keyboard.type("none was")
    assert official.input_value() == "none"
    pressed.append(_pressed(page, "Evaluate"))
    page.wait_for_url("**/audit", timeout=5 * PATIENCE)
    pressed += [_pressed(page, click) for click in PUBLISH]
    page.get_by_text("The release is published").wait_for()
    pressed.append(_pressed(page, "Files"))
    page.wait_for_url("**/files")
    _without_further_work(page, page.url.removesuffix("/files"))
    _choose_files(page, "Choose files, or a zip", corrected)
    page.get_by_text("3 revisions of the files").wait_for()
    pressed.append(_pressed(page, "Evaluate"))
    page.wait_for_url("**/audit", timeout=5 * PATIENCE)
    pressed.append(_pressed(page, "Before and after"))
    page.locator("#erratum-1").wait_for()
    assert "After 3 of 60 gold labels were corrected" in page.locator("#erratum-1").inner_text()
    _without_further_work(page, page.url.partition("/releases")[0])
    pressed += [_pressed(page, click) for click in PUBLISH]
    page.get_by_text("The release is published").wait_for()
    assert tuple(pressed) == CLICKS


def account_of(served, name: str) -> str:
    """The name of somebody who has an account and may begin audits."""
    with served.service.database.writing() as connection:
        person = accounts.new_person(connection, name, password_digest(PASSWORD))
        invitation = accounts.invite(connection, accounts.host_of(connection), None)
        accounts.accept(connection, invitation.secret, person)
    return name


def _tab_to(page, wanted) -> None:
    """Go to a part of the page by Tab."""
    wanted.wait_for()
    for _ in range(200):
        if wanted.evaluate("each => each === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{wanted} is not reached by Tab on {page.url}")


def _type(page, label: str, text: str) -> None:
    """Go to a field by Tab, and type."""
    _tab_to(page, page.get_by_label(label, exact=True))
    page.keyboard.type(text)


def _choose_files(page, label: str, path: Path) -> None:
    """Go to a field of files by Tab, open the choice by Enter, and choose."""
    _tab_to(page, page.get_by_label(label))
    with page.expect_file_chooser() as chosen:
        page.keyboard.press("Enter")
    chosen.value.set_files(path)


def _pressed(page, name: str) -> str:
    """Go to a button or a link by Tab, and press Enter."""
    # a step has its number first, and its state last
    words = re.compile(rf"^([0-9]\s*)?{_LINKS.get(name, name)}")
    wanted = page.get_by_role("link" if name in _LINKS else "button", name=words).first
    wanted.wait_for()
    assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth"), page.url
    _tab_to(page, wanted)
    page.keyboard.press("Enter")
    return name
