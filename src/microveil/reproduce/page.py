"""The tables as one self-contained page, and in Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from microveil.core.errors import BadInput
from microveil.reproduce.base import DEFAULT_SEED, Cell, PaperTable, counts_of
from microveil.reproduce.status import STATUSES, Range
from microveil.reproduce.text import counts_text, draws_text, figure_text, range_text, summary_text

TITLE = "Published tables, ours beside theirs"
ENDINGS = (".html", ".md")


@dataclass(frozen=True)
class ShownCell:
    """One cell as the page prints it."""

    published: str
    ours: str
    between: str
    digits: str
    status: str
    kind: str


def write_page(path: str | Path, tables: Sequence[PaperTable], seed: str = DEFAULT_SEED) -> None:
    """Write the tables to a file; its ending says whether as HTML or as Markdown."""
    from microveil.io import write_text

    check_ending(path)
    write_text(path, (render_html if Path(path).suffix.lower() == ".html" else render_markdown)(tables, seed))


def check_ending(path: str | Path) -> None:
    """Refuse files that are neither HTML nor Markdown."""
    if Path(path).suffix.lower() not in ENDINGS:
        raise BadInput(f"{path} ends in {Path(path).suffix!r}; the tables can be written to {' and '.join(ENDINGS)}")


def render_html(tables: Sequence[PaperTable], seed: str = DEFAULT_SEED) -> str:
    """The tables as one HTML page that needs nothing else."""
    text: str = _template().render(
        title=TITLE,
        seed=seed,
        statuses=STATUSES,
        counts=counts_of(tables),
        summary=summary_text(counts_of(tables)),
        tables=[
            {
                "of": table,
                "draws": draws_text(table.draws),
                "counts": counts_text(table.counts),
                "rows": [(row, [_shown(table.cell(row, column)) for column in table.columns]) for row in table.rows],
            }
            for table in tables
        ],
    )
    return text


@cache
def _template() -> Any:
    from jinja2 import Environment

    source = files("microveil.reproduce").joinpath("templates/page.html").read_text(encoding="utf-8")
    return Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(source)


def _shown(cell: Cell | None) -> ShownCell | None:
    if cell is None:
        return None
    return ShownCell(
        published="" if cell.published is None else figure_text(cell.published, cell.decimals),
        ours=figure_text(None if cell.ours is None else cell.ours.mean, cell.decimals),
        between=range_text(cell.ours, cell.decimals),
        digits=_digits_text(cell.ours),
        status=cell.status,
        kind=cell.status.replace(" ", "-"),
    )


def _digits_text(ours: Range | None) -> str:
    """Our figure with more digits than the paper prints, so that a status can be checked from the page."""
    return "" if ours is None else f"{ours.mean:.12g} ({ours.low:.12g} to {ours.high:.12g})"


def render_markdown(tables: Sequence[PaperTable], seed: str = DEFAULT_SEED) -> str:
    """The tables in Markdown: in every cell ours, our range, the paper's figure and the status."""
    lines = [f"# {TITLE}", "", f"Random numbers from the seed `{seed}`.", ""]
    lines += [f"- **{status}**: {meaning}" for status, meaning in STATUSES.items()]
    for table in tables:
        lines += ["", f"## {table.title}", "", f"{table.paper}. `microveil reproduce {table.name}`", ""]
        lines += [f"- {sentence}" for sentence in table.reading]
        lines += ["", f"{draws_text(table.draws)}; {counts_text(table.counts)}.", ""]
        lines += ["| | " + " | ".join(table.columns) + " |", "|---|" + "---|" * len(table.columns)]
        for row in table.rows:
            cells = [_markdown_cell(_shown(table.cell(row, column))) for column in table.columns]
            lines.append(f"| {row} | " + " | ".join(cells) + " |")
        lines += ["", *(f"- {note}" for note in (*table.reasons, *table.notes))]
    counts = counts_of(tables)
    return "\n".join([*lines, "", f"In all: {counts_text(counts)}.", "", summary_text(counts), ""])


def _markdown_cell(cell: ShownCell | None) -> str:
    if cell is None:
        return ""
    published = f"paper {cell.published}<br>" if cell.published else ""
    between = f" ({cell.between})" if cell.between else ""
    status = f"**{cell.status}**" if cell.status == "unresolved" else cell.status
    return f"{published}ours {cell.ours}{between}<br>{status}"
