from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from microveil.core.errors import BadInput, UnknownName
from microveil.core.measured import NotApplicable
from microveil.data import Microdata
from microveil.loss import UserIndicator

X = pd.DataFrame(
    {
        "income": [10.0, 20.0, 30.0, 40.0],
        "net income": [5.0, 10.0, np.nan, 20.0],
        "sex": [1, 1, 2, 2],
        "town": ["a", "b", "b", "b"],
        "w": [1.0, 1.0, 1.0, 3.0],
    }
)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("mean(income)", 25),
        ("mean(`net income`)", 35 / 3),
        ("total(income, sex == 1)", 30),
        ("share(sex == 1)", 0.5),
        ("share(town == 'b' and not income > 25)", 0.25),
        ("share(10 < income <= 30 or sex == 2)", 0.75),
        ("count(town != 'a')", 3),
        ("share(income in (10, 40))", 0.5),
        ("share(`net income` != 5)", 0.5),  # a gap is not known to differ
        ("share(sex < income)", 1),
        ("count()", 4),
        ("quantile(income, 0.25)", 10),
        ("quantile(income, .9) / median(income)", 2),
        ("variance(income)", 125),
        ("sd(income) * 2 - -1", 2 * np.sqrt(125) + 1),
        ("gini(income)", 0.25),
        ("correlation(income, `net income`)", np.corrcoef([10, 20, 40], [5, 10, 20])[0, 1]),
    ],
)
def test_statistics(expression: str, expected: float):
    found = UserIndicator(expression=expression)(X, X)
    assert found.parts["original"] == pytest.approx(expected)
    assert found.value == 0
    assert found.parts["within"] == 1


def test_weights_are_used_where_there_are_any():
    data = Microdata(X, roles={"w": "weight"})
    assert UserIndicator(expression="mean(income)")(data, X).parts["original"] == pytest.approx(180 / 6)
    assert UserIndicator(expression="share(town == 'b')")(data, X).parts["original"] == pytest.approx(5 / 6)
    assert UserIndicator(expression="median(income)")(data, X).parts["original"] == 30
    assert UserIndicator(expression="count()")(data, X).parts["original"] == 6
    assert UserIndicator(expression="mean(income)")(data.with_(X.assign(w=1.0)), X).parts["original"] == 25


def test_tolerance_relative_and_absolute():
    y = X.assign(income=X["income"] * 1.04)
    assert UserIndicator(expression="mean(income)")(X, y).parts["within"] == 1
    strict = UserIndicator(expression="mean(income)", tolerance=0.03)(X, y)
    assert strict.parts["within"] == 0
    assert strict.value == pytest.approx(0.04)
    assert strict.reading == (
        "mean(income) is 25 in the original and 26 in the protected file: 4 % off, 3 % are allowed."
    )
    plain = UserIndicator(expression="mean(income)", tolerance=2, relative=False)(X, y)
    assert plain.value == pytest.approx(1)
    zero = UserIndicator(expression="share(sex == 3)")(X, X.assign(sex=[1, 1, 2, 3]))
    assert zero.value == pytest.approx(0.25)
    assert zero.notes == ("the original figure is 0: the change is not relative",)


def test_by_subdomain():
    y = X.assign(income=[11.0, 20.0, 30.0, 40.0])
    found = UserIndicator(expression="total(income)")(X, y, by="sex")
    assert found.domains["sex=1"].value == pytest.approx(1 / 30)
    assert found.domains["sex=2"].value == 0


@pytest.mark.parametrize(
    "expression",
    [
        "__import__('os').system('true')",
        "mean(income).real",
        "[x for x in (1, 2)]",
        "mean(lambda: 1)",
        "income",
        "mean(income) ** 9999",
        "share(mean(income) > 2)",
        "mean(x=income)",
        "'text'",
        "True",
    ],
)
def test_nothing_else_is_understood(expression: str):
    with pytest.raises(BadInput, match=r"is not understood|no statistic|neither a column nor a plain value"):
        UserIndicator(expression=expression)


def test_errors_say_what_to_do():
    with pytest.raises(BadInput, match="no statistic 'avg'; there are"):
        UserIndicator(expression="avg(income)")
    with pytest.raises(BadInput, match="did you mean 'median'"):
        UserIndicator(expression="medain(income)")
    with pytest.raises(BadInput, match="cannot be read; write for instance mean"):
        UserIndicator(expression="mean(income")
    with pytest.raises(BadInput, match=r"quantile takes \(column, probability\) and perhaps a condition; 1 given"):
        UserIndicator(expression="quantile(income)")
    with pytest.raises(BadInput, match="needs a probability between 0 and 1"):
        UserIndicator(expression="quantile(income, 90)")
    with pytest.raises(UnknownName, match=r"expression: there is no column 'incme'; .*did you mean 'income'"):
        UserIndicator(expression="mean(incme)")(X, X)
    with pytest.raises(BadInput, match="compares text with numbers; text stands in quotation marks"):
        UserIndicator(expression="share(town == 1)")(X, X)
    with pytest.raises(BadInput, match="text has no order"):
        UserIndicator(expression="share(town > 'a')")(X, X)
    with pytest.raises(BadInput, match="'town' is not a column of numbers"):
        UserIndicator(expression="mean(town)")(X, X)


def test_undefined_figures_do_not_apply():
    found = UserIndicator(expression="mean(income, sex == 3)")(X, X)
    assert isinstance(found, NotApplicable)
    assert found.reason == "mean(income, sex == 3) has no value in the original file"
    assert isinstance(UserIndicator(expression="1 / count(sex == 3)")(X, X), NotApplicable)
