"""What holds for every registered loss measure with its default parameters."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from microveil.core.measured import Measured, NotApplicable
from microveil.core.registry import registered
from microveil.data import Microdata
from microveil.loss import Loss
from tests.reference import mdav

MEASURES = [cls() for cls in registered(Loss) if not any(parameter.required for parameter in cls.parameters())]
NAMES = [measure.name for measure in MEASURES]
every = pytest.mark.parametrize("measure", MEASURES, ids=NAMES)


def mixed(n: int = 240, seed: int = 1) -> pd.DataFrame:
    generator = np.random.default_rng(seed)
    income = generator.gamma(2.0, 1000.0, n).round(2)
    return pd.DataFrame(
        {
            "income": income,
            "tax": (0.3 * income + generator.standard_normal(n) * 50).round(2),
            "zero": np.where(generator.random(n) < 0.9, 0.0, generator.gamma(2.0, 5.0, n)),
            "flat": np.full(n, 7.0),
            "region": generator.choice(["north", "south", "west"], n),
            "class": pd.Categorical(generator.choice(list("abcd"), n), ordered=True),
        }
    )


def masked(x: pd.DataFrame, seed: int = 2) -> pd.DataFrame:
    generator = np.random.default_rng(seed)
    y = x.copy()
    for name in ("income", "tax"):
        y[name] = x[name] + 0.3 * x[name].std() * generator.standard_normal(len(x))
    y["region"] = np.where(generator.random(len(x)) < 0.2, "north", x["region"])
    return y


def ruled(x: pd.DataFrame) -> Microdata:
    """The file with a rule that it keeps, for the measure that looks at rules."""
    amount = x.select_dtypes("number").columns[0]
    return Microdata(x, edits=[f"`{amount}` >= 0"])


def lossless(measure: Loss) -> float:
    return 1.0 if measure.better == "higher" else 0.0


def check(found: Measured | NotApplicable) -> Measured:
    assert isinstance(found, Measured), found
    assert np.isfinite(found.value)
    assert all(np.isfinite(part) for part in found.parts.values()), found.parts
    assert found.bounds[0] <= found.value <= found.bounds[1] + 1e-12
    assert found.reading.endswith(".")
    assert any(letter.isdigit() for letter in found.reading)
    return found


def test_all_names_of_the_room_are_there():
    expected = {
        "matrix-loss", "information-loss", "yancey-loss", "pil", "propensity", "moment-change", "regression-change",
        "contingency-loss", "entropy-loss", "eigenvalues", "interval-overlap", "sse",
    }  # fmt: skip
    assert expected <= set(NAMES)


@every
def test_identity_loses_nothing(measure: Loss):
    x = mixed()
    assert check(measure(ruled(x), x)).value == pytest.approx(lossless(measure), abs=1e-9)


@every
def test_masking_loses_something(measure: Loss):
    x = mixed()
    found = check(measure(ruled(x), masked(x)))
    # what counts equal records only may lose nothing by noise
    assert abs(found.value - lossless(measure)) > 1e-4 or not measure.follows_noise


@every
@pytest.mark.parametrize("name", ["census", "eia"])
def test_reference_files(measure: Loss, name: str):
    x, y = mdav(name)
    found = measure(ruled(x), y)
    if "continuous" in measure.kinds:
        check(found)
    else:
        assert isinstance(found, NotApplicable)


@every
def test_more_released_records_than_original_ones(measure: Loss):
    x = mixed()
    y = pd.concat([masked(x), masked(x, 3)], ignore_index=True)
    found = measure(ruled(x), y)
    assert isinstance(found, NotApplicable) if measure.paired else check(found)


@every
def test_missing_values(measure: Loss):
    x = mixed()
    y = masked(x)
    for j, name in enumerate(["income", "region", "class"]):
        y.loc[y.index[j::20], name] = None
    x.loc[5, "tax"] = np.nan
    check(measure(ruled(x), y))


@every
def test_row_order_does_not_matter_without_a_link(measure: Loss):
    x = mixed()
    y = masked(x)
    one = measure(ruled(x), y, linked=False)
    other = measure(ruled(x.sample(frac=1, random_state=1)), y.sample(frac=1, random_state=2), linked=False)
    if measure.paired:
        assert isinstance(one, NotApplicable)
    else:
        assert check(one).value == pytest.approx(check(other).value, rel=1e-6, abs=1e-9)


@every
def test_rows_permuted_together_do_not_matter(measure: Loss):
    x = mixed()
    y = masked(x)
    order = np.random.default_rng(4).permutation(len(x))
    one, other = check(measure(ruled(x), y)), check(measure(ruled(x.iloc[order]), y.iloc[order]))
    assert other.value == pytest.approx(one.value, rel=1e-6, abs=1e-9)


@every
@pytest.mark.parametrize("rows", [1, 2, 3])
def test_tiny_files_give_a_figure_or_a_reason(measure: Loss, rows: int):
    x = Microdata(mixed().head(rows), kinds={"class": "nominal"})
    found = measure(x, masked(mixed()).head(rows))
    if isinstance(found, NotApplicable):
        assert found.reason
    else:
        check(found)


@every
def test_subdomains(measure: Loss):
    x = mixed(480)
    found = measure(ruled(x), masked(x), by="class")
    assert isinstance(found, Measured)
    assert len([check(part) for part in found.domains.values()]) == 4
    assert found.value == pytest.approx(np.mean([part.value for part in found.domains.values()]))


@every
def test_survives_json_and_specification(measure: Loss):
    assert type(measure).from_spec(measure.to_spec()) == measure
    found = measure(mixed(), masked(mixed()))
    assert found.to_json()["name"] == measure.name
