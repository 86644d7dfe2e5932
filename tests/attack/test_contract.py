"""What holds for every attack: it sees an intruder's view alone, and its figure depends on no order of rows."""

from __future__ import annotations

import ast
import inspect
import math
from dataclasses import fields
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.attack import Attack, Guesses
from microveil.attack.truth import Truth
from microveil.attack.view import View, look
from microveil.core.errors import BadInput, UnknownColumn
from microveil.core.measured import Measured
from microveil.core.registry import registered
from microveil.run.method import Method
from microveil.testing.samples import as_microdata, sample_columns, with_gaps

MEMBERS = {cls.name: cls for cls in registered(Attack)}
HOOKS = ("guess", "scores", "infer", "predict", "__call__")  # what members of each base implement
DECLARING = [cls for cls in registered(Method) if cls.attacks]


def test_every_declared_attack_exists_and_every_attack_is_declared():
    declared = {name for cls in DECLARING for name in cls.attacks}
    assert declared <= set(MEMBERS)
    assert {name for name, cls in MEMBERS.items() if not cls.for_any_release} <= declared


@pytest.mark.parametrize("cls", MEMBERS.values(), ids=MEMBERS)
def test_no_attack_can_reach_the_link(cls):
    """Members implement `guess(view)`; files with the link in them are not even imported where guesses are made."""
    assert sum(hook in vars(cls) for hook in HOOKS) == 1
    assert not {"on", "of_pair", "_scored"} & set(vars(cls))
    tree = ast.parse(Path(inspect.getfile(cls)).read_text(encoding="utf-8"))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert not imported & {"Pair", "Release", "Truth", "look"}


def test_a_view_holds_nothing_private():
    assert [field.name for field in fields(View)] == ["known", "released", "classes", "plan", "homes"]
    names = {field.name for field in fields(mv.measure.PublicStep)} | {f.name for f in fields(mv.measure.PublicPlan)}
    assert not names & {"key", "origin", "groups", "groupings", "path", "notes", "streams", "telling"}


def test_households_of_a_view_have_numbers_that_carry_nothing():
    frame = pd.DataFrame({"a": np.arange(2000.0), "home": np.arange(2000) // 2})
    pair = mv.measure.Pair.of(mv.Microdata(frame, roles={"home": "household"}), frame)
    view, truth = look(pair, ("a",), whole_release=False, together=True)
    known, released = view.homes.known[truth.known], view.homes.released[truth.released]
    assert (known == released).sum() <= 10
    assert abs(np.corrcoef(known, released)[0, 1]) < 0.1
    assert (np.bincount(view.homes.known) == 2).all()
    assert look(pair, ("a",), whole_release=False)[0].homes is None


def test_the_order_of_a_view_carries_nothing():
    frame = pd.DataFrame({"a": np.arange(200.0), "b": np.repeat(np.arange(100.0), 2)})
    view, truth = look(mv.measure.Pair.of(frame, frame), ("a", "b"), whole_release=True)
    assert abs(np.corrcoef(truth.known, truth.released)[0, 1]) < 0.2
    assert (truth.known == truth.released).sum() <= 5
    order = np.random.default_rng(1).permutation(200)
    pair = mv.measure.Pair.of(frame.iloc[order[::-1]], frame.iloc[order], linked=np.arange(200)[::-1].copy())
    again, _ = look(pair, ("a", "b"), whole_release=True)
    for name in "ab":
        assert again.known[name].data.tolist() == view.known[name].data.tolist()
        assert again.released[name].data.tolist() == view.released[name].data.tolist()


def _settings(method):
    return [method(**(method.example or {})), *(method(**settings) for settings in method.also_try)]


def releases_for(cls, most):
    """Small releases by so many of the methods that declare an attack."""
    names = ("income", "wealth", "school", "place", "age", "weight")
    columns = {name: values for name, values in sample_columns(90).items() if name in names}
    declaring = [method for method in DECLARING if any(cls.name in one.attacks for one in _settings(method))]
    for method in declaring[:most]:
        for member, gaps in product([one for one in _settings(method) if cls.name in one.attacks], (False, True)):
            if gaps and not member.skips_missing:
                continue
            data = as_microdata(with_gaps(columns, ["income"]) if gaps else columns)
            how = {"missing": "mask"} if gaps else {}
            chosen = ["income", "wealth"] if "continuous" in member.kinds else ["school", "place"]
            yield data, member.apply(data, columns=chosen, seed=3, **how)


@pytest.mark.parametrize("most", [2, pytest.param(4, marks=pytest.mark.full)])
@pytest.mark.parametrize("cls", MEMBERS.values(), ids=MEMBERS)
def test_on_releases_of_the_methods_that_declare_it(cls, most):
    measured = 0
    for data, release in releases_for(cls, most):
        found = cls()(data, release)
        if not isinstance(found, Measured):
            assert found.reason
            continue
        measured += 1
        assert {"certain", "precision", "baseline"} <= set(found.parts)
        assert all(math.isfinite(part) for part in found.parts.values())
        assert 0 <= found.parts["precision"] <= 1
        if "guess" in vars(cls):
            assert 100 * np.nanmean(cls().records(data, release)) == pytest.approx(found.value)
        order = np.random.default_rng(5).permutation(len(release))
        turned = mv.measure.Pair.of(data, release)
        after = release.data.with_(release.data.narwhal[order.tolist()].to_native())
        groups = None if release.groups is None else release.groups[order]
        turned = type(turned)(data, after, release.origin[order], turned.columns, plan=turned.plan, groups=groups)
        again = cls().of_pair(turned)
        assert again.value == pytest.approx(found.value)
        assert again.parts == pytest.approx(found.parts)
    assert measured or not any(cls.name in method.attacks for method in DECLARING)


def test_ties_count_by_expectation():
    truth = Truth(
        rows=np.arange(3),
        known=np.array([0, 1, 2]),
        released=np.array([0, 1, 2]),
        known_classes=np.array([0, 0, 1]),
        released_classes=np.array([0, 0, 1]),
    )
    guesses = Guesses.of_one_each(np.array([1, 0, 2]))
    # of two equal records each takes the other's: with equal ones drawn by chance every second claim is true
    assert guesses.found(truth).tolist() == [0.5, 0.5, 1.0]
    assert guesses.right(truth, np.array([True, True, True])) == 2.0
    assert Guesses.of_one_each(np.array([-1, 0, -1])).found(truth).tolist() == [0.25, 0.25, 0.0]
    assert Guesses.of_sets(np.array([0, 2, 2, 3]), np.array([0, 2, 2])).probability.tolist() == [0.5, 0.5, 1.0]
    with pytest.raises(BadInput, match="sum to more than 1"):
        Guesses(np.array([0, 2]), np.array([0, 1]), np.array([0.7, 0.7]))


def test_known_columns_are_checked():
    frame = pd.DataFrame({"a": np.arange(20.0)})
    with pytest.raises(UnknownColumn, match="there is no column 'aa'; did you mean 'a'"):
        mv.attack.RankSwapAttack(p=5, known=["aa"])(frame, frame)
