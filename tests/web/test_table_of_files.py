"""What each file is, chosen in a table: saved as it stands it changes nothing, and what is chosen is what is read."""

import io
import re
import zipfile

import pytest

from audit.workflow import open_named, save_opening
from tests.nightly import by_day
from tests.web.planted import packed
from tests.web.test_every_page import STRANGE, USABLE, labelled, labelled_by
from tests.web.walking import _Page, change_files, hold, read, send
from tests.web_browser.messy import GOLD, messy_folder

FOUR = {team: labelled(team) for team in ("Ann", "Ben", "Cat", "Dan")}


@pytest.fixture
def owner(house):
    return house.browser_of("owner")


def table_of(client, campaign):
    """The form with the table, as it stands."""
    forms = _Page(client.get(f"/campaigns/{campaign}/files").text).forms
    return next(form for form in forms if form.action.endswith("/files/table"))


def rows_in(form):
    """Each file of the table: what it is, whose, which run, which test set."""
    names = ("file", "choice", "team", "run", "part")
    columns = {name: [value for key, value in form.fields if key == name] for name in names}
    assert len({len(column) for column in columns.values()}) == 1
    return {file: values for file, *values in zip(*columns.values(), strict=True)}


def chosen(form, file, **values):
    """The form after somebody chose this for a file."""
    place = next(at for at, field in enumerate(form.fields) if field == ("file", file))
    for at in range(place, len(form.fields)):
        if at > place and form.fields[at][0] == "file":
            break
        name, value = form.fields[at]
        form.fields[at] = (name, values.get(name, value))
    return form


def taken(findings):
    """What an evaluation would be made of."""
    return [
        (task["part"], task["gold"], sorted((each["team"], each["run"] or "", each["role"], each["answered"])
         for each in task["submissions"]), sorted(each["file"] for each in task["rejected"]), task["policies"])
        for task in findings["tasks"]
    ]  # fmt: skip


def saved(house, campaign, form):
    answer = send(house.browser_of("owner"), form)
    assert answer.status_code == 200, answer.text[:300]
    return read(house, campaign)


@by_day(6)
@pytest.mark.parametrize(
    "name", [name for name in USABLE if name not in {"200 files", "hostile names"}]
)
def test_a_table_that_is_saved_as_it_stands_changes_nothing_that_is_read(house, owner, name):
    """Teams, runs, roles, refusals, chosen runs and test sets are those that the conventions or patterns gave."""
    campaign = hold(house, USABLE[name](), title=name)
    before = read(house, campaign)
    form = table_of(owner, campaign)
    after = saved(house, campaign, form)
    assert after["is_usable"], after["issues"]
    assert taken(after) == taken(before)
    assert rows_in(table_of(owner, campaign)) == rows_in(form)
    decided = [row for row in after["files"] if row["is_open"] and row["kind"]]
    assert decided == [], "what was proposed was taken"


def named(house, owner, campaign, **fields):
    """What is read after somebody named gold and submissions on the page."""
    forms = _Page(owner.get(f"/campaigns/{campaign}/files").text).forms
    form = next(form for form in forms if form.action.endswith("/files/named"))
    form.fields = [(name, fields.get(name, value)) for name, value in form.fields]
    assert fields.keys() <= dict(form.fields).keys()
    answer = send(owner, form)
    assert answer.status_code == 200, answer.text[:300]
    return read(house, campaign)


def test_a_messy_folder_becomes_an_audit_once_gold_is_named(house, owner, tmp_path):
    """What nothing uses stands first, in red and in the headline; a name and a role are mended in the table."""
    root = messy_folder(tmp_path / "messy")
    files = {
        str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()
    }
    campaign = hold(house, files, title="Messy")
    assert not read(house, campaign)["is_usable"]
    found = named(house, owner, campaign, gold=GOLD, submissions="uploads")
    assert found["is_usable"]
    assert found["tasks"][0]["title"] == "Messy"
    page = owner.get(f"/campaigns/{campaign}/files").text
    assert "2 of 8 files are not used." in page
    rows = rows_in(table_of(owner, campaign))
    assert list(rows)[:2] == ["responses.csv", "uploads/submission (9) - Eve.csv"]
    assert rows[GOLD] == ["gold", "", "", ""]
    assert page.index('class="open"') < page.index(f'name="file" value="{GOLD}"')
    form = chosen(
        table_of(owner, campaign),
        "uploads/submission (3) - Dan.csv",
        choice="baseline",
        team="Delta & <Sons>",
    )
    after = saved(house, campaign, form)
    assert after["is_usable"]
    assert ("Delta & <Sons>", "", "baseline", 60) in taken(after)[0][2]
    listed = owner.get(f"/api/v1/campaigns/{campaign}/revisions/3").json()["files"]
    assert set(listed) == {*files, "files.csv", "task.toml"}


def test_what_is_named_on_the_page_is_decided_as_by_the_command_line(house, owner, tmp_path):
    """The same task.toml but for its title, and the same files.csv, as ``audit run --gold … --save`` writes."""
    root = messy_folder(tmp_path / "messy")
    (root / "uploads" / "submission (9) - Eve.csv").unlink()
    files = {
        str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()
    }
    campaign = hold(house, files)
    read(house, campaign)
    named(house, owner, campaign, gold=GOLD)
    save_opening(open_named(root / GOLD, [root]))
    address = f"/api/v1/campaigns/{campaign}/revisions/2/files"
    assert owner.get(f"{address}/files.csv").content == (root / "files.csv").read_bytes()
    ours, theirs = owner.get(f"{address}/task.toml").text, (root / "task.toml").read_text("utf-8")
    assert ours.partition("\n")[2] == theirs.partition("\n")[2]


def test_a_question_of_the_door_is_asked_on_the_page(house, owner):
    """Two columns of gold that the submissions use: the page asks which is scored, and keeps what was named."""
    head = "id,first,second\n"
    rows = [
        f"{item},{'yes' if item % 2 else 'no'},{'no' if item % 3 else 'yes'}" for item in range(30)
    ]
    table = head + "\n".join(rows)
    campaign = hold(house, {"a.csv": table, "b.csv": table + "\n", "c.csv": table + "\n\n"})
    read(house, campaign)
    asked = named(house, owner, campaign, gold="a.csv")
    assert not asked["is_usable"]
    assert "Which is scored? --label 'first' · or · --label 'second'" in asked["error"]
    page = owner.get(f"/campaigns/{campaign}/files").text
    assert "Which is scored?" in page
    assert '<option value="a.csv" selected>' in page
    assert 'name="label"' in page


def test_gold_that_nothing_answers_is_said_and_nothing_is_written(house, owner):
    campaign = hold(house, {"a.csv": "id,label\n1,x\n2,y\n", "b.csv": "when,what\n5,9\n6,9\n7,9\n"})
    read(house, campaign)
    found = named(house, owner, campaign, gold="a.csv")
    assert not found["is_usable"]
    assert found["error"]
    listed = owner.get(f"/api/v1/campaigns/{campaign}/revisions/2").json()["files"]
    assert set(listed) == {"a.csv", "b.csv"}


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"base": 1, "gold": "none.csv"}, 400),
        ({"base": 1, "gold": "gold.csv", "submissions": ["elsewhere"]}, 400),
        ({"base": 1, "gold": "gold.csv", "submissions": ["submissions/"]}, 201),
    ],
)
def test_gold_and_submissions_are_named_among_the_files(house, owner, body, status):
    campaign = hold(house, labelled_by("Ann", "Ben", "Cat"))
    read(house, campaign)
    address = f"/api/v1/campaigns/{campaign}/gold-and-submissions"
    assert owner.put(address, json=body).status_code == status


def test_gold_is_named_once_the_files_were_read(house, owner):
    campaign = hold(house, labelled_by("Ann", "Ben", "Cat"))
    answer = owner.put(
        f"/api/v1/campaigns/{campaign}/gold-and-submissions", json={"base": 1, "gold": "gold.csv"}
    )
    assert answer.status_code == 409
    assert (
        owner.post(f"/campaigns/{campaign}/files/named", data={"base": "1", "gold": ""}).status_code
        == 400
    )


def test_a_table_that_says_nothing_is_not_written(house, owner):
    """A files.csv without a line could not be read."""
    campaign = hold(house, {"a.csv": "when,what\n5,9\n", "b.csv": "when,what\n5,9\n"})
    read(house, campaign)
    answer = send(owner, table_of(owner, campaign))
    assert answer.status_code == 400
    assert "Say what at least one file is" in answer.text


@pytest.mark.parametrize(
    "last", ["submissions/Ben.csv,submission,Ch\xe9\n", 'submissions/Ben.csv,submission,"Che\n']
)
def test_what_can_be_read_of_a_files_csv_that_is_refused_stands_in_the_table(house, owner, last):
    """As one that a spreadsheet saved in another encoding, or with an open quote: nothing is typed again."""
    table = f"file,kind,team\ngold.csv,gold,\nsubmissions/Ann.csv,submission,Team Ann\n{last}"
    campaign = hold(house, {**labelled_by("Ann", "Ben"), "files.csv": table.encode("latin-1")})
    assert not read(house, campaign)["is_usable"]
    assert rows_in(table_of(owner, campaign))["submissions/Ann.csv"] == [
        "submission",
        "Team Ann",
        "",
        "",
    ]


def test_a_zip_of_four_teams_is_four_teams(house, owner):
    campaign = hold(
        house,
        {
            "gold.csv": labelled(0),
            "all teams.zip": packed({f"{team}.csv": text for team, text in FOUR.items()}),
        },
    )
    read(house, campaign)
    after = saved(house, campaign, table_of(owner, campaign))
    assert [each[0] for each in taken(after)[0][2]] == sorted(FOUR)


def test_what_a_pattern_names_and_roles_of_task_toml_move_into_the_table(house, owner):
    """So that the two never differ: paths, patterns, names and roles leave task.toml, and all else stays in it."""
    settings = (
        '# ours\ntitle = "T"\n[gold]\npath = "key.csv"\nid = "id"\n[submissions]\nfiles = "runs/{team}_{run}.csv"\n'
        '[teams]\nann = "Team Ann"\n[roles]\nben = "late"\n[[chosen]]\nteam = "ann"\nrun = "2"\nreason = "by mail"\n'
    )
    runs = {f"runs/{name}.csv": labelled(name) for name in ("ann_1", "ann_2", "ben_1")}
    campaign = hold(house, {"key.csv": labelled(0), "task.toml": settings, **runs})
    before = read(house, campaign)
    assert before["is_usable"], before["issues"]
    form = chosen(table_of(owner, campaign), "runs/ben_1.csv", choice="baseline", team="Benjamin")
    after = saved(house, campaign, form)
    assert after["is_usable"], after["issues"]
    assert [each[:3] for each in taken(after)[0][2]] == [
        ("Benjamin", "1", "baseline"), ("Team Ann", "1", "primary"), ("Team Ann", "2", "primary"),
    ]  # fmt: skip
    assert after["tasks"][0]["policies"]["chosen"] == [
        {"team": "Team Ann", "run": "2", "reason": "by mail"}
    ]
    assert after["settings"].startswith('# ours\ntitle = "T"\n[gold]\nid = "id"\n')
    assert not re.search(r"files|\[teams\]|\[roles\]|path", after["settings"])


def test_systems_of_a_wide_file_are_rows_whose_names_and_roles_are_settings(house, owner):
    """One file has a column for each system: what is changed in a row is written into task.toml, and only that."""
    answers = [labelled(team).split()[1:] for team in (0, "Ann", "Ben", "Cat")]
    rows = (
        ",".join([str(item), *(each[item].partition(",")[2] for each in answers)])
        for item in range(30)
    )
    settings = '# ours\n[teams]\na = "Ann"\n'
    wide = {"all.csv": "\n".join(["id,gold,a,b*,c", *rows]), "task.toml": settings}
    campaign = hold(house, wide)
    assert read(house, campaign)["is_usable"]
    form = table_of(owner, campaign)
    names = [value for name, value in form.fields if name == "was"]
    assert names == ["primary", "Ann", "primary", "b*", "primary", "c"]
    now = iter(("primary", "Ann", "baseline", "b*", "primary", "Carl"))
    form.fields = [(name, next(now) if name == "now" else value) for name, value in form.fields]
    after = saved(house, campaign, form)
    assert [each[:3] for each in taken(after)[0][2]] == [
        ("Ann", "", "primary"), ("Carl", "", "primary"), ("b*", "", "baseline"),
    ]  # fmt: skip
    assert (
        after["settings"]
        == '# ours\n[teams]\na = "Ann"\nc = "Carl"\n\n[roles]\n"b[*]" = "baseline"\n'
    )


def test_what_is_chosen_by_two_at_once_is_kept_both(house, owner):
    """The second is shown what they wanted to change, and makes it on the files as they are now."""
    campaign = hold(house, labelled_by("Ann", "Ben", "Cat"))
    read(house, campaign)
    first, second = (table_of(owner, campaign) for _ in range(2))
    saved(house, campaign, chosen(first, "submissions/Ann.csv", choice="baseline"))
    answer = send(owner, chosen(second, "submissions/Ben.csv", choice="late", team="B & Co"))
    assert answer.status_code == 409
    assert "submissions/Ben.csv: submission, late B &amp; Co" in answer.text
    assert "submissions/Ann.csv:" not in answer.text
    again = next(form for form in _Page(answer.text).forms if form.action.endswith("/table"))
    after = saved(house, campaign, again)
    assert [each[:3] for each in taken(after)[0][2]] == [
        ("Ann", "", "baseline"), ("B & Co", "", "late"), ("Cat", "", "primary"),
    ]  # fmt: skip


def test_settings_that_two_change_at_once_are_kept_both(house, owner):
    campaign = hold(house, labelled_by("Ann", "Ben"))
    read(house, campaign)
    address = f"/campaigns/{campaign}/files/settings"
    first = {"base": "1", "setting": '["title"]', "was": "A", "now": "Of the first"}
    assert owner.post(address, data=first).status_code == 303
    answer = owner.post(
        address, data={**first, "setting": '["note"]', "was": "", "now": "Of the second"}
    )
    assert (answer.status_code, "note: Of the second" in answer.text) == (409, True)
    again = next(form for form in _Page(answer.text).forms if form.action == address)
    assert send(owner, again).status_code == 200
    read(house, campaign)
    (both,) = read(house, campaign)["tasks"]
    assert (both["title"], both["note"]) == ("Of the first", "Of the second")


def test_a_file_is_removed_ignored_and_left_undecided_in_the_table(house, owner):
    campaign = hold(
        house,
        {
            **labelled_by("Ann", "Ben", "Cat"),
            "more/Dan.csv": labelled("Dan"),
            "odd.csv": "a,b\n1,2\n",
        },
    )
    read(house, campaign)
    assert "2 of 6 files are not used." in owner.get(f"/campaigns/{campaign}/files").text
    form = table_of(owner, campaign)
    assert rows_in(form)["more/Dan.csv"][1] == "", "nobody has said whose it is"
    chosen(form, "more/Dan.csv", choice="submission", team="Dan")
    chosen(form, "submissions/Ann.csv", choice="remove")
    chosen(form, "submissions/Ben.csv", choice="ignore")
    chosen(form, "odd.csv", choice="")
    after = saved(house, campaign, form)
    assert [each[0] for each in taken(after)[0][2]] == ["Cat", "Dan"]
    assert [row["file"] for row in after["files"] if row["is_open"]] == ["odd.csv"]
    listed = owner.get(f"/api/v1/campaigns/{campaign}/revisions/2").json()["files"]
    assert ("submissions/Ann.csv" in listed, "submissions/Ben.csv" in listed) == (False, True)


def test_a_table_of_ones_own_keeps_its_columns_and_is_shown_whatever_is_wrong_with_it(house, owner):
    table = (
        "file;kind;team;paper\n./gold.csv;gold;;\nsubmissions/Ann.csv;submission;Ann;P1\nnone.csv;submission;X;\n"
        "late.csv;;;\n"
    )
    campaign = hold(
        house, {**labelled_by("Ann", "Ben"), "late.csv": labelled("L"), "files.csv": table}
    )
    before = read(house, campaign)
    assert not before["is_usable"]
    form = table_of(owner, campaign)
    rows = rows_in(form)
    assert rows["submissions/Ann.csv"][:2] == ["submission", "Ann"]
    assert next(iter(rows)) == "late.csv", "of which nobody has said what it is"
    after = saved(house, campaign, chosen(form, "late.csv", choice="submission", team="Late"))
    assert after["is_usable"], after["issues"]
    text = owner.get(f"/api/v1/campaigns/{campaign}/revisions/2/files/files.csv").text
    assert text.startswith("file,kind,role,team,run,part,why,paper\n")
    assert "submissions/Ann.csv,submission,,Ann,,,,P1\n" in text


def test_strange_names_of_files_and_teams_go_through_the_table(house, owner):
    campaign = hold(house, labelled_by(*STRANGE))
    before = read(house, campaign)
    after = saved(house, campaign, table_of(owner, campaign))
    assert after["is_usable"], after["issues"]
    names = [
        [each[0].lstrip("= ") for each in taken(findings)[0][2]] for findings in (before, after)
    ]
    assert sorted(names[0]) == sorted(names[1])  # but for what a spreadsheet takes for a formula


def test_what_is_no_table_is_refused(house, owner):
    campaign = hold(house, labelled_by("Ann"))
    read(house, campaign)
    address = f"/campaigns/{campaign}/files/table"
    for data in ({"file": ["gold.csv"], "choice": ["nothing"]}, {"file": ["gold.csv"]}):
        assert owner.post(address, data={"base": "1", **data}).status_code == 400
    change_files(house, campaign, {"submissions/Ben.csv": labelled("Ben")})
    assert owner.post(address, data={"base": "2"}).status_code == 409  # it is still being read


# Many files at once, and files that are refused


def many(n_teams=30):
    return labelled_by(*(f"Team{number:02d}" for number in range(n_teams)))


def test_files_are_found_by_a_part_of_their_name_and_by_what_they_are(house, owner):
    campaign = hold(house, {**many(), "notes/about.txt": "nothing"}, title="found")
    read(house, campaign)
    page = f"/campaigns/{campaign}/files"
    rows = lambda query: re.findall(  # noqa: E731
        r'name="file" value="([^"]+)"', owner.get(f"{page}?{query}").text
    )
    assert len(rows("")) == 32
    assert rows("find=team07") == ["submissions/Team07.csv"]
    assert rows("show=gold") == ["gold.csv"]
    assert rows("show=open") == ["notes/about.txt"]
    assert len(rows("show=teams")) == 30
    assert rows("find=nowhere") == []
    assert len(rows("show=unheard-of")) == 32


def test_what_is_marked_is_set_at_once_and_the_rest_stays(house, owner):
    """Kind, role and team of as many as are marked; empty fields leave each as it is."""
    campaign = hold(house, many(6), title="at once")
    read(house, campaign)
    form = table_of(owner, campaign)
    form.fields = [
        each
        for each in form.fields
        if each[0] not in {"many", "many_all", "many_choice", "many_team"}
    ]
    marked = [("many", f"submissions/Team0{number}.csv") for number in (1, 3)]
    form.fields += [*marked, ("many_choice", "baseline"), ("many_team", "")]
    after = saved(house, campaign, form)
    roles = {each["team"]: each["role"] for each in after["tasks"][0]["submissions"]}
    assert roles == {f"Team0{n}": "baseline" if n in {1, 3} else "primary" for n in range(6)}
    form = table_of(owner, campaign)
    form.fields = [
        each
        for each in form.fields
        if each[0] not in {"many", "many_all", "many_choice", "many_team"}
    ]
    form.fields += [
        ("many_all", "yes"),
        ("many", "gold.csv"),
        ("many_choice", "nothing of the kind"),
        ("many_team", ""),
    ]
    assert send(owner, form).status_code == 400


def refused_archives():
    """An archive of each kind that is refused, and the words that say why."""
    table = labelled("Zoe").encode()
    whole = packed({"p.csv": table})
    locked = bytearray(whole)
    locked[locked.find(b"PK\x03\x04") + 6] |= 1
    locked[locked.find(b"PK\x01\x02") + 8] |= 1
    link = io.BytesIO()
    with zipfile.ZipFile(link, "w") as archive:
        info = zipfile.ZipInfo("p.csv")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "../../gold.csv")
    large = io.BytesIO()
    with zipfile.ZipFile(large, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("p.csv", bytes(300 << 20))
    return {
        "submissions/Damaged.zip": (whole[: len(whole) // 2], "A file that is damaged or locked"),
        "submissions/Locked.zip": (bytes(locked), "encrypted"),
        "submissions/Link.zip": (link.getvalue(), "link"),
        "submissions/Large.zip": (large.getvalue(), "unpack to 314,572,800"),
    }


def test_a_refused_archive_says_why_and_goes_on_saying_it_after_a_choice(house, owner):
    """They all were "an archive that cannot be opened", and "chosen on the page" after a choice."""
    archives = refused_archives()
    campaign = hold(
        house, {**labelled_by("Ann", "Ben"), **{name: data for name, (data, _) in archives.items()}}
    )
    read(house, campaign)
    page = f"/campaigns/{campaign}/files"

    def why(file):
        row = rf'name="file" value="{re.escape(file)}".*?<td class="text sentence">(.*?)</td>'
        return re.search(row, owner.get(page).text, re.DOTALL)[1]

    for file, (_, words) in archives.items():
        assert words in why(file), file
    form = table_of(owner, campaign)
    for file in archives:
        form = chosen(form, file, choice="submission", team=file.split("/")[1])
    saved(house, campaign, form)
    for file, (_, words) in archives.items():
        assert words in why(file), file


def test_what_is_to_be_decided_is_named_with_its_place(house, owner):
    """It was "what is to be decided", a link to a page of many things."""
    files = labelled_by("Ann", "Ben")
    del files["gold.csv"]
    campaign = hold(house, files, title="undecided")
    read(house, campaign)
    page = owner.get(f"/campaigns/{campaign}/evaluate").text
    assert (
        f'To be decided: <a href="/campaigns/{campaign}/files#table">which file is gold</a>.'
        in page
    )
    assert 'id="table"' in owner.get(f"/campaigns/{campaign}/files").text
