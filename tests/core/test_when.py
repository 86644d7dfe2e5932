"""Conditions between parameters: one statement that validation, schema, catalogue and search read."""

from __future__ import annotations

import json
from dataclasses import dataclass, make_dataclass
from typing import Annotated, Any, Literal

import pytest

import microveil as mv
from microveil.core.errors import BadInput
from microveil.core.parameters import GIVEN, Range, When
from microveil.core.registry import Value


@dataclass(frozen=True, kw_only=True)
class Conditional(Value):
    """An example."""

    core: Annotated[Literal["plain", "paper"], "which core"] = "plain"
    rows: Annotated[Literal["pivoted", "last"], When(core="paper"), "which rows"] = "pivoted"
    names: Annotated[tuple[str, ...] | None, "which names"] = None
    limit: Annotated[int | None, Range(ge=0), When(names=GIVEN), "how many"] = None
    share: Annotated[float, Range(ge=0, le=1), When(limit=None), "which share"] = 0.0
    dropped: Annotated[Literal["no", "star", "recode"], When("recode", share=Range(gt=0)), "what is dropped"] = "no"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"rows": "last"}, "rows='last' needs core='paper'; core is 'plain'"),
        ({"limit": 0}, "limit=0 needs names, which is left out; give it too"),
        ({"limit": 3, "names": ()}, "limit=3 needs names, which is left out; give it too"),
        (
            {"share": 0.5, "names": ("a",), "limit": 3},
            r"share=0\.5 goes without limit, and limit is 3; leave one of them out \(None\)",
        ),
        ({"dropped": "recode"}, r"dropped='recode' needs share more than 0; share is 0\.0"),
    ],
)
def test_what_another_parameter_does_not_allow_is_refused(settings, message):
    with pytest.raises(BadInput, match=message) as caught:
        Conditional(**settings)
    assert caught.value.place[-1] == next(name for name in settings if str(caught.value).startswith(name))
    assert not meets(Conditional.schema(), settings)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"rows": "pivoted"},
        {"rows": "last", "core": "paper"},
        {"limit": 0, "names": ["a"]},
        {"share": 0.5, "limit": None},
        {"dropped": "star"},
        {"dropped": "recode", "share": 0.1},
    ],
)
def test_what_is_allowed_is_allowed_by_the_schema_too(settings):
    Conditional(**settings)
    assert meets(Conditional.schema(), settings)


def test_the_catalogue_tells_conditions():
    (entry,) = mv.methods("cholesky-hybrid")
    assert "one of 'pivoted', 'last', 'drawn'; changed only with core='paper'" in repr(entry)


def meets(schema: dict[str, Any], settings: dict[str, Any]) -> bool:
    """Whether settings meet the conditions of a schema, by the rules of JSON Schema for the words used."""
    plain = json.loads(json.dumps(settings))
    return all(not fits(one["if"], plain) or fits(one["then"], plain) for one in schema.get("allOf", []))


def fits(schema: dict[str, Any], settings: dict[str, Any]) -> bool:
    if any(name not in settings for name in schema.get("required", [])):
        return False
    return all(holds(one, settings[name]) for name, one in schema["properties"].items() if name in settings)


def holds(schema: dict[str, Any], value: Any) -> bool:
    checks = {
        "const": lambda wanted: value == wanted,
        "enum": lambda wanted: value in wanted,
        "not": lambda inner: not holds(inner, value),
        "type": lambda kind: kind == "number" and isinstance(value, int | float),
        "exclusiveMinimum": lambda least: value > least,
        "minimum": lambda least: value >= least,
    }
    return all(checks[word](said) for word, said in schema.items())


def _with(first: Any, second: Any = None) -> type[Value]:
    """A class whose `far` has one condition, or whose `how` has one besides."""

    how = Annotated[(Literal["a", "b"], *([] if second is None else [second]), "how")]
    far = Annotated[(float, Range(ge=0, le=1), *first, "how far")]
    fields = [("how", how, "a"), ("far", far, 0.1)]
    return make_dataclass("Stated", fields, bases=(Value,), frozen=True, kw_only=True)


CANNOT_BE = {
    "no parameter": (_with, [When(hwo="b")], None, "there is no parameter hwo, only how"),
    "itself": (_with, [When(far=0.5)], None, "it is about the parameter itself"),
    "nothing": (_with, [When()], None, "it names no other parameter"),
    "no value of it": (_with, [When(how=("a", "z"))], None, "how is never 'z'"),
    "no number": (_with, [When(how=0.5)], None, r"how is never 0\.5"),
    "two that exclude one another": (_with, [When(how="b"), When(how="a")], None, "exclude one another"),
    "left out and given": (_with, [When(how=None), When(how=GIVEN)], None, "exclude one another"),
    "in a circle": (_with, [When(how="b")], When(far=Range(gt=0.5)), "needs it in turn"),
    "defaults": (_with, [], When("a", far=0.5), r"defaults of Stated do not meet .*how='a' needs far=0\.5"),
}


@pytest.mark.parametrize(("make", "first", "second", "message"), CANNOT_BE.values(), ids=CANNOT_BE)
def test_a_condition_that_cannot_work_is_told_to_who_wrote_it(make, first, second, message):
    stated = make(first, second)
    for use in (stated, stated.schema, lambda: stated(far=0.5)):
        with pytest.raises(TypeError, match=message):
            use()


def test_conditions_of_different_values_may_differ():
    stated = _with([When(0.2, how="a"), When(0.3, how="b")])
    assert stated(far=0.3, how="b").far == 0.3
    with pytest.raises(BadInput, match=r"far=0\.3 needs how='b'"):
        stated(far=0.3)
