from __future__ import annotations

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
    sizes = {name: len(found) for name, found in term_classes(base, "polynomial", 3)}
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
    terms = [product for _, found in term_classes(base, "polynomial", 3) for product in found]
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
