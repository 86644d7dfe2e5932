"""Codes for missing values: proposed with the reason, and never used before somebody states them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import microveil as mv
from microveil.data.codebook import Codebook
from microveil.plan import Project, inspect
from microveil.plan.proposed_missing import codes_above, codes_below

RNG = np.random.default_rng(5)


def survey_with_missing_codes() -> mv.Microdata:
    """Ages with -9, a scale with 98 and 99, incomes with 9999 among them, a balance that may be negative, a label."""
    n = 200
    age = RNG.integers(18, 90, size=n)
    age[[3, 50]] = -9
    trust = RNG.integers(1, 8, size=n)
    trust[:4], trust[4:9] = 98, 99
    pay = np.round(RNG.gamma(2, 9000, size=n))
    pay[7] = 9999
    sex = RNG.integers(1, 3, size=n)
    sex[11] = 3
    second = np.array(["I10", "E11.9", "J45.0", "O80"])[RNG.integers(0, 4, size=n)]
    second[:5] = "-9"
    table = {"age": age, "trust": trust, "pay": pay, "balance": RNG.integers(-9, 9, size=n), "sex": sex}
    table |= {"second": second}
    return mv.Microdata(pa.table(table), codebook=Codebook({"sex": {1: "man", 2: "woman", 3: "No answer"}}))


def test_codes_are_proposed_with_the_reason_and_not_used(tmp_path) -> None:
    data = survey_with_missing_codes()
    found = inspect(data)
    told = list(map(str, found.missing_codes))
    assert told[0] == "age: -9 in 2 records; no other value is below 0"
    assert told[1] == "trust: 98 and 99 in 9 records; all other values lie between 1 and 7"
    assert told[2] == "sex: 3 in 1 record; it says 'No answer'"
    assert told[3] == "second: -9 in 5 records; no other value is a number"
    assert len(told) == 4
    assert told[0] in repr(found)
    text = Project.propose("survey.csv", "", data, found).to_text()
    assert f"# {told[0]}\n" in text
    (line,) = [line for line in text.splitlines() if line.startswith("#:") and "missing: [-9]" in line]
    (tmp_path / "project.yaml").write_text(text)
    assert all("missing" not in facts for facts in Project.load(tmp_path / "project.yaml").columns.values())
    # whoever takes the sign away has stated it
    (own,) = [one for one in text.splitlines() if one.lstrip().startswith("age:")]
    (tmp_path / "project.yaml").write_text(text.replace(own, line.removeprefix("#:")))
    assert Project.load(tmp_path / "project.yaml").columns["age"]["missing"] == [-9]


def test_codes_that_are_stated_are_not_proposed_again() -> None:
    found = inspect(survey_with_missing_codes().with_(missing={"age": [-9], "trust": [98, 99]}))
    assert [one.column for one in found.missing_codes] == ["sex", "second"]


@pytest.mark.parametrize(
    ("values", "below", "above"),
    [
        ([-9, 0, 5], (-9,), ()),
        ([-99, -98, 1, 5], (-99, -98), ()),
        ([-9, -1, 0, 5], (-9, -1), ()),
        ([-1, 0, 5], (), ()),  # a balance may be that
        ([-9, -4.5, 0, 5], (), ()),
        ([-9, -8], (), ()),  # and nothing else is there
        (range(-9, 10), (), ()),
        ([18, 60, 97, 999], (), (999,)),
        ([*range(18, 98), 99], (), ()),
        ([0, 500, 4000, 9999], (), (9999,)),
        ([0, 500, 8000, 9999], (), ()),
        ([99], (), ()),
    ],
)
def test_where_codes_stand(values, below, above) -> None:
    numbers = np.array(list(values), dtype=float)
    assert codes_below(numbers) == below
    assert codes_above(numbers) == above


def test_one_high_amount_is_no_code() -> None:
    one = mv.Microdata(pa.table({"x": [1.0, 2.0, 3.0, 99.0]}))
    assert inspect(one).missing_codes == ()
