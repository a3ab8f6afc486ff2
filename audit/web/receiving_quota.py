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
        """One upload, counted as long as this lasts.

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
        """Bytes under way in a campaign, with so many more."""
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
    """One upload and what it is counted as."""

    _all: BytesUnderWay
    _campaign: str
    size: int = 0
    """Bytes that came, or are announced."""

    def grow(self, size: int) -> int:
        """Count so many bytes more; how many are then under way in the campaign."""
        self.size += size
        return self._all.add(self._campaign, size)
