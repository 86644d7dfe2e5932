"""What `suggest_subdomains` returns: one row for each way to cut a file into subdomains."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape

import numpy as np

from microveil.core.arrays import Ints

HEADS = ("by", "subdomains", "smallest", "records in too small", "means", "covariances", "verdict")
PRIVATE = "Made from the original: private, not for release."


@dataclass(frozen=True)
class Suggestion:
    """One way to cut the file: `by` names the columns, or says how classes were formed.

    `explained` is the share of the variance of the protected columns that lies between the subdomains, `covariances`
    how much covariances inside them differ, in sizes of the overall covariance matrix: what is lost without them, both
    less what chance gives. `too_small` counts the
    records in subdomains below the recommended size, `impossible` those in subdomains where the method cannot run.
    `joined` lists the subdomains to put together; `labels` has the result.
    """

    by: tuple[str, ...]
    subdomains: int
    smallest: int
    too_small: int
    impossible: int
    explained: float
    covariances: float
    verdict: str
    ready: bool
    joined: tuple[tuple[str, ...], ...] = ()
    names: tuple[str, ...] = field(default=(), repr=False)
    of_record: Ints = field(default_factory=lambda: np.zeros(0, np.int64), repr=False, compare=False)

    @property
    def sound(self) -> bool:
        """Whether every subdomain has the recommended size."""
        return self.too_small == 0

    @property
    def labels(self) -> list[str]:
        """Private: the subdomain of each record after joining, for a column of its own to name in `by`."""
        return [self.names[number] for number in self.of_record.tolist()]


@dataclass(frozen=True)
class Suggestions:
    """Ways to cut a file into subdomains, sound ones first, then by what they explain."""

    columns: tuple[str, ...]
    needed: int
    at_least: int
    rows: tuple[Suggestion, ...]
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Suggestion]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, number: int) -> Suggestion:
        return self.rows[number]

    @property
    def head(self) -> str:
        """What the sizes are compared with, and why."""
        count = len(self.columns)
        return (
            f"Subdomains for {count} protected columns. {self.needed} records are needed in each; {self.at_least} are "
            f"recommended: exact means and covariances are {count * (count + 3) // 2} numbers about a subdomain, and "
            "who knows all but a few of its records can compute the others from them."
        )

    def __repr__(self) -> str:
        cells = [HEADS, *(_cells(row) for row in self.rows)]
        widths = [max(len(line[j]) for line in cells) for j in range(len(HEADS))]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells
        ]
        return "\n".join([self.head, *lines, *(f"note: {note}" for note in self.notes), PRIVATE])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in HEADS)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in _cells(row)) + "</tr>" for row in self.rows
        )
        notes = "".join(f"<p>{escape(note)}</p>" for note in (*self.notes, PRIVATE))
        return f"<p>{escape(self.head)}</p><table><tr>{head}</tr>{body}</table>{notes}"


def _cells(row: Suggestion) -> tuple[str, ...]:
    return (
        " x ".join(row.by),
        str(row.subdomains),
        str(row.smallest),
        str(row.too_small),
        f"{row.explained:.1%}",
        f"{row.covariances:.2f}",
        row.verdict,
    )
