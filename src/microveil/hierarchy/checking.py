"""What a hierarchy must satisfy: no gaps, each value once, nested, one value at the top."""

from __future__ import annotations

from collections.abc import Sequence

from microveil.core.errors import BadInput
from microveil.core.words import counted
from microveil.hierarchy.files import Rows, value_text

TOP = "*"
_SHOWN = 5


def complete_paths(rows: Rows, what: str) -> tuple[list[tuple[str, ...]], tuple[str, ...]]:
    """The paths, equally long and with one top, and notes on what was added; what cannot be mended is refused."""
    _refuse_gaps(rows, what)
    _refuse_twice(rows, what)
    height = max(len(path) for path in rows.paths)
    notes = []
    whole = {path[-1] for path in rows.paths if len(path) == height}
    top = next(iter(whole)) if len(whole) == 1 else None
    short = [i for i, path in enumerate(rows.paths) if len(path) < height]
    paths = [_padded(path, value, height, top) for path, value in zip(rows.paths, rows.values, strict=True)]
    if short:
        notes.append(f"{what} has {counted(len(short), 'shorter path')}, padded by the top ({_named(rows, short)})")
    _refuse_unnested(rows, paths, what)
    _refuse_names_of_others(rows, paths, what)
    if len({path[-1] for path in paths}) > 1:
        notes.append(f"{what} ends in several values, which are joined by {TOP!r}")
        paths = [(*path, TOP) for path in paths]
    return paths, tuple(notes)


def _padded(path: Sequence[str], value: object, height: int, top: str | None) -> tuple[str, ...]:
    """The path in full length: its own top again, and at the end the one that all full paths share."""
    if len(path) == height:
        return tuple(path)
    last = path[-1] if path else str(value)
    end = last if top is None else top
    return (*path, *(last,) * (height - len(path) - 1), end)


def _refuse_gaps(rows: Rows, what: str) -> None:
    unnamed = [i for i, value in enumerate(rows.values) if value is None or value != value]
    if unnamed:
        place = f"{rows.unit} {rows.lines[unnamed[0]]}" if rows.lines else f"the path {list(rows.paths[unnamed[0]])}"
        raise BadInput(f"{what} has no value in {place}; gaps need no path, leave them out")
    # an empty text may be a value; a value without a path, or a gap in one, cannot be meant
    empty = [i for i, path in enumerate(rows.paths) if not all(field.strip() for field in path)]
    if empty:
        raise BadInput(f"{what} has an empty field in {_named(rows, empty)}; fill every field, or end the path earlier")
    bare = [i for i, path in enumerate(rows.paths) if not path]
    if bare and len(bare) == len(rows.paths):
        raise BadInput(
            f"{what} has one field in every {rows.unit} when {rows.delimiter!r} is taken for the delimiter; write "
            f"value{rows.delimiter}coarser{rows.delimiter}*, or state the delimiter of the file"
        )
    if bare:
        raise BadInput(f"{what} has no coarser value in {_named(rows, bare)}; give at least one for each value")


def _refuse_twice(rows: Rows, what: str) -> None:
    first: dict[object, int] = {}
    again = [i for i, value in enumerate(rows.values) if first.setdefault(value, i) != i]
    if again:
        others = " and other values" if len(again) > 1 else ""
        raise BadInput(
            f"{what} names {rows.values[again[0]]!r}{others} twice, again in {_named(rows, again)}; name each once"
        )


def _refuse_unnested(rows: Rows, paths: Sequence[tuple[str, ...]], what: str) -> None:
    for level in range(len(paths[0]) - 1):
        above: dict[str, int] = {}
        broken = [
            i for i, path in enumerate(paths) if paths[above.setdefault(path[level], i)][level + 1] != path[level + 1]
        ]
        if broken:
            node, then = paths[broken[0]][level : level + 2]
            other = paths[above[node]][level + 1]
            raise BadInput(
                f"{what} is not nested: {node!r} at level {level + 1} becomes {other!r} in "
                f"{_named(rows, [above[node]])} and {then!r} in {_named(rows, broken[:1])}; {_count(rows, broken)}, "
                "and each value of a level needs a single one above it"
            )


def _refuse_names_of_others(rows: Rows, paths: Sequence[tuple[str, ...]], what: str) -> None:
    """A group with the name of a value outside it could not be told from that value in a release."""
    number = {value_text(value): i for i, value in enumerate(rows.values)}
    for i, path in enumerate(paths):
        for level, name in enumerate(path):
            other = number.get(name)
            if other is not None and paths[other][level] != name:
                raise BadInput(
                    f"{what} calls a group at level {level + 1} {name!r} (in {_named(rows, [i])}), and {name!r} is a "
                    f"value that becomes {paths[other][level]!r} there; give the group another name"
                )


def _count(rows: Rows, failing: Sequence[int]) -> str:
    return f"{counted(len(failing), rows.unit)} {'fails' if len(failing) == 1 else 'fail'} ({_named(rows, failing)})"


def _named(rows: Rows, failing: Sequence[int]) -> str:
    """The first rows that fail, by line or by value, and how many more."""
    shown = [str(rows.lines[i]) if rows.lines else repr(rows.values[i]) for i in failing[:_SHOWN]]
    more = len(failing) - len(shown)
    word = rows.unit if len(failing) == 1 else f"{rows.unit}s"
    return f"{word} {', '.join(shown)}" + (f" and {more} more" if more else "")
