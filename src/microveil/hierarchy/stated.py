"""What people state as the hierarchy of a column: a mapping, a file, or a rule."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any, TypeAlias

from microveil.core.errors import BadInput, FileProblem
from microveil.core.open_types import Cell
from microveil.core.open_types import Hierarchy as Paths
from microveil.core.parameters import nearest
from microveil.hierarchy.checking import complete_paths
from microveil.hierarchy.files import Rows, value_text
from microveil.hierarchy.hierarchy import Hierarchy
from microveil.hierarchy.meeting import meet_values
from microveil.hierarchy.rule import HierarchyRule

AnyHierarchy: TypeAlias = Paths | HierarchyRule | Path | str

_ALLOWED = "map each value to a list of coarser values, the nearest first, name a file, or give a rule"


def check_stated(stated: Any, what: str) -> None:
    """A hierarchy is a mapping of values to lists, a file or a rule; files are not opened. None states none."""
    if stated is None or isinstance(stated, Hierarchy | HierarchyRule | Path) or (stated and isinstance(stated, str)):
        return
    if is_rule(stated):
        HierarchyRule.from_spec(stated)
    elif not isinstance(stated, Mapping):
        raise BadInput(f"{what} is {stated!r}; {_ALLOWED}")
    else:
        for value, path in stated.items():
            if not _is_plain_list(path):
                raise BadInput(f"{what} maps {value!r} to {path!r}; give a list of coarser values, the nearest first")


def _is_plain_list(given: Any) -> bool:
    """Whether this is a list, array or the like of single values."""
    if isinstance(given, str | bytes | Mapping | AbstractSet) or not isinstance(given, Collection):
        return False
    return not any(isinstance(one, Collection) and not isinstance(one, str | bytes) for one in given)


def is_rule(stated: Any) -> bool:
    """Whether a rule is stated by its name, with its parameters or alone."""
    if isinstance(stated, str):
        # what has an ending or a folder is a file
        return stated.replace("-", "").isalnum() and stated in HierarchyRule.member_names()
    return isinstance(stated, Mapping) and len(stated) == 1 and isinstance(next(iter(stated.values())), Mapping)


def _refuse_no_file(path: Path, what: str) -> None:
    if not path.exists():
        known = HierarchyRule.member_names()
        hint = nearest(path.name, known)
        raise FileProblem(f"{what} is {str(path)!r}, and there is no such file; name a file, or one of {known}{hint}")


def resolve(stated: Any, values: Callable[[], Sequence[Cell]], what: str, *, ordered: bool = False) -> Paths | None:
    """The paths of the values of a column, by these values; `values` gives them in their order where they are needed.

    `ordered`: the order of the values is that of the column, not that of the alphabet.
    Every value must have a path, and paths must nest. A plain mapping stays as long as it is.
    """
    check_stated(stated, what)
    if stated is None or (isinstance(stated, Mapping) and not stated):
        return None
    if isinstance(stated, str | Path) and not is_rule(stated):
        _refuse_no_file(Path(stated), what)
        stated = Hierarchy.read(stated)
    if is_rule(stated):
        stated = HierarchyRule.from_spec(stated)
    if isinstance(stated, HierarchyRule):
        if not len(values()):
            return None
        return (stated.with_order(values()) if ordered else stated).of(values())
    if isinstance(stated, Hierarchy) and stated.rule is not None:
        return extend_paths(stated, values())
    met = meet_values(stated, values(), what)
    if isinstance(stated, Hierarchy):
        return stated.with_values(met)
    plain = {value: tuple(path) for value, path in met.items()}
    complete_paths(Rows(list(plain), [[*map(str, path)] for path in plain.values()], unit="value"), what)
    return plain


def extend_paths(paths: Paths, values: Sequence[Cell]) -> Paths:
    """A hierarchy that a rule made, with values that it has not seen, as of a register; others as they are."""
    rule = getattr(paths, "rule", None)
    if rule is None or not len(values) or not isinstance(paths, Hierarchy):
        return paths
    return paths.with_values({**paths, **rule.paths_of(values)})


def to_plain(paths: Paths) -> Any:
    """A hierarchy in plain terms: its rule where one made it, else pairs of a value and its path."""
    rule = getattr(paths, "rule", None)
    return rule.to_spec() if rule is not None else [[value, list(path)] for value, path in paths.items()]


def from_plain(plain: Any) -> AnyHierarchy:
    """What `to_plain` gave, as it is stated."""
    return dict(plain) if isinstance(plain, list) else HierarchyRule.from_spec(plain)


def to_yaml(paths: Paths) -> Any:
    """A hierarchy as a project states it: its rule where one made it, else the mapping."""
    rule = getattr(paths, "rule", None)
    if rule is not None:
        return rule.to_spec()
    return {_key(value): [*map(str, path)] for value, path in paths.items()}


def _key(value: Cell) -> Cell:
    """Numbers and texts as they are, all else as the text that meets it."""
    return value if isinstance(value, str | int | float) else value_text(value)


def in_folder(stated: Any, folder: Path) -> Any:
    """What is stated, with its file looked for in a folder."""
    if is_rule(stated):
        spec = HierarchyRule.from_spec(stated).to_spec()
        settings = next(iter(spec.values())) if isinstance(spec, dict) else {}
        if "file" in settings:
            return {next(iter(spec)): {**settings, "file": str(folder / settings["file"])}}
        return stated
    return str(folder / stated) if isinstance(stated, str) else stated
