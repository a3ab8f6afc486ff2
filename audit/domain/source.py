"""Original files as they stood."""

import hashlib
import zlib
from dataclasses import dataclass, field
from typing import Self


@dataclass(frozen=True)
class SourceFile:
    """An original file: its path, its digest, and every byte of it."""

    path: str
    """Relative to the campaign folder, with forward slashes."""
    sha256: str
    """Digest of the bytes as they stood."""
    size: int
    """Bytes."""
    compressed: bytes | None = field(compare=False)
    """The bytes, deflated, which is no part of what the file is; None where they were left in the store, because nobody
    asks for them.
    """

    @classmethod
    def of(cls, path: str, content: bytes) -> Self:
        """A source file from its bytes.

        Examples
        --------
        >>> SourceFile.of("gold.txt", b"a").content
        b'a'
        """
        # Level 1: label files shrink about as far as at 9, in a tenth of the time.
        return cls(path, hashlib.sha256(content).hexdigest(), len(content), zlib.compress(content, 1))

    @property
    def packed(self) -> bytes:
        """The bytes, deflated.

        Raises
        ------
        ValueError
            Where they were left in the store.
        """
        if self.compressed is None:
            raise ValueError("the bytes of the file were left in the store")
        return self.compressed

    @property
    def content(self) -> bytes:
        """The bytes as they stood; raises as `packed`."""
        return zlib.decompress(self.packed)
