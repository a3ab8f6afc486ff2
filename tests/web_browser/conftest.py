"""A service in this process, and people at their browsers."""

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
import uvicorn

from audit.service.database import open_database
from audit.service.files import DataFolder
from audit.service.worker import Worker
from audit.web import serving
from audit.web.access import Service
from audit.web.app import create_app
from audit.web.serving import ServeOptions, working
from tests.report.conftest import CHROMIUM, OPTIONS
from tests.web.planted import start_work

PATIENCE = 60_000  # milliseconds: other work may hold the machine

HASTE = "const patient = setTimeout; window.setTimeout = (act, pause) => patient(act, (pause ?? 0) / 20);"
"""What a page waits before it asks again, it waits a twentieth of."""


@dataclass(frozen=True)
class Served:
    """A service that answers."""

    service: Service
    address: str

    @property
    def link(self) -> str:
        """What the terminal prints."""
        return f"{self.address}/start?token={self.service.start_link.secret}"


@pytest.fixture(scope="module")
def _soon() -> Iterator[None]:
    """A worker that works in this process and looks at once for what is next: what it waits for is tried elsewhere."""
    with pytest.MonkeyPatch.context() as patch:
        hasty = partial(Worker, start=start_work, idle=0.02, poll=0.02)
        patch.setattr(serving, "Worker", hasty)
        yield


@pytest.fixture(scope="module")
def served(tmp_path_factory, _soon) -> Iterator[Served]:
    """The service, with a worker, as ``audit serve`` runs them."""
    data = DataFolder.at(tmp_path_factory.mktemp("served"))
    service = Service(open_database(data.root, None), data)
    server = uvicorn.Server(
        uvicorn.Config(create_app(service), port=0, log_level="warning", access_log=False)
    )
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        with working(ServeOptions(data), service):
            yield Served(service, f"http://127.0.0.1:{port}")
    finally:
        server.should_exit = True
        thread.join()
        service.database.close()


@pytest.fixture(scope="module")
def chromium():
    """A browser."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    with playwright.sync_playwright() as running:
        opened = running.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield opened
        opened.close()


@dataclass(frozen=True)
class People:
    """Browsers of several people, and what their consoles complained of."""

    chromium: object
    contexts: list
    complaints: list[str]

    def at_a_browser(self, **options):
        """Somebody who was never here."""
        context = self.chromium.new_context(
            **{"viewport": {"width": 1440, "height": 900}, **options}
        )
        context.set_default_timeout(PATIENCE)
        context.add_init_script(HASTE)
        self.contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: self._hear(message))  # noqa: PLW0108 - it writes into what it is given
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        return page

    def _hear(self, message) -> None:
        if message.type in {"error", "warning"}:
            self.complaints.append(f"{message.text} ({message.location.get('url')})")


@pytest.fixture(scope="module")
def people(chromium) -> Iterator[People]:
    """Whoever uses the service."""
    found = People(chromium, [], [])
    yield found
    for context in found.contexts:
        context.close()


@pytest.fixture
def silence(people) -> Iterator[None]:
    """As long as this test lasts, no console complains."""
    before = len(people.complaints)
    yield
    assert people.complaints[before:] == []


def uploaded(page, address: str, title: str, chosen: Path, *, folder: bool = False) -> str:
    """Begin an audit and upload, as a person does; the audit's address."""
    page.goto(f"{address}/")
    page.get_by_label("Name of the campaign").fill(title)
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/files")
    page.get_by_label(
        "Choose a whole folder" if folder else "Choose files, or a zip"
    ).set_input_files(chosen)
    return page.url.removesuffix("/files")
