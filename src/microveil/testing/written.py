"""Checks of the file as written: read by programs that know nothing of us, it holds what was released and no more."""

from __future__ import annotations

import importlib
import importlib.util
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from microveil.core.errors import BrokenPromise, FileProblem
from microveil.io import Written, write
from microveil.run.method import Method
from microveil.run.release import Release
from microveil.testing.recounts import recount_released
from microveil.testing.runs import seen_on_sample
from microveil.testing.samples import numbers_of, read_texts

Columns = dict[str, list[Any]]
_FEW = 20
_STANDARD_ERRORS = 4.0


def check_written(method: Method) -> None:
    """The CSV file, read by Python's own reader, holds the released records, in an order that says nothing.

    Values are the released ones after the rounding that the notes tell, what is promised about the release alone
    holds by our own count, and the place of a row in the file does not follow its place in the source.
    """
    release = seen_on_sample(method).release
    with TemporaryDirectory() as folder:
        path = Path(folder) / "file.csv"
        written = _write(release, path)
        if written is not None:
            found = _settled(read_texts(path), release)
            _check_records(release, written, found, "csv")
            _check_claims(release, found, "csv")
            _check_order(release, written, found)


def check_written_formats(method: Method) -> None:
    """Every format holds the same records for whoever reads it: pandas, polars, pyarrow and pyreadstat."""
    release = seen_on_sample(method).release
    with TemporaryDirectory() as folder:
        for ending, reader, read in _readers(_texts(release)):
            path = Path(folder) / f"file{ending}"
            try:
                written = _write(release, path)
            except FileProblem:
                continue  # a format that cannot hold these values says so
            except BrokenPromise:
                assert ending in (".sav", ".dta"), f"{ending}: refused although it knows missing text"
                continue
            if written is not None:
                found = _settled(read(path), release)
                _check_records(release, written, found, f"{ending} read by {reader}")
                if ending not in (".sav", ".dta"):
                    _check_claims(release, found, ending)


def check_digits(method: Method) -> None:
    """Digits tell nothing: none are finer than the source's, there is no minus zero, and touched cells look alike.

    Where a part of a column's cells was touched, the touched ones are not rounder than the others.
    """
    release = seen_on_sample(method).release
    with TemporaryDirectory() as folder:
        path = Path(folder) / "file.csv"
        if _write(release, path) is None:
            return
        texts = read_texts(path)
    source = numbers_of(release.original.frame, release.columns)
    for name in release.columns:
        if name not in texts or not _are_numbers(source[name]) or not _are_number_texts(texts[name]):
            continue
        finest = max(_decimals(str(value)) for value in source[name])
        for text in texts[name]:
            assert _decimals(text) <= finest, f"{name}: {text} has finer digits than the source ({finest} decimals)"
            assert not (text.startswith("-") and float(text) == 0), f"{name}: minus zero"
        if not (method.spares or method.coarsens):
            _check_roundness(release, name, source[name], finest)


def _check_roundness(release: Release, name: str, source: Sequence[Any], finest: int) -> None:
    if not finest or (release.origin < 0).any():
        return
    after = numbers_of(release.frame, [name])[name]
    own = [source[row] for row in release.origin.tolist()]
    if not _are_numbers(after):
        return
    rounded = [round(new, finest) for new in after]
    cells = [(new != old, new == round(new, finest - 1)) for new, old in zip(rounded, own, strict=True)]
    touched, left = ([is_round for moved, is_round in cells if moved is side] for side in (True, False))
    if len(touched) < _FEW or len(left) < _FEW or len(set(rounded) - set(own)) < _FEW:
        return  # too few to tell, or a few common values such as a border
    share = (sum(touched) + sum(left)) / len(cells)
    error = np.sqrt(max(share * (1 - share), 1 / len(cells)) * (1 / len(touched) + 1 / len(left)))
    gap = abs(sum(touched) / len(touched) - sum(left) / len(left))
    assert gap <= (_STANDARD_ERRORS + 1) * error, f"{name}: touched cells are told by their digits"


def _write(release: Release, path: Path) -> Written | None:
    """Write the release; one in which something to be protected came back is refused, and that is right."""
    if not release.exposed:
        return write(release, path, reproducible=True)
    try:
        write(release, path, reproducible=True)
    except BrokenPromise:
        return None
    raise AssertionError(f"a file was written although {release.exposed[0]}")


def _check_records(release: Release, written: Written, found: Mapping[str, Sequence[Any]], what: str) -> None:
    names = _compared(release)
    expected = _expected(release, written, names)
    assert list(found) == list(written.columns), f"{what}: the columns are {list(found)}"
    before = Counter(zip(*(expected[name] for name in names), strict=True))
    after = Counter(zip(*(found[name] for name in names), strict=True))
    lacking, added = before - after, after - before
    found_instead = f"{what}: the file lacks {next(iter(lacking), None)} and has {next(iter(added), None)} instead"
    assert before == after, found_instead


def _compared(release: Release) -> list[str]:
    """All columns that are written as they are; numbers of households are drawn anew."""
    hidden = set(release.original.names("identifier", "household"))
    return [name for name in release.original.columns if name not in hidden]


def _expected(release: Release, written: Written, names: Sequence[str]) -> Columns:
    """The released values, rounded where the notes say so."""
    columns = numbers_of(release.frame, names)
    source = numbers_of(release.original.frame, names)
    for name in names:
        if any(note.startswith(f"{name!r} was rounded to") for note in written.notes):
            scale = 10.0 ** max(_decimals(str(value)) for value in source[name] if value is not None)
            columns[name] = [None if value is None else _rounded(value, scale) for value in columns[name]]
    return {name: [_plain(value) for value in values] for name, values in columns.items()}


def _rounded(value: float, scale: float) -> float:
    return float(np.rint(value * scale) / scale)


def _plain(value: Any) -> Any:
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float | np.number):
        return None if value != value else float(value) + 0.0
    return str(value)


def _check_claims(release: Release, found: Mapping[str, Sequence[Any]], what: str) -> None:
    for promise in release.promises:
        claim = promise.claim
        if claim.about != "release" or claim.of_groups or not set(claim.columns) <= set(found):
            continue
        assert recount_released(claim, found) is not False, f"{what}: the file breaks that {claim}"


def _check_order(release: Release, written: Written, found: Mapping[str, Sequence[Any]]) -> None:
    names = _compared(release)
    expected = _expected(release, written, names)
    released = list(zip(*(expected[name] for name in names), strict=True))
    often = Counter(released)
    place = {record: row for row, record in zip(release.origin.tolist(), released, strict=True) if row >= 0}
    records = zip(*(found[name] for name in names), strict=True)
    source = np.array([place[record] for record in records if often[record] == 1 and record in place])
    if len(source) < _FEW:
        return
    ranks = np.argsort(np.argsort(source))
    follows = abs(float(np.corrcoef(ranks, np.arange(len(ranks)))[0, 1]))
    assert follows < _STANDARD_ERRORS / np.sqrt(len(source) - 1), f"rows are in the source's order ({follows:.2f})"


# -- readers that know nothing of us ---------------------------------------------------------------


def _settled(columns: Mapping[str, Sequence[Any]], release: Release) -> Columns:
    """Values of any reader in plain terms: numbers as numbers, text as text, empty text as a gap."""
    out: Columns = {}
    for name, values in columns.items():
        known = [None if value in ("", None) else value for value in values]
        settle = _plain_number if _is_numeric(release, name) else str
        out[name] = [None if value is None else settle(value) for value in known]
    return out


def _plain_number(value: Any) -> Any:
    return _plain(float(value))


def _is_numeric(release: Release, name: str) -> bool:
    return bool(release.narwhal.get_column(name).dtype.is_numeric())


def _texts(release: Release) -> list[str]:
    return [str(name) for name in release.original.columns if not _is_numeric(release, name)]


def _readers(texts: Sequence[str]) -> Iterator[tuple[str, str, Callable[[Path], Columns]]]:
    """Endings with readers that are installed."""
    yield ".parquet", "pyarrow", lambda path: importlib.import_module("pyarrow.parquet").read_table(path).to_pydict()
    if importlib.util.find_spec("pandas"):
        pandas = importlib.import_module("pandas")
        as_text = dict.fromkeys(texts, str)
        yield ".csv", "pandas", lambda path: _of_pandas(pandas.read_csv(path, dtype=as_text, keep_default_na=False))
    if importlib.util.find_spec("polars"):
        polars = importlib.import_module("polars")
        as_string = dict.fromkeys(texts, polars.String)
        yield ".csv", "polars", lambda path: _of_polars(polars.read_csv(path, schema_overrides=as_string))
        yield ".feather", "polars", lambda path: _of_polars(polars.read_ipc(path))
    if importlib.util.find_spec("pyreadstat"):
        reader = importlib.import_module("pyreadstat")
        yield ".sav", "pyreadstat", lambda path: _of_pandas(reader.read_sav(str(path))[0])
        yield ".dta", "pyreadstat", lambda path: _of_pandas(reader.read_dta(str(path))[0])


def _of_polars(frame: Any) -> Columns:
    return dict(frame.to_dict(as_series=False))


def _of_pandas(frame: Any) -> Columns:
    return {name: [None if value != value else value for value in frame[name].tolist()] for name in frame.columns}


def _are_numbers(values: Sequence[Any]) -> bool:
    return all(isinstance(value, int | float) for value in values)


def _are_number_texts(texts: Sequence[str]) -> bool:
    try:
        return all(text == "" or float(text) == float(text) for text in texts)
    except ValueError:
        return False


def _decimals(text: str) -> int:
    """The decimals of a number as text; none of an empty one."""
    if not text:
        return 0
    exponent = Decimal(text).normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0
