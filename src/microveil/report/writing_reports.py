"""Writing a report: as a page, or as PDF where its name ends so."""

from __future__ import annotations

from pathlib import Path

from microveil.report.as_html import as_html
from microveil.report.as_pdf import as_pdf
from microveil.report.parts import Report
from microveil.report.typesetting import check_pdf


def check_form(path: str | Path | None) -> None:
    """Refuse now a form that could not be written later, so that no long run ends in vain."""
    if _is_pdf(path):
        check_pdf()


def write_parts(path: str | Path, report: Report) -> None:
    """Write a report in the form that the ending of its name says."""
    from microveil.io import write_bytes

    write_bytes(path, as_pdf(report) if _is_pdf(path) else as_html(report).encode())


def _is_pdf(path: str | Path | None) -> bool:
    return path is not None and Path(path).suffix.lower() == ".pdf"
