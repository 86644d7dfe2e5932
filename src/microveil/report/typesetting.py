"""Setting a PDF by typst: fonts are those that it brings along, nothing is loaded, nothing depends on the machine."""

from __future__ import annotations

from importlib.util import find_spec

from microveil.core.errors import BadInput

FONTS = ("Libertinus Serif", "DejaVu Sans Mono")


def check_pdf() -> None:
    """Refuse where the extra is not installed, before anything is done for it."""
    if find_spec("typst") is None:
        raise BadInput(
            "a PDF needs typst, which is not installed: pip install 'microveil[pdf]', or write the report as HTML, "
            "which has a style for printing"
        )


def set_pdf(template: bytes, **inputs: str) -> bytes:
    """The PDF of a template with what it is told, for archives (PDF/A-2a) and for all readers (PDF/UA-1)."""
    import typst

    return typst.compile(
        template, format="pdf", ignore_system_fonts=True, sys_inputs=inputs, pdf_standards=["a-2a", "ua-1"]
    )
