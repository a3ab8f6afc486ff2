"""Texts as places in the bytes of a file, and the places of many of them in a list of known texts, found at once.

A file of 100,000 ids and labels needs none of them as a string where all is well: they are compared as words of eight
bytes, exactly. A string is made only of what somebody looks at.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain, repeat
from typing import Self, overload

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Words = NDArray[np.uint64]

_WORD = 8
_MOST_WORDS = 8  # of a known text: 64 bytes
_BLOCK = 2**16  # texts that are looked for at once, so that memory is bounded
_CHUNK = 2**12  # strings that are made at once where somebody looks at one after the other
_MASKS = np.array([256**length - 1 for length in range(_WORD + 1)], np.uint64)
_SPREAD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / the golden ratio: multiples of it lie far apart


@dataclass(frozen=True, eq=False)
class Spans(Sequence[str]):
    """Texts between two places each in UTF-8 bytes.

    >>> spans = Spans("Göttin".encode(), np.array([0, 3]), np.array([3, 7]))
    >>> list(spans), spans[-1], spans[:1]
    (['Gö', 'ttin'], 'ttin', ['Gö'])
    """

    data: bytes  # the UTF-8 bytes, without NUL
    starts: Numbers  # the places where each text begins and ends; the end is the place behind the text
    ends: Numbers

    def __len__(self) -> int:
        return self.starts.size

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return self._texts(place)
        return self.data[self.starts[place] : self.ends[place]].decode()

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(self._texts(slice(at, at + _CHUNK)) for at in range(0, len(self), _CHUNK))

    def _texts(self, place: slice) -> list[str]:
        starts, ends = self.starts[place], self.ends[place]
        begin = int(starts.min(initial=len(self.data)))
        data = self.data[begin : int(ends.max(initial=begin))]
        bounds = zip((starts - begin).tolist(), (ends - begin).tolist(), strict=True)
        if data.isascii():  # then places in the bytes are places in the text
            text = data.decode()
            return [text[start:end] for start, end in bounds]
        return [data[start:end].decode() for start, end in bounds]


class Index:
    """Known texts by their places.

    >>> index = Index(["no", "yes"])
    >>> index.places(["yes", "perhaps"])
    array([ 1, -1])
    >>> index.places(Spans(b"yes,no,", np.array([0, 4, 7]), np.array([3, 6, 7])))
    array([ 1,  0, -1])
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self.place_of = dict(zip(texts, range(len(texts)), strict=True))
        self._texts = texts

    def places(self, texts: Sequence[str]) -> Numbers:
        """The place of each text among the known ones, −1 where it is none; shape (n,)."""
        if isinstance(texts, Spans) and self._words is not None:
            return self._words.places(texts)
        return np.fromiter(map(self.place_of.get, texts, repeat(-1)), np.int64, len(texts))

    @cached_property
    def _words(self) -> "_WordIndex | None":
        return _WordIndex.of(self._texts)


@dataclass(frozen=True, eq=False)
class _WordIndex:
    """Texts as rows of words in the order of their keys, which all differ."""

    words: Words
    place: Numbers
    first: Numbers
    n_alike: int

    @classmethod
    def of(cls, texts: Sequence[str]) -> Self | None:
        """The index; None where texts are too long or many to be kept so, hold NUL, or have one key."""
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        n_words = -(-max(map(len, encoded), default=0) // _WORD) or 1
        data = b"".join(encoded)
        if n_words > _MOST_WORDS or b"\0" in data:
            return None
        bounds = np.fromiter(accumulate(map(len, encoded), initial=0), np.int64, len(encoded) + 1)
        words = _words(_padded(data, n_words), bounds[:-1], bounds[1:], n_words)
        keys = _keys(words)
        place = np.argsort(keys)
        keys = keys[place]
        if (keys[1:] == keys[:-1]).any():
            return None
        n_bits = (4 * len(texts)).bit_length()
        begin = np.bincount(_beginnings(keys, n_bits), minlength=2**n_bits)
        first = np.concatenate([[0], np.cumsum(begin)])
        return cls(words[place], place, first, int(begin.max(initial=0)))

    @property
    def _n_bits(self) -> int:
        return (self.first.size - 1).bit_length() - 1

    def places(self, texts: Spans) -> Numbers:
        """The place of each text among the known ones; -1 for a text that is unknown."""
        data = _padded(texts.data, self.words.shape[1])
        blocks = (slice(at, at + _BLOCK) for at in range(0, len(texts), _BLOCK))
        parts = [self._places(data, texts.starts[block], texts.ends[block]) for block in blocks]
        return np.concatenate(parts) if parts else np.empty(0, np.int64)

    def _places(self, data: bytes, starts: Numbers, ends: Numbers) -> Numbers:
        """The places of texts of one block, found by comparing texts whose keys begin alike."""
        n_words = self.words.shape[1]
        words = _words(data, starts, ends, n_words)
        beginning = _beginnings(_keys(words), self._n_bits)
        candidate, end = self.first[beginning], self.first[beginning + 1]
        matched = np.full(starts.size, -1)
        rows = np.flatnonzero((candidate < end) & (ends - starts <= n_words * _WORD))
        for _ in range(self.n_alike):
            is_it = (self.words[candidate[rows]] == words[rows]).all(axis=1)
            matched[rows[is_it]] = self.place[candidate[rows[is_it]]]
            rows = rows[~is_it]
            candidate[rows] += 1
            rows = rows[candidate[rows] < end[rows]]
        return matched


def _padded(data: bytes, n_words: int) -> bytes:
    """The bytes, so that words can be read from every place in them and behind them."""
    return data + bytes(n_words * _WORD)


def _words(data: bytes, starts: Numbers, ends: Numbers, n_words: int) -> Words:
    """The first bytes of each text as words, zero behind its end; shape (n, n_words)."""
    at_every_byte = np.ndarray((len(data) - _WORD + 1,), "<u8", data, strides=(1,))
    words = np.empty((starts.size, n_words), np.uint64)
    for number in range(n_words):
        n_left = np.clip(ends - starts - number * _WORD, 0, _WORD)
        words[:, number] = at_every_byte[np.minimum(starts + number * _WORD, at_every_byte.size - 1)] & _MASKS[n_left]
    return words


def _keys(words: Words) -> Words:
    """One number for each row of words, whose first bits spread evenly."""
    keys = np.zeros(words.shape[0], np.uint64)
    for column in words.T:
        keys = (keys ^ column) * _SPREAD
        keys ^= keys >> np.uint64(32)
    return keys * _SPREAD


def _beginnings(keys: Words, n_bits: int) -> Numbers:
    return (keys >> np.uint64(64 - n_bits)).astype(np.int64)
