"""Columns that look like identifiers, and what is not written until somebody states their roles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.cli.words import in_command_words
from microveil.core.errors import BadInput
from microveil.detect import UnstatedRoles, find_identifiers, look_at
from tests.detect.finding import found

N = 300


def incomes(seed: int = 0) -> Any:
    return np.random.default_rng(seed).lognormal(8, 1, N).round(2)


def test_one_address_among_many_comments_is_found() -> None:
    words = ["fine", "bad", "none"] * 2_000
    assert found("v1", words) is None
    assert (
        found("v1", [*words, "write to jo.doe@example.org please"]) == "25 % of its values look like e-mail addresses"
    )


def test_the_share_that_looks_so_is_said() -> None:
    values = [f"p{i}@example.org" if i % 4 else f"unknown {i}" for i in range(N)]
    assert found("v1", values) == "75 % of its values look like e-mail addresses"


@pytest.mark.parametrize("values", [range(1, N + 1), range(100_000, 100_000 + N), np.arange(N) + 0.0])
def test_running_numbers_are_found_as_whole_and_floating_numbers(values: Any) -> None:
    assert found("v1", list(values)) == "its values are running numbers"


def test_amounts_are_none() -> None:
    draw = np.random.default_rng(4)
    assert found("v1", incomes()) is None
    assert found("v1", draw.integers(0, 100_000_000, N)) is None
    assert found("v1", draw.normal(45_000, 9_000, N).round()) is None
    assert found("v1", (draw.integers(100, 999, N) * 100_000)) is None
    assert found("salary", draw.integers(100_000, 999_999, N)) is None


def test_a_name_counts_only_with_values_that_fit_it() -> None:
    draw = np.random.default_rng(5)
    assert found("has_phone", draw.integers(0, 2, N)) is None
    assert found("phone", draw.integers(0, 2, N)) is None
    assert found("phone", draw.integers(600_000_000, 700_000_000, N) // 7) is not None
    assert found("nombre", draw.integers(0, 9, N)) is None
    assert found("id_type", draw.choice(["passport", "card"], N)) is None
    assert found("patient_id", draw.integers(1, 90, N)) is not None
    assert found("name", [f"Firm {i % 60}" for i in range(N)]) is not None


def test_coordinates_are_found_in_pairs() -> None:
    draw = np.random.default_rng(6)
    frame = pd.DataFrame({"a": draw.normal(41.4, 0.1, N).round(6), "b": draw.normal(2.1, 0.1, N).round(6)})
    data = mv.Microdata(frame)
    looks = [look_at(data.narwhal.get_column(name)) for name in frame.columns]
    assert list(find_identifiers(looks)) == ["a", "b"]
    assert list(find_identifiers(looks[:1])) == ["a"]
    assert find_identifiers(looks[1:]) == {}  # degrees near zero are scores as well


def test_stated_roles_are_told_from_others_by_default() -> None:
    data = mv.Microdata(pd.DataFrame({"a": [1, 2], "b": [3, 4]}), roles={"a": "other"})
    assert data.stated == {"a"}
    assert data.roles["b"] == "other"
    assert data.with_(roles={"b": "key"}).stated == {"a", "b"}
    assert data.with_(roles={"a": None}).stated == set()
    rounded = mv.mask.Round(base=3).apply(data, columns=["a"], seed=1)
    assert rounded.data.stated == {"a"}


def test_a_release_with_an_unstated_identifier_is_not_written(tmp_path: Path) -> None:
    frame = pd.DataFrame({"mail": [f"p{i}@x.org" for i in range(N)], "inc": incomes()})
    out = tmp_path / "out.csv"
    with pytest.raises(UnstatedRoles, match=r"'mail'.*100 % of its values look like e-mail addresses") as problem:
        mv.write(mv.mask.UncorrelatedNoise().apply(frame, columns=["inc"]), out)
    assert "state roles={'mail': 'identifier'} to leave it out, or roles={'mail': 'other'}" in str(problem.value)
    assert not out.exists()
    for role, columns in {"identifier": ["inc"], "other": ["mail", "inc"]}.items():
        release = mv.mask.UncorrelatedNoise().apply(mv.Microdata(frame, roles={"mail": role}), columns=["inc"])
        mv.write(release, out)
        assert list(pd.read_csv(out).columns) == columns


def test_synthetic_addresses_are_real_ones(tmp_path: Path) -> None:
    frame = pd.DataFrame({"mail": [f"p{i % 40}@x.org" for i in range(N)], "inc": incomes()})
    with pytest.raises(UnstatedRoles, match="'mail'"):
        mv.write(mv.synth.Cart().apply(frame), tmp_path / "out.csv")
    assert not list(tmp_path.iterdir())


def test_numbers_that_a_method_drew_anew_identify_nobody(tmp_path: Path) -> None:
    numbers = np.random.default_rng(1).permutation(np.arange(100_000, 1_000_000, 3_001))
    frame = pd.DataFrame({"v": numbers, "x": incomes()[: len(numbers)]})
    with pytest.raises(UnstatedRoles, match="'v'"):
        mv.write(mv.mask.RankSwap(p=10).apply(frame, columns=["v"]), tmp_path / "swapped.csv")
    release = mv.mask.UncorrelatedNoise(p=0.3).apply(frame, columns=["v"])
    assert release.redrawn == ("v",)
    mv.write(release, tmp_path / "noise.csv")


def test_data_that_nothing_protects_need_a_word(tmp_path: Path) -> None:
    frame = pd.DataFrame({"inc": incomes()})
    for data in (frame, mv.Microdata(frame)):
        with pytest.raises(BadInput, match=r"nothing protects; write a release .* or say unprotected=True"):
            mv.write(data, tmp_path / "out.csv")
    mv.write(frame, tmp_path / "out.csv", unprotected=True)
    with pytest.raises(BadInput, match="unprotected=True is for data that no method protected"):
        mv.write(mv.mask.UncorrelatedNoise().apply(frame), tmp_path / "out.csv", unprotected=True)


def test_numbers_of_households_may_be_released_as_households(tmp_path: Path) -> None:
    frame = pd.DataFrame({"household_id": [n // 2 for n in range(N)], "inc": incomes()})
    with pytest.raises(UnstatedRoles) as problem:
        mv.write(mv.mask.UncorrelatedNoise().apply(frame, columns=["inc"]), tmp_path / "out.csv")
    assert "roles={'household_id': 'household'} releases 'household_id' under new numbers" in str(problem.value)
    assert "--role household_id=household" in in_command_words(str(problem.value))
