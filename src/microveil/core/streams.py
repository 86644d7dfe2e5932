"""Randomness: counter-based streams keyed by (key, step, method, column).

A key is a secret of at least 128 bits from the operating system. Each stream is a Philox
generator whose own 128-bit key is a keyed hash of its path, so that streams never share
numbers, adding a column moves no other column, and the numbers of a record depend only on
its position in the file: any chunking, any number of workers and any choice of records give it the same numbers.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from microveil.core.arrays import Floats, Ints, Words
from microveil.core.errors import BadInput

_KEY_BYTES = 32
_WORDS_PER_BLOCK = 4  # Philox yields four 64-bit words per counter value
_LEAST_BYTES = 21


@dataclass(frozen=True)
class Key:
    """A secret from which all streams of a run are derived; its value is never shown."""

    secret: bytes = field(repr=False)
    strong: bool = True

    @classmethod
    def fresh(cls) -> Key:
        """A new key from the operating system's entropy."""
        return cls(secrets.token_bytes(_KEY_BYTES))

    @classmethod
    def of(cls, seed: int | str | bytes | Key | None) -> Key:
        """The key of a seed: fresh for None, the same key for the same seed otherwise.

        Text of 64 hexadecimal digits that look random is a key itself. Anything else is stretched and marked as weak,
        however long it is, for length is not entropy: good for tests, not for a release.
        """
        if seed is None:
            return cls.fresh()
        if isinstance(seed, Key):
            return seed
        if isinstance(seed, bool) or not isinstance(seed, int | str | bytes | np.integer):
            raise BadInput(f"seed is {seed!r}; give a whole number, text, bytes or None for a fresh key")
        if isinstance(seed, str) and len(seed) == 2 * _KEY_BYTES:
            try:
                return cls(bytes.fromhex(seed), _looks_random(seed))
            except ValueError:
                pass
        secret = hashlib.blake2b(_seed_bytes(seed), digest_size=_KEY_BYTES, person=b"microveil-seed").digest()
        return cls(secret, strong=False)

    def for_data(self, mark: str) -> Key:
        """The key of all streams on data with this fingerprint: the same key gives other draws on other data."""
        return Key(hashlib.blake2b(mark.encode(), key=self.secret, person=b"microveil-data").digest()[:_KEY_BYTES])

    @property
    def hex(self) -> str:
        """The key as text, for the private log only."""
        return self.secret.hex()


def _looks_random(digits: str) -> bool:
    """Whether 64 hexadecimal digits may have been drawn: hardly any byte occurs twice, and none follows from the last.

    Of drawn keys one in a million has fewer different bytes.
    """
    found = bytes.fromhex(digits)
    steps = {(after - before) % 256 for before, after in pairwise(found)}
    return len(set(found)) >= _LEAST_BYTES and len(steps) > 2


def _seed_bytes(seed: int | str | bytes) -> bytes:
    if isinstance(seed, bytes):
        return b"b" + seed
    if isinstance(seed, str):
        return b"s" + seed.encode()
    number = int(seed)
    sign = b"-" if number < 0 else b"+"
    return b"i" + sign + abs(number).to_bytes((number.bit_length() + 7) // 8 or 1, "big")


@dataclass(frozen=True)
class Streams:
    """Random streams below one key, addressed by a path of names and numbers.

    >>> streams = Streams(Key.of(1)).at("noise", "income")
    >>> bool((streams.normals(0, 10)[3:7] == streams.normals(3, 7)).all())
    True
    """

    key: Key
    path: tuple[str | int, ...] = ()
    # where the records at hand stand in the file; None: they stand one behind the other, from `first` on
    positions: Ints | None = field(default=None, compare=False, repr=False)
    first: int = field(default=0, compare=False, repr=False)

    def at(self, *parts: str | int) -> Streams:
        """The streams one or more levels further down."""
        return replace(self, path=(*self.path, *parts))

    def of_rows(self, rows: Ints) -> Streams:
        """The same streams for some of the records at hand: each keeps its numbers."""
        positions = self.first + rows if self.positions is None else self.positions[rows]
        first = int(positions[0]) if len(positions) else 0
        # drawing in order is many times faster than drawing by position
        if np.array_equal(positions, np.arange(first, first + len(positions))):
            return Streams(self.key, self.path, None, first)
        return Streams(self.key, self.path, positions)

    def generator(self) -> np.random.Generator:
        """A generator for draws whose number is not fixed per record (permutations, matrices)."""
        return np.random.Generator(np.random.Philox(key=self._philox_key("generator")))

    def words(self, start: int, stop: int, width: int = 1) -> Words:
        """`width` 64-bit words for each of the records from start to stop."""
        if self.positions is not None:
            from microveil.core.philox import words_at

            return words_at(self._philox_key("rows"), self.positions[start:stop], width)
        first, last = (self.first + start) * width, (self.first + stop) * width
        block, skip = divmod(first, _WORDS_PER_BLOCK)
        bits = np.random.Philox(key=self._philox_key("rows"), counter=block)
        words = bits.random_raw(skip + last - first)
        return np.asarray(words[skip:], dtype=np.uint64).reshape(stop - start, width)

    def uniforms(self, start: int, stop: int, width: int = 1) -> Floats:
        """Uniform numbers strictly inside (0, 1), one row for each of the records from start to stop."""
        return _inside_unit(self.words(start, stop, width))

    def normals(self, start: int, stop: int, width: int = 1) -> Floats:
        """Standard normal numbers by inversion, one row for each of the records from start to stop."""
        from scipy.special import ndtri

        found = self.uniforms(start, stop, width)
        ndtri(found, out=found)
        return found

    def uniforms_in_groups(self, labels: Ints, *below: str | int) -> Floats:
        """One uniform number per record: the one that `at(label, *below)` has for it."""
        from microveil.core.philox import words_in_groups

        keys = self.philox_keys(int(labels.max(initial=-1)) + 1, *below)
        return _inside_unit(words_in_groups(keys, labels, self.places(len(labels))))

    def places(self, records: int) -> Ints:
        """Where the first records at hand stand in the file."""
        return self.first + np.arange(records) if self.positions is None else self.positions[:records]

    def by_rank(self) -> Streams:
        """Streams whose numbers belong to ranks, not to records: the first to the lowest, and so on."""
        return Streams(self.key, (*self.path, "rank"))

    def order(self, records: int) -> Ints:
        """The records in random order: sorted by a word of each (equal words, one in 2^64, by position)."""
        from microveil.core.ordering import stable_order

        return stable_order(self.words(0, records)[:, 0])

    def order_in_groups(self, labels: Ints) -> Ints:
        """The records group by group, in random order inside each group."""
        return np.lexsort((self.words(0, len(labels))[:, 0], labels))

    @property
    def philox_key(self) -> int:
        """The key of the words of records, for loops that draw them by position themselves."""
        return self._philox_key("rows")

    def philox_keys(self, numbers: int, *below: str | int) -> Words:
        """The keys of the words of `at(0, *below)`, `at(1, *below)` and so on: low word, high word."""
        begun, end = self._digest("rows"), b"".join(map(_part, below))
        found = bytearray()
        for number in range(numbers):
            digest = begun.copy()
            digest.update(_part(number) + end)
            found += digest.digest()
        return np.frombuffer(bytes(found), dtype=">u8").reshape(numbers, 2)[:, ::-1].astype(np.uint64)

    def _philox_key(self, purpose: str) -> int:
        return int.from_bytes(self._digest(purpose).digest(), "big")

    def _digest(self, purpose: str) -> hashlib.blake2b:
        digest = hashlib.blake2b(digest_size=16, key=self.key.secret, person=b"microveil")
        for part in (purpose, *self.path):
            digest.update(_part(part))
        return digest


def _inside_unit(words: Words) -> Floats:
    """Words as 2^52 midpoints: symmetric about 1/2 and never 0 or 1 in double precision."""
    words >>= np.uint64(12)
    found = words.astype(np.float64)
    found += 0.5
    found *= 2.0**-52
    return found


def _part(part: str | int) -> bytes:
    """A part of a path, its length first: ("ab", "c") and ("a", "bc") must not meet."""
    text = str(part).encode()
    return (b"n" if isinstance(part, int) else b"t") + len(text).to_bytes(8, "big") + text
