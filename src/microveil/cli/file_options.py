"""The options that say what a data file is, declared once for all commands that read one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

from microveil.cli.console import facts
from microveil.cli.reading import (
    Decimal,
    Delimiter,
    Edits,
    Encoding,
    Hierarchies,
    Kind,
    Missing,
    Role,
    Sheet,
    hierarchy_files,
    read_hierarchy_options,
    reading_options,
)
from microveil.core.edits import parse_edits
from microveil.core.errors import BadInput

if TYPE_CHECKING:
    from microveil.plan import Project


@dataclass(frozen=True)
class FileOptions:
    """What the options say of a data file and its columns; every field is an option of its own."""

    role: Role = None
    kind: Kind = None
    hierarchy: Hierarchies = None
    edit: Edits = None
    na: Missing = None
    encoding: Encoding = None
    decimal: Decimal = None
    delimiter: Delimiter = None
    sheet: Sheet = None

    @property
    def roles(self) -> dict[str, str]:
        """The roles of columns."""
        return facts(self.role or [], "role")

    @property
    def kinds(self) -> dict[str, str]:
        """The kinds of columns."""
        return facts(self.kind or [], "kind")

    @property
    def hierarchies(self) -> dict[str, Any]:
        """The hierarchies of columns, as `mv.read` takes them."""
        return read_hierarchy_options(self.hierarchy or [])

    @property
    def edits(self) -> list[str]:
        """The rules of the data."""
        return self.edit or []

    @property
    def missing(self) -> list[Any]:
        """The codes that mean missing."""
        from microveil.io.odd_cells import written_codes

        return written_codes(self.na or [])

    @property
    def how(self) -> dict[str, Any]:
        """How a file of its format is read, as `mv.read` takes it."""
        return reading_options(self.encoding, self.decimal, self.delimiter, self.sheet)

    @property
    def files(self) -> dict[str, Path | None]:
        """The files that options name, so that no output takes their place."""
        return hierarchy_files(self.hierarchy)


NO_OPTIONS = FileOptions()


def read_facts(project: Project | None, about: FileOptions) -> dict[str, Any]:
    """What a project and the options state about a file, as `mv.read` takes it; an option counts more.

    Rules of both hold.
    """
    parse_edits(about.edits)  # before the file is read
    stated: dict[str, Any] = project.facts if project is not None else {}
    roles, kinds = {**stated.get("roles", {}), **about.roles}, {**stated.get("kinds", {}), **about.kinds}
    known = {**stated, "roles": roles, "kinds": kinds, **about.how}
    if about.missing:
        if known.get("missing"):
            raise BadInput("the project already says which codes mean missing; leave --na out")
        known["missing"] = about.missing
    known["edits"] = [*known.get("edits", ()), *about.edits]
    known["hierarchies"] = {**known.get("hierarchies", {}), **about.hierarchies}
    return known


def with_file_options(*, but: Collection[str] = ()) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A command whose parameter of type `FileOptions` stands for these options, in its place; `but` some of them."""
    names = [field.name for field in fields(FileOptions) if field.name not in but]
    declared = inspect.signature(FileOptions, eval_str=True).parameters
    options = [declared[name].replace(kind=inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in names]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(command, eval_str=True)
        place = next(one.name for one in signature.parameters.values() if one.annotation is FileOptions)

        @wraps(command)
        def called(**given: Any) -> None:
            about = FileOptions(**{name: given.pop(name) for name in names if name in given})
            command(**given, **{place: about})

        shown: list[inspect.Parameter] = []
        for parameter in signature.parameters.values():
            shown += options if parameter.name == place else [parameter]
        # what typer reads: the options in place of the parameter that gathers them
        called.__signature__ = signature.replace(parameters=shown)  # type: ignore[attr-defined]
        called.__annotations__ = {one.name: one.annotation for one in shown}
        return called

    return decorate
