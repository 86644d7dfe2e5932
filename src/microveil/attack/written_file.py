"""What a written file tells beside its cells: order, further columns, words of the original, digits, weights.

Each check gives the per cent of what it looks for that is there, 0 where chance explains it, and None where there is
nothing to look at.
"""

from __future__ import annotations

import gzip
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from microveil.attack.described_file import (
    has_attributes,
    has_comments,
    has_formulas,
    has_hidden_parts,
    has_notes,
    has_properties,
    share_absent_labels,
)
from microveil.attack.determined import conclude
from microveil.attack.side_by_side import nearest_rows, put_side_by_side
from microveil.attack.written_digits import telling_digits
from microveil.core.arrays import Floats, Ints
from microveil.data.microdata import Microdata
from microveil.data.schema import check_names
from microveil.io import read
from microveil.measure.sampling import drawn_rows
from microveil.run.release import AnyFile, Release

_MOST_ROWS = 5_000  # whose places are compared
_FEWEST = 20
_ERRORS = 4.0  # standard errors beyond which it is not chance
_LUCK = 6e-5  # of the files in a random order are taken for sorted, and a run is refused for nothing
_SHORTEST = 4  # letters of a word that is searched for: shorter ones stand in any file
_MOST_WORDS = 2_000


@dataclass(frozen=True)
class WrittenFile:
    """A file on disk beside the original that it was made from."""

    path: Path
    original: Microdata
    file: Microdata
    known: tuple[str, ...] | None = None  # columns whose cells are looked at; None: all

    @classmethod
    def open(cls, path: Path, original: AnyFile, known: tuple[str, ...] | None) -> WrittenFile:
        """Read a file as anybody would, beside its original."""
        source = original.original if isinstance(original, Release) else Microdata.of(original)
        file = read(path)
        check_names(known or (), [name for name in source.columns if name in file.columns], "known")
        return cls(path, source, file, known)

    @property
    def common(self) -> tuple[str, ...]:
        """The columns of the original that the file has and that are looked at, identifiers aside."""
        shared = self.original.names("identifier")
        both = (name for name in self.original.columns if name in self.file.columns and name not in shared)
        return tuple(name for name in both if self.known is None or name in self.known)

    @cached_property
    def nearest_originals(self) -> tuple[Ints, Ints] | None:
        """Some rows of the file, and the row of the nearest original of each; None where nothing can be compared."""
        homes = self.original.names("household")  # whose numbers are drawn anew: they lead to other originals
        alike = (name for name in self.common if self.original.kinds[name] == self.file.kinds[name])
        names = [name for name in alike if name not in homes]
        if not names or min(self.file.n, self.original.n) < _FEWEST:
            return None
        rows = drawn_rows(np.arange(self.file.n), _MOST_ROWS, "places in a file")
        some = self.file.with_(self.file.narwhal[rows.tolist()].to_native())
        files = put_side_by_side(names, known=(some,), released=self.original, reference=self.original)
        return rows, nearest_rows(files)

    @cached_property
    def shown(self) -> list[Floats]:
        """The columns that are looked at, as numbers in their order."""
        return [numbers for name in self.common if (numbers := _in_order(self.file, name)) is not None]

    @cached_property
    def runs(self) -> Ints:
        """Runs of rows that differ in no column by which the file is sorted as anybody sees; one run if by none."""
        runs, left = np.zeros(self.file.n, dtype=np.int64), list(range(len(self.shown)))
        while True:
            splits = ((one, _split_runs(runs, self.shown[one])) for one in left)
            found = next(((one, split) for one, split in splits if split is not None), None)
            if found is None:
                return runs
            left.remove(found[0])
            runs = found[1]


def check_order(written: WrittenFile) -> float | None:
    """Correlation of the places of records in the file with those of the nearest originals."""
    if written.nearest_originals is None:
        return None
    rows, originals = written.nearest_originals
    return _follows(rows.astype(np.float64), originals.astype(np.float64), written.runs[rows], 1)


def check_sorted(written: WrittenFile) -> float | None:
    """Rank correlation of the places of rows with values of the original: rows that were sorted before they changed.

    Compared are the released values, and all that the nearest originals have, released or not; the highest counts. Rows
    in the order of a column as it is shown tell nothing but what it shows; among those that show the same, an order
    tells more. However many columns are compared, one of sixteen thousand files looks sorted by chance.
    """
    if written.file.n < _FEWEST:
        return None
    place = np.arange(written.file.n, dtype=np.float64)
    looks = [(place, numbers, written.runs) for numbers in written.shown]
    nearest = written.nearest_originals
    if nearest is not None:
        rows, originals = nearest
        looks += [(place[rows], numbers[originals], written.runs[rows]) for numbers in _all_in_order(written.original)]
    return max((_follows(*look, len(looks)) for look in looks), default=None)


def check_homes(written: WrittenFile) -> float | None:
    """Rank correlation of numbers of households with places and values of the original: numbers that tell them."""
    named = [name for name in written.original.names("household") if name in written.file.columns]
    numbers = [found for name in named if (found := _in_order(written.file, name)) is not None]
    if not numbers or written.nearest_originals is None:
        return None
    rows, originals = written.nearest_originals
    theirs = [np.arange(written.original.n, dtype=np.float64), *_all_in_order(written.original)]
    looks = []
    for homes in numbers:
        homes, first = np.unique(homes[rows], return_index=True)  # one record of each, since members are alike
        looks += [(homes, values[originals[first]], np.zeros(len(homes), dtype=np.int64)) for values in theirs]
    return max(_follows(*look, len(looks)) for look in looks)


def check_columns(written: WrittenFile) -> float | None:
    """Columns that the original does not have, such as an index, or that identify people in it."""
    more = [name for name in written.file.columns if name not in written.original.columns]
    identifying = [
        name
        for name in written.original.names("identifier")
        if name in written.file.columns and _share_known(written, name) > 0
    ]
    return 100.0 if more or identifying else 0.0


def check_words(written: WrittenFile) -> float | None:
    """Per cent of the original's words that no cell shows and that stand in the bytes of the file nevertheless.

    A word that is part of a longer one which cells show (officer, where there are police officers) tells nothing.
    """
    words = _words(written.file)
    shown = "\n".join((*words, *map(str, written.file.columns)))
    hidden = [word for word in sorted(_words(written.original) - words) if word not in shown][:_MOST_WORDS]
    if not hidden:
        return None
    contents = list(_contents(written.path))
    found = [any(form in part for part in contents for form in _spelled(word)) for word in hidden]
    return 100.0 * float(np.mean(found))


def check_digits(written: WrittenFile) -> float | None:
    """How well the decimals of amounts tell cells that were changed from others: the largest difference of shares."""
    found = []
    for name in written.common:
        if written.original.kinds[name] != "continuous" or not _same_kind(written, name):
            continue
        known, shown = (data.values(name, "continuous").numbers for data in (written.original, written.file))
        apart, fewer = telling_digits(shown, known)
        if fewer >= _FEWEST:
            found.append(_beyond_chance(apart, fewer))
    return max(found) if found else None


def check_weights(written: WrittenFile) -> float | None:
    """Per cent of missing cells whose value the weight determines, as the other rows show."""
    named = [name for name in written.original.names("weight") if name in written.file.columns]
    if not named:
        return None
    by = np.asarray(written.file.table(named).codes()[:, 0])
    missing, told = 0, 0
    for name in written.common:
        if name in named:
            continue
        shown = written.file.table([name]).codes()[:, 0]
        concluded = conclude(shown, by)
        missing += int((shown < 0).sum())
        told += int(((shown < 0) & (concluded.value >= 0)).sum()) if concluded.sure else 0
    return 100.0 * told / missing if missing else None


CHECKS: Mapping[str, Callable[[WrittenFile], float | None]] = {
    "order": check_order,
    "sorted": check_sorted,
    "numbers of households": check_homes,
    "further columns": check_columns,
    "words of the original": check_words,
    "digits": check_digits,
    "weights": check_weights,
    "attributes": lambda written: has_attributes(written.path),
    "hidden parts": lambda written: has_hidden_parts(written.path),
    "formulas": lambda written: has_formulas(written.path),
    "comments": lambda written: has_comments(written.path),
    "properties": lambda written: has_properties(written.path),
    "labels of absent values": lambda written: share_absent_labels(written.path),
    "notes": lambda written: has_notes(written.path),
}


def _same_kind(written: WrittenFile, name: str) -> bool:
    return (written.original.kinds[name] == "continuous") == (written.file.kinds[name] == "continuous")


def _all_in_order(data: Microdata) -> list[Floats]:
    """Every column as numbers in their order, as far as values differ."""
    return [numbers for name in data.columns if (numbers := _in_order(data, name)) is not None]


def _in_order(data: Microdata, name: str) -> Floats | None:
    """The values of a column as numbers in their order, texts by the alphabet, NaN for a gap; None if all are one."""
    column = data.narwhal.get_column(name)
    there, known = ~column.is_null().to_numpy(), column.drop_nulls()
    if not there.any():
        return None
    values = known.to_numpy() if known.dtype.is_numeric() else np.array([str(one) for one in known.to_list()])
    found = np.full(len(column), np.nan)
    found[there] = np.unique(values, return_inverse=True)[1].reshape(-1)
    return found if np.nanmax(found) > 0 else None


def _split_runs(runs: Ints, numbers: Floats) -> Ints | None:
    """Runs of equal numbers inside runs of rows, if rows stand in the order of these numbers there; else None.

    Gaps may stand before all numbers or behind them.
    """
    same = np.diff(runs) == 0
    for gap in (-1.0, float(np.nanmax(numbers)) + 1):
        steps = np.diff(np.where(np.isnan(numbers), gap, numbers))
        if (steps[same] >= 0).all() or (steps[same] <= 0).all():
            return np.concatenate([[0], np.cumsum(~same | (steps != 0))])
    return None


def _follows(place: Floats, numbers: Floats, runs: Ints, looks: int) -> float:
    """Rank correlation inside runs, in per cent; 0 where as much comes about by chance in one of so many looks."""
    from scipy.stats import rankdata

    there = ~(np.isnan(numbers) | np.isnan(place))
    kept, inside = np.unique(runs[there], return_inverse=True)
    count = int(there.sum()) - len(kept) + 1
    if count < _FEWEST:
        return 0.0
    inside = inside.reshape(-1)
    ranks = (_beside_mean(values, inside) for values in (place[there], rankdata(numbers[there])))
    return _beyond_luck(_correlation(*ranks), count, looks)


def _beside_mean(values: Floats, runs: Ints) -> Floats:
    return values - (np.bincount(runs, weights=values) / np.bincount(runs))[runs]


def _correlation(x: Floats, y: Floats) -> float:
    if x.std() == 0 or y.std() == 0:
        return 0.0
    return float(np.corrcoef(x, y)[0, 1])


def _beyond_luck(correlation: float, count: int, looks: int) -> float:
    """A correlation in per cent, 0 where shuffled rows give as much by chance in one of so many looks."""
    from scipy.stats import t

    size = min(abs(correlation), 1.0)
    if size < 1:
        deviation = size * np.sqrt((count - 2) / (1 - size**2))
        size = size if 2 * looks * float(t.sf(deviation, count - 2)) < _LUCK else 0.0
    return 100.0 * size


def _beyond_chance(share: float, count: int) -> float:
    """A share in per cent, 0 where as much comes about by chance."""
    return 100.0 * min(share, 1.0) if share * np.sqrt(count) > _ERRORS else 0.0


def _share_known(written: WrittenFile, name: str) -> float:
    known = {str(value) for value in written.original.narwhal.get_column(name).to_list()}
    shown = [str(value) for value in written.file.narwhal.get_column(name).to_list() if value is not None]
    return float(np.mean([value in known for value in shown])) if shown else 0.0


def _words(data: Microdata) -> set[str]:
    """The longer texts in the cells of a file."""
    out: set[str] = set()
    for name in data.columns:
        column = data.narwhal.get_column(name)
        if not column.dtype.is_numeric():
            out |= {str(value) for value in column.unique().to_list() if value is not None}
    return {word for word in out if len(word) >= _SHORTEST}


def _spelled(word: str) -> tuple[bytes, bytes]:
    return word.encode(), word.encode("utf-16-le")


def _contents(path: Path) -> Iterable[bytes]:
    """The bytes of a file, unpacked where it is packed in a common way, and the dictionaries of a Parquet file."""
    raw = path.read_bytes()
    yield raw
    if raw[:2] == b"\x1f\x8b":
        yield gzip.decompress(raw)
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as packed:
            for name in packed.namelist():
                yield packed.read(name)
    yield from _dictionaries(path)


def _dictionaries(path: Path) -> Iterable[bytes]:
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet

    if path.suffix == ".parquet":
        table = pyarrow.parquet.read_table(path)
    elif path.suffix in (".feather", ".arrow"):
        table = pyarrow.feather.read_table(path)
    else:
        return
    for column in table.columns:
        if pa.types.is_dictionary(column.type):
            for chunk in column.chunks:
                yield "\n".join(map(str, chunk.dictionary.to_pylist())).encode()
    for key, value in (table.schema.metadata or {}).items():
        yield key + b"=" + value
