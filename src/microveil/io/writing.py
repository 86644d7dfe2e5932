"""`write`: from a release to a file that gives nothing else away."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from microveil.core.errors import BadInput, BrokenPromise, FileProblem
from microveil.core.streams import Key, Streams
from microveil.data import Microdata
from microveil.detect import refuse_unstated
from microveil.io.atomic import check_place, opened, replacing, sha256_of
from microveil.io.formats import FORMATS, Format, format_of, is_gzip, is_tab_separated
from microveil.io.paths import check_target
from microveil.io.reading import Options, read_contents
from microveil.run import Release
from microveil.run.written import WriteOptions

if TYPE_CHECKING:
    from microveil.io.cleaning import Clean

FORMULAS = ("keep", "refuse")


@dataclass(frozen=True)
class Written:
    """What was written: where, how much, the hash of its bytes, and what the reader of the file should know."""

    path: Path
    rows: int
    columns: tuple[str, ...]
    sha256: str
    notes: tuple[str, ...] = ()


def write(
    release: Release | Microdata | Any,
    path: str | os.PathLike[str],
    *,
    delimiter: str | None = None,
    shuffle: bool = True,
    keep_identifiers: bool = False,
    titles: bool = False,
    formulas: str = "keep",
    reproducible: bool = False,
    unprotected: bool = False,
    seed: int | str | bytes | Key | None = None,
) -> Written:
    """Write a release so that nothing of the source survives in the file.

    The ending says the format: CSV (.csv .tsv .txt, also .gz), Parquet, Feather, SPSS, Stata, XLSX. Rows
    are shuffled with the release's own key, no index is written, identifiers are left out, household
    numbers are drawn anew, categories and value labels that no longer occur and all metadata are
    dropped, codes for missing values become empty, and changed numbers show no finer digits than most of the source.
    `delimiter` is for CSV (comma; tab for .tsv). `titles=True` writes the variable labels of an SPSS or
    Stata source too: read them before. `keep_identifiers=True` keeps identifiers and household numbers. Text in
    CSV files that a spreadsheet program may take for a formula is written as it is and noted;
    `formulas="refuse"` refuses it.

    A release whose seed can be guessed is refused, since who guesses it undoes the shuffle and the noise;
    `reproducible=True` writes it all the same, for tests and teaching. A release in which a column that was to be
    protected came back as it was is refused too.

    A column that looks like an identifier (`microveil.detect`) and whose role nobody stated is refused: state
    `roles={"email": "identifier"}`, and it is left out, or `"other"`, and it is written.

    Microdata or a plain frame are data that nothing protects; `unprotected=True` writes them, and nothing is asked
    about their roles. `seed` is then the secret of the shuffle (None: a fresh one).

    The file is read back before it takes its place: what does not come back the same is an error, and nothing is
    left behind.
    """
    target = Path(path)
    check_target(target)
    kind = _writable_format(target)
    separator = _separator(target, kind, delimiter)
    _check_formulas(kind, formulas)
    source, streams = _source(release, seed, unprotected)
    _refuse_source_file(source, target)
    _refuse_unprotected(source, reproducible)
    from microveil.io.cleaning import clean
    from microveil.io.strangers import check_as_read_by_strangers

    table = clean(source, streams, shuffle, keep_identifiers, titles)
    table, fill = _prepared(table, target, kind, separator, formulas)
    if isinstance(source, Release):
        check_as_read_by_strangers(source, kind)
    with replacing(target) as temporary:
        with opened(temporary, target) as handle:
            fill(handle)
        _verify(table, temporary, target, kind, separator)
        digest = sha256_of(temporary)
    if isinstance(source, Release):
        source.remember_writing(
            WriteOptions(_ending(target), shuffle, delimiter, keep_identifiers, titles, formulas, reproducible, digest)
        )
    left = source.as_they_are.notes if isinstance(source, Release) else ()
    return Written(target, table.table.num_rows, tuple(table.table.column_names), digest, (*table.notes, *left))


def check_writable(data: Microdata, path: str | os.PathLike[str], new_folder: bool = False) -> None:
    """Refuse now what `write` would refuse later, so that no long run ends in vain; nothing is left behind.

    `new_folder`: the folder may be missing, since it will be made before the file is written.
    """
    target = Path(path)
    _writable_format(target)
    _refuse_source_file(data, target)
    if target.parent.exists() or not new_folder:
        check_place(target)


def _writable_format(path: Path) -> Format:
    kind = format_of(path)
    if not kind.writable:
        known = [ending for one in FORMATS if one.writable for ending in one.endings]
        raise BadInput(f"{kind.title} files can be read, not written; write one of {', '.join(known)}")
    return kind


def _separator(path: Path, kind: Format, delimiter: str | None) -> str:
    if kind.name != "csv":
        if delimiter is not None:
            raise BadInput(f"delimiter={delimiter!r} means nothing for {kind.title} files; leave it out")
        return ""
    from microveil.io.csv_delimiter import check_delimiter

    separator = delimiter if delimiter is not None else "\t" if is_tab_separated(path) else ","
    check_delimiter(separator)
    return separator


def _source(release: Any, seed: Any, unprotected: bool) -> tuple[Release | Microdata, Streams]:
    if isinstance(release, Release):
        if seed is not None:
            raise BadInput("a release is shuffled with its own key; leave seed out")
        if unprotected:
            raise BadInput("unprotected=True is for data that no method protected; this is a release: leave it out")
        return release, release.streams
    if not unprotected:
        raise BadInput(
            f"a {type(release).__name__} was given, which nothing protects; write a release "
            "(method.apply(data) or Plan.run(data)), or say unprotected=True if the data may be seen as they are"
        )
    data = Microdata.of(release)
    return data, Streams(Key.of(seed).for_data(data.mark))


def _refuse_source_file(source: Release | Microdata, target: Path) -> None:
    book = source.original.codebook if isinstance(source, Release) else source.codebook
    read_from = book.source if book is not None else None
    if read_from is None:
        return
    same = target.resolve() == read_from
    if not same and target.exists() and read_from.exists():
        same = target.samefile(read_from)
    if same:
        raise FileProblem(f"{str(target)!r} is the file the data were read from; write to another name")


def _ending(path: Path) -> str:
    return "".join(path.suffixes[-2:] if is_gzip(path) else path.suffixes[-1:]).lower()


def _refuse_unprotected(source: Release | Microdata, reproducible: bool) -> None:
    if not isinstance(source, Release):
        return
    if source.exposed:
        raise BrokenPromise(f"{'; '.join(source.exposed)}; nothing was written")
    if not source.key.strong and not reproducible:
        raise BadInput(
            "the seed of this release can be guessed, and who guesses it undoes the protection; leave the seed out, "
            "give 64 random hexadecimal digits, or say reproducible=True if the file is not a real release"
        )
    refuse_unstated(source.original, source.narwhal, source.redrawn)


def _check_formulas(kind: Format, formulas: str) -> None:
    if formulas not in FORMULAS:
        raise BadInput(f"formulas={formulas!r} is not one of {list(FORMULAS)}")
    if formulas != "keep" and kind.name != "csv":
        raise BadInput(f"formulas={formulas!r} means nothing for {kind.title} files; leave it out")


def _prepared(
    clean: Clean, path: Path, kind: Format, separator: str, formulas: str
) -> tuple[Clean, Callable[[BinaryIO], None]]:
    """The table as the format holds it, and how to put it into an open file."""
    if kind.name == "csv":
        from microveil.io.csv_write import for_csv, write_csv

        table = for_csv(clean, formulas)
        return table, lambda handle: write_csv(table.table, handle, separator, is_gzip(path))
    if kind.name == "parquet":
        from microveil.io.arrow_files import write_parquet

        return clean, lambda handle: write_parquet(clean.table, handle)
    if kind.name == "feather":
        from microveil.io.arrow_files import write_feather

        return clean, lambda handle: write_feather(clean.table, handle, dict(clean.levels), set(clean.ordered))
    if kind.name == "xlsx":
        from microveil.io.xlsx_write import for_xlsx, write_xlsx

        table = for_xlsx(clean)
        return table, lambda handle: write_xlsx(table.table, handle)
    if kind.name == "stata":
        from microveil.io.stata_write import for_stata, write_stata

        table = for_stata(clean)
        return table, lambda handle: write_stata(table, handle)
    from microveil.io.spss_write import for_spss, write_spss

    table = for_spss(clean)
    return table, lambda handle: write_spss(table, handle, compress=path.name.lower().endswith(".zsav"))


def _verify(written: Clean, temporary: Path, path: Path, kind: Format, separator: str) -> None:
    """Read the file back as anyone would; every column must hold the same values."""
    from microveil.data.canonical import canonical
    from microveil.io.csv_delimiter import DELIMITERS

    told = separator if kind.name == "csv" and (separator not in DELIMITERS or is_tab_separated(path)) else None
    decimal = "." if kind.name == "csv" else None
    try:
        everything = frozenset(written.table.column_names)
        options = Options(delimiter=told, decimal=decimal, categories=everything, packed=is_gzip(path))
        found = read_contents(temporary, options, kind).table
    except (BadInput, FileProblem):
        raise FileProblem(f"{str(path)!r} could not be read back after writing; nothing was written") from None
    names = written.table.column_names
    if found.column_names != names or found.num_rows != written.table.num_rows:
        raise FileProblem(f"{str(path)!r} did not come back with the same columns and records; nothing was written")
    for name in names:
        if not canonical(written.table[name]).equals(canonical(found[name])):
            raise FileProblem(
                f"{kind.title} cannot hold column {name!r}: its values would come back differently; "
                "write Parquet, or simplify the values; nothing was written"
            )
