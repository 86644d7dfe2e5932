"""CSV files converted some rows at a time: the cells, the types and the complaints of a file that is read whole."""

from __future__ import annotations

import gzip
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from microveil.core.errors import BadInput, MicroveilError
from microveil.io import csv_columns, csv_decoded, csv_parts, odd_cells
from microveil.io.csv_convert import csv_to_parquet
from microveil.io.csv_read import parse_rows, read_csv
from microveil.io.formats import format_of
from microveil.io.formats.format import Options, is_gzip

CASES = {
    "types": "a,b,c\n1,2.5,x\n2,3.5,y\n3,,z\n4,1e5,\n5,2,w\n",
    "late text": "a,b\n" + "1,2\n" * 9 + "x,3.5\n",
    "truth": "a,b\n" + "true,TRUE\n" * 5 + "false,True\n",
    "breaks in quotes": 'a,b\n"1","x,y"\n"2","z\nq"\n"","w"\n"4","5"\n',
    "codes in quotes": 'a,b\n1,"01"\n2,"02"\n3,"5"\n4,"6"\n',
    "decimal commas": "a;b\n1,5;2\n2,5;3\n1.000,25;4\n7;8\n",
    "blanks group thousands beside decimals": "a;b\n1 000;2\n2 000;2\n3 000;3\n4 000;3\n5,5;3\n",
    "a day that is none": "d\n2020-01-01\n2020-01-02\n2020-01-02\n2020-02-30\n",
    "moments": "d,e\n2020-01-01 10:00:00,10:00:00\n2020-01-01,10:00:00\n2020-01-01T10:00:00.123456789,10:00:01.5\n",
    "zones": "d,e\n" + "2020-01-01T10:00:00Z,2020-01-01T10:00:00Z\n" * 4 + "2020-01-01T10:00:00+02:00,2020-01-01\n",
    "words": "a,b\n1,x\n2,NA\n3,y\nNA,z\n4,1\n",
    "zeros in front": "a\n1\n2\n3\n4\n05\n",
    "long numbers": "a\n1\n2\n3\n4\n12345678901234567890\n",
    "odd cells": "a\n" + "".join(f"{row}.5\n" for row in range(60)) + "$5\n",
    "codes behind numbers": "a\n" + "".join(f"{row}\n" for row in range(70)) + "12A\n",
    "a word behind numbers": "a\n" + "".join(f"{row}\n" for row in range(70)) + "n/a\n",
    "one or a thousand": "a;b\n1.000;x\n2.000;y\n",
    "points and commas": "a;b\n1,5;1.5\n2,5;2.5\n2,5;2.5\n2,5;2.5\n",
    "too many fields": "a,b\n1,2\n1,2\n1,2\n1,2\n1,2,3\n1,2\n",
    "an open quote": 'a,b\n1,2\n1,2\n1,2\n1,2\n1,"2\n1,2\n',
    "one column": "a\n1\n\n\n\n3\n",
    "stated delimiter": "sep=;\na;b\n1;2\n",
    "no records": "a,b\n",
    "empty lines": "\n\n\na,b\n1,2\n\n\n3,4\n\n\n\n5,6\n1,1",
    "an empty last field": 'a,b\n1,"x"\n1,"x"\n1,"x"\n1,',
    "a mark": "\ufeffa,b\n1,é\n2,ü\n",
    "all in quotes": '"a","b"\n"1","2.5"\n"2",""\n"3","1"\n"4","7"\n',
    "infinite": "a\n1.5\n2.5\n1.5\n2.5\ninf\n",
    "nothing first": 'a\n""\n""\n\n\n\n\n5\n6\nabc\n',
}


@pytest.fixture(autouse=True)
def few_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_parts, "PART_ROWS", 3)
    monkeypatch.setattr(csv_columns, "FIRST", 50)
    monkeypatch.setattr(odd_cells, "FIRST", 50)
    monkeypatch.setattr(csv_columns, "_TELLING", 2)
    monkeypatch.setattr(csv_decoded, "_AT_ONCE", 7)


def compare(path: Path, folder: Path, options: Options) -> None:
    """Both ways give the same table, or the same complaint."""
    found: list[Any] = []
    for convert in (False, True):
        try:
            if convert:
                folder.mkdir()
                told = csv_to_parquet([path], options, folder / "records.parquet")
                assert [one.name for one in folder.iterdir()] == ["records.parquet"]
                found.append((parquet.read_table(folder / "records.parquet").combine_chunks(), told))
            else:
                way = {"missing": options.missing, "categories": options.categories, **options.stated}
                table, told = read_csv(path, format_of(path), is_gzip(path), **way)  # type: ignore[arg-type]
                found.append((table.combine_chunks(), told))
        except MicroveilError as problem:
            found.append((type(problem), str(problem)))
    whole, parts = found
    assert whole[1] == parts[1]
    if isinstance(whole[0], pa.Table):
        assert whole[0].schema == parts[0].schema
    assert whole[0] == parts[0]


@pytest.mark.parametrize("text", CASES.values(), ids=CASES)
def test_the_same_cells_types_and_complaints(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(text.encode())
    compare(path, tmp_path / "plain", Options())
    compare(path, tmp_path / "words", Options({}, ["NA", "2"]))
    compare(path, tmp_path / "codes", Options({}, {"a": ["x"]}, frozenset({"a", "d"})))


@pytest.mark.parametrize(
    ("text", "encoding", "stated"),
    [
        ("a,b\nMünchen,1\nKöln,2\n", "utf-8", None),
        ("a,b\nMünchen,1\nKöln,2\n", "cp1252", None),
        ("a,b\nMünchen,1\nKöln,2\n", "utf-16", None),
        ("a,b\nŁódź,1\nKöln,2\n", "cp1250", "cp1250"),
        ("a,b\nŁódź ąę,1\nKöln,2\n", "cp1250", None),
        ("a,b\nbbbbbbbb,1\nKöln,2\n", "cp1252", "utf-8"),
        ("a,b\nx,1\n", "utf-8", "klingon"),
        ("a,b\nx\0,1\nKöln,2\n", "utf-8", None),
        ("a,b\nx\0,1\nKöln,2\n", "latin-1", "latin-1"),
        ("a,b\n12345,1\nMünchen Привет,2\n", "cp1251", None),
    ],
)
def test_encodings(text: str, encoding: str, stated: str | None, tmp_path: Path) -> None:
    data = text.encode(encoding, "ignore")
    (tmp_path / "a.csv").write_bytes(data)
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(data))
    options = Options({} if stated is None else {"encoding": stated})
    compare(tmp_path / "a.csv", tmp_path / "plain", options)
    compare(tmp_path / "b.csv.gz", tmp_path / "packed", options)


POOL = [
    *("1", "2", "-3", "0", "05", "1.5", "1,5", "1.000", "1,000", "1 000", "2 000,5", "1.000,5", "1,000.5", ".5", "1e5"),
    *("NA", "nan", "-", "x", "true", "false", "TRUE", "2020-01-01", "2020-01-02 10:00:00", "2020-01-01T00:00:00Z"),
    *("10:00:00", "10:00:00.5", "", "", " 1", " 2.5 ", "$5", "0x1F", "(12.5)", "12345678901234567", "1e400", "#N/A"),
    *("é", "+5", "12A", "inf", "2020-01-01T10:00:00.1234567"),
]


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.full) for seed in (1, 2, 3))])
def test_any_cells(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    for number in range(40):
        between, line = draw.choice([",", ";", "\t"]), draw.choice(["\n", "\r\n"])
        pools = [draw.sample(POOL, draw.choice([1, 1, 2, 2, 3])) for _ in range(draw.randint(1, 3))]
        if draw.random() < 0.3:
            pools[0] = [f"{row}.25" for row in range(40)] + draw.sample(POOL, 1)
        quoted = [draw.choice([0, 0, 1, 0.5]) for _ in pools]
        rows = []
        for _ in range(draw.randint(1, 30)):
            cells = [draw.choice(pool) for pool in pools]
            rows.append(
                between.join(
                    f'"{cell}"' if draw.random() < share or between in cell else cell
                    for cell, share in zip(cells, quoted, strict=True)
                )
            )
        path = tmp_path / f"{number}.csv"
        text = line.join([between.join(f"c{place}" for place in range(len(pools))), *rows])
        path.write_bytes((text + draw.choice(["", line, line + line])).encode())
        stated = {"delimiter": between} if draw.random() < 0.5 else {}
        stated |= {"decimal": draw.choice([".", ","])} if draw.random() < 0.3 else {}
        missing: Any = draw.choice([(), ["NA"], ["1", "NA"], {"c0": ["x", "-"]}])
        compare(path, tmp_path / str(number), Options(stated, missing, frozenset(draw.choice([[], [], ["c0"]]))))


def test_types_are_decided_over_all_files(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,y\n1,1\n2,2\n")
    (tmp_path / "b.csv").write_text("x;y\n2.5;3\n")
    (tmp_path / "c.csv").write_text("x,y\n1,NA\n")
    (tmp_path / "d.csv").write_text("x,z\n1,2\n")
    folder = tmp_path / "held"
    folder.mkdir()
    paths = [tmp_path / f"{name}.csv" for name in "abc"]
    csv_to_parquet(paths[:2], Options(), folder / "two.parquet")
    assert parquet.read_table(folder / "two.parquet").to_pydict() == {"x": [1.0, 2.0, 2.5], "y": [1, 2, 3]}
    with pytest.raises(BadInput, match=r"column 'y' holds numbers and \['NA'\] \(first in line 2 of c.csv\)"):
        csv_to_parquet(paths, Options(), folder / "three.parquet")
    with pytest.raises(BadInput, match=r"d.csv has other columns than a.csv: y, z"):
        csv_to_parquet([paths[0], tmp_path / "d.csv"], Options(), folder / "four.parquet")


def test_too_many_different_texts_behind_numbers_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_columns, "MOST_DIFFERENT", 60)
    (tmp_path / "a.csv").write_text("a\n" + "".join(f"{row}\n" for row in range(70)) + "12A\n")
    with pytest.raises(BadInput, match="'a' begins like numbers, and more than 60 different texts do not tell"):
        csv_to_parquet([tmp_path / "a.csv"], Options(), tmp_path / "records.parquet")


def test_a_parser_whose_threads_let_go_late_does_not_keep_the_file_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = []

    def parse_and_hold(path: Path, kind: Any, rest: memoryview, delimiter: str, seen: Any) -> list[pa.ChunkedArray]:
        held.append(memoryview(rest))
        return parse_rows(path, kind, rest, delimiter, seen)

    monkeypatch.setattr(csv_parts, "parse_rows", parse_and_hold)
    path = tmp_path / "a.csv"
    path.write_bytes(b"a\n1\n\n\n\n3\n")
    (tmp_path / "held").mkdir()
    csv_to_parquet([path], Options(), tmp_path / "held" / "records.parquet")
    assert held


def test_a_view_of_the_file_that_outlives_it_ends_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held = []
    close = csv_parts.CsvText.close

    def look_and_close(file: csv_parts.CsvText) -> None:
        held.append(memoryview(file.body))
        close(file)

    monkeypatch.setattr(csv_parts.CsvText, "close", look_and_close)
    (tmp_path / "a.csv").write_bytes(b"a\n1\n3\n")
    (tmp_path / "held").mkdir()
    csv_to_parquet([tmp_path / "a.csv"], Options(), tmp_path / "held" / "records.parquet")
    assert bytes(held[0]) == b"a\n1\n3\n"


def test_files_are_closed_when_one_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = []
    monkeypatch.setattr(csv_parts.CsvText, "close", lambda file: closed.append(file.path.name))
    (tmp_path / "a.csv").write_bytes("a\né\n".encode("cp1252"))
    (tmp_path / "b.csv").write_bytes(b"b\n1\n")
    (tmp_path / "held").mkdir()
    with pytest.raises(BadInput, match="has other columns"):
        csv_to_parquet([tmp_path / "a.csv", tmp_path / "b.csv"], Options(), tmp_path / "held" / "records.parquet")
    assert sorted(closed) == ["a.csv", "b.csv"]
    assert not list((tmp_path / "held").iterdir())


def test_rows_that_grow_longer_are_parsed_fewer_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_parts, "PART_ROWS", 1000)
    monkeypatch.setattr(csv_parts, "_FIRST_ROWS", 5)
    monkeypatch.setattr(csv_parts, "_PART_BYTES", 200)
    monkeypatch.setattr(csv_parts, "_MOST_PART_BYTES", 800)
    taken = []

    def parse_and_note(path: Path, kind: Any, rest: memoryview, delimiter: str, seen: Any) -> list[pa.ChunkedArray]:
        taken.append(len(rest))
        return parse_rows(path, kind, rest, delimiter, seen)

    monkeypatch.setattr(csv_parts, "parse_rows", parse_and_note)
    path = tmp_path / "a.csv"
    path.write_text("a\n" + "x\n" * 50 + ("y" * 150 + "\n") * 50 + "z" * 5000 + "\n")
    compare(path, tmp_path / "held", Options())
    assert max(size for size in taken if size < 5000) <= 800
    assert len(taken) > 10
