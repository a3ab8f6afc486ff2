"""The server process: the pages, the workers in it, and how both begin and end."""

import errno
import ipaddress
import logging
import os
import re
import signal
import socket
import threading
import time
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import uvicorn

from audit.errors import UsageError
from audit.service import queue
from audit.service.child import Limits
from audit.service.credentials import password_digest
from audit.service.database import open_database
from audit.service.files import DataFolder
from audit.service.people import checked_password, has_accounts, host_of, keep_address, set_account
from audit.service.queue import Watch
from audit.service.store_upgrades import upgrade_stores
from audit.service.worker import Worker, tidy
from audit.text import quoted, visible
from audit.web.access import Service
from audit.web.app import create_app
from audit.web.connections import Crowd

_PATIENCE = 10  # seconds that a worker has to give its job back
# connections that are accepted at once, and that wait to be accepted
_ACCEPTED_AT_ONCE = 64
_QUEUE = 2048
_CLOSING = 5  # seconds that answers under way have when the server ends


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """The options with which a service is started."""

    data: DataFolder  # the folder in which the service keeps everything
    database: str | None = None  # the address of PostgreSQL; None: a file in the data folder
    host: str = "127.0.0.1"  # the address on which it listens
    port: int = 8111  # the port; 0 for any that is free
    public_url: str | None = None
    """The address by which others reach it; https where a proxy speaks that."""
    account: tuple[str, Path] | None = None
    """The host's name and the file of a password, for the first start."""
    n_workers: int = 2  # jobs that this process does at the same time
    limits: Limits = field(default_factory=Limits)
    """The limits of what may be received, and of each job."""
    dead_after: float = queue.DEAD_AFTER
    """Seconds without a sign of life after which a worker counts as dead."""

    @property
    def is_secure(self) -> bool:
        """Whether a proxy in front of it speaks HTTPS."""
        return self.public_url is not None and self.public_url.startswith("https://")

    @property
    def host_names(self) -> tuple[str, ...]:
        """The names by which it is reached."""
        address = ipaddress.ip_address(self.host)
        if address.is_unspecified:
            own = []
        else:
            own = [f"[{address}]" if ":" in str(address) else str(address)]
        if self.public_url is None:
            public = []
        else:
            public = [re.sub(r":\d*$", "", urlsplit(self.public_url).netloc)]
        return ("127.0.0.1", "localhost", "[::1]", *own, *public)


def checked_options(options: ServeOptions) -> ServeOptions:
    """The options, unless an address in them is none."""
    try:
        ipaddress.ip_address(options.host)
    except ValueError:
        raise UsageError(
            f"--listen takes an IP address such as 0.0.0.0, and not {quoted(options.host)}."
        ) from None
    if options.public_url is not None and not re.fullmatch(
        r"https?://[^/?#@\s]+/?", options.public_url
    ):
        raise UsageError(
            f"--public-url is like https://audit.example.org, and not {quoted(options.public_url)}."
        )
    return options


def serve(options: ServeOptions, announce: Callable[[str], None], *, opens_browser: bool) -> None:
    """Run the service until it is asked to end."""
    with _ending_in_order(), options.data.alone(), _opened(options) as service:
        make_account(options, service)
        check_reach(options, service)
        # this process alone does jobs: those that run are of one that was killed
        if service.database.is_sqlite:
            with service.database.writing() as connection:
                queue.take_back(connection)
        tidy(service.database, options.data)
        upgrade_stores(service.database, options.data)
        with working(options, service):
            _listen(options, service, announce, opens_browser=opens_browser)


@contextmanager
def _ending_in_order() -> Iterator[None]:
    """Take SIGTERM as Ctrl-C is taken, so that workers give back what they do; it is no failure."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    stop_asked = threading.Event()

    def end(*_: object) -> None:
        stop_asked.set()
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    except KeyboardInterrupt:
        if not stop_asked.is_set():
            raise
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _opened(options: ServeOptions) -> Iterator[Service]:
    if options.database is None:
        options.data.check_local()
    with closing(open_database(options.data.root, options.database)) as database:
        yield Service(database, options.data, options.limits, options.host_names, options.is_secure)


def make_account(options: ServeOptions, service: Service) -> None:
    """Give the host the stated account, unless there is one: the file may stay where it is."""
    if options.account is None:
        return
    name, file = options.account
    with service.database.writing() as connection:
        if not has_accounts(connection):
            try:
                password = file.read_text(encoding="utf-8").removesuffix("\n")
            except (OSError, UnicodeError) as error:
                raise UsageError(
                    f"The password cannot be read from {visible(str(file), 200)}: {error}"
                ) from None
            set_account(
                connection, host_of(connection), name, password_digest(checked_password(password))
            )


def check_reach(options: ServeOptions, service: Service) -> None:
    """Refuse to be reached from other machines as long as whoever has the start link is everybody.

    Where others reach the service and its host has a password, the link is closed: logs and screens are seen.
    """
    is_local = ipaddress.ip_address(options.host).is_loopback
    with service.database.reading() as connection:
        host_has_password = has_accounts(connection)
    if not is_local and not host_has_password:
        raise UsageError(
            "Other machines could reach the service, and nobody has an account yet. Start it without --listen, open "
            "the link, and set your name and a password under Account; then start it with --listen again. Without a "
            "terminal, --account NAME and --password-file FILE make the account."
        )
    if host_has_password and (options.public_url is not None or not is_local):
        service.start_link.is_open = False


@contextmanager
def working(options: ServeOptions, service: Service) -> Iterator[None]:
    """Workers that do jobs as long as this lasts; what they have not finished waits for the next start.

    Where there are several, the first one does nothing aside, so that no export keeps an evaluation waiting.
    """
    stopping = threading.Event()
    here = f"{socket.gethostname()}:{os.getpid()}"
    workers = [
        Worker(
            service.database,
            options.data,
            options.limits,
            Watch(options.dead_after),
            stopping,
            f"{here}, worker {number}",
            none_aside=number == 1 < options.n_workers,
        )
        for number in range(1, options.n_workers + 1)
    ]
    threads = [threading.Thread(target=worker.run, name=worker.name) for worker in workers]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stopping.set()
        for thread in threads:
            thread.join(_PATIENCE)


def _listen(
    options: ServeOptions, service: Service, announce: Callable[[str], None], *, opens_browser: bool
) -> None:
    settings = uvicorn.Config(
        create_app(service),
        http=Crowd().protocol,  # type: ignore[arg-type]  # called as the class of a protocol is
        host=options.host,
        port=options.port,
        log_level=logging.WARNING,
        access_log=False,  # addresses hold links' secrets
        backlog=_ACCEPTED_AT_ONCE,
        server_header=False,
        timeout_graceful_shutdown=_CLOSING,
        forwarded_allow_ips="127.0.0.1",
    )

    def begin(port: int) -> None:
        link = first_link(options, service, port)
        with service.database.writing() as connection:
            keep_address(connection, link.partition("start?")[0])
        announce(link)
        if opens_browser:
            page.write_text(_OPENING.format(link=link), encoding="utf-8")
            threading.Thread(target=webbrowser.open, args=(page.as_uri(),), daemon=True).start()

    server = _AnnouncingServer(settings, begin)
    try:
        with own_file(options.data.root / "open.html") as page, _quiet_log():
            server.run()
    except SystemExit as error:
        raise UsageError(
            f"Port {options.port} is in use, or you may not listen on it. Try --port 0."
        ) from error


# A page that leads to the link: as a browser's argument, everybody on the machine could read it.
_OPENING = (
    '<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="refresh" content="0; '
    'url={link}"><title>audit</title>'
)


@contextmanager
def own_file(path: Path) -> Iterator[Path]:
    """An empty file that nobody else reads, as long as this lasts."""
    path.unlink(missing_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


def first_link(options: ServeOptions, service: Service, port: int) -> str:
    """The address that is printed: with the link's secret as long as that begins a session."""
    if ipaddress.ip_address(options.host).is_unspecified:
        host = "127.0.0.1"
    else:
        host = options.host
    local = f"http://{f'[{host}]' if ':' in host else host}:{port}/"
    if options.public_url is None:
        address = local
    else:
        address = f"{options.public_url.rstrip('/')}/"
    if service.start_link.is_open:
        return f"{address}start?token={service.start_link.secret}"
    return address


class OncePerMinute(logging.Filter):
    """Lets "too many open files" into the log once a minute, with how often it was said meanwhile."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._last: float | None = None
        self._n_left_out = 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the line is written; of what it repeats, one line a minute."""
        if not _is_of_too_many_files(record):
            return True
        if self._last is not None and self._clock() - self._last < _MINUTE:
            self._n_left_out += 1
            return False
        record.msg, record.args = _TOO_MANY_FILES, (self._n_left_out,)
        record.exc_info = record.exc_text = None
        self._last, self._n_left_out = self._clock(), 0
        return True


def _is_of_too_many_files(record: logging.LogRecord) -> bool:
    if record.exc_info:
        error = record.exc_info[1]
    else:
        error = None
    while error is not None:
        if isinstance(error, OSError) and error.errno in {errno.EMFILE, errno.ENFILE}:
            return True
        error = error.__cause__ or error.__context__
    return False


_MINUTE = 60.0
_TOO_MANY_FILES = (
    "Too many open files: new connections wait (said %d times since the last such line). Raise the limit, as "
    "LimitNOFILE= in the unit or ulimit -n, or find who holds connections."
)


@contextmanager
def _quiet_log() -> Iterator[None]:
    """Have the log repeat nothing, as long as this lasts."""
    once = OncePerMinute()
    loggers = [
        logging.getLogger(name)
        for name in ("asyncio", "uvicorn.error", "audit.web", "audit.service")
    ]
    for logger in loggers:
        logger.addFilter(once)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(once)


class _AnnouncingServer(uvicorn.Server):
    """A server that says its port once it listens."""

    def __init__(self, config: uvicorn.Config, listening: Callable[[int], None]) -> None:
        super().__init__(config)
        self._listening = listening

    async def startup(self, sockets: list[object] | None = None) -> None:  # type: ignore[override]
        await super().startup(sockets)  # type: ignore[arg-type]
        self._lengthen_queues()
        if self.started and self.servers:
            self._listening(self.servers[0].sockets[0].getsockname()[1])

    def _lengthen_queues(self) -> None:
        """Let more connections wait in the system than are accepted at once.

        asyncio takes one number for both, and accepts so many before any of them can make room for another.
        """
        for server in self.servers:
            for listening in server.sockets:
                with listening.dup() as same:
                    same.listen(_QUEUE)


def work(options: ServeOptions, stopping: threading.Event) -> None:
    """Do jobs beside a service on another process or machine, until asked to stop."""
    if options.database is None:
        raise UsageError(
            "audit worker needs --database postgresql+psycopg://…: with a file, audit serve does the jobs."
        )
    with _opened(options) as service, working(options, service):
        stopping.wait()
