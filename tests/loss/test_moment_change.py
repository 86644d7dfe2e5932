from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from microveil.loss import MomentChange
from tests.loss.files import frame_of, tell_exact_moments
from tests.reference import mdav, original


def test_formulas():
    generator = np.random.default_rng(1)
    x, y = generator.gamma(1.0, size=(300, 2)), generator.gamma(2.0, size=(250, 2))
    parts = MomentChange(relative_to="moment")(frame_of(x), frame_of(y)).parts

    def mu(X: np.ndarray, r: int, s: int) -> float:
        a, b = (X - X.mean(axis=0)).T
        return float(np.mean(a**r * b**s))

    def change(*orders: tuple[int, int]) -> float:
        return 100 * float(np.mean([abs(mu(y, *o) / mu(x, *o) - 1) for o in orders]))

    assert parts["third"] == pytest.approx(change((3, 0), (0, 3)))
    assert parts["third mixed"] == pytest.approx(change((2, 1), (1, 2)))
    assert parts["fourth"] == pytest.approx(change((4, 0), (0, 4)))
    assert parts["fourth mixed"] == pytest.approx(change((3, 1), (1, 3), (2, 2)))
    raw = MomentChange(relative_to="moment", central=False)(frame_of(x), frame_of(y)).parts
    assert raw["third"] == pytest.approx(100 * np.mean(np.abs((y**3).mean(axis=0) / (x**3).mean(axis=0) - 1)))


@pytest.mark.parametrize("relative_to", ["absolute", "moment"])
@pytest.mark.parametrize("name", ["census", "eia"])
def test_identity_and_permuted_rows_are_zero(name: str, relative_to: str):
    x = original(name)
    assert MomentChange(relative_to=relative_to)(x, x.sample(frac=1, random_state=1)).value == 0  # type: ignore[arg-type]


def test_shows_what_exact_covariances_hide():
    x = np.random.default_rng(2).gamma(1.0, size=(500, 3))
    found = MomentChange()(frame_of(x), frame_of(tell_exact_moments(x, np.random.default_rng(3))))
    assert found.parts["third"] > 20
    assert "fourth moments" in found.reading


def test_symmetric_data_do_not_explode():
    x = np.random.default_rng(4).standard_normal((2000, 2))
    y = x + 0.1 * np.random.default_rng(5).standard_normal((2000, 2))
    assert MomentChange()(frame_of(x), frame_of(y)).value < 10


def test_constant_and_single_columns():
    x, y = mdav("eia")
    one = MomentChange()(x[["TOTSALES"]].assign(c=1.0), y[["TOTSALES"]].assign(c=1.0))
    assert list(one.parts) == ["third", "fourth"]
    assert one.notes == ("constant columns are left out: c",)
    flat = pd.DataFrame({"c": [1.0, 1.0]})
    assert MomentChange()(flat, flat).reason == "every column is constant in the original"
