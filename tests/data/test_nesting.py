"""Categories that lie in others: each district has one region."""

from __future__ import annotations

import numpy as np

from microveil.data.nesting import Nesting, nestings
from microveil.data.table import Table, Values


def categories(**columns: list[int]) -> Table:
    found = {name: np.array(codes) for name, codes in columns.items()}
    levels = {name: tuple(range(int(codes.max()) + 1)) for name, codes in found.items()}
    values = {name: Values("nominal", codes, levels[name]) for name, codes in found.items()}
    return Table(values, len(next(iter(found.values()))))


DISTRICTS = [0, 1, 2, 3] * 20


def test_the_finer_column_comes_first() -> None:
    table = categories(region=[0, 0, 1, 1] * 20, district=DISTRICTS)
    assert nestings(table) == (Nesting("district", "region"),)


def test_gaps_say_nothing() -> None:
    table = categories(region=[-1, 0, 1, 1, *[0, 0, 1, 1] * 19], district=DISTRICTS)
    assert nestings(table) == (Nesting("district", "region"),)


def test_one_record_elsewhere_ends_it() -> None:
    table = categories(region=[1, 0, 1, 1, *[0, 0, 1, 1] * 19], district=DISTRICTS)
    assert not nestings(table)


def test_columns_that_agree_by_chance_are_not_nested() -> None:
    # hardly any value comes twice, so that each has one of the other column
    job = [*range(28), 0, 1]
    assert not nestings(categories(job=job, sex=[0, 1] * 15))


def test_a_value_that_nearly_everybody_has_is_no_evidence() -> None:
    assert not nestings(categories(region=[0] * 78 + [1] * 2, district=[0, 1, 2] * 26 + [3] * 2))


def test_numbers_are_not_nested() -> None:
    numbers = Table({"a": Values("continuous", np.arange(4.0)), "b": Values("continuous", np.arange(4.0))}, 4)
    assert not nestings(numbers)


def test_broken_counts_combinations_that_no_original_has() -> None:
    before = categories(region=[0, 0, 1, 1] * 20, district=DISTRICTS)
    after = categories(region=[1, 0, 1, 1, -1, 0, 1, 1, *[0, 0, 1, 1] * 18], district=DISTRICTS)
    assert Nesting("district", "region").broken(before, after) == 1


def test_a_gap_where_a_value_stands_first_does_not_hide_the_nesting() -> None:
    table = categories(region=[-1, -1, -1, -1, *[0, 0, 1, 1] * 19], district=[-1, *DISTRICTS[1:]])
    assert nestings(table) == (Nesting("district", "region"),)


def test_records_far_from_the_first_count_too() -> None:
    late = categories(region=[0, 0, 1, 1] * 499 + [0, 0, 1, 0], district=[0, 1, 2, 3] * 500)
    assert not nestings(late)


def test_among_many_columns_every_pair_is_found() -> None:
    draws = np.random.default_rng(4)
    towns = draws.integers(0, 40, (30, 400))
    nested = {f"{what}{j}": codes // by for j, codes in enumerate(towns) for what, by in (("town", 1), ("county", 8))}
    found = nestings(categories(**{name: codes.tolist() for name, codes in nested.items()}))
    assert set(found) == {Nesting(f"town{j}", f"county{j}") for j in range(30)}
