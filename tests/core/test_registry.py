"""Registry: defining a class registers it."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from microveil.core import BadInput, registered, registry
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


@pytest.mark.parametrize("spelling", ["mdav", "MDAV", " mdav "])
def test_names_are_found_in_any_usual_spelling(spelling):
    assert find(spelling, Partition) is MDAV


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
