from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pandas as pd
import pytest

from microveil.data import Microdata
from microveil.loss.propensity_terms import base_columns, choose_terms, independent_terms, term_classes


def base_of(frame: pd.DataFrame):
    data = Microdata(frame)
    table = data.table(data.columns)
    return base_columns(table, table)


def test_numbers_of_terms_up_to_order_three():
    base = base_of(pd.DataFrame(np.random.default_rng(1).standard_normal((40, 4)), columns=list("abcd")))
    sizes = {found.name: found.size for found in term_classes(base, "polynomial", 3)}
    assert sizes == {
        "single columns": 4,
        "powers 2": 4,
        "powers 3": 4,
        "products of two columns": 6,
        "squares times another column": 12,
        "products of three columns": 4,
    }
    assert sum(sizes.values()) == 7 * 6 * 5 // 6 - 1  # all monomials of degree 1 to 3 in four variables
    assert len(choose_terms(base, "powers", 3, 100)[0]) == 12
    assert len(choose_terms(base, "interactions", 2, 100)[0]) == 10


def test_categories_have_no_powers_nor_products_among_themselves():
    base = base_of(pd.DataFrame({"a": np.arange(9.0), "c": list("uvwuvwuvw")}))
    assert base.powered.tolist() == [True, False, False]
    terms = [product for found in term_classes(base, "polynomial", 3) for product in found.listed()]
    assert (1, 1) not in terms
    assert (1, 2) not in terms
    assert {(0, 1), (0, 2), (0, 0, 1)} <= set(terms)


def test_whole_classes_are_left_out_beyond_the_limit():
    base = base_of(pd.DataFrame(np.random.default_rng(2).standard_normal((40, 4)), columns=list("abcd")))
    chosen, left_out = choose_terms(base, "polynomial", 3, 15)
    assert len(chosen) == 12
    assert left_out[0] == "products of two columns"


def test_terms_are_standardised_products_made_block_by_block():
    base = base_of(pd.DataFrame(np.random.default_rng(3).gamma(1.0, size=(50, 2)), columns=list("ab")))
    products = [(0,), (1,), (0, 0), (0, 1), (0, 0, 1), (1, 1, 1)]
    terms, dropped = independent_terms(base.values, products)
    made = np.vstack([T for _, T in terms.blocks()])
    direct = np.column_stack([base.values[:, list(product)].prod(axis=1) for product in products])
    assert dropped == 0
    assert made == pytest.approx((direct - direct.mean(axis=0)) / direct.std(axis=0))


def test_dependent_terms_are_dropped():
    x = np.random.default_rng(4).standard_normal((50, 2))
    base = base_of(pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "s": x.sum(axis=1)}))
    terms, dropped = independent_terms(base.values, [(0,), (1,), (2,)])
    assert terms.products == ((0,), (1,))
    assert dropped == 1
    flag = base_of(pd.DataFrame({"f": np.tile([0.0, 1.0], 20)}))
    # the square of an indicator is linear in it
    assert independent_terms(flag.values, [(0,), (0, 0)])[1] == 1


def listed_in_full(base, kind, order):
    """Plain enumeration of all products, class by class."""
    every = range(base.values.shape[1])
    apart = [
        (name, [p for p in products if len({int(base.source[j]) for j in p}) == len(set(p))])
        for name, products in {
            "products of two columns": combinations(every, 2),
            "squares times another column": [(i, i, j) for i, j in permutations(every, 2) if base.powered[i]],
            "products of three columns": combinations(every, 3),
        }.items()
    ]
    powers = [(f"powers {d}", [(j,) * d for j in every if base.powered[j]]) for d in range(2, order + 1)]
    wanted = {
        "powers": powers,
        "interactions": [apart[0], apart[2]][: order - 1],
        "polynomial": powers + (apart if order == 3 else apart[:1] if order == 2 else []),
    }[kind]
    return [(name, found) for name, found in [("single columns", [(j,) for j in every]), *wanted] if found]


@pytest.mark.parametrize("kind", ["polynomial", "interactions", "powers"])
@pytest.mark.parametrize("order", [1, 2, 3])
def test_sizes_of_classes_are_known_before_they_are_listed(kind, order):
    generator = np.random.default_rng(7)
    frame = pd.DataFrame(
        {
            "a": generator.random(40),
            "b": generator.random(40),
            "c": generator.choice(list("uvwx"), 40),
            "d": generator.choice(list("yz"), 40),
        }
    )
    frame.loc[3, "b"] = np.nan
    base = base_of(frame)
    found = term_classes(base, kind, order)
    expected = listed_in_full(base, kind, order)
    assert [(each.name, each.size) for each in found] == [(name, len(products)) for name, products in expected]
    assert [each.listed() for each in found] == [products for _, products in expected]


def test_classes_beyond_the_limit_are_not_listed(monkeypatch):
    made = []

    def counted(items, size):
        for product in combinations(items, size):
            made.append(product)
            yield product

    monkeypatch.setattr("microveil.loss.propensity_terms.combinations", counted)
    base = base_of(pd.DataFrame(np.random.default_rng(8).standard_normal((70, 60))).rename(columns=str))
    chosen, left_out = choose_terms(base, "polynomial", 3, 2000)
    assert left_out == ["squares times another column", "products of three columns"]
    assert len(chosen) == 3 * 60 + 60 * 59 // 2
    assert len(made) == 60 * 59 // 2
