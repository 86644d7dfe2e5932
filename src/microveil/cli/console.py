"""What the commands share: output, progress, and reading of options."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, NamedTuple

import yaml
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from microveil.cli.project_words import in_project_words
from microveil.cli.words import in_command_words
from microveil.core.errors import BadInput
from microveil.core.passes_told import hearing_passes
from microveil.core.printable import one_line
from microveil.core.words import counted as counted

_LONGEST = 60  # of what is repeated in a message
_SCIENTIFIC = re.compile(r"[-+]?\d+[eE][-+]?\d+")  # 1e-3: for YAML a text, for people a number


class Door(Console):
    """A console that says everything in the words of the command that is running.

    `beside_project` are the options of a command that runs a project: what is none of them is a field of the project.
    """

    beside_project: ClassVar[Container[str] | None] = None

    def print(self, *objects: Any, **options: Any) -> None:
        """Print; texts that name arguments of Python name the options instead."""
        said = [_shown(self._in_words(each)) if isinstance(each, str) else each for each in objects]
        try:
            super().print(*said, **options)
        except BrokenPipeError:
            self.on_broken_pipe()

    def _in_words(self, text: str) -> str:
        said = in_command_words(text)
        return said if Door.beside_project is None else in_project_words(said, Door.beside_project)

    def on_broken_pipe(self) -> None:
        """Go on in silence when nobody reads any more (`inspect FILE | head`): files are still to be written."""
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.file.fileno())


def _shown(text: str) -> str:
    """The text line by line, with signs that a terminal would obey or not show written by their numbers."""
    return "\n".join(map(one_line, text.replace("\t", "    ").split("\n")))


out = Door(highlight=False, soft_wrap=True)
err = Door(stderr=True, highlight=False, soft_wrap=True)


def complain(message: str, lines: Sequence[str] = ()) -> None:
    """One clear line about what went wrong, and further ones that belong to it."""
    err.print("microveil: " + " ".join(message.split()), markup=False, style="bold red" if err.is_terminal else None)
    for line in lines:
        err.print("  " + " ".join(line.split()), markup=False)


def show_table(headings: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[str] = ()) -> None:
    """A table: fitted to a terminal, and with every word whole in a pipe."""
    if not out.is_terminal:
        widths = [max(map(len, cells)) for cells in zip(headings, *rows, strict=True)]
        for row in (headings, *rows):
            cells = [
                cell.rjust(width) if name in right else cell.ljust(width)
                for cell, width, name in zip(row, widths, headings, strict=True)
            ]
            out.print("  ".join(cells).rstrip(), markup=False)
        return
    table = Table(box=None, pad_edge=False)
    for heading in headings:
        table.add_column(heading, justify="right" if heading in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(escape(cell) for cell in row))
    out.print(table)


class Drawn(NamedTuple):
    """What a bar shows: what is done, how far, of how much, and the same in words."""

    what: str
    done: float
    total: int
    told: str


class Shown:
    """Progress in steps, and within a step where its engine tells how far it is.

    Of files in blocks the present pass is shown: how many a step makes is not known before.
    """

    def __init__(self, draw: Callable[[Drawn], None]) -> None:
        self._draw, self._what, self._number, self._total, self._passes = draw, "", 1, 1, 0

    def __call__(self, what: str, number: int, total: int) -> None:
        """A step begins."""
        self._what, self._number, self._total, self._passes = what, number, total, 0
        self.within(0.0)

    def within(self, share: float) -> None:
        """This share of the present step is done."""
        done = self._number - 1 + share
        self._draw(Drawn(self._what, done, self._total, f"{done:.1f}/{self._total}"))

    def passes(self, what: str, done: int, total: int) -> None:
        """So many records, parts or files of the present pass are done; with none of them it begins."""
        self._passes += done == 0
        step = f"{self._what} ({self._number} of {self._total}), " if self._what else ""
        self._draw(Drawn(f"{step}pass {self._passes}", done, total, f"{done:,}/{total:,} {what}"))


@contextmanager
def progress(title: str) -> Iterator[Shown]:
    """Progress on a terminal (what, how far, time left); quiet in a pipe."""
    if not err.is_terminal:  # a bar that is turned off still leaves an empty line, with rich before 14.3
        yield Shown(lambda _: None)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[told]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task(title, total=None, told="")

        def draw(drawn: Drawn) -> None:
            what = f"{title}: {drawn.what}"
            shown = bar.tasks[task]
            if shown.total not in (None, drawn.total) or drawn.done < shown.completed:
                # another count begins: its time left is its own
                bar.reset(task, total=drawn.total, description=what, told=drawn.told)
            bar.update(task, description=what, completed=drawn.done, total=drawn.total, told=drawn.told)

        shown = Shown(draw)
        with hearing_passes(shown.passes):
            yield shown


def names(text: str | None) -> list[str] | None:
    """A comma-separated list of column names."""
    if text is None:
        return None
    found = [name.strip() for name in text.split(",") if name.strip()]
    if not found:
        raise BadInput(f"{text!r} names no column; give names separated by commas")
    return found


def read_measures(text: str | None) -> Any:
    """The measures that --measures asks for, as `mv.evaluate` takes them; an unknown name is an error at once."""
    from microveil.plan.evaluation import ALL, QUICK, choose_measures

    asked: Any = text if text in (None, QUICK, ALL) else names(text)
    choose_measures(asked)
    return asked


def settings(given: Sequence[str]) -> dict[str, Any]:
    """`name=value` options as a mapping; values are read as YAML (numbers, text, true, [a, b])."""
    from microveil.io import read_value

    found: dict[str, Any] = {}
    for item in given:
        name, equals, value = item.partition("=")
        if not equals or not name.strip():
            raise BadInput(f"--set {_short(item)!r} is not of the form name=value")
        if name.strip() in found:
            raise BadInput(f"--set {name.strip()} is said twice; say it once")
        try:
            scientific = _SCIENTIFIC.fullmatch(value.strip())
            found[name.strip()] = float(value) if scientific else read_value(value, f"--set {_short(item)!r}")
        except BadInput:
            raise
        except (yaml.YAMLError, RecursionError, ValueError):
            raise BadInput(f"--set {_short(item)!r}: the value cannot be read; write numbers, text or [a, b]") from None
        _refuse_joined_colon(item, found[name.strip()])
    return found


def _refuse_joined_colon(item: str, value: Any) -> None:
    """`{age:2}` is a name without a value in YAML; nobody means that."""
    joined = [key for key, under in value.items() if under is None] if isinstance(value, dict) else []
    for key in joined:
        before, colon, behind = str(key).partition(":")
        if colon:
            raise BadInput(
                f"--set {_short(item)!r} gives {key!r} no value; write a blank behind the colon: {{{before}: {behind}}}"
            )


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def facts(given: Sequence[str], what: str) -> dict[str, str]:
    """`column=fact` options as a mapping."""
    found: dict[str, str] = {}
    for item in given:
        name, equals, value = item.partition("=")
        if not equals:
            raise BadInput(f"--{what} {item!r} is not of the form column={what}")
        found[name.strip()] = value.strip()
    return found
