"""Plans: steps that run one after the other and end in one release."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast, overload

from microveil.core.cards import Html, card, folded, shown, table
from microveil.core.errors import BadInput, UnknownName
from microveil.core.open_types import Json
from microveil.core.parameters import suggest
from microveil.core.registry import definitions, registered
from microveil.core.streams import Key
from microveil.core.words import kind_of
from microveil.data.microdata import INTEGER_POLICIES, AnyData, Microdata
from microveil.run.contract import MISSING_POLICIES, Step
from microveil.run.engine import Engine, engine_of
from microveil.run.method import Method
from microveil.run.release import Release
from microveil.run.steps import Progress, run_steps

if TYPE_CHECKING:
    from microveil.engines import BlockEngine, FileRelease, Scan, SparkEngine

VERSION = 1
FIELDS = ("version", "integers", "steps")


@dataclass(frozen=True, repr=False)
class Plan:
    """Methods with the columns they act on, run in order.

    `integers` overrides what the data say about whole-number columns ("round" or "keep exact").

    >>> import microveil as mv
    >>> plan = Plan([(mv.mask.Round(base=10), ["turnover"])])
    >>> Plan.from_text(plan.to_text()) == plan
    True
    """

    steps: tuple[Step, ...]
    integers: str | None = None

    def __init__(self, steps: Iterable[object], integers: str | None = None) -> None:
        if isinstance(steps, str | dict | Method):
            raise BadInput("a plan is a list of steps; put the single step into a list")
        object.__setattr__(self, "steps", tuple(Step.of(step) for step in steps))
        if integers is not None and integers not in INTEGER_POLICIES:
            raise BadInput(f"integers={integers!r} is not one of {list(INTEGER_POLICIES)}")
        object.__setattr__(self, "integers", integers)
        if not self.steps:
            raise BadInput("the plan has no steps; without any, the original would be released")

    @overload
    def run(
        self,
        data: Scan,
        *,
        into: str | Path,
        seed: int | str | bytes | Key | None = None,
        engine: Engine | BlockEngine | SparkEngine | Literal["memory", "blocks", "spark"] = "memory",
        chunk_rows: int | None = None,
        reproducible: bool = False,
        progress: Progress | None = None,
    ) -> FileRelease: ...

    @overload
    def run(
        self,
        data: AnyData,
        *,
        seed: int | str | bytes | Key | None = None,
        engine: Engine | Literal["memory"] = "memory",
        chunk_rows: int | None = None,
        progress: Progress | None = None,
    ) -> Release: ...

    def run(
        self,
        data: AnyData | Scan,
        *,
        into: str | Path | None = None,
        seed: int | str | bytes | Key | None = None,
        engine: Engine | BlockEngine | SparkEngine | Literal["memory", "blocks", "spark"] = "memory",
        chunk_rows: int | None = None,
        reproducible: bool = False,
        progress: Progress | None = None,
    ) -> Release | FileRelease:
        """Run all steps and return the release; every claim is checked, a broken one is an error.

        The release depends neither on `engine`, by which parts of the file are run ("memory" or an `Engine` of your
        own), nor on `chunk_rows`, how many rows are taken at a time in memory. `progress` is called
        with the name of each step, its number and how many there are; if it has a method `within`, that is called
        with the share of the step that is done, ten times a second at most, by the engines that take long.

        Files that were scanned (`mv.scan`) are protected into the folder `into`, which must not be there yet: in blocks
        of rows with `engine="blocks"`, whatever their size, by the tasks of Spark with "spark", or all at once with
        "memory"; the records are the same. A seed that can be guessed is refused there unless `reproducible=True` says
        that it is no real release.
        """
        if not isinstance(data, Microdata) and is_scan(data):
            from microveil.engines.running import run_scan

            return run_scan(
                cast("Scan", data),
                self.steps,
                self.integers,
                Key.of(seed),
                into,
                engine,
                chunk_rows,
                reproducible,
                progress,
            )
        if into is not None or reproducible:
            raise BadInput("into and reproducible are for files that were scanned; scan the files, or leave both out")
        if not isinstance(engine, Engine) and engine != "memory" and _is_block_engine(engine):
            raise BadInput(
                "the engines blocks and spark take files that were scanned; scan the files, and say into which folder"
            )
        by = engine_of(engine, chunk_rows)
        source = Microdata.of(cast("AnyData", data))
        if self.integers is not None and self.integers != source.integers:
            source = source.with_(integers=self.integers)
        return run_steps(source, self.steps, Key.of(seed), engine=by, progress=progress)

    def __repr__(self) -> str:
        lines = [f"  {number}. {_in_words(step)}" for number, step in enumerate(self.steps, start=1)]
        head = "Plan" if self.integers is None else f"Plan (integers: {self.integers})"
        return "\n".join([head, *lines])

    def _repr_html_(self) -> str:
        rows = [
            (
                number,
                repr(step.method),
                _names(step.columns, "all it is for"),
                _names(step.given, ""),
                _names(step.by, ""),
            )
            for number, step in enumerate(self.steps, start=1)
        ]
        head = ("", "method", "columns", "kept and conditioned on", "apart for each value of")
        return card("Plan", table(head, rows), folded("as YAML", Html(f"<pre>{shown(self.to_text())}</pre>")))

    # -- files -----------------------------------------------------------------------------------

    def to_mapping(self) -> Json:
        """The plan in plain terms, as in its file."""
        head: Json = {"version": VERSION}
        if self.integers is not None:
            head["integers"] = self.integers
        return {**head, "steps": [step.to_mapping() for step in self.steps]}

    @classmethod
    def from_mapping(cls, fields: object) -> Plan:
        """The plan from plain terms; an unknown field is an error that names the nearest."""
        if not isinstance(fields, dict):
            raise BadInput(f"a plan is a mapping with {list(FIELDS)}; this is {kind_of(fields)}")
        for name in fields:
            if name not in FIELDS:
                raise UnknownName(f"a plan has no field {name!r}{suggest(str(name), FIELDS)}")
        version = fields.get("version", VERSION)
        if isinstance(version, bool) or version != VERSION:
            raise BadInput(f"the plan has version {version!r}; this release reads version {VERSION}")
        steps = fields.get("steps")
        if not isinstance(steps, list):
            raise BadInput("a plan needs steps: a list of methods with the columns they act on")
        return cls(steps, fields.get("integers"))

    def to_text(self) -> str:
        """The plan as YAML."""
        from microveil.io import write_yaml

        return write_yaml(self.to_mapping())

    @classmethod
    def from_text(cls, text: str) -> Plan:
        """The plan of a YAML text."""
        from microveil.io import read_yaml

        return cls.from_mapping(read_yaml(text, "the plan"))

    def save(self, path: str | Path) -> None:
        """Write the plan to a YAML file."""
        from microveil.io import write_text

        write_text(path, self.to_text())

    @classmethod
    def load(cls, path: str | Path) -> Plan:
        """Read a plan from a YAML file."""
        from microveil.io import read_text

        return cls.from_text(read_text(path))


def is_scan(data: object) -> bool:
    """Whether data are scanned files."""
    # by name: whoever has a frame need not load what reads files
    return type(data).__name__ == "Scan" and type(data).__module__ == "microveil.engines.scanning"


def _is_block_engine(engine: object) -> bool:
    # by name: whoever has a frame need not load what reads files
    rooms = ("microveil.engines.block_engine", "microveil.engines.spark_engine")
    return engine in ("blocks", "spark") or type(engine).__module__ in rooms


def _names(names: tuple[str, ...] | None, otherwise: str) -> str:
    return otherwise if names is None else ", ".join(map(str, names))


def _in_words(step: Step) -> str:
    parts = [repr(step.method), f" on {_names(step.columns, 'the columns it is for')}"]
    if step.given is not None:
        parts.append(f", conditioned on {_names(step.given, '') or 'no others'}")
    if step.by:
        parts.append(f", in each value of {_names(step.by, '')}")
    return "".join(parts) + (f", missing: {step.missing}" if step.missing != "error" else "")


def plan_schema() -> Json:
    """The JSON Schema of a plan file, with every registered method."""
    families = definitions()
    method_families = sorted({cls.family for cls in registered(Method)})
    families["method"] = {"anyOf": [{"$ref": f"#/$defs/{family}"} for family in method_families]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "microveil plan",
        "type": "object",
        "properties": {
            "version": {"const": VERSION},
            "integers": {"enum": list(INTEGER_POLICIES)},
            "steps": {"type": "array", "minItems": 1, "items": step_schema()},
        },
        "required": ["steps"],
        "additionalProperties": False,
        "$defs": families,
    }


def step_schema() -> Json:
    """The JSON Schema of a step."""
    names: Json = {"type": "array", "items": {"type": ["string", "number", "boolean"]}, "uniqueItems": True}
    some: Json = {"anyOf": [{"type": ["string", "null"]}, {**names, "minItems": 1}]}
    any_number: Json = {"anyOf": [{"type": ["string", "null"]}, names]}
    return {
        "type": "object",
        "properties": {
            "method": {"$ref": "#/$defs/method"},
            "columns": {**some, "description": "the columns to replace"},
            "given": {**any_number, "description": "the columns to keep and condition on; an empty list keeps none"},
            "by": {**any_number, "description": "the columns whose values form subdomains"},
            "missing": {"enum": [*MISSING_POLICIES, None], "description": "what to do about missing continuous values"},
        },
        "required": ["method"],
        "additionalProperties": False,
    }
