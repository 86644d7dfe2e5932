"""The part of a project file that says what the release is to be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from datetime import date
from typing import Any

from microveil.core.errors import BadInput
from microveil.core.open_types import Json
from microveil.plan import project_shapes as shape
from microveil.plan.project_shapes import Place, Shape, check_fields, fields_schema
from microveil.plan.release_plan import Published, ReleasePlan

RELEASE_KINDS = ("public", "scientific", "secure")
PUBLISHED_STATISTICS = ("sum", "mean", "count")

PUBLISHED: Mapping[str, Shape] = {
    "statistic": shape.one_of(PUBLISHED_STATISTICS, f"write one of {', '.join(PUBLISHED_STATISTICS)}"),
    "of": shape.text("name the column"),
    "where": shape.values("give the values that records must have: {region: North}"),
    "value": shape.number("give the figure that was published"),
    "tolerance": shape.number("give the relative difference that is tolerated: 0.01", least=0),
}
_PUBLISHED_REQUIRED = ("statistic", "value")
_LIST = Shape(lambda given: isinstance(given, list), "give a list; begin each figure with a dash", {"type": "array"})


def _shapes() -> dict[str, Shape]:
    """The fields of the section; formats are those that can be written here."""
    from microveil.io.formats import known_formats

    formats = [kind.name for kind in known_formats().values() if kind.writable]
    items: Json = {"type": "array", "items": {"enum": formats}, "minItems": 1, "uniqueItems": True}
    any_formats = shape.names(f"give a list of some of {', '.join(formats)}, each once")
    return {
        "title": shape.line("say what the release is called"),
        "kind": shape.one_of(RELEASE_KINDS, f"write one of {', '.join(RELEASE_KINDS)}"),
        "need": shape.text("say why the data are released, and to whom"),
        "formats": Shape(
            lambda given: any_formats.fits(given) and set(given) <= set(formats),
            any_formats.wanted,
            items,
            each=lambda one: isinstance(one, str) and one in formats,
        ),
        "review": shape.day("write the day by which the decision is looked at again as 2028-06-30"),
        "register": shape.path("give the path of the register relative to the project file"),
        "earlier": shape.paths("give a list of folders of earlier runs, relative to the project file"),
        "published": _LIST,
        "signers": shape.names("give a list of those who sign, such as [Jane Doe (data protector)]"),
        "as_they_are": shape.names("give a list of the columns that are to leave as in the file, such as [region]"),
    }


def check_release(given: Any, place: Place) -> ReleasePlan:
    """What the release is to be; all of it may be left out."""
    if given is None:
        return ReleasePlan()
    said = check_fields(given, _shapes(), (), "release", place, "release")
    if isinstance(said.get("review"), date):
        said["review"] = said["review"].isoformat()
    said["published"] = [_published(one, place, number) for number, one in enumerate(said.get("published", ()))]
    settings: Json = {name: tuple(value) if isinstance(value, list) else value for name, value in said.items()}
    return ReleasePlan(**settings)


def _published(spec: Any, place: Place, number: int) -> Published:
    what = f"figure {number + 1} of published"
    path = ("release", "published", number)
    fields = check_fields(spec, PUBLISHED, _PUBLISHED_REQUIRED, what, place, *path)
    if ("of" in fields) is (fields["statistic"] == "count"):
        told = "a count is of records, so leave it out" if "of" in fields else "name the column"
        raise BadInput(f"of of {what} is {fields.get('of')!r}; {told}{place(*path, 'of')}")
    return Published(**{**fields, "value": float(fields["value"])})


def release_spec(release: ReleasePlan) -> Json:
    """The section as it stands in a project: what differs from a plain release."""
    plain = ReleasePlan()
    said = {one.name: getattr(release, one.name) for one in fields(release)}
    changed = {name: value for name, value in said.items() if value != getattr(plain, name)}
    if "published" in changed:
        changed["published"] = [_published_spec(one) for one in release.published]
    return {name: list(value) if isinstance(value, tuple) else value for name, value in changed.items()}


def _published_spec(one: Published) -> Json:
    said: Json = {"statistic": one.statistic, "of": one.of, "where": dict(one.where), "value": one.value}
    said["tolerance"] = one.tolerance
    return {name: value for name, value in said.items() if name == "value" or value}


def release_columns(release: ReleasePlan) -> Iterator[tuple[Any, str, Mapping[str, Any]]]:
    """The columns that the section names: the path to where each stands, in words, and the names."""
    for number, name in enumerate(release.as_they_are):
        yield ("release", "as_they_are", number), "as_they_are of release", {name: None}
    for number, one in enumerate(release.published):
        own = () if one.of is None else (one.of,)
        yield ("release", "published", number), f"published figure {number + 1}", dict.fromkeys((*own, *one.where))


def release_schema() -> Json:
    """The JSON Schema of the section."""
    said = fields_schema(_shapes())
    counts: Json = {
        "if": {"properties": {"statistic": {"const": "count"}}, "required": ["statistic"]},
        "then": {"not": {"required": ["of"]}},
        "else": {"required": ["of"]},
    }
    said["properties"]["published"]["items"] = {**fields_schema(PUBLISHED, _PUBLISHED_REQUIRED), **counts}
    return {**said, "type": ["object", "null"]}
