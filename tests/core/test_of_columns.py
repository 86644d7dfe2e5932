"""Parameters that name columns say so: what is misspelt is refused before anything is run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import microveil as mv
from microveil.core.parameters import Parameter
from microveil.core.registry import Value, registered
from microveil.partition import Partition
from microveil.run.method import Method

# lists of texts that are no names: rules are parsed, and a prefix is a text
OTHER = {("cart", "rules"), ("sequential-regression", "rules")}


def _takes_names(one: Parameter) -> bool:
    words = str(one.annotation)
    return "tuple[str, ..." in words or "Mapping[str," in words


def _members() -> Iterator[tuple[type[Value], Parameter]]:
    members: list[type[Any]] = [*registered(Method), *registered(Partition)]
    return ((cls, one) for cls in members for one in cls.parameters() if _takes_names(one))


def test_every_parameter_that_takes_names_says_whether_they_are_columns():
    silent = {(cls.name, one.name) for cls, one in _members() if one.columns is None}
    assert silent == OTHER
    assert len(list(_members())) > 30


@pytest.mark.parametrize(
    ("method", "named"),
    [
        (mv.mask.GlobalRecode(merges={"sex": {"any": ("f", "m")}}), {"merges": ("sex",)}),
        (mv.mask.LocalSuppression(linked={"a": ["b"]}), {"linked": ("a", "b")}),
        (mv.mask.LocalSuppression(key_sets=[["a", "c"], ["c"]]), {"key_sets": ("a", "c")}),
        (mv.hybrid.MicroHybrid(cluster_on="replaced"), {}),
        (mv.hybrid.MicroHybrid(cluster_on=["age"]), {"cluster_on": ("age",)}),
        (mv.hybrid.CholeskyHybrid(blocks={"1": [["x", "y"], ["z"]]}), {"blocks": ("x", "y", "z")}),
        (mv.mask.Microaggregation(partition=mv.partition.MDAV(k=3, weights={"age": 2.0})), {"weights": ("age",)}),
        (mv.mask.TopBottomCode(top=5.0), {}),
    ],
    ids=lambda one: one.name if isinstance(one, Method) else "",
)
def test_the_columns_that_settings_name_are_found(method: Method, named: dict[str, tuple[str, ...]]):
    assert {way[-1]: names for way, names in method.named_columns()} == named


def test_a_setting_inside_is_found_by_the_way_to_it():
    method = mv.mask.Microaggregation(partition=mv.partition.MDAV(k=3, weights={"age": 2.0}))
    ((way, _),) = method.named_columns()
    assert way == ("microaggregation", "partition", "mdav", "weights")
