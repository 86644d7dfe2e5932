"""`write`: from a release to a file that gives nothing else away."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from microveil.core.streams import Key
from microveil.data import Microdata
from microveil.io.atomic import check_place, open_temporary, replacing, sha256_of
from microveil.io.formats import ending_of, writable_format, writing_options
from microveil.io.paths import check_target
from microveil.io.permitting import refuse_source_file, refuse_unprotected, source_of
from microveil.io.stating import check_values, state_options
from microveil.run import Release
from microveil.run.release import AnyFile
from microveil.run.written import WriteOptions


@dataclass(frozen=True)
class Written:
    """What was written: where, how much, the hash of its bytes, and what the reader of the file should know."""

    path: Path
    rows: int
    columns: tuple[str, ...]
    sha256: str
    notes: tuple[str, ...] = ()


def write(
    release: AnyFile,
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
    **others: str,
) -> Written:
    """Write a release so that nothing of the source survives in the file.

    The ending says the format: CSV (.csv .tsv .txt, also .gz), Parquet (.parquet), Feather (.feather .arrow), SPSS
    (.sav .zsav), Stata (.dta), XLSX (.xlsx). Rows are shuffled with the release's own key, no index is written,
    identifiers are left out, household numbers are drawn anew, categories and value labels that no longer occur and
    all metadata are dropped, codes for missing values become empty, and changed numbers show no finer digits than
    most of the source.
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

    `others` are options that formats added by others declare; an option that the format does not have is an error.

    The file is read back before it takes its place: what does not come back the same is an error, and nothing is
    left behind.
    """
    target = Path(path)
    check_target(target)
    kind = writable_format(target)
    given = {"delimiter": delimiter, "formulas": None if formulas == "keep" else formulas, **others}
    stated = state_options(given, kind, kind.writing, writing_options(), write)
    check_values(stated, kind.writing)
    source, streams = source_of(release, seed, unprotected)
    refuse_source_file(source, target)
    refuse_unprotected(source, reproducible)
    from microveil.io.cleaning import clean
    from microveil.io.strangers import check_as_read_by_strangers
    from microveil.io.verifying import verify

    table = kind.adapt(clean(source, streams, shuffle, keep_identifiers, titles), stated)
    if isinstance(source, Release):
        check_as_read_by_strangers(source, kind)
    with replacing(target) as temporary:
        with open_temporary(temporary, target) as handle:
            kind.write(table, handle, target, stated)
        verify(table, temporary, target, kind, stated)
        digest = sha256_of(temporary)
    if isinstance(source, Release):
        source.remember_writing(
            WriteOptions(
                ending_of(target), shuffle, delimiter, keep_identifiers, titles, formulas, reproducible, digest, others
            )
        )
    left = source.as_they_are.notes if isinstance(source, Release) else ()
    return Written(target, table.table.num_rows, tuple(table.table.column_names), digest, (*table.notes, *left))


def check_writable(data: Microdata, path: str | os.PathLike[str], new_folder: bool = False) -> None:
    """Refuse now what `write` would refuse later, so that no long run ends in vain; nothing is left behind.

    `new_folder`: the folder may be missing, since it will be made before the file is written.
    """
    target = Path(path)
    writable_format(target)
    refuse_source_file(data, target)
    if target.parent.exists() or not new_folder:
        check_place(target)
