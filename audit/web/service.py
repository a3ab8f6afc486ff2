"""What every route needs: the database, the files, what may be received, and by whom the service is reached."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from ipaddress import IPv4Address, ip_address, ip_network
from secrets import compare_digest

from audit.service.credentials import digest_of, new_secret
from audit.service.database import ControlDatabase
from audit.service.files import DataFolder

SECONDS = 15 * 60  # the seconds for which a failure counts
BY_ADDRESS, BY_NAME = 30, 100
"""Failures from one address, and with one name from anywhere, after which the next try has to wait."""
_MOST_KEYS = 100_000


@dataclass(eq=False)
class Failures:
    """Failures of the last while, by whatever they are counted by."""

    most: int  # the number of failures after which the next try has to wait
    clock: Callable[[], float] = time.monotonic  # seconds that no change of the date moves
    _times: dict[Hashable, list[float]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def seconds_to_wait(self, key: Hashable) -> int:
        """How long the next try has to wait; 0 where it may come at once.

        >>> failures = Failures(1, clock=lambda: 100.0)
        >>> failures.seconds_to_wait("a"), failures.add("a"), failures.seconds_to_wait("a")
        (0, None, 900)
        """
        with self._lock:
            times = self._recent(key)
            return 0 if len(times) < self.most else max(1, round(times[-self.most] + SECONDS - self.clock()))

    def add(self, key: Hashable) -> None:
        """Count a failure."""
        with self._lock:
            if len(self._times) >= _MOST_KEYS:
                self._times = {each: times for each in list(self._times) if (times := self._recent(each))}
            if len(self._times) < _MOST_KEYS:
                self._times[key] = [*self._recent(key), self.clock()][-self.most :]

    def _recent(self, key: Hashable) -> list[float]:
        since = self.clock() - SECONDS
        return [each for each in self._times.get(key, ()) if each > since]


def network_of(address: str | None) -> str:
    """The unit that failures are counted by: an address, or of IPv6 a network of 64 bits.

    >>> network_of("192.0.2.7"), network_of("2001:db8::1") == network_of("2001:db8::2"), network_of(None)
    ('192.0.2.7', True, '')
    """
    try:
        ip = ip_address((address or "").partition("%")[0])
    except ValueError:
        return address or ""
    return str(ip) if isinstance(ip, IPv4Address) else str(ip_network((int(ip), 64), strict=False))


class BytesUnderWay:
    """Bytes that are being received, by campaign: uploads side by side stay below its quota together."""

    def __init__(self) -> None:
        self.of: Counter[str] = Counter()
        self._lock = threading.Lock()

    @contextmanager
    def counting(self, campaign: str) -> Iterator[Callable[[int], int]]:
        """What counts further bytes of one upload, as long as the context lasts, and says how many the campaign has.

        >>> under_way = BytesUnderWay()
        >>> with under_way.counting("a") as first, under_way.counting("a") as second:
        ...     first(3), second(4)
        (3, 7)
        >>> under_way.of["a"]
        0
        """
        own = 0

        def grow(size: int) -> int:
            nonlocal own
            own += size
            with self._lock:
                self.of[campaign] += size
                return self.of[campaign]

        try:
            yield grow
        finally:
            grow(-own)


@dataclass(frozen=True, slots=True)
class UploadLimits:
    """The limits of what may be received and unpacked."""

    packed: int = 2 << 30  # bytes of one upload: 2 GiB
    unpacked: int = 8 << 30  # bytes of everything in an archive
    of_campaign: int = 20 << 30  # bytes of all uploads of a campaign together


class StartLink:
    """The link that is printed when the service starts: good once, for whoever sees that terminal."""

    def __init__(self) -> None:
        self.secret = new_secret()
        self._digest: str | None = digest_of(self.secret)
        self._lock = threading.Lock()

    def use(self, secret: str) -> bool:
        """Whether this is the link's secret, and it was not used before."""
        with self._lock:
            fits = self._digest is not None and compare_digest(digest_of(secret), self._digest)
            if fits:
                self._digest = None
            return fits

    @property
    def is_open(self) -> bool:
        """Whether the link still begins a session."""
        return self._digest is not None

    def close(self) -> None:
        """Be good for nothing: where people sign in, no link on a screen or in a log is to replace a password."""
        with self._lock:
            self._digest = None


@dataclass(frozen=True, slots=True)
class Service:
    """One running service."""

    database: ControlDatabase  # the control tables
    data: DataFolder  # the files
    limits: UploadLimits = field(default_factory=UploadLimits)  # the limits of what may be received
    hosts: tuple[str, ...] = ("127.0.0.1", "localhost", "[::1]")
    """Names by which it may be asked for; any other is refused, so that no foreign page speaks for its visitors."""
    is_secure: bool = False  # whether it is reached by HTTPS, so that its cookie must be
    start_link: StartLink = field(default_factory=StartLink)  # the link that begins the first session
    failures: Failures = field(default_factory=lambda: Failures(BY_ADDRESS))
    """Secrets that were wrong, by network; passwords, by network and name."""
    failed_names: Failures = field(default_factory=lambda: Failures(BY_NAME))
    """Passwords that were wrong, by the name that they were tried with."""
    under_way: BytesUnderWay = field(default_factory=BytesUnderWay)
    """Uploads that are being received, which count towards the quota."""
