"""Guesses at secrets and passwords: who fails often waits.

Counted in memory: one process answers the web, and a restart that forgets the counts lets nobody guess 192 bits. A
library for this (`limits`) would bring storages for several servers, and is more to understand than these lines.
"""

import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from ipaddress import IPv4Address, ip_address, ip_network

SECONDS = 15 * 60
"""The seconds for which a failure counts."""
BY_ADDRESS, BY_NAME = 30, 100
"""Failures from one address, and with one name from anywhere, after which the next try has to wait."""
_MOST_KEYS = 100_000


@dataclass(eq=False)
class Failures:
    """Failures of the last while, by whatever they are counted by."""

    most: int
    """The number of failures after which the next try has to wait."""
    clock: Callable[[], float] = time.monotonic
    """Seconds that no change of the date moves."""
    _times: dict[Hashable, list[float]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def seconds_to_wait(self, key: Hashable) -> int:
        """How long the next try has to wait; 0 where it may come at once.

        Examples
        --------
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

    Examples
    --------
    >>> network_of("192.0.2.7"), network_of("2001:db8::1") == network_of("2001:db8::2"), network_of(None)
    ('192.0.2.7', True, '')
    """
    try:
        ip = ip_address((address or "").partition("%")[0])
    except ValueError:
        return address or ""
    return str(ip) if isinstance(ip, IPv4Address) else str(ip_network((int(ip), 64), strict=False))
