"""`read`: from a file to microdata."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from microveil.core.errors import BadInput
from microveil.core.open_types import Cell, Json, Stated
from microveil.data import Microdata
from microveil.data.codebook import Codebook
from microveil.data.frames import AnyFrame
from microveil.data.schema import check_codes, check_names
from microveil.hierarchy.stated import AnyHierarchy
from microveil.io.first_bytes import check_readable
from microveil.io.formats import format_of, reading_options
from microveil.io.formats.format import Contents, Format, Missing, Options, is_gzip
from microveil.io.labelling import AnyLabels, logged_labels, with_labels
from microveil.io.stating import state_options

if TYPE_CHECKING:
    import pyarrow as pa

BACKENDS = ("pyarrow", "pandas", "polars")


def read(
    path: str | os.PathLike[str],
    *,
    roles: Mapping[str, str] | None = None,
    kinds: Mapping[str, str] | None = None,
    levels: Mapping[str, Sequence[Cell]] | None = None,
    hierarchies: Mapping[str, AnyHierarchy] | None = None,
    missing: Missing | None = None,
    integers: str = "round",
    edits: Sequence[str] | None = None,
    titles: Mapping[str, str] | None = None,
    labels: AnyLabels | None = None,
    backend: str = "pyarrow",
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    **others: str,
) -> Microdata:
    """Read a file of records; its ending says the format.

    CSV (.csv .tsv .txt, also .gz), Parquet (.parquet), Feather (.feather .arrow), SPSS (.sav .zsav), Stata (.dta), SAS
    (.sas7bdat .xpt) and XLSX (.xlsx). `roles`, `kinds`, `levels`, `hierarchies`, `missing`, `integers` and `edits` are
    those of `Microdata`; `missing` may also be one list of codes for all columns. `backend` is the frame library of
    the result.

    CSV: `delimiter`, `decimal` and `encoding` as told, else found (comma, semicolon, tab or bar; point or comma;
    UTF-8, UTF-16 with its mark, cp1252); `data.codebook.read_as` says what was unusual. What can be read in two ways
    is an error that names the line. Only an empty field is missing: "NA" is text unless `missing` lists it. Types are
    decided over the whole file; numbers with leading zeros ("01") stay text, and so does a column in quotes.

    XLSX: the `sheet` as told, else the first that is not hidden. Formulas give the result that the file keeps.

    SPSS, Stata, SAS: a labelled column keeps its codes; the labels are in `data.codebook`. Values that SPSS
    declares missing become missing codes. `encoding` is for their texts too. `titles` and `labels` state labels of
    columns and of values in place of those in the file, or where it has none.

    `others` are options that formats added by others declare; an option that the format does not have is an error.
    """
    kind = format_of(Path(path))
    given = {"delimiter": delimiter, "decimal": decimal, "encoding": encoding, "sheet": sheet, **others}
    stated = state_options(given, kind, kind.reading, reading_options(), read)
    if isinstance(missing, str) or not isinstance(missing, Mapping | Sequence | None):
        raise BadInput(f"missing is {missing!r}; give a list of codes, or a list for each column")
    for name, codes in missing.items() if isinstance(missing, Mapping) else ():
        check_codes(name, codes)
    categories = frozenset({*(levels or ()), *(name for name, kind in (kinds or {}).items() if kind != "continuous")})
    options = Options(stated, missing or (), categories)
    contents = read_contents(Path(path), options, kind)
    return Microdata(
        _in_backend(contents.table, backend),
        roles=roles,
        kinds=_stated_kinds(contents, kinds, levels),
        levels=levels,
        hierarchies=hierarchies,
        missing=_missing_codes(contents, missing),
        integers=integers,
        edits=edits,
        codebook=replace(
            with_labels(contents.codebook, titles or {}, labels or {}, contents.table.column_names),
            reading={**_reading(contents, options), **logged_labels(titles or {}, labels or {})},
        ),
    )


def read_with_codebook(path: str | os.PathLike[str], **options: object) -> tuple[Microdata, Codebook]:
    """The microdata of a file and its codebook (value labels, variable labels); options as for `read`."""
    data = read(path, **options)  # type: ignore[arg-type] # `read` says which types they have
    return data, data.codebook or Codebook()


def options_for(path: Path, reading: Stated) -> Json:
    """Of the options with which some file was read, those that this file's format has."""
    other = set(reading_options()) - {option.name for option in format_of(path).reading}
    return {name: value for name, value in reading.items() if name not in other}


def read_contents(path: Path, options: Options, kind: Format) -> Contents:
    """The values of a file as an Arrow table, with what the file says about them."""
    check_readable(path, kind, is_gzip(path) if options.packed is None else options.packed)
    return kind.read(path, options)


def _reading(contents: Contents, options: Options) -> Json:
    """The options that read the file so again: those stated, what was unusual about it, words that are gone by now."""
    found = contents.codebook.read_as
    words = {name: _words_gone(contents.table, name, options.missing) for name in contents.table.column_names}
    gone = {name: told for name, told in words.items() if told}
    return {**(found.options if found is not None else {}), **options.stated, **({"missing": gone} if gone else {})}


def _words_gone(table: pa.Table, name: str, missing: Missing) -> list[str]:
    """The words for missing of a column of numbers, in which none of them can stand any more."""
    from microveil.io.odd_cells import words_for_missing

    return words_for_missing(missing, name) if _is_number(table, name) else []


def _is_number(table: pa.Table, name: str) -> bool:
    import pyarrow as pa

    kind = table.schema.field(name).type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _stated_kinds(contents: Contents, kinds: Mapping[str, str] | None, levels: Stated | None) -> dict[str, str]:
    """The kinds the user states, and those that the labels of the file tell."""
    told = {name: kind for name, kind in contents.kinds.items() if name not in (levels or {})}
    return {**told, **(kinds or {})}


def _missing_codes(contents: Contents, missing: Missing | None) -> dict[str, Sequence[Cell]]:
    """The codes the user states, and those the file declares; text codes of number columns are gone already."""
    table = contents.table
    if isinstance(missing, Mapping):
        check_names(dict(missing), table.column_names, "missing")
        stated: dict[str, Sequence[Cell]] = dict(missing)
    else:
        stated = {name: list(missing) for name in table.column_names} if missing else {}
    codes: dict[str, Sequence[Cell]] = {}
    for name in table.column_names:
        given = stated.get(name, ())
        usable = [code for code in given if not (isinstance(code, str) and _is_number(table, name))]
        both = [*usable, *(code for code in contents.missing.get(name, ()) if code not in usable)]
        if both:
            codes[name] = both
    return codes


def _in_backend(table: pa.Table, backend: str) -> AnyFrame:
    if backend not in BACKENDS:
        raise BadInput(f"no backend called {backend!r}; there are {list(BACKENDS)}")
    import narwhals as nw

    try:
        found: AnyFrame = nw.from_arrow(table, backend=backend).to_native()  # type: ignore[arg-type]
    except ModuleNotFoundError:
        raise BadInput(f"backend {backend!r} is not installed; install it or use 'pyarrow'") from None
    return found
