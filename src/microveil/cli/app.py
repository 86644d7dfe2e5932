"""`microveil`: the commands, and how they end.

Exit status 0: done and all promises hold; 1: a promise failed, nothing was released; 2: bad input.
"""

from __future__ import annotations

import sys

import typer

from microveil.cli.console import complain
from microveil.cli.demo import demo
from microveil.cli.evaluate import evaluate
from microveil.cli.inspect import inspect
from microveil.cli.methods import methods
from microveil.cli.protect import protect
from microveil.cli.replay import replay
from microveil.cli.reproduce import reproduce
from microveil.core.errors import BrokenPromise, MicroveilError

app = typer.Typer(
    help="Protect microdata before release: mask, measure what is lost and what is at risk, document the decision.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for command in (demo, inspect, protect, evaluate, replay, methods, reproduce):
    app.command()(command)


def main() -> None:
    """Run the command line and leave with the contract's exit status."""
    try:
        app()
    except BrokenPromise as problem:
        complain(f"a promise does not hold, nothing was released: {problem}")
        sys.exit(1)
    except MicroveilError as problem:
        complain(str(problem))
        sys.exit(2)
    except KeyboardInterrupt:
        complain("stopped; nothing was released")
        sys.exit(2)
