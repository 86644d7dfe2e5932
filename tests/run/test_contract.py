"""Steps: which columns a method acts on, and what a step refuses."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, ClassVar, get_origin, get_type_hints

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput, UnknownName
from microveil.run.contract import MethodContract, Step, StepRecord

NOISE, IPSO = mv.mask.UncorrelatedNoise(), mv.synth.Ipso()


@pytest.fixture
def of_four_columns() -> mv.Microdata:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=40), "y": rng.normal(size=40), "few": [1, 2] * 20, "t": ["a", "b"] * 20})
    return mv.Microdata(frame)


def chosen(method: MethodContract, data: mv.Microdata, **told: Any) -> tuple[list[str], list[str]]:
    columns, given = method.resolve(data, Step(method, **told))
    return list(columns), list(given)


def test_columns_by_default_are_those_of_its_kinds(of_four_columns: mv.Microdata) -> None:
    assert chosen(NOISE, of_four_columns) == (["x", "y"], [])
    assert chosen(NOISE, of_four_columns, by="x") == (["y"], [])
    stated = of_four_columns.with_(roles={"y": "confidential"})
    assert chosen(NOISE, stated) == (["y"], [])
    assert chosen(IPSO, stated) == (["y"], ["x", "few", "t"])
    assert chosen(IPSO, stated, by="t") == (["y"], ["x", "few"])
    assert chosen(IPSO, of_four_columns) == (["x", "y"], [])
    assert chosen(IPSO, of_four_columns, given=["x"]) == (["y"], ["x"])
    assert chosen(IPSO, stated, given=()) == (["y"], [])


def test_numbers_that_only_look_like_categories_are_amounts_when_named(of_four_columns: mv.Microdata) -> None:
    assert of_four_columns.kinds["few"] == "ordinal"
    assert NOISE.resolve(of_four_columns, Step(NOISE, ["x"]))[0] == {"x": "continuous"}
    assert NOISE.resolve(of_four_columns, Step(NOISE, ["few"]))[0] == {"few": "continuous"}
    with pytest.raises(BadInput, match=r"protects continuous columns; 'few' is ordinal$"):
        NOISE.resolve(of_four_columns.with_(kinds={"few": "ordinal"}), Step(NOISE, ["few"]))
    with pytest.raises(BadInput, match=r"protects continuous columns; 't' is nominal \(text\)$"):
        NOISE.resolve(of_four_columns, Step(NOISE, ["t"]))


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"columns": []}, "columns is empty; name at least one column"),
        ({"columns": ["x", "x"]}, r"columns names a column twice: \['x', 'x'\]"),
        ({"columns": ["z"]}, "columns: there is no column 'z'"),
        ({"columns": ["x"], "given": ["z"]}, "given: there is no column 'z'"),
        ({"columns": ["x"], "given": ["y", "x"]}, r"\['x'\] are both replaced \(columns\) and kept \(given\)"),
        ({"by": ["x", "y"]}, "protects continuous columns and there are none among"),
    ],
)
def test_columns_that_cannot_be(of_four_columns: mv.Microdata, told: dict[str, Any], message: str) -> None:
    with pytest.raises((BadInput, UnknownName), match=message):
        IPSO.resolve(of_four_columns, Step(IPSO, **told))


def test_a_method_that_does_not_condition_keeps_nothing(of_four_columns: mv.Microdata) -> None:
    with pytest.raises(BadInput, match="does not condition on other columns; leave given out"):
        NOISE.resolve(of_four_columns, Step(NOISE, ["x"], given=["y"]))
    assert chosen(NOISE, of_four_columns, columns="x", given=()) == (["x"], [])


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"columns": 5}, "5 is not a column name or a list of them"),
        ({"missing": "drop it"}, r"missing='drop it' is not one of \['error', 'drop', 'mask'\]"),
    ],
)
def test_steps_that_cannot_be(told: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        Step(NOISE, **told)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (5, "5 is not a step; give a method"),
        ((NOISE,), "is not a step; give a method"),
        ((NOISE, "x", "y"), "is not a step; give a method"),
        ({"columns": ["x"]}, "a step needs a method"),
        ({"method": "round", "colums": ["x"]}, r"a step has no field 'colums'; .*did you mean 'columns'\?"),
    ],
)
def test_what_is_no_step(given: Any, message: str) -> None:
    with pytest.raises((BadInput, UnknownName), match=message):
        Step.of(given)
    with pytest.raises(BadInput, match="'x' is not a method; give one"):
        Step("x")  # type: ignore[arg-type]


def test_steps_from_everything_that_stands_for_one() -> None:
    one = Step(NOISE, ["x"])
    for given in (one, (NOISE, "x"), [NOISE, ["x"]], {"method": NOISE, "columns": "x", "by": None}):
        assert Step.of(given) == one
    assert Step.of(NOISE) == Step(NOISE) == Step.of(Step(NOISE).to_mapping())
    assert Step.of("uncorrelated-noise") == Step(NOISE)


def test_what_says_nothing_is_not_written() -> None:
    assert list(Step(NOISE).to_mapping()) == ["method"]
    full = Step(NOISE, "x", (), "g", "drop").to_mapping()
    assert {name: full[name] for name in list(full)[1:]} == {
        "columns": ["x"],
        "given": [],
        "by": ["g"],
        "missing": "drop",
    }


def test_what_is_not_declared_is_not_assumed() -> None:
    """What a method is taken for by default: nothing that protects, and nothing that spares a look."""
    told = MethodContract
    assert (told.kinds, told.passes, told.default_roles) == (("continuous",), "file", ("confidential",))
    assert (told.random, told.keeps_others) == (True, True)
    cautious = ("columns_apart", "conditions", "skips_missing", "spares", "coarsens", "restores")
    assert not any(getattr(told, name) for name in cautious)
    assert (told.ties_record, told.change, told.memory) == ("record", "", "linear")
    record = StepRecord(Step(NOISE), ("x",))
    assert record.synthetic is False


def test_columns_that_are_passed_over(of_four_columns: mv.Microdata) -> None:
    stated = of_four_columns.with_(roles={"y": "confidential", "t": "confidential", "few": "confidential"})
    step = Step(NOISE)
    columns = NOISE.resolve(stated, step)[0]
    assert NOISE.passes_over(stated, step, columns) == ("few", "t")
    assert NOISE.passes_over(stated, Step(NOISE, by="t"), columns) == ("few",)
    assert NOISE.passes_over(stated, Step(NOISE, ["y"]), columns) == ()
    assert NOISE.passes_over(stated, step, {"y": "continuous", "t": "nominal"}) == ("few",)


def test_every_declaration_of_a_method_is_in_the_table_for_authors() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "adding_a_method.md").read_text(encoding="utf-8")
    table = re.search(r"\| declaration \|.*?\n\n", page, flags=re.DOTALL)
    assert table is not None
    firsts = [row.split("|")[1] for row in table.group().strip().splitlines()]
    named = {name for first in firsts for name in re.findall(r"`(\w+)", first)}
    declared = {name for name in vars(MethodContract) if not name.startswith("_")} - {"name"}  # said by the class line
    assert declared - named == set()
    # and each is typed as belonging to the class, so that it is no parameter by accident
    hints = get_type_hints(MethodContract)
    plain = {name for name in declared if not callable(getattr(MethodContract, name))}
    assert {name for name in plain if get_origin(hints[name]) is not ClassVar} == set()
