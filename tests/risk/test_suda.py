"""SUDA scores against all subsets, the published example and sdcMicro."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import microveil as mv
from microveil.kernels.tables.minimal_uniques import minimal_uniques
from microveil.measure import Pair
from tests.reference import shared_file

KEYS7 = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
EXAMPLE = "U F SI E; U F SI E; U F PI N; U M SC E; R F SC Un; U M SC E; U F PC N; U M PS Un; U F SI N; U F SI N"


def example():
    return pd.DataFrame([row.split() for row in EXAMPLE.split("; ")], columns=["residence", "sex", "education", "work"])


def scores(measure, data):
    return measure.scores(Pair.of(data).only(measure.keys))[0]


def by_definition(codes, largest):
    """Unique on the subset, on no part of it; missing values single nobody out."""
    found = set()
    for size in range(1, largest + 1):
        for subset in combinations(range(codes.shape[1]), size):
            rows = codes[:, subset]
            for i in np.flatnonzero((rows >= 0).all(axis=1)):
                if (rows == rows[i]).all(axis=1).sum() == 1 and not any(
                    row == i and part <= set(subset) for row, part in found
                ):
                    found.add((i, frozenset(subset)))
    return found


@given(st.integers(1, 25), st.integers(1, 5), st.integers(1, 5), st.integers(0, 10**6))
def test_minimal_uniques_are_those_of_the_definition(n, width, largest, seed):
    rng = np.random.default_rng(seed)
    codes = rng.integers(-1, 4, (n, width))
    found = minimal_uniques(codes, largest)
    as_sets = {
        (int(i), frozenset(j for j in range(width) if mask >> j & 1))
        for i, mask in zip(found.record, found.columns, strict=True)
    }
    assert len(as_sets) == len(found.record)
    assert as_sets == by_definition(codes, min(largest, width))


def test_published_example():
    measure = mv.risk.Suda(keys=list(example().columns))
    assert scores(measure, example()).tolist() == [0, 0, 6, 0, 12, 0, 6, 10, 0, 0]
    shares = mv.risk.Suda(keys=list(example().columns), score="ihsn")
    assert scores(shares, example())[[2, 4, 6, 7]] == pytest.approx([1.75, 3.25, 1.75, 2.75])
    assert shares.records(example())[[2, 4, 6, 7]].round(6).tolist() == [0.005120, 0.010702, 0.005120, 0.008775]
    assert shares(example()).value == pytest.approx(0.010702, abs=1e-6)


@pytest.mark.parametrize(
    ("case", "rows", "keys"),
    [("full7", None, KEYS7), ("first200_5", 200, ["urbrur", "roof", "walls", "water", "sex"])],
)
@pytest.mark.parametrize(("score", "flag"), [("elliot", "TRUE"), ("ihsn", "FALSE")])
def test_household_survey_as_in_sdcmicro(case, rows, keys, score, flag):
    data = pd.read_csv(shared_file("data", "testdata.csv"), nrows=rows)
    oracle = pd.read_csv(shared_file("oracles", "risk_categorical", f"suda2_{case}_orig{flag}.csv"))
    measure = mv.risk.Suda(keys=keys, score=score)
    assert scores(measure, data) == pytest.approx(oracle["score"].to_numpy(), rel=1e-9)
    # there the exponent 1.05 of seven keys has single precision
    assert measure.records(data) == pytest.approx(oracle["disScore"].to_numpy(), abs=1e-6)


@pytest.mark.parametrize("case", ["full7", "first200_5"])
def test_contributions_as_in_sdcmicro(case):
    oracle = pd.read_csv(shared_file("oracles", "risk_categorical", f"suda2_{case}_contrib.csv"))
    data = pd.read_csv(shared_file("data", "testdata.csv"), nrows=200 if case == "first200_5" else None)
    parts = mv.risk.Suda(keys=list(oracle["variable"]))(data).parts
    for name, expected in zip(oracle["variable"], oracle["contribution"], strict=True):
        assert parts[f"contribution of {name} (%)"] == pytest.approx(expected, rel=1e-9)


def test_smaller_combinations_only():
    found = mv.risk.Suda(keys=list(example().columns), max_size=1)
    # residence R, education PC and PS are single; PI too: one point each is the product 4 - 1
    assert scores(found, example()).tolist() == [0, 0, 3, 0, 3, 0, 3, 3, 0, 0]


def test_missing_values_single_nobody_out_unless_asked():
    data = pd.DataFrame({"a": ["x", "x", None], "b": ["u", "u", "u"]})
    assert mv.risk.Suda(keys=["a", "b"])(data).value == 0.0
    assert mv.risk.Suda(keys=["a", "b"], missing="own")(data).value > 0.0


def test_no_unique_record_has_score_zero_and_says_so():
    data = pd.DataFrame({"a": ["x", "x"]})
    found = mv.risk.Suda(keys=["a"])(data)
    assert found.value == 0.0
    assert found.reading == "None of the 2 records is singled out by its keys (score 0)."


def test_an_overview_does_not_search_the_combinations_of_many_keys() -> None:
    import pandas as pd

    import microveil as mv

    draw = np.random.default_rng(1)
    frame = pd.DataFrame({f"k{j}": draw.integers(0, 3, 200) for j in range(28)})
    data = mv.Microdata(frame, roles=dict.fromkeys(frame, "key"), kinds=dict.fromkeys(frame, "nominal"))
    pair = mv.measure.Pair.of(data)
    assert "28 keys have too many combinations" in mv.risk.Suda().too_long_for_overview(pair)
    assert not mv.risk.Suda(max_size=2).too_long_for_overview(pair)
    assert not mv.risk.Suda(keys=("k1", "k2")).too_long_for_overview(pair)
