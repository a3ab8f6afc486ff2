"""What the tests of the service ask for: people of every role, a campaign full of markers, and clients for both."""

import io
import json
import random
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute
from starlette.testclient import TestClient

from audit.service import child_program, people, queue, releases, revisions
from audit.service import hosted_campaigns as campaigns
from audit.service.child import ChildProcess, ChildProgress, Work
from audit.service.credentials import password_digest
from audit.service.database import open_database
from audit.service.files import DataFolder
from audit.service.people import Caller, Person
from audit.service.queue import ANONYMISE, EVALUATE
from audit.service.rules import Act, MemberRole
from audit.service.worker import Worker
from audit.web.access import SESSION_COOKIE, Service
from audit.web.app import create_app
from tests.nightly import ALL

PASSWORD = "correct horse battery"  # noqa: S105 - of nobody
LABELS = ("mkgoldlabelx", "mkgoldlabely")
ITEMS = tuple(f"mkitem{number:03d}" for number in range(40))
MARKUP = "<script>mkteamscript</script>"
TEAMS = ("mkteamalpha", "mkteambeta", MARKUP)
HIDDEN = {
    "team names": ("mkteam",),
    "names of runs": ("mkrun",),
    "names of files": ("mkfile",),
    "affiliations and papers": ("mkaffiliation", "mkpaper"),
    "notes, reasons and columns of task.toml": ("mknote", "mkreason", "mkcolumn", "mkslice"),
}
"""What no anonymous link shows, nor anything to somebody outside the campaign."""
TITLE, FOREIGN_TITLE = "mktitle of a campaign", "mkforeigntitle of another"
SETTINGS = """
title = "mktitle of a campaign"
slug = "words"
note = "mknote: nobody outside reads this"
official_metric = "averaged_f1"

[gold]
path = "mkfilegold.csv"
slices = ["mkcolumn"]

[[chosen]]
team = "mkteambeta"
run = "mkrunone"
reason = "mkreason: they wrote so"

[policies]
runs = "primary"
"""


def files() -> dict[str, str]:
    """The files of the campaign: three teams, one with markup for a name, one submission that is refused."""
    draw = random.Random(15)  # noqa: S311 - data of a test
    gold = {item: LABELS[draw.random() < 0.4] for item in ITEMS}
    rows = "".join(
        f"{item},{label},mkslice{place % 2}\n" for place, (item, label) in enumerate(gold.items())
    )
    table = "file,kind,team,run,affiliation,paper\n"
    found = {"task.toml": SETTINGS, "mkfilegold.csv": f"id,label,mkcolumn\n{rows}"}
    for number, (team, run) in enumerate(zip(TEAMS, ("", "mkrunone", ""), strict=True)):
        path = f"mkfile{number}.csv"
        table += f"{path},submission,{team},{run},mkaffiliation{number},mkpaper{number}\n"
        answers = (
            (item, label if draw.random() < 0.8 else LABELS[0]) for item, label in gold.items()
        )
        found[path] = "id,label\n" + "".join(f"{item},{label}\n" for item, label in answers)
    found["mkfilebad.csv"] = (
        f"id,label\n{ITEMS[0]},{LABELS[0]}\n{ITEMS[0]},{LABELS[1]}\nmkstrangeitem,{LABELS[0]}\n"
    )
    table += "mkfilebad.csv,submission,mkteambad,,,\n"
    return {**found, "files.csv": table}


@dataclass(frozen=True)
class Planted:
    """What was made once."""

    campaign: str
    """The one with the markers: of owner, organiser and reader."""
    foreign: str
    """The one of the stranger."""
    people: dict[str, Person]
    """By what they are to the campaign with the markers."""


def build(root: Path) -> Planted:
    """Make the people and the campaigns, and do the jobs for real."""
    with opened(root) as service:
        with service.database.writing() as connection:
            owner = people.host_of(connection)
            people.set_account(connection, owner, "mkpersonowner", password_digest(PASSWORD))
            invited = {
                name: people.invite(connection, owner, None, None).secret
                for name in ("organiser", "reader", "stranger")
            }
            found = {"owner": owner}
            for name, secret in invited.items():
                found[name] = people.new_person(
                    connection, f"mkperson{name}", password_digest(PASSWORD)
                )
                people.accept(connection, secret, found[name])
            found = {name: _again(connection, person) for name, person in found.items()}
            ours = campaigns.begin_campaign(connection, found["owner"], TITLE)
            theirs = campaigns.begin_campaign(connection, found["stranger"], FOREIGN_TITLE)
            for name, role in (("organiser", MemberRole.ORGANISER), ("reader", MemberRole.READER)):
                secret = people.invite(connection, owner, ours.id, role).secret
                people.accept(connection, secret, found[name])
        planted = Planted(ours.id, theirs.id, found)
        _evaluate(service, planted)
        return planted


def _again(connection, person: Person) -> Person:
    caller = people.caller_of_session(connection, people.begin_session(connection, person))
    assert caller is not None
    return caller.person


def _evaluate(service: Service, planted: Planted) -> None:
    """Read the files, fail once without leave to skip what is refused, evaluate, and write anonymous reports."""
    owner = planted.people["owner"]
    with service.data.content_of(planted.campaign).receiving() as receiver:
        receiver.write(packed(files()))
        stored = receiver.complete()
    with service.database.writing() as connection:
        hosted = campaigns.campaign_for(connection, Caller(owner), planted.campaign, Act.EDIT)
        change = revisions.FileChange({"mkfileall.zip": stored})
        revisions.change_files(
            connection, hosted, owner, change, base=0, note="mknote of a revision"
        )
        queue.ask_for(
            connection, planted.campaign, owner.id, EVALUATE, revision=1, skip_rejected=False
        )
        queue.ask_for(
            connection, planted.campaign, owner.id, EVALUATE, revision=1, skip_rejected=True
        )
    do_jobs(service, 3)
    with service.database.writing() as connection:
        # exports are drawn, and long in the making
        for job in queue.jobs_of(connection, planted.campaign):
            queue.cancel(connection, planted.campaign, owner.id, job.number)
        queue.ask_for(connection, planted.campaign, owner.id, ANONYMISE, release=1, salt="mksalt")
        releases.publish(connection, hosted, owner, 1)
    do_jobs(service, 1)


@dataclass(frozen=True)
class WorkHere:
    """A piece of work that this process has done, figures drawn as its tests draw them.

    What makes a process of its own different, its limits and its end, is tried in tests/jobs.
    """

    found: Mapping[str, Any]
    progress = ChildProgress()

    @classmethod
    def start(cls, work: Work, _scratch: Path) -> "WorkHere":
        with _ONE_AT_A_TIME, redirect_stdout(io.StringIO()):
            return cls(json.loads(json.dumps(child_program.outcome_of(work))))

    def wait(self, _seconds: float) -> bool:
        return True

    def kill(self) -> None:
        """It has ended."""

    def result(self) -> Mapping[str, Any]:
        return self.found


_ONE_AT_A_TIME = Lock()
"""A process has one standard output, which work may not write to."""
start_work = ChildProcess.start if ALL else WorkHere.start
"""By night the processes that a worker begins."""


def do_jobs(service: Service, count: int) -> None:
    """Do so many jobs of the queue, as a worker does."""
    worker = Worker(service.database, service.data, start=start_work)
    for _ in range(count):
        assert worker.do_next()


def packed(contents: dict[str, str]) -> bytes:
    """A zip of files."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, text in contents.items():
            archive.writestr(name, text)
    return data.getvalue()


@contextmanager
def opened(root: Path, url: str | None = None, **options: object) -> Iterator[Service]:
    """A service on a data folder, with its tables in it or at an address."""
    data = DataFolder.at(root)
    database = open_database(root, url)
    try:
        yield Service(database, data, **options)
    finally:
        database.close()


@dataclass
class House:
    """A service, its application, and who is in it."""

    service: Service
    planted: Planted
    app: FastAPI = field(init=False)

    def __post_init__(self) -> None:
        self.app = create_app(self.service)

    @property
    def campaign(self) -> str:
        return self.planted.campaign

    def client(self, **headers: str) -> TestClient:
        """Somebody who is not known."""
        return TestClient(
            self.app, base_url="http://localhost", headers=headers, follow_redirects=False
        )

    def browser_of(self, name: str) -> TestClient:
        """A person at a browser."""
        with self.service.database.writing() as connection:
            secret = people.begin_session(connection, self.planted.people[name])
        client = self.client()
        client.cookies.set(SESSION_COOKIE, secret)
        return client

    def program_of(self, name: str, role: MemberRole, campaign: str | None = None) -> TestClient:
        """A program with a token of that person."""
        return self.client(authorization=f"Bearer {self.token_of(name, role, campaign)}")

    def token_of(self, name: str, role: MemberRole, campaign: str | None = None) -> str:
        """A token's secret."""
        with self.service.database.writing() as connection:
            return people.make_token(
                connection, self.planted.people[name], "mktokenlabel", campaign, role
            )

    def link(self, *, anonymous: bool) -> str:
        """A share link's secret."""
        with self.service.database.writing() as connection:
            owner = self.planted.people["owner"]
            hosted = campaigns.campaign_for(connection, Caller(owner), self.campaign, Act.PUBLISH)
            return releases.make_link(connection, hosted, owner, 1, anonymous=anonymous).secret


@dataclass(frozen=True)
class Served:
    """One method of one route."""

    method: str
    path: str
    act: Act | None
    """What it declares to do to a campaign."""
    asks_who: bool
    """Whether it asks who the caller is."""

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


def served(app: FastAPI) -> list[Served]:
    """Every route of an application, from the application itself; whatever is no plain route comes, too."""
    return [each for route in app.routes for each in _served(route)]


def _served(route: BaseRoute) -> Iterator[Served]:
    if (router := getattr(route, "original_router", None)) is not None:
        for each in router.routes:
            yield from _served(each)
        return
    acts, asks = [], False
    if isinstance(route, APIRoute):
        for dependency in _dependencies(route.dependant):
            asks |= getattr(dependency, "__name__", "") in {"caller_of", "person_of"}
            if (act := getattr(dependency, "act", None)) is not None:
                acts.append(act)
    assert len(acts) <= 1, f"{route} declares two acts"
    for method in sorted(getattr(route, "methods", None) or {"ANY"}):
        yield Served(method, getattr(route, "path", str(route)), acts[0] if acts else None, asks)


def _dependencies(dependant) -> Iterator[object]:
    for each in dependant.dependencies:
        yield each.call
        yield from _dependencies(each)
