"""`microveil app`: the same in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from microveil.cli.console import out
from microveil.cli.stopping import tell_when_stopped
from microveil.core.errors import BadInput


def app(
    project: Annotated[Path, typer.Argument(help="the project file; it may be new")] = Path("project.yaml"),
    port: Annotated[int, typer.Option(help="the port; left out: a free one")] = 0,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="print the link and open no browser")] = False,
    listen: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="answer others too, under this address; needs the TLS files")
    ] = None,
    tls_certificate: Annotated[Path | None, typer.Option(help="the certificate for --listen, as PEM")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="its private key, as PEM")] = None,
) -> None:
    """Go from a file to a signed package in the browser, on this machine; every page says the command it stands for.

    Files are those below the folder of the project; nothing is uploaded, and nothing is asked of other machines.
    """
    try:
        import uvicorn  # noqa: F401 - all that the app needs is looked for here, so that what lacks is told

        from microveil.app import create_app, serve  # noqa: F401
    except ModuleNotFoundError as problem:
        if problem.name not in ("starlette", "uvicorn", "python_multipart", "multipart"):
            raise
        raise BadInput(
            f"the app needs {problem.name}, which is not installed; install the extra: pip install 'microveil[app]'"
        ) from None

    def say(line: str) -> None:
        """One line as it is, never wrapped, and at once: the link must be whole in a pipe too."""
        # from the first word on pages may be open that save
        tell_when_stopped(f"what was saved stands in {project}, and a job that was begun goes on")
        out.file.write(f"{line}\n")
        out.file.flush()

    serve(
        project,
        say=say,
        port=port,
        browser=not no_browser,
        listen=listen,
        certificate=tls_certificate,
        key=tls_key,
    )
