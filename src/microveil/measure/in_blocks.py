"""Two files that are taken in blocks: what measures may ask of them, whoever works on the blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, Protocol, TypeVar, runtime_checkable

from microveil.core.arrays import Floats, Ints
from microveil.kernels.moments.powers import PowerSums
from microveil.kernels.summaries.complete import CompleteSums
from microveil.kernels.summaries.summary import Summary
from microveil.measure.pair import Pair

S = TypeVar("S", bound=Summary)
Side = Literal["before", "after"]
SIDES: tuple[Side, Side] = ("before", "after")
Rescale = Callable[[str, Floats, Floats], tuple[Floats, Floats]]


class SomeLinked(NamedTuple):
    """A block of the file that is searched beside all originals of a sample and their released records.

    The last records of the file that is searched are those of the sample, once more. `stands_for` says how many each
    of its records counts for: `each` for one of the block, 1 for one that was added.
    """

    pair: Pair
    stands_for: Ints
    each: int


class RankPlaces(NamedTuple):
    """How many values of a column lie below some numbers, and below or at them; how many values there are."""

    below: Ints
    up_to: Ints
    records: int


class PairInBlocks(Protocol):
    """An original file and its protected version, larger than memory.

    `head` holds what is known of both, with one record each; its figures mean nothing.
    """

    @property
    def head(self) -> Pair:
        """The pair with all that is known of its columns, and hardly any record."""

    @property
    def records(self) -> tuple[int, int]:
        """How many records the original and the protected file have."""

    @property
    def is_linked(self) -> bool:
        """Whether it is known which rows belong together."""

    def counted(self, names: Sequence[str]) -> Pair:
        """The protected file with each different row of some columns once, and how many records it stands for."""

    def sums(self, side: Side, names: Sequence[str]) -> CompleteSums:
        """Sums over the complete records of some amounts."""

    def powers(self, side: Side, names: Sequence[str], start: Floats, shift: Floats, per_scale: Floats) -> PowerSums:
        """Sums of third and fourth powers of the complete records about start + shift, in units of a scale."""

    def ranks_of_released(self, names: Sequence[str], shares: Floats) -> list[RankPlaces]:
        """Where quantiles of the protected file, those at these shares, stand in the original, for each amount."""

    def scaling(self, names: Sequence[str], standardise: str, scale: str) -> Rescale:
        """How amounts of some records of both files are brought on the scale of all."""

    def sampled(self, names: Sequence[str]) -> Pair | str:
        """A random sample of originals with their released records, in some columns; or why there is none."""

    def linked(self, names: Sequence[str], searched: Side, of: Callable[[SomeLinked], S]) -> S:
        """What is found of the sample in all blocks of the file that is searched."""

    def beside_originals(self, names: Sequence[str], sample: Side, of: Callable[[int, Pair], S]) -> S:
        """What is found of a random sample of one file in all blocks of the original.

        That is of the released records, or of the first half of the originals. `of` is told how many originals stand
        before a block, and given the block beside the sample; nothing says which rows belong together.
        """


@runtime_checkable
class TakenInBlocks(Protocol):
    """A file or a release that is taken in blocks."""

    def in_blocks(self, protected: object, columns: Sequence[str] | None) -> PairInBlocks:
        """This beside its protected version; alone where that is None."""
