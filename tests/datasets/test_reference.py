from __future__ import annotations

import subprocess
import sys

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from microveil.core.errors import BadInput, FileProblem, UnknownName
from microveil.datasets import REFERENCE_FILES, load
from tests.reference import shared_file

SHAPES = {
    "census": (1080, 13),
    "eia": (4092, 15),
    "tarragona": (834, 13),
    "testdata": (4580, 15),
    "francdat": (8, 8),
    "free1": (4000, 34),
    "thyroid": (1947, 21),
}


@pytest.mark.parametrize("name", REFERENCE_FILES)
def test_reference_files(name):
    shared_file("data", f"{name}.csv")
    table = load(name)
    assert isinstance(table, pa.Table)
    assert table.shape == SHAPES[name]
    assert sum(column.null_count for column in table.columns) == 0


@pytest.fixture
def data_folder(tmp_path, monkeypatch):
    (tmp_path / "census.csv").write_text('"A","B"\n1,"x"\n2,"y"\n')
    monkeypatch.setenv("MICROVEIL_DATA", str(tmp_path))
    return tmp_path


def test_the_folder_may_hold_the_files_itself(data_folder):
    assert load("census").to_pydict() == {"A": [1, 2], "B": ["x", "y"]}


def test_the_subfolder_data_comes_first(data_folder):
    (data_folder / "data").mkdir()
    (data_folder / "data" / "census.csv").write_text("A\n7\n")
    assert load("census").to_pydict() == {"A": [7]}


def test_without_the_variable_the_neighbour_folder_is_read(data_folder, monkeypatch):
    monkeypatch.delenv("MICROVEIL_DATA")
    (data_folder / "shared" / "data").mkdir(parents=True)
    (data_folder / "shared" / "data" / "eia.csv").write_text("A\n9\n")
    (data_folder / "project").mkdir()
    monkeypatch.chdir(data_folder / "project")
    assert load("eia").to_pydict() == {"A": [9]}


def test_backends(data_folder):
    assert isinstance(load("census", backend="pandas"), pd.DataFrame)
    assert isinstance(load("census", backend="polars"), pl.DataFrame)
    with pytest.raises(BadInput, match="no backend called 'r'"):
        load("census", backend="r")


def test_absent_file_says_where_it_was_looked_for(data_folder):
    with pytest.raises(FileProblem, match=r"eia\.csv is neither in .* set the environment variable MICROVEIL_DATA"):
        load("eia")


def test_broken_file(data_folder):
    (data_folder / "eia.csv").write_text("A,B\n1\n")
    with pytest.raises(FileProblem, match=r"eia\.csv cannot be read as a csv file"):
        load("eia")
    (data_folder / "free1.csv").write_text("")
    with pytest.raises(FileProblem, match=r"free1\.csv cannot be read as a csv file"):
        load("free1")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Tarragonna", "no reference file called 'Tarragonna'; the nearest is 'tarragona'"),
        ("xyzzy", r"no reference file called 'xyzzy'; there are \['census', 'eia'"),
        ("../census", "no reference file called '../census'; the nearest is 'census'"),
    ],
)
def test_unknown_names(name, text):
    with pytest.raises(UnknownName, match=text):
        load(name)


def test_import_loads_no_frame_library():
    check = "import sys, microveil.datasets; print(sorted({'pyarrow', 'pandas', 'polars', 'scipy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
