"""What `Lattice.explore` returns: the best combinations of levels, with what they lose and what risks are left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from microveil.core.numbers import format_number, format_percent
from microveil.data.frames import AnyFrame

BY_RULE = "where the classes that break it are left out, then the smallest"
PRIVATE = "Made from the original: private, not for release."


@dataclass(frozen=True)
class Solution:
    """One combination of levels at which the model holds.

    `dropped` counts the records left out there; `classes` the classes of equal keys among the others, of which
    `smallest` is the size of the smallest. Risks are one over the size of a record's class. With several sets of keys
    classes and risks are those of the set that leaves the largest risk.
    """

    levels: Mapping[str, int]
    loss: float
    dropped: int
    classes: int
    smallest: int
    average_risk: float
    highest_risk: float

    @property
    def row(self) -> dict[str, Any]:
        """The figures by name, the levels of the keys first."""
        names = ("loss", "dropped", "classes", "smallest", "average_risk", "highest_risk")
        return {f"level of {key}": level for key, level in self.levels.items()} | {
            name: getattr(self, name) for name in names
        }


@dataclass(frozen=True)
class Solutions:
    """The best combinations of levels, the best first; `levels=solutions[0].levels` applies one of them.

    `bound`: no combination loses less. `complete`: these are proven to be the best; otherwise the search ended before.
    `by_rule`: that is so where records are left out by the rule of `Lattice`; another choice of them might lose less.
    `size` counts all combinations, `looked_at` those that the search looked at and `counted` those whose classes it
    had to count for its proof.
    """

    nodes: tuple[Solution, ...]
    loss: str
    asked: str
    library: Any
    bound: float
    complete: bool
    size: int
    looked_at: int
    counted: int
    by_rule: bool = False

    def __iter__(self) -> Iterator[Solution]:
        return iter(self.nodes)

    def __len__(self) -> int:
        return len(self.nodes)

    def __getitem__(self, number: int) -> Solution:
        return self.nodes[number]

    def rows(self) -> list[dict[str, Any]]:
        """One mapping for each node, for a frame of any library."""
        return [node.row for node in self.nodes]

    def to_frame(self) -> AnyFrame:
        """The nodes as a data frame, in the library that the data came in."""
        import narwhals as nw

        rows = self.rows()
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        found: AnyFrame = nw.from_dict(columns, backend=self.library).to_native()
        return found

    @property
    def head(self) -> str:
        """What was looked for, and what is proven."""
        ended = f"the search ended before; none loses less than {self.bound:.4g}"
        proof = "proven to be the best" if self.complete else ended
        proof += f", {BY_RULE}" if self.by_rule else ""
        return f"{len(self)} of {self.size:,} combinations of levels with {self.asked}, by {self.loss}: {proof}."

    def _cells(self) -> list[tuple[str, ...]]:
        keys = tuple(self.nodes[0].levels) if self.nodes else ()
        head = (*keys, "loss", "left out", "classes", "smallest", "average risk", "highest risk")
        return [head] + [
            (
                *(str(level) for level in node.levels.values()),
                f"{node.loss:.4g}",
                str(node.dropped),
                str(node.classes),
                str(node.smallest),
                format_percent(node.average_risk),
                format_percent(node.highest_risk),
            )
            for node in self.nodes
        ]

    def __repr__(self) -> str:
        cells = self._cells()
        widths = [max(len(line[j]) for line in cells) for j in range(len(cells[0]))]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells
        ]
        return "\n".join([self.head, *lines, PRIVATE])

    def _repr_html_(self) -> str:
        head, *body = self._cells()
        names = "".join(f"<th>{escape(name)}</th>" for name in head)
        lines = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in line) + "</tr>" for line in body)
        return f"<p>{escape(self.head)}</p>{self.picture()}<table><tr>{names}</tr>{lines}</table><p>{PRIVATE}</p>"

    def picture(self) -> str:
        """The nodes as points of a drawing (SVG): loss to the right, average risk upwards, the best one filled."""
        if not self.nodes:
            return ""
        losses, risks = [node.loss for node in self.nodes], [node.average_risk for node in self.nodes]
        x, y = _scale(losses, 60, 440), _scale(risks, 180, 20)
        points = "".join(
            f'<circle cx="{x(node.loss):.1f}" cy="{y(node.average_risk):.1f}" r="4" '
            f'fill="{"currentColor" if i == 0 else "none"}" stroke="currentColor"><title>'
            f"{escape(', '.join(f'{key} {level}' for key, level in node.levels.items()))}: loss {node.loss:.4g}, "
            f"average risk {format_percent(node.average_risk)}</title></circle>"
            for i, node in reversed(list(enumerate(self.nodes)))
        )
        ends = (
            f'<text x="60" y="212">{format_number(min(losses))}</text>'
            f'<text x="440" y="212" text-anchor="end">{format_number(max(losses))}</text>'
            f'<text x="250" y="212" text-anchor="middle">loss ({escape(self.loss)})</text>'
            f'<text x="4" y="24">{format_percent(max(risks))}</text>'
            f'<text x="4" y="184">{format_percent(min(risks))}</text>'
        )
        told = escape(f"Loss and average risk of the {len(self)} best combinations of levels")
        axes = '<path d="M50 15V190H450" fill="none" stroke="currentColor" stroke-width="0.5"/>'
        return (
            f'<svg viewBox="0 0 460 220" role="img" aria-label="{told}" style="max-width:34rem;font-size:11px">'
            f"<g fill='currentColor'>{ends}</g>{axes}{points}</svg>"
        )


def _scale(values: list[float], low: float, high: float) -> Any:
    least, most = min(values), max(values)
    span = most - least or 1.0
    return lambda value: low + (value - least) / span * (high - low)
