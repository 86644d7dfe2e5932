"""The templates of the app, in one visual language with the reports: everything that is put into them is escaped."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import Any

from microveil.core.numbers import format_number
from microveil.core.words import counted

_MINUTE = 60


@cache
def environment() -> Any:
    """The templates of the app and, for what they share, those of reports."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    folders = [files("microveil.app").joinpath("templates"), files("microveil.report").joinpath("templates")]

    def find(name: str) -> str | None:
        found = next((folder.joinpath(name) for folder in folders if folder.joinpath(name).is_file()), None)
        return None if found is None else found.read_text(encoding="utf-8")

    made = Environment(
        loader=FunctionLoader(find), autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    made.filters |= {"command": in_one_line, "number": format_number, "duration": duration, "counted": counted}
    made.filters |= {"marked": marked, "first_line": first_line, "other_lines": other_lines}
    return made


def in_one_line(words: Sequence[str]) -> str:
    """A command as people type it."""
    return shlex.join(words)


def first_line(message: str) -> str:
    """What a message says first, as a sentence.

    >>> first_line("It was refused\\n- it was too late")
    'It was refused.'
    """
    line = message.split("\n", 1)[0].strip()
    return line if not line or line.endswith((".", "?", "!", ":")) else f"{line}."


def other_lines(message: str) -> list[tuple[bool, list[str]]]:
    """The further lines of a message as they stand together: those of a list, which begin with a dash, and others.

    >>> other_lines("Nothing was written\\n- too risky\\n- too late\\nTry less")
    [(True, ['too risky', 'too late']), (False, ['Try less'])]
    """
    lines = [line.strip() for line in message.split("\n")[1:] if line.strip()]
    grouped = groupby(lines, key=lambda line: line.startswith("- "))
    return [(listed, [line.removeprefix("- ") for line in found]) for listed, found in grouped]


def duration(seconds: float) -> str:
    """A time in words.

    >>> duration(3.2), duration(200), duration(7300)
    ('3 s', '3 min 20 s', '2 h 1 min')
    """
    whole = round(seconds)
    minutes, rest = divmod(whole, _MINUTE)
    hours, minutes_left = divmod(minutes, _MINUTE)
    if hours:
        return f"{hours} h {minutes_left} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def marked(text: str) -> Any:
    """A text whose words in backticks are set as code; all else is escaped.

    >>> str(marked("of `k` < 3"))
    'of <code>k</code> &lt; 3'
    """
    from markupsafe import Markup, escape

    parts = text.split("`")
    if len(parts) % 2 == 0:  # one that is never closed
        return escape(text)
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if place % 2 else escape(part) for place, part in enumerate(parts)
    )


@cache
def style() -> str:
    """The style of reports, which pages share, without its tags."""
    text: str = environment().get_template("style.html").render()
    return text.strip().removeprefix("<style>").removesuffix("</style>")
