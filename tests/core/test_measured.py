"""Measured values: what is needed to read a figure, and figures that do not exist."""

from __future__ import annotations

import json

import pytest

from microveil.core import BadInput, Measured, NotApplicable


def test_a_figure_becomes_json_even_where_it_is_infinite():
    figure = Measured("x", float("inf"), "lower", parts={"a": float("nan")}, interval=(1.0, 2.0))
    written = json.loads(json.dumps(figure.to_json(), allow_nan=False))
    assert written["value"] == "inf"
    assert written["parts"] == {"a": "nan"}
    assert written["interval"] == [1.0, 2.0]


def test_the_worst_subdomain_depends_on_the_direction():
    parts = {name: Measured("x", value, "lower") for name, value in {"a": 1.0, "b": 5.0}.items()}
    assert Measured("x", 3.0, "lower", domains=parts).worst == 5.0
    assert Measured("x", 3.0, "higher", domains=parts).worst == 1.0
    assert Measured("x", 3.0, "lower").worst == 3.0


def test_what_does_not_apply_is_never_a_number():
    nothing = NotApplicable("x", "there is nothing to look at")
    for use in (lambda: nothing.value, lambda: float(nothing)):
        with pytest.raises(BadInput, match="x does not apply: there is nothing to look at"):
            use()
    assert nothing.to_json() == {"name": "x", "not_applicable": "there is nothing to look at"}
