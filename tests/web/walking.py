"""A campaign put into a service as people would, and every page of it opened: by links, as each who may come."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

from starlette.testclient import TestClient

from audit.hosting import file_revisions as revisions
from audit.hosting import hosted_campaigns as campaigns
from audit.hosting import people, queue
from audit.hosting.people import Caller
from audit.hosting.rules import Act, MemberRole
from audit.jobs.job_kinds import ANONYMISE, ASK, DIFFER, EVALUATE, EXPORT
from tests.web.planted import House, do_jobs

MOST_ALIKE = 4
"""Addresses of one shape that a walk opens: 200 files have 200 downloads, all made by one line."""
BEGUN = ("/", "/account", "/campaigns/{campaign}")
"""Where a walk begins, beside what is shared."""


def hold(house: House, files: Mapping[str, str | bytes], title: str = "A campaign") -> str:
    """A campaign of these files with a member of each role; the files are received, and wait to be read."""
    service, planted = house.service, house.planted.people
    with service.database.writing() as connection:
        campaign = campaigns.begin_campaign(connection, planted["owner"], title).id
        for name, role in (("organiser", MemberRole.ORGANISER), ("reader", MemberRole.READER)):
            people.accept(connection, people.invite(connection, planted["owner"], campaign, role), planted[name])
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
    work(house, campaign, revisions.READ)
    with house.service.database.reading() as connection:
        newest = revisions.revisions_of(connection, campaign)
    return (newest[0].findings if newest else None) or {}


class _Page(HTMLParser):
    """The addresses that a page leads to, and its tags."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.tags: Counter[str] = Counter()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        self.addresses += [value for name, value in attrs if name in {"href", "src", "data-job"} and value]


@dataclass
class Walk:
    """Every page that somebody reaches by links from where they begin."""

    client: TestClient
    begun: tuple[str, ...]
    within: str
    """The campaign of the walk: what is of another is left to its own."""
    opened: dict[str, str] = field(default_factory=dict)
    """The text of each page, by its address."""

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
        assert answer.status_code == 200, f"{address} answers {answer.status_code}: {answer.text[:300]}"
        is_page = answer.headers["content-type"].startswith("text/html") and "/framed/" not in address
        self.opened[address] = answer.text if is_page else ""
        for each in _Page(answer.text).addresses if is_page and "/report/" not in address else ():
            parts = urlsplit(urljoin(str(answer.url), each))
            if parts.hostname == "localhost":
                yield parts.path + (f"?{parts.query}" if parts.query else "")


def _shape(address: str) -> str:
    path = re.sub(r"(?<=/files/).*|(?<=/framed/).*|(?<=/report/).*|\d+", "*", address.partition("?")[0])
    return path + re.sub(r"=[^&]*", "=", address.partition("?")[2])


def walk(house: House, campaign: str, role: str, *more: str) -> Walk:
    """What a member of the campaign, or nobody, reaches from the first page, the campaign's and these."""
    client = house.client() if role == "nobody" else house.browser_of(role)
    begun = () if role == "nobody" else tuple(each.format(campaign=campaign) for each in BEGUN)
    return Walk(client, (*begun, *more), campaign)


__all__ = ["ANONYMISE", "ASK", "DIFFER", "EVALUATE", "EXPORT", "Walk", "ask", "change_files", "hold", "read", "walk"]
