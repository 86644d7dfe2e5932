"""Damaged files and projects are read or refused in one line; nothing else ever comes out of a reader.

`python -m tools.fuzz` tries more, in processes that may crash; what failed there is in `corpus` and is tried here.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import microveil as mv
from microveil.core.errors import MicroveilError
from microveil.io import statistical
from tools.fuzz.seeds import READABLE, sound_files
from tools.fuzz.targets import KINDS, PROJECT, fault_of, input_of

CORPUS = sorted((Path(__file__).parent / "corpus").iterdir())
STATISTICAL = ("sav", "zsav", "dta", "xpt", "sas7bdat")
NUMBERS = st.integers(min_value=0, max_value=2**40)


@pytest.fixture
def beside_data(tmp_path: Path) -> Path:
    """A folder with the data that damaged projects name."""
    (tmp_path / "data.csv").write_bytes(sound_files()["csv"][0])
    return tmp_path


@pytest.mark.parametrize("kind", [kind for kind in READABLE if kind != "sas7bdat"])
def test_what_is_damaged_was_sound(tmp_path: Path, kind: str) -> None:
    for number, content in enumerate(sound_files()[kind]):
        path = tmp_path / f"{number}.{kind}"
        path.write_bytes(content)
        assert mv.read(path).n


@pytest.mark.long
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in STATISTICAL])
@settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(number=NUMBERS)
def test_damaged_input_is_read_or_refused_in_one_line(beside_data: Path, kind: str, number: int) -> None:
    assert fault_of(kind, input_of(kind, number), beside_data) == ""


@pytest.mark.long
@pytest.mark.parametrize("kind", STATISTICAL)
@settings(max_examples=4, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(number=NUMBERS)
def test_damaged_statistical_files_are_read_or_refused_in_one_line(beside_data: Path, kind: str, number: int) -> None:
    assert fault_of(kind, input_of(kind, number), beside_data) == ""


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_what_failed_once_never_fails_again(beside_data: Path, path: Path) -> None:
    kind = path.name.split("--")[0].replace("_", ".") if path.suffix != ".yaml" else PROJECT
    assert fault_of(kind, path.read_bytes(), beside_data) == ""


def test_the_targets_see_faults(beside_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of ours, and a line that is none."""
    sound = sound_files()["csv"][0]
    for error, told in ((KeyError("x"), "KeyError: 'x'"), (MicroveilError("a\nb"), "an error of several lines")):

        def fail(*_: object, error: Exception = error) -> None:
            raise error

        monkeypatch.setattr("microveil.read", fail)
        assert fault_of("csv", sound, beside_data).startswith(told)


def test_the_same_number_gives_the_same_damage() -> None:
    assert all(input_of(kind, 7) == input_of(kind, 7) for kind in KINDS)
    assert len({input_of("csv", number) for number in range(50)}) > 40


def test_a_crash_of_another_process_is_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "in.sav"
    path.write_bytes(sound_files()["sav"][0])
    monkeypatch.setattr(statistical, "_READ_HEADER", "import os; os.abort()")
    with pytest.raises(MicroveilError, match="damaged or cut short"):
        mv.read(path)
    monkeypatch.setattr(statistical, "_READ_HEADER", "raise ValueError")
    assert mv.read(path).n == 12
