"""The command line."""

import sys as _sys


def main() -> None:
    """Run the command line and leave with the contract's exit status, also if it is stopped while it loads."""
    try:
        from microveil.cli.stopping import stoppable
    except KeyboardInterrupt:  # what answers Ctrl-C in our words was not there yet
        _sys.stderr.write("\nmicroveil: stopped; nothing was written\n")
        _sys.exit(130)
    with stoppable():
        from microveil.cli.app import run

        run()
