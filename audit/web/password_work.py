"""Work on passwords: a few at a time, aside of everything else, and counted by who fails.

A password takes a fifth of a second of one core. Such work waits in a lane of its own, where no transaction is
open and no thread of the pages is taken; when more than a few wait, whoever comes next is refused at once. People whose
browser has signed in before have another lane, which no stranger fills, and nobody locks them out: their browser has
proof of it, a signed cookie.
"""

import asyncio
import os
import sys
import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from secrets import compare_digest
from typing import TypeVar

from fastapi import HTTPException, Request
from starlette.requests import ClientDisconnect

from audit.service.credentials import digest_of, new_secret, signature_of
from audit.service.database import ControlDatabase
from audit.service.people import device_key

T = TypeVar("T")
SECONDS = 15 * 60  # the seconds for which a failure counts
BY_ADDRESS = 30
BY_NETWORK = 100
BY_NAME = 100
BY_DEVICE = 10
"""Failures with one name from one network, from one network, with one name from anywhere, and of one known browser,
after which the next try has to wait; the last is a stranger from then on."""
MOST_WAITING = 8  # passwords that wait for the one under work; of more, the next is refused
RETRY_SECONDS = 5
_NICENESS = 5  # of 19: somebody waits for a password, too
DEVICE_COOKIE = "audit_device"
DEVICE_DAYS = 400  # the longest that browsers keep a cookie
BUSY = "Too many people sign in at this moment. Try again in a few seconds."
TOO_OFTEN = "Too many tries failed. Wait a quarter of an hour, and try again."


@dataclass(eq=False)
class Failures:
    """Failures of the last while, by whatever they are counted by."""

    most: int  # the number of failures after which the next try has to wait
    clock: Callable[[], float] = time.monotonic  # seconds that no change of the date moves
    most_keys: int = 100_000  # how many keys are kept: a network of addresses fills no memory
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
            if len(times) < self.most:
                return 0
            return max(1, round(times[-self.most] + SECONDS - self.clock()))

    def add(self, key: Hashable) -> None:
        """Count a failure."""
        with self._lock:
            if len(self._times) >= self.most_keys:
                self._times = {
                    each: times for each in list(self._times) if (times := self._recent(each))
                }
            if len(self._times) < self.most_keys:
                self._times[key] = [*self._recent(key), self.clock()][-self.most :]

    def clear(self) -> None:
        """Forget every failure."""
        with self._lock:
            self._times.clear()

    @property
    def n_keys(self) -> int:
        """The number of keys for which failures are kept."""
        return len(self._times)

    def _recent(self, key: Hashable) -> list[float]:
        since = self.clock() - SECONDS
        return [each for each in self._times.get(key, ()) if each > since]


def _give_way() -> None:
    """Let the pages' threads go before this one at the processor; only Linux tells threads apart."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)


@dataclass(eq=False)
class Lane:
    """Work on passwords, one after the other, in a thread of its own."""

    most_waiting: int = MOST_WAITING  # how many may wait beside the one under work
    _n_inside: int = 0
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _thread: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(1, "passwords", _give_way)
    )

    @property
    def is_full(self) -> bool:
        """Whether whoever comes next is refused."""
        return self._n_inside > self.most_waiting

    async def run(self, request: Request, work: Callable[[], T]) -> T:
        """What the work gives when its turn comes; refused where too many wait, not done for who has hung up."""
        if self.is_full:
            raise HTTPException(429, BUSY, {"retry-after": str(RETRY_SECONDS)})
        self._n_inside += 1
        try:
            async with self._turn:
                if await request.is_disconnected():
                    raise ClientDisconnect
                return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        finally:
            self._n_inside -= 1


@dataclass(eq=False)
class Devices:
    """Browsers that have signed in before: each has a cookie that says with which name, signed."""

    database: ControlDatabase  # keeps the key of the signatures
    _key: str | None = None

    def new_cookie(self, known_as: str) -> str:
        """The cookie of a browser that has signed in with this name."""
        number = new_secret()
        return f"{number}.{self._signature(number, known_as)}"

    def number_of(self, cookie: str, known_as: str) -> str | None:
        """The number of the browser that has signed in with this name; None where this is no such cookie."""
        number, _, signature = cookie.partition(".")
        if number:
            is_ours = compare_digest(
                digest_of(signature), digest_of(self._signature(number, known_as))
            )
        else:
            is_ours = False
        if is_ours:
            return number
        return None

    def _signature(self, number: str, known_as: str) -> str:
        if self._key is None:
            with self.database.writing() as connection:
                self._key = device_key(connection)
        return signature_of(self._key, f"{number} {known_as}")


@dataclass(eq=False)
class PasswordWork:
    """Who may have a password tried now, and in which lane."""

    devices: Devices  # browsers that have signed in before
    strangers: Lane = field(default_factory=Lane)
    known: Lane = field(default_factory=Lane)
    """For known browsers, and for who is signed in or invited."""
    by_address: Failures = field(default_factory=lambda: Failures(BY_ADDRESS))
    """By network and name."""
    by_network: Failures = field(default_factory=lambda: Failures(BY_NETWORK))
    by_name: Failures = field(default_factory=lambda: Failures(BY_NAME))
    by_device: Failures = field(default_factory=lambda: Failures(BY_DEVICE))

    def is_refused_at_once(self, cookies: str) -> bool:
        """Whether a try is refused before anything of it is read: too many wait, and this browser shows no proof."""
        return self.strangers.is_full and DEVICE_COOKIE not in cookies

    async def attempt(
        self, request: Request, network: str, known_as: str, work: Callable[[], T | None]
    ) -> T | None:
        """Try a password; None where it is wrong, which is counted. A known browser is never kept waiting by others."""
        device = self.devices.number_of(request.cookies.get(DEVICE_COOKIE, ""), known_as)
        if device is not None and not self.by_device.seconds_to_wait(device):
            counted: list[tuple[Failures, Hashable]] = [(self.by_device, device)]
            lane = self.known
        else:
            counted = [
                (self.by_address, (network, known_as)),
                (self.by_network, network),
                (self.by_name, known_as),
            ]
            lane = self.strangers
        if seconds := max(failures.seconds_to_wait(key) for failures, key in counted):
            raise HTTPException(429, TOO_OFTEN, {"retry-after": str(seconds)})
        found = await lane.run(request, work)
        if found is None:
            for failures, key in counted:
                failures.add(key)
        return found
