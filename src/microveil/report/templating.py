"""The templates of pages: everything that is put into them is escaped."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any


@cache
def template(name: str) -> Any:
    """A template by its file name; it may include others, such as the style that pages share."""
    from jinja2 import Environment, FunctionLoader

    folder = files("microveil.report").joinpath("templates")
    loader = FunctionLoader(lambda wanted: folder.joinpath(wanted).read_text(encoding="utf-8"))
    return Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True).get_template(name)
