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
        try:
            from microveil.cli.app import run
        except ImportError as problem:  # not even `microveil doctor` can look then
            _sys.stderr.write(
                f"microveil: a package that it needs cannot be loaded ({problem}); "
                "install it anew: python -m pip install --force-reinstall microveil\n"
            )
            _sys.exit(2)
        run()
