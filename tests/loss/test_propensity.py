from __future__ import annotations

import builtins
from typing import Any

import numpy as np
import pandas as pd
import pytest

from microveil.core.errors import BadInput
from microveil.data import Microdata
from microveil.loss import Propensity
from tests.loss.files import frame_of, tell_exact_moments
from tests.reference import mdav, original, thyroid


@pytest.mark.parametrize(("order", "key"), [(1, "utility_gen_logit_maxorder0"), (2, "utility_gen_logit_maxorder1")])
def test_agrees_with_another_tool_on_synthetic_files(order: int, key: str):
    x, synthetic, figures = thyroid()
    kinds = {name: "continuous" if name in ("age", "tsh", "t3", "t4u", "fti") else "nominal" for name in x}
    data = Microdata(x, kinds=kinds)
    for i, y in enumerate(synthetic):
        found = Propensity(order=order, terms="interactions", ridge=0)(data, y, linked=False)
        expected = {name: values[i] for name, values in figures[key].items() if isinstance(values, list)}
        # the other tool stops its iterations at a relative change of 1e-8 in the deviance
        assert found.value == pytest.approx(expected["pMSE"], rel=1e-6)
        assert found.parts["ratio to null"] == pytest.approx(expected["S_pMSE"], rel=1e-6)
        assert found.parts["SPECKS"] == pytest.approx(expected["SPECKS"], abs=1e-9)
        assert found.parts["PO50"] == pytest.approx(expected["PO50"], abs=1e-9)
        assert f"{figures[key]['df']} terms" in found.notes


@pytest.mark.parametrize("model", ["logistic", "cart", "gbm"])
@pytest.mark.parametrize("name", ["census", pytest.param("eia", marks=pytest.mark.full)])
def test_identical_files_cannot_be_told_apart(name: str, model: str):
    x = original(name)
    found = Propensity(model=model, permutations=2)(x, x.sample(frac=1, random_state=1))
    assert found.value < 1e-12
    assert found.bounds == (0, 0.25)


def test_moments_kept_exactly_hide_every_other_change_below_order_three():
    x = np.random.default_rng(1).gamma(1.0, size=(1000, 3))
    y = tell_exact_moments(x, np.random.default_rng(2))
    found = {order: Propensity(order=order)(frame_of(x), frame_of(y)) for order in (1, 2, 3)}
    assert found[1].value < 1e-15
    assert found[2].value < 1e-15
    assert found[3].value > 0.01
    warning = "0 does not mean equal here: files with equal moments up to this order cannot be told apart"
    assert warning in found[1].notes
    assert warning in found[2].notes
    assert warning not in found[3].notes


@pytest.mark.parametrize("ridge", [0.0, 1e-6])
def test_separated_files_reach_the_maximum(ridge: float):
    x = original("eia")
    found = Propensity(order=1, ridge=ridge)(x, x.head(1000) + 100 * x.std())
    share = 1000 / 5092
    assert found.value == pytest.approx(share * (1 - share), rel=1e-5)
    assert found.value <= found.bounds[1] == pytest.approx(share * (1 - share))
    assert "the model separates the two files completely" in found.notes


@pytest.mark.long
def test_null_of_two_independent_samples():
    generator = np.random.default_rng(3)
    found = [
        Propensity(order=1, null="independent")(
            *(frame_of(generator.standard_normal((500, 4))) for _ in range(2)), linked=False
        )
        for _ in range(200)
    ]
    expected = found[0].parts["null mean"]
    assert expected == pytest.approx(0.001)
    assert np.mean([m.value for m in found]) == pytest.approx(expected, rel=0.1)
    assert np.std([m.parts["z"] for m in found]) == pytest.approx(1, rel=0.2)
    model = Propensity(order=1)(*(frame_of(generator.standard_normal((500, 4))) for _ in range(2)))
    assert model.parts["null mean"] == pytest.approx(0.0005)


@pytest.mark.parametrize("measure", [Propensity(model="cart"), Propensity(model="gbm", trees=20, permutations=8)])
def test_trees_are_compared_with_permuted_labels(measure: Propensity):
    generator = np.random.default_rng(4)
    x, y = (frame_of(generator.standard_normal((400, 3))) for _ in range(2))
    alike = measure(x, y, linked=False)
    assert 0.7 < alike.parts["ratio to null"] < 1.3
    other = measure(x, y * [1, 1, 3], linked=False)
    assert other.parts["z"] > 3
    assert other.value == measure(x, y * [1, 1, 3], linked=False).value
    shuffled = measure(x.sample(frac=1, random_state=1), y.sample(frac=1, random_state=2) * [1, 1, 3], linked=False)
    assert shuffled.value == pytest.approx(other.value, rel=1e-12)


def test_one_boosted_tree_is_one_newton_step():
    # 60 and 20 of 100 have the value: the leaves move by (share of protected - 1/2) / (1/4) from a log-odds of 0
    x, y = (pd.DataFrame({"a": np.repeat(["u", "v"], [n, 100 - n])}) for n in (60, 20))
    found = Propensity(model="gbm", trees=1, rate=1.0, depth=1, permutations=2)(x, y, linked=False)
    p = 1 / (1 + np.exp(-np.array([(20 / 80 - 0.5) / 0.25, (80 / 120 - 0.5) / 0.25])))
    assert found.value == pytest.approx((80 * (p[0] - 0.5) ** 2 + 120 * (p[1] - 0.5) ** 2) / 200, rel=1e-6)
    half = Propensity(model="gbm", trees=1, rate=0.5, depth=1, permutations=2)(x, y, linked=False)
    assert half.value < found.value


def test_boosted_trees_see_what_exact_moments_hide():
    generator = np.random.default_rng(6)
    x = generator.gamma(1.0, size=(600, 2))
    y = tell_exact_moments(x, np.random.default_rng(2))
    assert Propensity(order=2)(frame_of(x), frame_of(y)).value < 1e-12
    boosted = Propensity(model="gbm", trees=30, permutations=5)(frame_of(x), frame_of(y), linked=False)
    assert boosted.parts["z"] > 5


def test_null_of_few_terms():
    generator = np.random.default_rng(4)
    x, y = (frame_of(generator.standard_normal((400, 3))) for _ in range(2))
    assert Propensity(order=1, null="permutation", permutations=5)(x, y).parts["null mean"] == pytest.approx(
        3 * 0.25 / 800, rel=0.8
    )


def test_categories_and_missing_values_are_part_of_the_model():
    generator = np.random.default_rng(5)
    x = pd.DataFrame({"a": generator.standard_normal(300), "c": generator.choice(["u", "v", "w"], 300)})
    worse = x.assign(c=np.where(x["c"] == "w", "v", x["c"]))
    assert Propensity(order=1)(x, worse).parts["ratio to null"] > 10
    holes = x.assign(a=np.where(np.arange(300) < 60, np.nan, x["a"]))
    assert Propensity(order=1)(x, holes).parts["ratio to null"] > 5
    assert Propensity()(holes, holes).value == 0


def test_rare_categories_are_taken_together():
    generator = np.random.default_rng(6)
    x = pd.DataFrame({"c": (np.arange(1000) % 200).astype(str), "a": generator.standard_normal(1000)})
    notes = Propensity(order=1)(x, x).notes
    assert "170 rare categories of c are taken together" in notes


def test_collinear_columns_are_dropped_and_terms_limited():
    x, y = mdav("census")
    found = Propensity()(x, y)
    assert "38 terms" in found.notes
    assert "terms that depend linearly on others were dropped: 1" in found.notes
    assert any(note.startswith("left out to keep to 108 terms: products of two columns") for note in found.notes)


def test_without_scikit_learn_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch):
    real = builtins.__import__

    def refuse(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.startswith("sklearn"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    x = frame_of(np.random.default_rng(7).standard_normal((50, 2)))
    for model in ("cart", "gbm"):
        with pytest.raises(BadInput, match=rf"model='{model}' needs scikit-learn.*install microveil\[models\]"):
            Propensity(model=model)(x, x)


def test_constant_files():
    x = pd.DataFrame({"a": [1.0] * 10})
    assert Propensity()(x, x).value == 0
