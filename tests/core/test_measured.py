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


def test_a_figure_reads_as_a_number_with_its_unit():
    assert float(Measured("x", 12.345678, "lower")) == 12.345678
    assert Measured("x", 12.345678, "lower", unit="%").figure == "12.3 %"
    assert Measured("x", 1.0, "lower", unit="records").figure == "1 record"
    assert Measured("x", 2.0, "lower").figure == "2"


@pytest.mark.parametrize(("number", "tail"), [(8, "p7: 7"), (9, "and 1 more part in .parts"), (11, "and 3 more parts")])
def test_of_many_parts_eight_are_shown(number, tail):
    shown = repr(Measured("x", 1.0, "lower", parts={f"p{i}": float(i) for i in range(number)})).splitlines()
    assert shown[1:9] == [f"  p{i}: {i}" for i in range(8)]
    assert len(shown) == 9 + (number > 8)
    assert shown[-1].startswith(f"  {tail}")


def test_a_card_holds_what_is_needed_to_read_a_figure():
    full = Measured("x", 1.5, "lower", parts={"a": 2.5}, interval=(1.0, 2.0), reading="It is.", notes=("n",))
    shown = full._repr_html_()
    assert "x: 1.5</div>" in shown
    assert "It is. Lower is better, 95 % interval 1 to 2.</p>" in shown
    assert "<li>n</li>" in shown
    assert "1 part</summary>" in shown
    assert ">2.5</td>" in shown
    bare = Measured("x", 1.5, "higher")._repr_html_()
    assert ">Higher is better.</p>" in bare
    assert "<ul" not in bare
    assert "<details" not in bare


def test_what_does_not_apply_has_no_attribute_of_a_value():
    nothing = NotApplicable("x", "there is nothing to look at")
    assert not hasattr(nothing, "value")
    assert getattr(nothing, "value", 0.0) == 0.0
    with pytest.raises(BadInput, match="x does not apply: there is nothing to look at"):
        _ = nothing.value
