"""Every page, as everybody who may come, over campaigns of many kinds: each answers, and no log has an exception."""

import io
import logging
import random
from pathlib import Path

import pytest

from audit.service import releases
from audit.service.hosted_campaigns import campaign_for
from audit.service.people import Caller
from audit.service.queue import ANONYMISE, ASK, DIFFER, EVALUATE
from audit.service.rules import Act
from tests.nightly import by_day
from tests.real_campaigns import folder_of
from tests.web.planted import packed
from tests.web.walking import ask, change_files, hold, read, send, walk, work

SAMPLES = Path(__file__).resolve().parents[2] / "sample_submissions"
ITEMS = range(30)
MEMBERS = ("owner", "organiser", "reader")
STRANGE = (
    "<script>x</script>",
    "{{ 7 * 7 }}",
    "100% #1?a=b&c",
    '"; DROP --',
    "\u202egnp.evil",
    "ü" * 60,
    "= A 1 +",
)


def labelled(seed, labels=("no", "yes")):
    """A file of predictions, or of gold."""
    draw = random.Random(seed)  # noqa: S311 - data of a test
    return "id,label\n" + "".join(f"{item},{draw.choice(labels)}\n" for item in ITEMS)


def labelled_by(*teams, labels=("no", "yes")):
    """Gold, and a submission of each team."""
    made = {
        f"submissions/{team}.csv": labelled(number, labels)
        for number, team in enumerate(teams, start=1)
    }
    return {"gold.csv": labelled(0, labels), **made}


def sample(folder):
    """The files of a folder by their paths."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def excel(rows):
    openpyxl = pytest.importorskip("openpyxl")
    book, data = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    book.save(data)
    return data.getvalue()


USABLE = {
    "a team of two runs": lambda: {
        **labelled_by("Ben"),
        "submissions/Ann/run1.csv": labelled(8),
        "submissions/Ann/run2.csv": labelled(9),
    },
    "one team": lambda: labelled_by("Ann"),
    "hostile names": lambda: labelled_by(*STRANGE),
    "hostile labels": lambda: labelled_by("Ann", "Ben", labels=("<b>", "{{x}}", "“no”", "a b")),
    "a chosen run and names": lambda: {
        **labelled_by("Ben"),
        "submissions/Ann/run1.csv": labelled(8),
        "submissions/Ann/run2.csv": labelled(9),
        "task.toml": 'title = "<i>"\nofficial_metric = "f1[yes]"\n[teams]\nBen = "Ann"\nAnn = "Zoë"\n'
        '[label_names]\nno = "<b>"\n[[chosen]]\nteam = "Ann"\nrun = "run1"\nreason = "<u>"\n',
    },
    "files that nothing uses": lambda: {
        **labelled_by("Ann", "Ben"),
        "paper.pdf": b"%PDF-\0",
        "old/gold2.csv": labelled(5),
        "notes.txt": "a note\n",
    },
    "a submission that is refused": lambda: {
        **labelled_by("Ann", "Ben"),
        "submissions/Cat.csv": "id,label\n1,maybe\n",
    },
    "two test sets": lambda: {
        "task.toml": '[subtask.A]\n[subtask.A.gold]\npath = "A/gold.csv"\n[subtask.A.submissions]\n'
        'files = "A/by/{team}.csv"\n[subtask."b B"]\ntitle = "<b>"\n[subtask."b B".gold]\npath = "B/gold.csv"\n'
        '[subtask."b B".submissions]\nfiles = "B/by/{team}.csv"\n',
        **{f"{part}/gold.csv": labelled(number) for number, part in enumerate("AB")},
        **{
            f"{part}/by/{team}.csv": labelled(part + team)
            for part in "AB"
            for team in ("Ann", "Ben")
        },
    },
    "a zip in a zip": lambda: {
        "all.zip": packed({"in.zip": packed({f"x/{k}": v for k, v in labelled_by("A").items()})})
    },
    "200 files": lambda: {
        **labelled_by(*(f"team {number}" for number in range(19))),
        **{f"other/{number}.md": f"{number}\n" for number in range(180)},
    },
    "flood-posts": lambda: sample(SAMPLES / "flood-posts"),
    "semeval2017-task4a": lambda: sample(SAMPLES / "semeval2017-task4a"),
}
"""Campaigns that are evaluated."""
UNUSABLE = {
    "no file": dict,
    "no gold": lambda: {f"submissions/{team}.csv": labelled(team) for team in ("Ann", "Ben")},
    "gold alone": lambda: {"gold.csv": labelled(0)},
    "nothing readable": lambda: {
        "scan.pdf": b"%PDF-\0\1",
        "gold.xlsx": b"PK\3\4 broken",
        "submissions/A.csv": b"\xff\0",
    },
    "empty files": lambda: {"gold.csv": "", "submissions/Ann.csv": "\n"},
    "a broken archive": lambda: {"all.zip": b"PK\3\4 and no more"},
    "an empty archive": lambda: {"all.zip": packed({})},
    "a task.toml that is none": lambda: {
        **labelled_by("Ann", "Ben"),
        "task.toml": "title = \nslug",
    },
    "a task.toml of bytes": lambda: {**labelled_by("Ann", "Ben"), "task.toml": b"\xff\xfe\0"},
    "settings that do not fit": lambda: {
        **labelled_by("Ann"),
        "task.toml": 'official_metric = "macro_f1"\nteams = 3\n',
    },
    "files whose names say nothing": lambda: {
        "x.csv": labelled(0),
        "y.csv": labelled(1),
        "z.csv": labelled(2),
    },
    "hostile names without gold": lambda: {
        f"{name}/{name}.csv": labelled(name) for name in STRANGE
    },
    "two files of gold": lambda: {**labelled_by("Ann"), "gold.tsv": labelled(3).replace(",", "\t")},
    "a workbook alone": lambda: {
        "scores.xlsx": excel([["team", "F1"], ["Ann", 0.5], ["=1+1", None]])
    },
    "200 files without gold": lambda: {f"{number}.txt": f"{number}\n" for number in range(200)},
}
"""Campaigns in which something is to be decided or corrected first."""
REAL = ("wnut2017-emerging-entities", "semeval2018-task2-emoji-en", "llmjudge-2024")


@pytest.fixture(autouse=True)
def no_trouble(caplog):
    """Nothing that went wrong is in the log when a test has ended."""
    yield
    assert [
        record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR
    ] == []


def opened_by_all(house, campaign, *more):
    """What each member reaches."""
    return {role: walk(house, campaign, role, *more) for role in MEMBERS}


@by_day(2)
@pytest.mark.parametrize("name", USABLE)
def test_every_page_of_a_campaign_that_is_evaluated_answers_whoever_may_come(house, name):
    campaign = hold(house, USABLE[name](), title=name)
    opened_by_all(house, campaign)
    assert read(house, campaign)["is_usable"]
    opened_by_all(house, campaign)
    for skips in (False, True) if "refused" in name else (True,):
        ask(house, campaign, EVALUATE, revision=1, skip_rejected=skips)
    opened_by_all(house, campaign)
    work(house, campaign, EVALUATE)
    first = walk(house, campaign, "owner")
    assert any(f"/campaigns/{campaign}/releases/1/framed/" in address for address in first.opened)
    submitted(first)


def submitted(opened):
    """Every form that somebody sees, sent as it stands: it is answered, whatever it says."""
    for form in opened.forms:
        answer = send(opened.client, form)
        assert answer.status_code < 500, (form, answer.text[:300])


@pytest.mark.parametrize("name", UNUSABLE)
@by_day(3)
def test_every_page_of_a_campaign_that_is_not_yet_evaluated_answers_whoever_may_come(house, name):
    campaign = hold(house, UNUSABLE[name](), title=name)
    opened_by_all(house, campaign)
    assert not read(house, campaign).get("is_usable")
    submitted(opened_by_all(house, campaign)["owner"])


@pytest.mark.parametrize("name", REAL)
@by_day(1)
def test_every_page_of_a_real_folder_answers_whoever_may_come(house, name):
    campaign = hold(house, sample(folder_of(name)), title=name)
    read(house, campaign)
    opened_by_all(house, campaign)


@by_day(1)
@pytest.mark.parametrize("name", ["a chosen run and names", "two test sets", "hostile names"])
def test_every_page_of_releases_that_are_compared_asked_and_shared_answers(house, name):
    files = USABLE[name]()
    campaign = hold(house, files, title=name)
    gold = next(path for path in files if path.endswith("gold.csv"))
    for number, label in enumerate(("yes", "no"), start=1):
        read(house, campaign)
        ask(house, campaign, EVALUATE, revision=number, skip_rejected=True)
        work(house, campaign, EVALUATE)
        change_files(
            house,
            campaign,
            {gold: files[gold].replace(f"\n3,{label}", "\n3,no" if label == "yes" else "\n3,yes")},
        )
    ask(house, campaign, DIFFER, release=2, former=1)
    ask(house, campaign, ANONYMISE, release=2, salt="salt")
    for form in walk(house, campaign, "owner").forms:
        if form.action.endswith("/question"):
            send(house.browser_of("owner"), form)
    links = tuple(shared(house, campaign, anonymous=anonymous) for anonymous in (True, False))
    walk(house, campaign, "nobody", *links)
    opened_by_all(house, campaign)
    work(house, campaign, DIFFER, ANONYMISE, ASK)
    walk(house, campaign, "nobody", *links)
    opened = opened_by_all(house, campaign)
    assert any("/answers/" in address for address in opened["owner"].opened)
    submitted(opened["owner"])


def shared(house, campaign, *, anonymous):
    """The address of a link to the newest release."""
    with house.service.database.writing() as connection:
        owner = house.planted.people["owner"]
        hosted = campaign_for(connection, Caller(owner), campaign, Act.PUBLISH)
        newest = releases.releases_of(connection, campaign)[0].number
        secret = releases.make_link(connection, hosted, owner, newest, anonymous=anonymous).secret
    return f"/shared/{secret}"


NUMBERED = (
    "files?revision={}", "audit?release={}", "log?before={}", "releases/{}", "releases/{}/framed/words.html",
    "answers/{}",
)  # fmt: skip
ACTING = (
    "jobs/{}/cancel",
    "jobs/{}/repeat",
    "releases/{}/difference",
    "releases/{}/publish",
    "audit/{}/question",
)
FIELDS = ("base", "revision", "former", "release")
HUGE = (0, -1, 2**31, 2**63, 10**30, "٣", "1e3")


@pytest.mark.parametrize("number", HUGE)
@by_day(3)
def test_a_number_of_nothing_is_answered_in_words(house, number):
    client, campaign = house.browser_of("owner"), f"/campaigns/{house.campaign}"
    for address in NUMBERED:
        answer = client.get(f"{campaign}/{address.format(number)}")
        assert answer.status_code in {404, 422} or (
            address.startswith("log") and answer.status_code == 200
        ), address
    for address in ACTING:
        data = {"about": "whatif", "task": "words", "former": "1", "share": ["1"], "label": ["a"]}
        assert client.post(f"{campaign}/{address.format(number)}", data=data).status_code in {
            404,
            422,
        }, address
    for address in (
        "evaluate",
        "releases/links",
        "releases/1/difference",
        "files/restore",
        "files/table",
        "files/text",
    ):
        data = dict.fromkeys(FIELDS, str(number)) | {"what": "all"}
        assert client.post(f"{campaign}/{address}", data=data).status_code in {
            400,
            404,
            409,
            422,
        }, address
