"""`microveil`: the commands, and how they end.

Exit status 0: done and all promises hold; 1: a promise failed, nothing was released; 2: bad input; 3: a fault of ours.
"""

from __future__ import annotations

import sys
import traceback
from typing import Annotated

import typer

import microveil
from microveil.cli.console import complain, err, out
from microveil.cli.demo import demo
from microveil.cli.evaluate import evaluate
from microveil.cli.inspect import inspect
from microveil.cli.methods import methods
from microveil.cli.protect import protect
from microveil.cli.replay import replay
from microveil.cli.reproduce import reproduce
from microveil.cli.risk import risk
from microveil.core.errors import BrokenPromise, MicroveilError, OverLimit

app = typer.Typer(
    help="Protect microdata before release: mask, measure what is lost and what is at risk, document the decision.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def _options(
    version: Annotated[bool, typer.Option("--version", help="say which version this is, and end")] = False,
) -> None:
    if version:
        out.print(f"microveil {microveil.__version__}")
        raise typer.Exit


for command in (demo, inspect, risk, protect, evaluate, replay, methods, reproduce):
    app.command()(command)


def main() -> None:
    """Run the command line and leave with the contract's exit status."""
    try:
        app()
    except OverLimit as problem:
        complain(str(problem))
        sys.exit(1)
    except BrokenPromise as problem:
        complain(f"a promise does not hold, nothing was released: {problem}")
        sys.exit(1)
    except MicroveilError as problem:
        complain(str(problem))
        sys.exit(2)
    except Exception as problem:  # noqa: BLE001 - whatever else happens is our fault, and no broken promise
        err.print(traceback.format_exc(), markup=False)
        complain(
            f"this is a fault of microveil, not of yours ({type(problem).__name__}); nothing was released. Please "
            "report it to its maintainers with the lines above, the command you gave, and `microveil --version`"
        )
        sys.exit(3)
    except KeyboardInterrupt:
        complain("stopped; nothing was released")
        sys.exit(2)
