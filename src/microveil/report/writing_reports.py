"""Writing a report: as a page, or as PDF where its name ends so."""

from __future__ import annotations

from pathlib import Path

from microveil.report.as_html import as_html
from microveil.report.as_pdf import as_pdf
from microveil.report.parts import Report


def write_parts(path: str | Path, report: Report) -> None:
    """Write a report in the form that the ending of its name says."""
    from microveil.io import write_bytes

    is_pdf = Path(path).suffix.lower() == ".pdf"
    write_bytes(path, as_pdf(report) if is_pdf else as_html(report).encode())
