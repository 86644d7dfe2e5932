"""Masks with one planted fault each: the common suite must find every one.

No class here has a name of its own, so that importing this module registers nothing; `planted` registers one for the
time of a test.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar

import numpy as np

from microveil.claims import (
    AFFINE,
    Claim,
    CovariancesKept,
    Deviation,
    EqualRowsAtLeast,
    Evidence,
    GroupsAtLeast,
    MeansKept,
    OneToOne,
    RangeKept,
)
from microveil.claims.guarantee import GroupAnonymity
from microveil.core import registry
from microveil.core.parameters import Range
from microveil.core.registry import Value
from microveil.core.streams import Key, Streams
from microveil.data.table import Table, Values
from microveil.kernels.moments.central import column_means, standard_deviations
from microveil.mask.base import ColumnMask, Mask, RowMask
from microveil.partition import MDAV
from microveil.run.contract import Passes
from microveil.run.method import Job, Outcome


@contextmanager
def planted(cls: type[Value]) -> Iterator[type[Value]]:
    """Register the class for a while, under a name made of its own."""
    cls.name = "bad" + re.sub(r"(?=[A-Z])", "-", cls.__name__).lower()
    registry._register(cls)
    try:
        yield cls
    finally:
        del registry._REGISTERED[cls.name]
        cls.name = ""


def spread(x: np.ndarray) -> float:
    """The standard deviation by exact sums, which the order of the records does not change; 0 of no record."""
    return float(standard_deviations(x[:, None], ddof=0)[0]) if len(x) else 0.0


@dataclass(frozen=True, kw_only=True)
class SoundNoise(RowMask):
    """Add noise; nothing is wrong with it.

    The others differ from it, or from a sound one like it, in one thing.
    """

    passes: ClassVar[Passes] = "sums"
    reference = "none"

    def rows(self, x, known, draws):
        return x + 0.3 * known * draws.normal()

    def prepare(self, x):
        return spread(x)


@dataclass(frozen=True, kw_only=True)
class PassesAll(RowMask):
    """Return everything as it was."""

    random: ClassVar[bool] = False
    reference = "none"

    def rows(self, x, known, draws):
        return x


@dataclass(frozen=True, kw_only=True)
class PassesOneColumn(SoundNoise):
    """Return the last column as it was."""

    def run(self, table: Table, job: Job) -> Outcome:
        last = table.names[-1]
        return Outcome({**super().run(table, job).columns, last: table[last]})


@dataclass(frozen=True, kw_only=True)
class ReturnsSomeColumns(SoundNoise):
    """Forget the last column."""

    def run(self, table: Table, job: Job) -> Outcome:
        return super().run(table.only(table.names[:-1] or table.names), job)


@dataclass(frozen=True, kw_only=True)
class SparesInSilence(ReturnsSomeColumns):
    """Forget the last column, and say that it may."""

    spares: ClassVar[bool] = True


@dataclass(frozen=True, kw_only=True)
class PassesSmallSubdomains(SoundNoise):
    """Return everything as it was where there are few records."""

    def run(self, table: Table, job: Job) -> Outcome:
        return super().run(table, job) if table.rows > 90 else Outcome(table.columns)


@dataclass(frozen=True, kw_only=True)
class PassesAsText(ColumnMask):
    """Return every amount as the text of the amount."""

    random: ClassVar[bool] = False
    skips_missing: ClassVar[bool] = False
    reference = "none"

    def run(self, table: Table, job: Job) -> Outcome:
        columns = {}
        for name, values in table.columns.items():
            levels, codes = np.unique(values.data, return_inverse=True)
            columns[name] = Values("nominal", codes.astype(np.int64), tuple(map(str, levels.tolist())))
        return Outcome(columns)


@dataclass(frozen=True, kw_only=True)
class GroupsTooSmall(SoundNoise):
    """Form groups of four and promise five."""

    skips_missing: ClassVar[bool] = False

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        return (GroupsAtLeast(k=5),)

    def run(self, table: Table, job: Job) -> Outcome:
        groups = np.arange(table.rows) // 4
        return replace(super().run(table, job), groups=groups)


@dataclass(frozen=True, kw_only=True)
class EqualRowsTooFew(Mask):
    """Average over groups of two and promise three equal rows."""

    random: ClassVar[bool] = False
    reference = "none"

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        return (EqualRowsAtLeast(k=3),)

    def run(self, table: Table, job: Job) -> Outcome:
        groups = np.arange(table.rows) // 2
        counts = np.bincount(groups)
        return Outcome(
            {
                name: values.with_data((np.bincount(groups, weights=values.data) / counts)[groups])
                for name, values in table.columns.items()
            }
        )


@dataclass(frozen=True, kw_only=True)
class MeansOff(ColumnMask):
    """Keep means up to a millionth of a standard deviation, and promise them exactly."""

    reference = "none"
    off: ClassVar[float] = 1e-6

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        return (MeansKept(),)

    def column(self, x, streams):
        noise = 0.3 * spread(x) * streams.normals(0, len(x))
        return x + (noise - column_means(noise))[:, 0] + self.off * spread(x)


@dataclass(frozen=True, kw_only=True)
class CovariancesOff(Mask):
    """Reflect the records at their mean and stretch the last column by a millionth, promising covariances."""

    random: ClassVar[bool] = False
    reference = "none"

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        return (MeansKept(), CovariancesKept())

    def run(self, table: Table, job: Job) -> Outcome:
        stretch = dict.fromkeys(table.names, 1.0) | {table.names[-1]: 1.0 + 1e-6}
        return Outcome(
            {
                name: values.with_data(values.data.mean() - stretch[name] * (values.data - values.data.mean()))
                for name, values in table.columns.items()
            }
        )


@dataclass(frozen=True, kw_only=True)
class ExactInTheFileOnly(Mask):
    """Reflect the records at their mean, in groups at that of the file, promising means and covariances."""

    random: ClassVar[bool] = False
    reference = "none"

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        return (MeansKept(), CovariancesKept())

    def run(self, table: Table, job: Job) -> Outcome:
        return Outcome({name: x.with_data(2 * x.data.mean() - x.data) for name, x in table.columns.items()})

    def run_in_groups(self, table: Table, job: Job, labels: np.ndarray) -> Outcome:
        return self.run(table, job)


class _CovariancesInWords(CovariancesKept):
    """A promise of covariances whose own check finds nothing."""

    def deviation(self, evidence: Evidence) -> Deviation:
        return Deviation(0.0, 0.0)


@dataclass(frozen=True, kw_only=True)
class CovariancesLost(MeansOff):
    """Keep means, and promise covariances by a claim that is always found kept."""

    off: ClassVar[float] = 0.0

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        return (MeansKept(), _CovariancesInWords())


@dataclass(frozen=True, kw_only=True)
class LowerEndBroken(SoundNoise):
    """Promise the range and watch its upper end only."""

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        return (RangeKept(),)

    def prepare(self, x):
        return spread(x), x.max()

    def rows(self, x, known, draws):
        return np.minimum(x + 0.3 * known[0] * draws.normal(), known[1])


@dataclass(frozen=True, kw_only=True)
class FirstSubdomainOnly(MeansOff):
    """Keep means, except in a subdomain that is not the first."""

    off: ClassVar[float] = 0.0

    def run(self, table: Table, job: Job) -> Outcome:
        found = super().run(table, job)
        if str(job.streams.path[-1]).rpartition("=")[2] != "b":
            return found
        return Outcome({name: values.with_data(values.data + 0.1) for name, values in found.columns.items()})


@dataclass(frozen=True, kw_only=True)
class PromisesForManyOnly(MeansOff):
    """Keep means, and say nothing about them where there are fewer than ninety records."""

    off: ClassVar[float] = 0.0

    def run(self, table: Table, job: Job) -> Outcome:
        found = super().run(table, job)
        return found if table.rows >= 90 else replace(found, claims=())


@dataclass(frozen=True, kw_only=True)
class PromisesMoreThanDigits(Mask):
    """Move every value by its rank times a thousandth, so that distinct values stay distinct in no file."""

    random: ClassVar[bool] = False
    reference = "none"

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        return (OneToOne(columns=columns[:1]),)

    def run(self, table: Table, job: Job) -> Outcome:
        return Outcome({name: values.with_data(_squeezed(values.data)) for name, values in table.columns.items()})


def _squeezed(x):
    return 1.0 + 1e-3 * np.unique(x, return_inverse=True)[1] if len(np.unique(x)) > 1 else x + 1.0


@dataclass(frozen=True, kw_only=True)
class SeedIgnored(SoundNoise):
    """Draw from a key of its own."""

    def run(self, table: Table, job: Job) -> Outcome:
        return super().run(table, replace(job, streams=Streams(Key.of(0)).at("mine")))


@dataclass(frozen=True, kw_only=True)
class SeedsItself(ColumnMask):
    """Draw from NumPy with a seed of its own."""

    reference = "none"

    def column(self, x, streams):
        return x + x.std() * np.random.default_rng(5).normal(size=len(x)) * (len(np.unique(x)) > 1)


@dataclass(frozen=True, kw_only=True)
class DrawsAnywhere(ColumnMask):
    """Draw from the system, whatever the key."""

    reference = "none"

    def column(self, x, streams):
        return x + x.std() * np.random.default_rng().normal(size=len(x)) * (len(np.unique(x)) > 1)


@dataclass(frozen=True, kw_only=True)
class SharesNoise(SoundNoise):
    """Give all columns the noise of one stream."""

    def act(self, table: Table, job: Job, known: Any) -> Outcome:
        streams, columns = job.streams.at("all"), table.columns.items()
        return Outcome({name: self._masked(values, known[name], streams) for name, values in columns})


@dataclass(frozen=True, kw_only=True)
class DrawsByChunk(SoundNoise):
    """Begin a stream in every chunk, by where it begins."""

    def rows(self, x, known, draws):
        begins = int(draws.streams.places(len(x)).min()) if len(x) else 0
        return x + 0.3 * known * draws.streams.at(begins).normals(0, len(x))[:, 0]


@dataclass(frozen=True, kw_only=True)
class SaysRowNeedsSums(SoundNoise):
    """Say that nothing but the record decides, and follow the spread of all."""

    passes: ClassVar[Passes] = "row"


@dataclass(frozen=True, kw_only=True)
class DrawsByCompany(RowMask):
    """Draw by whether records between those at hand are left out."""

    reference = "none"

    def prepare(self, x):
        return len(x) > 0 and x.max() > x.min()

    def rows(self, x, known, draws):
        places = draws.streams.places(len(x))
        gaps = int(len(x) > 0 and np.ptp(places) >= len(x))
        return x + 100.0 * known * draws.streams.at(gaps).normals(0, len(x))[:, 0]


@dataclass(frozen=True, kw_only=True)
class DependsOnColumns(SoundNoise):
    """Say that one column decides, and look at all of them."""

    def run(self, table: Table, job: Job) -> Outcome:
        return super().run(table, replace(job, streams=job.streams.at(len(table.names))))


@dataclass(frozen=True, kw_only=True)
class ChangesInput(SoundNoise):
    """Write into the arrays it was given, where they can be written."""

    def run(self, table: Table, job: Job) -> Outcome:
        found = super().run(table, job)
        for values in table.columns.values():
            if values.data.flags.writeable:
                values.data[0] += 1.0
        return found


@dataclass(frozen=True, kw_only=True)
class FillsGaps(SoundNoise):
    """Give every gap the value zero."""

    def run(self, table: Table, job: Job) -> Outcome:
        found = super().run(table, job).columns
        return Outcome({name: values.with_data(np.nan_to_num(values.data)) for name, values in found.items()})


@dataclass(frozen=True, kw_only=True)
class FillsEmptyColumns(SoundNoise):
    """Give a column without any value zeros."""

    def run(self, table: Table, job: Job) -> Outcome:
        found = super().run(table, job).columns
        return Outcome(
            {
                name: values.with_data(np.zeros(table.rows)) if np.isnan(values.data).all() else values
                for name, values in found.items()
            }
        )


@dataclass(frozen=True, kw_only=True)
class MovesConstants(SoundNoise):
    """Add noise to a column in which all are equal, and so tell which cells were touched."""

    def prepare(self, x):
        return spread(x) + 1.0


@dataclass(frozen=True, kw_only=True)
class DigitsTell(SoundNoise):
    """Touch a third of the cells, and round those to tens."""

    def rows(self, x, known, draws):
        return np.where(
            (known > 0) & (draws.uniform("which") < 0.3), np.round(x + 30.0 * (draws.uniform() - 0.5), -1), x
        )


@dataclass(frozen=True, kw_only=True)
class FalselyCoarser(SoundNoise):
    """Add noise, and say that values are true ones made coarser."""

    coarsens: ClassVar[bool] = True


@dataclass(frozen=True, kw_only=True)
class FalselyAffine(SoundNoise):
    """Add noise, and say that columns are moved and stretched."""

    change: ClassVar[str] = AFFINE


@dataclass(frozen=True, kw_only=True)
class LooksBack(SoundNoise):
    """Move the original, whatever an earlier step made of it."""

    def run(self, table: Table, job: Job) -> Outcome:
        return super().run(job.original, job)


@dataclass(frozen=True, kw_only=True)
class ExpectsTooLittle(SoundNoise):
    """Leave half of the cells alone, and say that a tenth is expected to stay."""

    def expected_unchanged(self, name: str, before: Values) -> float:
        return 0.1

    def rows(self, x, known, draws):
        return np.where(draws.uniform("which") < 0.5, x, super().rows(x, known, draws))


@dataclass(frozen=True, kw_only=True)
class KeyInNote(SoundNoise):
    """Write the key into a note."""

    def run(self, table: Table, job: Job) -> Outcome:
        return replace(super().run(table, job), notes=(f"drawn with {job.streams.key.hex}",))


@dataclass(frozen=True, kw_only=True)
class SpecForgets(SoundNoise):
    """Forget a parameter when written down."""

    strength: Annotated[float, Range(gt=0, grid=(0.1, 0.5)), "how much noise"] = 0.3

    def to_spec(self) -> Any:
        return self.name


@dataclass(frozen=True, kw_only=True)
class ShowsNothing(SoundNoise):
    """Take whole numbers and show none."""

    rounds: Annotated[tuple[int, ...], "how often"] = ()


@dataclass(frozen=True, kw_only=True)
class HiddenState(SoundNoise):
    """Let the release depend on something that is no parameter."""

    salt: int = field(init=False, repr=False, compare=False, default_factory=lambda: secrets.randbits(60))

    def run(self, table: Table, job: Job) -> Outcome:
        return super().run(table, replace(job, streams=job.streams.at(self.salt)))


@dataclass(frozen=True, kw_only=True)
class QuadraticMemory(SoundNoise):
    """Look at all pairs of records at once."""

    def run(self, table: Table, job: Job) -> Outcome:
        x = table.matrix()[:, 0]
        np.subtract.outer(x, x).sum()
        return super().run(table, job)


@dataclass(frozen=True, kw_only=True)
class FalselyExchangeable(Mask):
    """Say that records of a group are exchangeable, and move each by next to nothing."""

    reference = "none"

    def anonymity(self, kinds: Mapping[str, str], telling: tuple[str, ...]) -> GroupAnonymity | None:
        return GroupAnonymity(5, "exchangeable records")

    def run(self, table: Table, job: Job) -> Outcome:
        groups = MDAV(k=5).groups_of(table, job.streams)
        draw = job.streams.generator()
        moved = {
            name: values.with_data(values.data + 1e-2 * values.data.std() * draw.normal(size=table.rows))
            for name, values in table.columns.items()
        }
        return Outcome({name: moved[name] for name in table.names}, groups)
