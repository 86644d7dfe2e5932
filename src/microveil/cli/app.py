"""`microveil`: the commands, and how they end.

Exit status 0: done and all promises hold; 1: a promise failed, nothing was released; 2: bad input; 3: a fault of ours;
130: stopped by Ctrl-C or another signal (`stopping`).
"""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

import typer

import microveil
from microveil.cli.advise import advise
from microveil.cli.audit import audit
from microveil.cli.benchmark import benchmark
from microveil.cli.compare import compare
from microveil.cli.completion import join_words_of_bash
from microveil.cli.console import Door, complain, err, out
from microveil.cli.demo import demo
from microveil.cli.doctor import doctor
from microveil.cli.evaluate import evaluate
from microveil.cli.hierarchy import hierarchy
from microveil.cli.history import history
from microveil.cli.in_browser import app as app_command
from microveil.cli.inspect import inspect
from microveil.cli.key import key
from microveil.cli.methods import methods
from microveil.cli.protect import protect
from microveil.cli.register import register
from microveil.cli.replay import replay
from microveil.cli.reproduce import reproduce
from microveil.cli.risk import risk
from microveil.cli.run import run as run_command
from microveil.cli.schema import schema
from microveil.cli.search import search
from microveil.cli.sign import sign
from microveil.core.errors import BrokenPromise, MicroveilError, OverLimit

app = typer.Typer(
    help="Protect microdata before release: mask, measure what is lost and what is at risk, document the decision.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # the boxes of the other help name types of Python
)


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="say which version this is, and end")] = False,
) -> None:
    if version:
        out.print(f"microveil {microveil.__version__}")
        raise typer.Exit
    Door.beside_project = _options_beside_project(context)


def _options_beside_project(context: typer.Context) -> frozenset[str] | None:
    """The options of the command that was asked for, if it is one that runs a project; None otherwise."""
    commands: Any = context.command
    asked = commands.commands.get(context.invoked_subcommand)
    if asked is None or all(one.name != "project" or one.param_type_name != "argument" for one in asked.params):
        return None
    return frozenset(name for one in asked.params for name in one.opts)


# in the order of the list of commands, each with its line there: a longer one would be cut on a terminal of 80 columns
COMMANDS: dict[Callable[..., None], str] = {
    demo: "The whole job on generated data: report, map, packages.",
    inspect: "Look at a file; propose roles, rules and a project.",
    risk: "Say which records of a file its keys give away, and why.",
    protect: "Protect one file by a method or a plan, or write nothing.",
    evaluate: "Say what a protected file lost and what it gives away.",
    compare: "Run several plans on a file and say which is better.",
    advise: "Try methods for a minute and recommend one.",
    search: "Try methods and settings until a plan keeps the limits.",
    replay: "Write the same release again from its private log.",
    run_command: "Carry a project to a package to give away, or to nothing.",
    key: "Draw a key to sign with, or show its public half.",
    sign: "Sign a package.",
    audit: "Reopen a package as strangers do and test it.",
    history: "Show the runs of a project, or compare two of them.",
    schema: "Write the JSON Schema of project files, for editors.",
    register: "Keep the list of all releases of one source.",
    hierarchy: "Show a hierarchy and say what is wrong with it.",
    methods: "List methods and measures, or describe one.",
    reproduce: "Run the tables of the papers, ours beside theirs.",
    benchmark: "Rank a fixed list of plans of all kinds of methods.",
    app_command: "Do the whole job in the browser.",
    doctor: "Say what is installed and works, and what to do if not.",
}
for command, line in COMMANDS.items():
    app.command(short_help=line)(command)


def with_plain_types(group: Any) -> Any:
    """The commands with words for people where the help would name types of Python."""
    for command in COMMANDS:
        types = get_type_hints(command)
        for parameter in group.commands[command.__name__].params:
            if parameter.metavar is None and parameter.name in types:
                parameter.metavar = _word(parameter.name, types[parameter.name], parameter.param_type_name)
            if parameter.metavar is not None and parameter.param_type_name == "argument":
                parameter.get_help_record = partial(_line, parameter.metavar, parameter.help)
    return group


def _line(metavar: str, text: str | None, _: Any) -> tuple[str, str]:
    """The line of an argument in the help: its name and what it is, without a type."""
    return metavar, text or ""


def _word(name: str, kind: Any, place: str) -> str:
    if place == "argument":
        return name.upper()
    inside = {kind, *get_args(kind)}
    if bool in inside:
        return " "  # an option that is said or not
    return "FILE" if Path in inside else "NUMBER" if int in inside else "TEXT"


def _say(message: Warning | str, *_: Any, **__: Any) -> None:
    """A warning is a note here: nobody needs to know which line of Python said it."""
    err.print(f"note: {message}", markup=False)


def run() -> None:
    """Run the command and leave with the contract's exit status."""
    join_words_of_bash(os.environ)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _say
            with_plain_types(typer.main.get_command(app))(prog_name="microveil")
    except OverLimit as problem:
        complain(problem.message, problem.lines)
        sys.exit(1)
    except BrokenPromise as problem:
        complain(f"a promise does not hold, nothing was released: {problem}")
        sys.exit(1)
    except MicroveilError as problem:
        complain(str(problem))
        sys.exit(2)
    except Exception as problem:  # noqa: BLE001 - whatever else happens is our fault, and no broken promise
        sys.stderr.write(traceback.format_exc())  # as it is: whoever mends it reads these lines
        complain(
            f"this is a fault of microveil, not of yours ({type(problem).__name__}); nothing was released. Please "
            "report it to its maintainers with the lines above, the command you gave, and `microveil --version`"
        )
        sys.exit(3)
