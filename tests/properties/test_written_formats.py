"""What a release must satisfy, on one package in every format that is written; docs/release.md has the list."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest

import microveil as mv
from microveil import certify
from microveil.core.errors import BadInput
from microveil.io.formats import endings_of, known_formats
from microveil.measure import Scenario
from microveil.package import Package, audit, write_package
from tests.io.frames import all_bytes

KEY = "9f3c5a7e1b2d4c6f8091a2b3c4d5e6f70718293a4b5c6d7e8f90a1b2c3d4e5f6"
OTHER = "1" + KEY[1:]
K, N = 5, 150
KEYS = ["sex", "region"]
# one ending of each way in which files are written; the others are names of the same
FORMATS = ("csv", "tsv", "csv.gz", "parquet", "feather", "sav", "zsav", "dta", "xlsx")
SAME = {".txt": "csv", ".tsv.gz": "csv.gz", ".txt.gz": "csv.gz", ".arrow": "feather"}
every_format = pytest.mark.parametrize("ending", FORMATS)
pytestmark = pytest.mark.long


def two_alone() -> mv.Microdata:
    """Two people alone with their region, names of canaries, and incomes to the cent in the order of the file."""
    rng = np.random.default_rng(5)
    region = np.array(["north", "south"])[rng.integers(0, 2, size=N)].astype(object)
    region[:2] = "canary-island"
    return mv.Microdata(
        pa.table(
            {
                "name": [f"canary-{number:04d}" for number in range(N)],
                "sex": rng.integers(1, 3, size=N),
                "region": pa.array(region),
                "income": np.sort(np.round(rng.gamma(2.0, 1300.0, size=N), 2)),
                "rent": np.round(rng.uniform(100, 900, size=N), 1),
            }
        ),
        roles={"name": "identifier", "sex": "key", "region": "key", "income": "confidential", "rent": "confidential"},
        kinds={"sex": "nominal", "region": "nominal"},
        edits=["income >= 0", "rent <= 1000"],
    )


def released(data: mv.Microdata, key: str = KEY) -> mv.Release:
    amounts = mv.mask.Microaggregation(partition=mv.partition.MDAV(k=K))
    plan = mv.Plan([(mv.mask.LocalSuppression(k=K, missing="own"), KEYS), (amounts, ["income", "rent"])])
    return plan.run(data, seed=key)


def written(folder: Path, release: mv.Release) -> Package:
    figures = mv.evaluate(release.original, release, measures=["pil"])
    scenario = Scenario("neighbour", tuple(KEYS), thresholds={"risk": 1 / K})
    return write_package(release, folder, FORMATS, evaluation=figures, scenarios=[scenario], date="2026-11-16")


@pytest.fixture(scope="module")
def release() -> mv.Release:
    return released(two_alone())


@pytest.fixture(scope="module")
def package(release: mv.Release, tmp_path_factory: pytest.TempPathFactory) -> Package:
    return written(tmp_path_factory.mktemp("secret-folder") / "0001", release)


def as_strangers_read(path: Path) -> pd.DataFrame:
    """The file by the reader that most people would take, with nothing said about it."""
    ending = path.name.partition(".")[2]
    if ending in ("sav", "zsav"):
        return pyreadstat.read_sav(str(path))[0]
    readers: dict[str, Any] = {"dta": pd.read_stata, "xlsx": pd.read_excel, "parquet": pd.read_parquet}
    readers |= {"feather": pd.read_feather, "tsv": lambda file: pd.read_csv(file, sep="\t")}
    found: pd.DataFrame = readers.get(ending, pd.read_csv)(path)
    return found


def test_every_ending_that_is_written_is_meant() -> None:
    endings = endings_of(kind for kind in known_formats().values() if kind.writable)
    assert {f".{ending}" for ending in FORMATS} | set(SAME) == set(endings)


@every_format
def test_1_k_holds_on_the_file_as_strangers_read_it(package: Package, ending: str) -> None:
    """P1: gaps counted as a value of their own, as the plan declares."""
    found = as_strangers_read(package.public / f"data.{ending}")
    classes = found.assign(region=found["region"].fillna("")).groupby(KEYS, dropna=False).size()
    assert classes.min() >= K
    assert two_alone().frame.group_by(KEYS).aggregate([("rent", "count")])["rent_count"].to_pylist().count(1)


@every_format
def test_2_nothing_of_the_source_is_in_the_bytes(package: Package, ending: str) -> None:
    """P2: neither identifiers, nor the category that only two had, nor names of folders."""
    said = all_bytes(package.public / f"data.{ending}")
    assert not re.search(rb"(?i)canary|secret-folder|tmp|__index|pandas", said)
    assert b"north" in said or ending in ("parquet", "feather")


@every_format
def test_3_the_order_tells_nothing(package: Package, ending: str) -> None:
    """P3: incomes were sorted; in the file their ranks and places are not related beyond chance."""
    incomes = as_strangers_read(package.public / f"data.{ending}")["income"]
    related = np.corrcoef(incomes.rank(), np.arange(len(incomes)))[0, 1]
    assert abs(related) < 4 / np.sqrt(len(incomes))


def test_4_keys_are_drawn_by_the_system_and_seeds_that_can_be_guessed_are_refused(tmp_path: Path) -> None:
    """P4: 256 bits, never the same; no key in anything that is given away is part of property 8."""
    drawn = {released(two_alone(), None).key.hex for _ in range(2)}  # type: ignore[arg-type]
    assert len(drawn) == 2
    assert all(re.fullmatch("[0-9a-f]{64}", key) for key in drawn)
    with pytest.raises(BadInput, match="can be guessed"):
        write_package(released(two_alone(), "7"), tmp_path / "a", FORMATS)


@pytest.fixture(scope="module")
def others() -> tuple[mv.Release, mv.Release]:
    """The same again, and with another key."""
    return released(two_alone()), released(two_alone(), OTHER)


@every_format
def test_4_one_key_gives_the_same_bytes_and_another_key_others(
    package: Package, others: tuple[mv.Release, mv.Release], tmp_path: Path, ending: str
) -> None:
    """P5; any number of workers: tests/test_reproducible.py and tests/test_processors.py."""
    first = mv.io.sha256_of(package.public / f"data.{ending}")
    again, other = (mv.write(one, tmp_path / f"{number}.{ending}").sha256 for number, one in enumerate(others))
    assert first == again != other


@every_format
def test_5_digits_are_not_finer_than_those_of_the_source(package: Package, ending: str) -> None:
    """P6: cents stay cents and tenths tenths, without a zero that has a sign."""
    found = as_strangers_read(package.public / f"data.{ending}")
    for name, digits in (("income", 2), ("rent", 1)):
        values = found[name].to_numpy(dtype=float)
        assert np.array_equal(values, np.round(values, digits))
        assert not np.signbit(values[values == 0]).any()


@every_format
def test_6_promises_and_rules_hold_on_the_written_file(package: Package, release: mv.Release, ending: str) -> None:
    """P7: means up to the rounding of the digits, groups of at least k, and the edits."""
    found = as_strangers_read(package.public / f"data.{ending}")
    for name, unit in (("income", 0.01), ("rent", 0.1)):
        assert abs(found[name].mean() - np.mean(two_alone().frame[name].to_numpy())) <= unit / 2
    assert found.groupby(["income", "rent"]).size().min() >= K
    assert ((found["income"] >= 0) & (found["rent"] <= 1000)).all()


def test_8_what_is_given_away_tells_no_risk_key_extreme_or_path(package: Package, release: mv.Release) -> None:
    """P11 and P4, in every file of the package; P10 and property 7 are in tests/faults."""
    incomes = two_alone().frame["income"].to_pylist()
    secrets = [release.key.hex, "secret-folder", f"{max(incomes):.2f}", f"{min(incomes):.2f}", "re-identif", "canary"]
    for path in package.public.iterdir():
        said = all_bytes(path)
        assert [secret for secret in secrets if secret.encode() in said] == [], path.name
    assert release.key.hex in (package.internal / "log.json").read_text()


@every_format
def test_9_a_changed_byte_anywhere_is_named(package: Package, tmp_path: Path, ending: str) -> None:
    """P15."""
    copy = tmp_path / "package"
    shutil.copytree(package.public, copy)
    path = copy / f"data.{ending}"
    sound = path.read_bytes()
    statement = certify.read_certificate(copy).statement
    for place in np.linspace(0, len(sound) - 1, 20).astype(int):
        changed = bytearray(sound)
        changed[place] ^= 1
        path.write_bytes(changed)
        assert certify.find_changes(copy, statement) == [f"{path.name} was changed"]


def test_9_the_audit_passes_and_names_a_change(package: Package, tmp_path: Path) -> None:
    """P15."""
    assert audit(package.public, log=package.internal / "log.json").ok
    copy = tmp_path / "package"
    shutil.copytree(package.public, copy)
    (copy / "codebook.txt").write_text("other")
    found = audit(copy)
    assert not found.ok
    assert "codebook.txt was changed" in str(found)


@every_format
def test_10_linking_depends_on_no_order_and_keeps_its_bound(package: Package, release: mv.Release, ending: str) -> None:
    """P8: groups of k are linked correctly once in k at best, whatever the order of the records."""
    found = as_strangers_read(package.public / f"data.{ending}")[["income", "rent"]]
    link = mv.plan.link_of_written(release)
    original = two_alone().frame.select(["income", "rent"]).to_pandas().iloc[link].reset_index(drop=True)
    linked = mv.risk.DistanceLinkage(sizes=[1, 2])
    orders = (np.arange(len(found)), np.random.default_rng(1).permutation(len(found)))
    values = [linked(*(one.iloc[order].reset_index(drop=True) for one in (original, found))).value for order in orders]
    assert values[0] == pytest.approx(values[1])
    assert 0 < values[0] <= 100 / K


def test_p12_a_workbook_has_no_formula_no_hidden_sheet_and_no_properties(package: Package) -> None:
    book = openpyxl.load_workbook(package.public / "data.xlsx")
    assert [sheet.sheet_state for sheet in book.worksheets] == ["visible"]
    assert {cell.data_type for row in book.active.iter_rows() for cell in row} <= {"s", "n"}
    told = book.properties
    assert [told.creator, told.title, told.description, told.lastModifiedBy, told.keywords] in (
        [None] * 5,
        ["openpyxl", None, None, None, None],
    )


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz"])
def test_p12_text_that_spreadsheets_take_for_formulas_is_refused_on_request(tmp_path: Path, ending: str) -> None:
    data = pa.table({"note": ["=1+1", "+2", "-3x", "@a"], "amount": [-1.5, 2.0, -3.0, 4.0]})
    with pytest.raises(BadInput, match="formula"):
        mv.write(data, tmp_path / f"out.{ending}", unprotected=True, formulas="refuse")
    assert list(tmp_path.iterdir()) == []
    mv.write(data.drop_columns(["note"]), tmp_path / f"out.{ending}", unprotected=True, formulas="refuse")
    assert sorted(mv.read(tmp_path / f"out.{ending}").frame["amount"].to_pylist()) == [-3.0, -1.5, 2.0, 4.0]
