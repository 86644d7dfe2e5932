"""The figures of two trees side by side, as a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tools.house.additions import Addition
from tools.house.figures import Figures, percentile

Row = tuple[str, Callable[[Figures], str]]

ROWS: tuple[Row, ...] = (
    ("files", lambda one: f"{one.files:,}"),
    ("lines", lambda one: f"{one.lines:,}"),
    ("lines of a file, median", lambda one: f"{one.median_file:g}"),
    ("largest file", lambda one: _named(one.largest_file)),
    ("functions", lambda one: f"{len(one.functions):,}"),
    ("lines of a function, median", lambda one: f"{percentile(one.functions, 0.5)}"),
    ("lines of a function, nine in ten at most", lambda one: f"{percentile(one.functions, 0.9)}"),
    ("longest function", lambda one: _named((one.functions[-1].name, one.functions[-1].lines))),
    ("imports between modules", lambda one: f"{one.edges:,}"),
    ("imports between rooms", lambda one: f"{one.edges_between_rooms:,}"),
    ("pairs of rooms with an import", lambda one: f"{one.room_pairs}"),
    ("imported by most modules", lambda one: _named(one.fan_in)),
    ("imports most modules", lambda one: _named(one.fan_out)),
    ("longest chain of imports", lambda one: f"{len(one.chain)} modules"),
    ("circles of imports, at any level", lambda one: f"{len(one.cycles)}"),
    ("`isinstance` of one registered class", lambda one: f"{len(one.asked_by_class)}"),
    ("ideas written more than once", lambda one: "not listed" if one.written_again is None else _again(one)),
)

_HOW = (
    "Written by `make house` from the sources alone (`tools/house`). Imports inside functions count, "
    "those for type checkers do not."
)
_HOW_ADDED = (
    "Each recipe of [CONTRIBUTING](../CONTRIBUTING.md) was performed on a copy of the tree, and what it says must "
    "work did. Files of tests and documents are not counted."
)


def page(now: Figures, then: Figures | None, names: tuple[str, str], additions: Mapping[str, Addition]) -> str:
    """The page, in Markdown."""
    lines = [
        "# The house in figures",
        "",
        _HOW,
        "",
        f"Now is the tree after {names[0]}; before is {names[1]}.",
        "",
        "| | before | now |",
        "|---|---|---|",
    ]
    lines += [f"| {title} | {'' if then is None else show(then)} | {show(now)} |" for title, show in ROWS]
    families = sorted({*now.families, *(then.families if then else ())})
    lines += [f"| registered: {family} | {_members(then, family)} | {_members(now, family)} |" for family in families]
    lines += ["", "## Where", "", *_places(now), "", *_additions(additions)]
    return "\n".join(lines).rstrip() + "\n"


def _named(named: tuple[str, int]) -> str:
    return f"{named[1]:,} (`{named[0]}`)"


def _members(figures: Figures | None, family: str) -> str:
    return "" if figures is None else str(figures.families.get(family, 0))


def _again(figures: Figures) -> str:
    return str(len(figures.written_again or ()))


def _places(now: Figures) -> list[str]:
    chain = " → ".join(f"`{name.partition('.')[2] or name}`" for name in now.chain)
    lines = [f"- The longest chain: {chain}."]
    lines += [f"- A circle: {', '.join(f'`{name}`' for name in circle)}." for circle in now.cycles]
    lines += [f"- `{module}` asks for `{name}` by its class." for module, _, name in now.asked_by_class]
    lines += [f"- {idea}: written again in {', '.join(again)}." for idea, again in (now.written_again or {}).items()]
    return lines


def _additions(additions: Mapping[str, Addition]) -> list[str]:
    if not additions:
        return []
    return [
        "## What an addition costs",
        "",
        _HOW_ADDED,
        "",
        "| kind | files added | files changed | which are changed |",
        "|---|---|---|---|",
        *(
            f"| {kind} | {len(one.added)} | {len(one.changed)} | {', '.join(f'`{path}`' for path in one.changed)} |"
            for kind, one in additions.items()
        ),
    ]
