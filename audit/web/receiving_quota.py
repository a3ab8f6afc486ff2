"""How much a campaign receives at the moment: uploads side by side stay below its quota together."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(eq=False)
class BytesUnderWay:
    """Bytes that are being received, by campaign."""

    _bytes: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def counting(self, campaign: str) -> Iterator["CountedUpload"]:
        """Count one upload as long as the context lasts.

        Examples
        --------
        >>> under_way = BytesUnderWay()
        >>> with under_way.counting("a") as first, under_way.counting("a") as second:
        ...     first.grow(3)
        ...     second.grow(4)
        3
        7
        >>> under_way.of("a")
        0
        """
        upload = CountedUpload(self, campaign)
        try:
            yield upload
        finally:
            self.add(campaign, -upload.size)

    def add(self, campaign: str, size: int) -> int:
        """Add to the bytes under way in a campaign; returns their new number."""
        with self._lock:
            self._bytes[campaign] += size
            under_way = self._bytes[campaign]
            if not under_way:
                del self._bytes[campaign]
            return under_way

    def of(self, campaign: str) -> int:
        """Bytes under way in a campaign."""
        return self._bytes[campaign]


@dataclass(eq=False)
class CountedUpload:
    """An upload and the bytes that are counted for it."""

    _all: BytesUnderWay
    _campaign: str
    size: int = 0
    """Bytes that came, or are announced."""

    def grow(self, size: int) -> int:
        """Count a number of bytes more; returns how many are under way in the campaign."""
        self.size += size
        return self._all.add(self._campaign, size)
