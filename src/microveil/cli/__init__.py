"""The command line."""

from microveil.cli.stopping import stoppable as _stoppable


def main() -> None:
    """Run the command line and leave with the contract's exit status, also if it is stopped while it loads."""
    with _stoppable():
        from microveil.cli.app import run

        run()
