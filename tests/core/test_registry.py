"""Registry: defining a class registers it."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Annotated

import pytest

from microveil.core import BadInput, Range, UnknownName, registered, registry
from microveil.core.errors import UnknownParameter
from microveil.core.registry import Value, find
from microveil.measure import Measure
from microveil.partition import MDAV, Partition
from microveil.run import Method


def test_names_are_unique_and_sorted_by_family():
    found = registered()
    names = [cls.name for cls in found]
    assert len(set(names)) == len(names)
    assert [(cls.family, cls.name) for cls in found] == sorted((cls.family, cls.name) for cls in found)


def test_a_taken_name_is_refused():
    with pytest.raises(BadInput, match=r"the name 'mdav' is taken by microveil.partition.mdav.MDAV"):

        @dataclass(frozen=True, kw_only=True)
        class Other(Partition, name="mdav"):
            """Another."""


def test_a_name_must_be_hyphenated_lower_case():
    with pytest.raises(BadInput, match="lower-case words joined by hyphens"):

        @dataclass(frozen=True, kw_only=True)
        class Shouting(Partition, name="My_Method"):
            """Another."""


@pytest.mark.parametrize("spelling", ["rank-swap", "rank_swap", "RankSwap", "RANKSWAP", " rank-swap "])
def test_names_are_found_in_any_usual_spelling(spelling):
    assert find(spelling, Method).__name__ == "RankSwap"


def test_families_are_kept_apart():
    assert not {cls.name for cls in registered(Method)} & {cls.name for cls in registered(Measure)}
    assert all(issubclass(cls, Value) for cls in registered())


def test_only_what_differs_from_the_defaults_is_written():
    assert MDAV().to_spec() == "mdav"
    assert MDAV(k=7).to_spec() == {"mdav": {"k": 7}}


def test_outside_packages_are_loaded_by_what_they_announce(monkeypatch):
    asked, loaded = [], []

    def announced(group):
        asked.append(group)
        return [SimpleNamespace(load=lambda: loaded.append("plug-in"))]

    monkeypatch.setattr(registry, "entry_points", announced)
    registry._load_all.__wrapped__()
    assert asked == [registry.ENTRY_POINT]
    assert loaded == ["plug-in"]


@dataclass(frozen=True, kw_only=True)
class Inner(Value):
    """What is inside."""

    depth: int = 1


@dataclass(frozen=True, kw_only=True)
class Outer(Value):
    """The first sentence
    over two lines.

    More of it.
    """

    size: Annotated[int, Range(ge=1), "how large"]
    inner: Inner = Inner()
    other: int = 2


def test_what_is_no_parameter_is_refused_in_words():
    with pytest.raises(
        UnknownParameter, match=r"Outer takes its parameters by name: Outer\(size=...\); 3 came without"
    ):
        Outer(3)
    with pytest.raises(UnknownParameter, match=r"depth belongs to its inner: Outer\(inner=Inner\(depth=4\)\)"):
        Outer(size=1, depth=4)
    with pytest.raises(UnknownParameter, match=r"Outer has no parameter 'othr'; did you mean 'other'\?"):
        Outer(size=1, othr=4)
    with pytest.raises(BadInput, match=r"size must be 1 or more"):
        Outer(size=0)


def test_a_class_checks_its_parameters_together():
    @dataclass(frozen=True, kw_only=True)
    class Ordered(Value):
        """Two numbers."""

        low: int = 1
        high: int = 2

        def validate(self):
            if self.low > self.high:
                raise BadInput("low is above high")

    assert Ordered(low=2).low == 2
    with pytest.raises(BadInput, match="low is above high"):
        Ordered(low=3)


def test_a_member_stands_for_itself():
    member = MDAV(k=4)
    assert Partition.from_spec(member) is member


def test_everything_is_loaded_before_it_is_listed(monkeypatch):
    asked = []
    monkeypatch.setattr(registry, "_load_all", lambda: asked.append("all"))
    registered(Partition)
    assert asked == ["all"]


def test_a_class_takes_no_other_words():
    with pytest.raises(TypeError, match="takes no keyword arguments"):
        type("Strange", (Value,), {}, colour=1)


def test_a_class_without_parameters_says_so():
    @dataclass(frozen=True, kw_only=True)
    class Nothing(Value):
        """Nothing."""

    with pytest.raises(UnknownParameter, match=r"by name: Nothing\(\); 3 came without one"):
        Nothing(3)


def test_what_is_asked_for_is_needed_and_always_written():
    with pytest.raises(BadInput, match=r" needs size$"):
        Outer.build({})
    assert Outer.build({"size": 2}) == Outer(size=2)
    assert Outer(size=2).to_spec() == {"": {"size": 2}}
    assert Outer(size=2, other=2).to_spec() == {"": {"size": 2}}


def test_the_schema_of_a_member():
    schema = Outer.schema()
    assert schema["description"] == "The first sentence over two lines."
    assert (schema["required"], schema["additionalProperties"]) == (["size"], False)
    assert list(schema["properties"]) == ["size", "inner", "other"]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"mdav": {}, "vmdav": {}}, "is not a partition: give its name"),
        ({}, "is not a partition: give its name"),
        ({3: {}}, "is not a partition: give its name"),
        ({"mdav": 3}, "the parameters of mdav are 3; give a mapping of parameter to value"),
    ],
)
def test_other_forms_of_a_member_are_refused(spec, message):
    with pytest.raises(BadInput, match=message):
        Partition.from_spec(spec)


def test_a_member_of_another_family_is_named():
    with pytest.raises(UnknownName, match=r"^rank-swap is a mask, not a partition$"):
        find("RankSwap", Partition)
    with pytest.raises(UnknownName, match=r"^no partition called 'zzzzzz'; there are \['.*'mdav'.*'\]$"):
        find("zzzzzz", Partition)


def test_a_class_defined_again_in_its_place_replaces_the_former(monkeypatch):
    monkeypatch.setattr(registry, "_REGISTERED", dict(registry._REGISTERED))

    def define():
        @dataclass(frozen=True, kw_only=True)
        class Again(Partition, name="again-and-again"):
            """Again."""

        return Again

    first, second = define(), define()
    assert first is not second
    assert registry._REGISTERED["again-and-again"] is second


def test_the_schema_offers_a_bare_name_only_where_nothing_is_needed():
    needy = {cls.name for cls in registered() if any(parameter.required for parameter in cls.parameters())}
    options = [option for family in registry.definitions().values() for option in family["anyOf"]]
    bare = {option["const"] for option in options if "const" in option}
    assert bare == {cls.name for cls in registered()} - needy
    assert all(option.get("additionalProperties", False) is False for option in options)
    assert all(option["required"] == list(option["properties"]) for option in options if "properties" in option)
