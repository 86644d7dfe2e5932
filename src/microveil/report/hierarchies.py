"""The section of the report on hierarchies: the levels of each, and its tree to unfold."""

from __future__ import annotations

from microveil.core.cards import shown
from microveil.core.open_types import Hierarchy
from microveil.hierarchy.showing import levels_table, tell_size, tree_html
from microveil.report.section import Charts, Section, Told

_MOST_SHOWN = 6  # values of a level


def _draw(told: Told) -> Charts:
    schema = told.pair.before.schema
    stated = {name: paths for name in told.columns if (paths := schema[name].hierarchy)}
    return Charts(tuple(_fold(str(name), paths) for name, paths in stated.items()))


def _fold(name: str, paths: Hierarchy) -> str:
    """One hierarchy behind its name: its levels side by side, then the tree."""
    head, rows = levels_table(paths, _MOST_SHOWN)
    lines = [
        f"<th>{word}</th>{''.join(f'<td>{shown(row[place])}</td>' for row in rows)}" for place, word in enumerate(head)
    ]
    table = f'<table class="figures"><tbody>{"".join(f"<tr>{line}</tr>" for line in lines)}</tbody></table>'
    return f"<details><summary>{shown(name)}: {tell_size(paths)}</summary>{table}{tree_html(paths)}</details>"


HIERARCHIES = Section(
    "Hierarchies",
    _draw,
    "How values become coarser, as stated for the original. Level 0 are its own values.",
)
