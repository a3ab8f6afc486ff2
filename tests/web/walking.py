"""A campaign put into a service as people would, and every page of it opened: by links, as each who may come."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

from sqlalchemy import select
from starlette.testclient import TestClient

from audit.service import hosted_campaigns as campaigns
from audit.service import people, queue, revisions
from audit.service.control_tables import JOB
from audit.service.people import Caller
from audit.service.rules import Act, MemberRole
from tests.web.planted import House, do_jobs

MOST_ALIKE = 4
"""Addresses of one shape that a walk opens: 200 files have 200 downloads, all made by one line."""
BEGUN = ("/", "/account", "/campaigns/{campaign}")
"""Where a walk begins, beside what is shared."""


def hold(house: House, files: Mapping[str, str | bytes], title: str = "A campaign") -> str:
    """A campaign of these files with a member of each role; the files are received, and wait to be read."""
    service, planted = house.service, house.planted.people
    with service.database.writing() as connection:
        for waiting in connection.execute(select(JOB.c.campaign).distinct()).scalars().all():
            queue.cancel_all(connection, waiting)  # what the campaign before this one still wanted
        campaign = campaigns.begin_campaign(connection, planted["owner"], title).id
        for name, role in (("organiser", MemberRole.ORGANISER), ("reader", MemberRole.READER)):
            people.accept(
                connection,
                people.invite(connection, planted["owner"], campaign, role).secret,
                planted[name],
            )
    change_files(house, campaign, files)
    return campaign


def change_files(house: House, campaign: str, files: Mapping[str, str | bytes]) -> None:
    """The next revision of a campaign's files, which waits to be read; none where there is no file."""
    if not files:
        return
    service, owner, stored = house.service, house.planted.people["owner"], {}
    for path, content in files.items():
        with service.data.content_of(campaign).receiving() as receiver:
            receiver.write(content.encode() if isinstance(content, str) else content)
            stored[path] = receiver.complete()
    with service.database.writing() as connection:
        hosted = campaigns.campaign_for(connection, Caller(owner), campaign, Act.EDIT)
        change = revisions.FileChange(stored)
        revisions.change_files(connection, hosted, owner, change, base=hosted.head, note="files")


def work(house: House, campaign: str, *kinds: str) -> None:
    """Do what waits of these kinds, and cancel the rest: exports are drawn, and long in the making."""
    service, owner = house.service, house.planted.people["owner"]
    with service.database.writing() as connection:
        waiting = queue.open_jobs(connection, campaign)
        for job in waiting:
            if job.kind not in kinds:
                queue.cancel(connection, campaign, owner.id, job.number)
    do_jobs(service, sum(job.kind in kinds for job in waiting))


def ask(house: House, campaign: str, kind: str, **arguments: object) -> None:
    """Queue a job of the owner's."""
    with house.service.database.writing() as connection:
        queue.ask_for(connection, campaign, house.planted.people["owner"].id, kind, **arguments)


def read(house: House, campaign: str) -> Mapping[str, object]:
    """Read the newest files; what was found in them."""
    work(house, campaign, queue.READ)
    with house.service.database.reading() as connection:
        newest = revisions.revisions_of(connection, campaign)
    return (newest[0].findings if newest else None) or {}


@dataclass
class Form:
    """A form of a page, as it stands."""

    action: str
    is_multipart: bool
    fields: list[tuple[str, str]] = field(default_factory=list)

    @property
    def shape(self) -> tuple[str, ...]:
        """What forms of one kind have in common."""
        kind = next((value for name, value in self.fields if name in {"kind", "about"}), "")
        return (
            _shape(self.action),
            kind,
            *sorted({name.partition(":")[0] for name, _ in self.fields}),
        )


class _Page(HTMLParser):
    """The addresses that a page leads to, and its forms as they stand."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.forms: list[Form] = []
        self._within = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        found = {name: value or "" for name, value in attrs}
        self.addresses += [found[name] for name in ("href", "src", "data-job") if found.get(name)]
        if tag == "form":
            self.forms.append(Form(found["action"], found.get("enctype") == "multipart/form-data"))
        elif (
            tag in {"input", "select", "textarea"}
            and found.get("type") != "file"
            and "name" in found
        ):
            self.forms[-1].fields.append((found["name"], found.get("value", "")))
            self._within = tag if tag != "input" else ""
        elif tag == "option" and (self._within == "select" or "selected" in found):
            self._within = "" if "value" in found else "option"
            self._fill(found.get("value", ""))

    def handle_data(self, data):
        if self._within in {"option", "textarea"}:
            self._fill(data)
            self._within = ""

    def _fill(self, value):
        self.forms[-1].fields[-1] = (self.forms[-1].fields[-1][0], value)


NOT_SENT = ("/sign-out", "/account", "/remove", "/owner", "/cancel")
"""Ends of the addresses of forms that end the walk, or change who walks."""


def send(client: TestClient, form: Form):
    """Send a form as it stands."""
    named: dict[str, list[str]] = {}
    for name, value in form.fields:
        named.setdefault(name, []).append(value)
    files = {"nothing": ("", b"")} if form.is_multipart else None
    return client.post(form.action, data=named, files=files, follow_redirects=True)


@dataclass
class Walk:
    """Every page that somebody reaches by links from where they begin."""

    client: TestClient
    begun: tuple[str, ...]
    within: str
    """The campaign of the walk: what is of another is left to its own."""
    opened: dict[str, str] = field(default_factory=dict)
    """The text of each page, by its address."""
    forms: list[Form] = field(default_factory=list)
    """One form of each kind that was seen."""

    def __post_init__(self) -> None:
        waiting, alike = list(self.begun), Counter()
        while waiting:
            address = waiting.pop(0)
            alike[shape := _shape(address)] += 1
            if address in self.opened or alike[shape] > MOST_ALIKE or not self._is_within(address):
                continue
            waiting += list(self._open(address))

    def _is_within(self, address: str) -> bool:
        named = re.match(r"(?:/api/v1)?/campaigns/([^/?]+)", address)
        return named is None or named[1] == self.within

    def _open(self, address: str) -> Iterator[str]:
        answer = self.client.get(address, follow_redirects=True, headers={"accept": "text/html"})
        assert answer.status_code == 200, (
            f"{address} answers {answer.status_code}: {answer.text[:300]}"
        )
        is_page = (
            answer.headers["content-type"].startswith("text/html") and "/framed/" not in address
        )
        self.opened[address] = answer.text if is_page else ""
        if not is_page or "/report/" in address:
            return
        page = _Page(answer.text)
        for form in page.forms:
            if not form.action.endswith(NOT_SENT) and form.shape not in {
                each.shape for each in self.forms
            }:
                self.forms.append(form)
        for each in page.addresses:
            parts = urlsplit(urljoin(str(answer.url), each))
            if parts.hostname == "localhost":
                yield parts.path + (f"?{parts.query}" if parts.query else "")


def _shape(address: str) -> str:
    path = re.sub(
        r"(?<=/files/).*|(?<=/framed/).*|(?<=/report/).*|\d+", "*", address.partition("?")[0]
    )
    return path + re.sub(r"=[^&]*", "=", address.partition("?")[2])


def walk(house: House, campaign: str, role: str, *more: str) -> Walk:
    """What a member of the campaign, or nobody, reaches from the first page, the campaign's and these."""
    client = house.client() if role == "nobody" else house.browser_of(role)
    begun = () if role == "nobody" else tuple(each.format(campaign=campaign) for each in BEGUN)
    return Walk(client, (*begun, *more), campaign)
