"""Terms made in tiles are the products of the columns."""

from __future__ import annotations

import numpy as np
import pytest

from microveil.kernels.regression import products


@pytest.mark.parametrize("records", [1, 63, 200])
def test_sums_of_products_are_those_of_the_products(records, monkeypatch):
    draw = np.random.default_rng(records)
    columns = draw.normal(size=(3, records))
    factors = np.array([[0, -1, -1], [1, -1, -1], [0, 0, -1], [0, 1, -1], [1, 2, 2]])
    plain = np.array([np.prod([columns[f] for f in term if f >= 0], axis=0) for term in factors])
    of_terms, of_records = draw.normal(size=5), draw.normal(size=records)
    assert products.combine_terms(columns, factors, of_terms) == pytest.approx(plain.T @ of_terms, rel=1e-12, abs=1e-12)
    assert products.total_terms(columns, factors, of_records) == pytest.approx(plain @ of_records, rel=1e-12, abs=1e-12)
    some = np.empty((5, records - records // 2))
    products.fill_terms(columns, factors, records // 2, some)
    assert np.array_equal(some, plain[:, records // 2 :])


def test_threads_do_not_matter(monkeypatch):
    columns = np.random.default_rng(1).normal(size=(2, 70_000))
    factors, weights = np.array([[0, -1], [0, 1]]), np.random.default_rng(2).normal(size=70_000)
    found = []
    for cores in (1, 3):
        monkeypatch.setattr("os.cpu_count", lambda cores=cores: cores)
        found.append(products.total_terms(columns, factors, weights).tobytes())
    assert found[0] == found[1]
