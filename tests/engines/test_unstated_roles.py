"""Columns that look like identifiers are looked for in all records of a file in blocks, as in memory."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import microveil as mv
from microveil.data.canonical import plain
from microveil.detect import Finding, UnstatedRoles, find_identifiers
from microveil.engines import BlockEngine, Scan, different_values, scan, unstated_roles
from microveil.engines.different_values import DifferentValues
from microveil.engines.files import BLOCK_ROWS
from microveil.kernels.summaries.summary import merge_all
from tests.engines.test_equality import KEY

ROWS = 300
DRAW = np.random.default_rng(8)
INCOME = np.round(DRAW.lognormal(8, 1, ROWS), 2)
TIMES = np.arange(ROWS) * 86_400 * 40
SURNAMES = ["Garcia", "Fernandez", "Martinez", "Sanchez", "Gonzalez", "Rodriguez", "Lopez", "Perez", "Gomez", "Diaz"]

# what is in the later records of each column; the first 100 are harmless
LATE: dict[str, Any] = {
    "addresses": ["yes", "no"] * 50 + [f"p{row}@example.org" for row in range(200)],
    "running": [None] * 100 + list(range(1000, 1200)),
    "names": ["a", "b"] * 50 + [f"{SURNAMES[row % 10]}, {SURNAMES[row // 10 % 10]}" for row in range(200)],
    "nothing first": [None] * 100 + [f"Calle Mayor {row}" for row in range(200)],
    "degrees": [None] * 100 + (41.0 + DRAW.random(200).round(6)).tolist(),
    "missing first": [-9] * 100 + list(range(5_000_000, 5_000_200)),
    "days": pa.array(TIMES.tolist(), pa.timestamp("s")),
    "household number": [1, 1] * 50 + [row // 3 for row in range(200)],
    "harmless": ["a", "b", "c"] * 100,
    "amounts": INCOME.round().astype(int).tolist(),
}


def _scanned(folder: Path, name: str, values: Any) -> Scan:
    # in small row groups, so that blocks are small
    parquet.write_table(pa.table({name: values, "income": INCOME}), folder / "a.parquet", row_group_size=50)
    return scan(
        folder / "a.parquet", roles={"income": "confidential"}, missing={name: [-9]} if "missing" in name else None
    )


def _found(source: Scan, steps: list[Any], into: Path, engine: Any) -> dict[str, Finding]:
    try:
        mv.Plan(steps).run(source, into=into, seed=KEY, engine=engine)
    except UnstatedRoles as refused:
        assert not into.exists()
        return refused.found
    return {}


@pytest.mark.parametrize("name", LATE)
def test_the_verdict_is_that_of_memory_however_records_are_split(name: str, tmp_path: Path) -> None:
    source = _scanned(tmp_path, name, LATE[name])
    steps = [(mv.mask.UncorrelatedNoise(), ["income"])]
    whole = _found(source, steps, tmp_path / "whole", "memory")
    assert (name in whole) == (name not in {"harmless", "amounts"})
    for rows in (7, 50, 100, ROWS):
        assert _found(source, steps, tmp_path / f"out{rows}", BlockEngine(1, rows)) == whole


def test_records_after_the_first_block_are_looked_at(tmp_path: Path) -> None:
    late = BLOCK_ROWS + 500
    contact = pa.array(["yes", "no"] * (BLOCK_ROWS // 2) + [f"p{row}@example.org" for row in range(500)])
    amounts = np.random.default_rng(1).normal(1000, 50, late).round(2)
    parquet.write_table(pa.table({"reply": contact, "income": amounts}), tmp_path / "a.parquet")
    source = scan(tmp_path / "a.parquet", roles={"income": "confidential"})
    with pytest.raises(UnstatedRoles, match="'reply'"):
        mv.Plan([(mv.mask.UncorrelatedNoise(), ["income"])]).run(
            source, into=tmp_path / "out", seed=KEY, engine="blocks"
        )
    assert not (tmp_path / "out").exists()


# swapped numbers are those of others; noise makes new ones, whichever differ
@pytest.mark.parametrize(
    ("method", "refused"),
    [(mv.mask.RankSwap(p=5), True), (mv.mask.UncorrelatedNoise(), False), (mv.mask.Round(base=1), False)],
    ids=["swap", "noise", "round"],
)
@pytest.mark.parametrize("most", [1 << 20, 60])
def test_amounts_are_new_where_the_whole_source_does_not_have_them(
    method: Any, refused: bool, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unstated_roles, "_MOST", most)
    numbers = np.random.default_rng(2).permutation(ROWS) + 1_000_000
    numbers = numbers + 0.5 if isinstance(method, mv.mask.Round) else numbers
    source = _scanned(tmp_path, "number", numbers)
    whole = _found(source, [(method, ["number"])], tmp_path / "whole", "memory")
    assert bool(whole) == refused
    assert _found(source, [(method, ["number"])], tmp_path / "out", BlockEngine(1, 20)) == whole


# -- columns with more different values than are kept -------------------------------------------------


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(different_values, "_MOST", 2000)


KINDS: dict[str, Any] = {
    "whole": DRAW.integers(0, 40_000, 20_000),
    "decimal": DRAW.normal(size=20_000),
    "texts": [f"v{number}" for number in DRAW.integers(0, 40_000, 20_000)],
    "moments": pa.array(DRAW.integers(0, 10**12, 20_000), pa.timestamp("us", "UTC")),
    "dates": pa.array(DRAW.integers(0, 20_000, 20_000).astype(np.int32)).cast(pa.date32()),
    "times": pa.array(DRAW.integers(0, 86_400, 20_000).astype(np.int32), pa.time32("s")),
    "long": DRAW.integers(2**60, 2**60 + 10**9, 20_000),
}


def _parts(values: Any, cuts: list[int]) -> list[DifferentValues]:
    array = plain(pa.array(values))
    return [
        DifferentValues.of(array.slice(start, stop - start), (), len(array))
        for start, stop in zip([0, *cuts], [*cuts, len(array)], strict=True)
    ]


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("kind", KINDS)
def test_the_values_that_are_kept_do_not_depend_on_the_blocks(kind: str) -> None:
    found = []
    for cuts in ([], [1], [10_000], [3000, 9000, 9001]):
        for order in permutations(_parts(KINDS[kind], cuts)):
            one = merge_all(order)
            found.append((one.records, one.missing, one.limit, set(one.values.to_pylist())))
    assert all(one == found[0] for one in found)
    assert 0 < len(found[0][3]) <= 2000
    different = len(set(plain(pa.array(KINDS[kind])).to_pylist()))
    assert different <= merge_all(_parts(KINDS[kind], [9000])).look("x").distinct <= 1.7 * different


@pytest.mark.usefixtures("few")
def test_whole_numbers_are_the_same_in_floating_blocks() -> None:
    first, second = np.arange(5000), np.arange(2500, 7500)
    same = merge_all([*_parts(first, []), *_parts(second, [])])
    mixed = merge_all([*_parts(first, []), *_parts(second.astype(float), [])])
    assert set(mixed.values.to_pylist()) == set(same.values.to_pylist())
    assert mixed.limit == same.limit


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize(
    ("values", "why"),
    [
        (np.arange(30_000), "running numbers"),
        (np.concatenate([np.arange(900) + 10_000 * number for number in range(1, 34)]), "running numbers"),
        (np.concatenate([np.arange(900) * 7 + 10_000 * number for number in range(1, 34)]), "running numbers"),
        (DRAW.permutation(8_999_999)[:30_000] + 1_000_000, "running numbers"),
        ([f"p{row}@example.org" for row in range(30_000)], "e-mail"),
        (np.rint(DRAW.lognormal(10, 1, 30_000)).astype(int), ""),
        (DRAW.normal(1000, 200, 30_000).round(3), ""),
    ],
    ids=["running", "in blocks", "in steps", "drawn", "addresses", "amounts", "decimals"],
)
def test_values_that_were_drawn_show_what_all_do(values: Any, why: str) -> None:
    look = merge_all(_parts(values, [9000, 12_000])).look("x")
    assert look.drawn is not None
    found = find_identifiers([look])
    assert (why in found["x"].why) if why else not found
