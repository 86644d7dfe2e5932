"""Forms from parameters: every registered method has one, and what it says is read back as it was."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.datastructures import FormData

from microveil.app.fields import Field, fields_of, number_in, settings_from
from microveil.core.parameters import to_json
from microveil.core.registry import find, registered
from microveil.hierarchy.rule import HierarchyRule
from microveil.plan.catalogue import example_of
from microveil.run.method import Method


def sent(fields: list[Field]) -> list[tuple[str, str]]:
    """What a browser sends of these inputs; hidden ones are not there."""
    found: list[tuple[str, str]] = []
    for one in fields:
        if not one.hidden:
            value = "" if one.shape == "text" and one.value == "none" else one.value
            found += [(one.path, value), *sent(list(one.inner))]
    return found


@pytest.mark.parametrize("cls", registered(Method), ids=lambda cls: cls.name)
def test_a_form_says_what_it_was_filled_with(cls: type[Method]):
    method = example_of(cls)
    assert method is not None
    spec = method.to_spec()
    settings = {} if isinstance(spec, str) else spec[cls.name]
    form = FormData(sent(fields_of(cls, settings, cls.name)))
    assert cls.from_spec({cls.name: settings_from(cls, form, cls.name)}) == method


def test_limits_choices_and_families_are_those_of_the_class():
    from microveil.hybrid import MicroHybrid
    from microveil.mask import RankSwap

    p, pairing = (
        next(one for one in fields_of(RankSwap, {"p": 7}, "m") if one.name == name) for name in ("p", "pairing")
    )
    assert (p.shape, p.value, p.low, p.high) == ("number", "7", 0, 100)
    assert (pairing.shape, pairing.options) == ("choice", ("argus", "uniform"))
    partition = fields_of(MicroHybrid, {"partition": {"vmdav": {"k": 9}}}, "m")[0]
    assert (partition.shape, partition.value) == ("family", "vmdav")
    assert next(one for one in partition.inner if one.name == "k").value == "9"


def test_a_field_on_which_others_depend_asks_anew():
    from microveil.mask import Lattice

    model = next(one for one in fields_of(Lattice, {"model": {"anonymity": {}}}, "m") if one.name == "model")
    assert {one.name for one in model.inner if one.decides} >= {"sensitive", "l", "population"}
    assert not next(one for one in model.inner if one.name == "highest_risk").decides


def test_what_a_condition_rules_out_is_hidden_until_it_holds():
    from microveil.hybrid import CholeskyHybrid

    conditional = [one for one in CholeskyHybrid.parameters() if any(not when.values for when in one.conditions)]
    assert conditional
    for one in conditional:
        field = next(each for each in fields_of(CholeskyHybrid, {}, "m") if each.name == one.name)
        when = next(each for each in one.conditions if not each.values)
        unmet = when.unmet({each.name: each.default for each in CholeskyHybrid.parameters()})
        assert bool(field.hidden) is (unmet is not None)
        assert not field.hidden or field.hidden == when.words


def test_the_refused_parameter_is_marked():
    from microveil.mask import Microaggregation

    settings = {"partition": {"mdav": {"k": 1}}}
    partition = fields_of(Microaggregation, settings, "m", ("microaggregation", "partition", "mdav", "k"))[0]
    assert [one.name for one in partition.inner if one.wrong] == ["k"]
    assert not partition.wrong
    assert to_json(Microaggregation.parameters()[0].default)


def test_names_are_written_with_commas_as_people_do():
    path = "k-anonymise.model.anonymity.sensitive"
    limit = ("k-anonymise.model.anonymity.l", "2")
    form = FormData([("k-anonymise.model", "anonymity"), (path, "illness, pay"), limit])
    said = settings_from(find("k-anonymise", Method), form, "k-anonymise")
    assert said == {"model": {"anonymity": {"sensitive": ["illness", "pay"], "l": 2}}}


@pytest.mark.parametrize(
    ("family", "name", "parameter", "given", "read"),
    [
        (HierarchyRule, "prefixes", "lengths", "3, 1", [3, 1]),
        (HierarchyRule, "prefixes", "lengths", "[3, 1]", [3, 1]),
        (HierarchyRule, "prefixes", "lengths", "3\n1", [3, 1]),
        (HierarchyRule, "prefixes", "lengths", "2", [2]),
        (Method, "micro-hybrid", "cluster_on", "age, region", ["age", "region"]),
        (Method, "micro-hybrid", "cluster_on", "replaced", "replaced"),
    ],
)
def test_lists_are_written_with_commas_as_people_do(family: Any, name: str, parameter: str, given: str, read: Any):
    assert settings_from(find(name, family), FormData([(f"x.{parameter}", given)]), "x") == {parameter: read}


def test_a_comma_among_numbers_with_decimals_is_never_taken_for_a_list():
    said = settings_from(find("intervals", HierarchyRule), FormData([("x.widths", "0,5")]), "x")
    assert said == {"widths": "0,5"}  # which the rule refuses: it may have been one number


def test_a_number_is_one_that_can_be_calculated_with():
    assert [number_in(given, None) for given in ("3", "0.5", "1e3")] == [3, 0.5, 1000.0]
    assert [number_in(given, None) for given in ("9" * 400, "9" * 5000, "1e400", "nan", "1_0", "few")] == [None] * 6
