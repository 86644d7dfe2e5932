"""The section of the report on hierarchies: the levels of each, and its tree to unfold."""

from __future__ import annotations

from microveil.core.open_types import Hierarchy
from microveil.hierarchy.showing import levels_table, tell_size, tree_html
from microveil.report.parts import Fold, Row, Screen, Table
from microveil.report.section import Charts, Section, Told

_MOST_SHOWN = 6  # values of a level


def _draw(told: Told) -> Charts:
    schema = told.pair.before.schema
    stated = {name: paths for name in told.columns if (paths := schema[name].hierarchy)}
    return Charts(tuple(_fold(str(name), paths) for name, paths in stated.items()))


def _fold(name: str, paths: Hierarchy) -> Fold:
    """One hierarchy behind its name: its levels side by side, then the tree."""
    head, rows = levels_table(paths, _MOST_SHOWN)
    lines = tuple(Row((word, *(row[place] for row in rows))) for place, word in enumerate(head))
    return Fold(f"{name}: {tell_size(paths)}", (Table((), lines, "figures"), Screen(tree_html(paths))))


HIERARCHIES = Section(
    "Hierarchies",
    _draw,
    "How values become coarser, as stated for the original. Level 0 are its own values.",
)
