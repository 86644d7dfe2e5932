"""The app on an address of this machine, with a link that lets a browser in."""

from __future__ import annotations

import contextlib
import ipaddress
import secrets
import socket
import ssl
from collections.abc import Callable
from pathlib import Path

from microveil.core.errors import BadInput

HERE = "127.0.0.1"
_NAMES_OF_HERE = (HERE, "localhost")
_NOT_ALL = "--listen takes the one address or name by which others reach this machine, not all of them"


def serve(
    project: str | Path,
    *,
    say: Callable[[str], None],
    port: int = 0,
    browser: bool = True,
    listen: str | None = None,
    certificate: Path | None = None,
    key: Path | None = None,
) -> None:
    """Serve the app until somebody ends it; `say` is told the link, alone on its line.

    It answers on this machine only. `listen` names another address of it, by which others reach it: then `certificate`
    and `key` (TLS, as PEM files) are needed, so that nobody on the way reads the data or the token.
    """
    import uvicorn

    from microveil.app.opening import opened
    from microveil.app.server import create_app
    from microveil.app.warming import LINE, begin_warming, end_warming
    from microveil.app.workspace import work_folder

    secure = _check_listening(listen, certificate, key)
    _check_project(Path(project))
    address = listen or HERE
    with _bound(address, port) as bound:
        found = bound.getsockname()[1]
        names = (address,) if listen else _NAMES_OF_HERE
        scheme = "https" if secure else "http"
        token = secrets.token_urlsafe(32)
        hosts = {f"{_in_address(name)}:{found}".lower() for name in names}
        hosts |= {_in_address(name).lower() for name in names if found == (443 if secure else 80)}
        warming = begin_warming()
        app = create_app(project, token, hosts, scheme, warming)
        link = f"{scheme}://{_in_address(address)}:{found}/?token={token}"
        config = uvicorn.Config(
            app,
            log_level="error",
            access_log=False,  # addresses are nobody's business
            server_header=False,
            date_header=False,
            lifespan="off",
            proxy_headers=False,
            timeout_graceful_shutdown=3,
            ssl_certfile=certificate,
            ssl_keyfile=key,
        )
        say("Open this link in a browser of this machine; whoever has it sees the data:" if not listen else "Open:")
        say(link)
        if warming is not None:
            say(LINE)
        say("Ctrl-C ends the app. A job that is running goes on, and the app finds it when it is started again.")
        shown = opened(link, work_folder(Path(project))) if browser and not listen else contextlib.nullcontext()
        try:
            with shown:
                uvicorn.Server(config).run(sockets=[bound])
        finally:
            end_warming(warming)


def _check_listening(listen: str | None, certificate: Path | None, key: Path | None) -> bool:
    """Whether TLS is used; another address without it is refused."""
    if (certificate is None) is not (key is None):
        raise BadInput("--tls-certificate and --tls-key belong together; give both, or neither")
    for path in (certificate, key):
        if path is not None and not path.is_file():
            raise BadInput(f"there is no file {str(path)!r}; --tls-certificate and --tls-key name PEM files")
    if listen is not None and certificate is None:
        raise BadInput(
            f"--listen {listen} would send data and the link over the network for everybody to read; give "
            "--tls-certificate FILE and --tls-key FILE too, or leave --listen out"
        )
    if listen in ("", "0.0.0.0", "::", "*"):
        raise BadInput(_NOT_ALL)
    if certificate is not None and key is not None:
        _check_chain(certificate, key)
    return certificate is not None


def _check_chain(certificate: Path, key: Path) -> None:
    """Refuse files that no TLS can be made of, before a link is printed that nobody could open."""
    try:
        # a key under a passphrase would ask for it in the terminal
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, password=lambda: "")
    except (OSError, ValueError):
        raise BadInput(
            f"{str(certificate)!r} and {str(key)!r} do not make TLS; --tls-certificate names a certificate and "
            "--tls-key its own private key, both as PEM, the key without a passphrase"
        ) from None


def _check_project(project: Path) -> None:
    if project.is_dir():
        raise BadInput(
            f"{str(project)!r} is a folder; name the project file, which may be new: {project / 'project.yaml'}"
        )
    if not project.absolute().parent.is_dir():
        raise BadInput(f"there is no folder {str(project.parent)!r}; make it, and put the data file into it")
    if project.suffix.lower() not in (".yaml", ".yml"):
        raise BadInput(f"{project.name!r} is no project file; name one that ends in .yaml, it may be new")


def _bound(address: str, port: int) -> socket.socket:
    if not 0 <= port <= 65535:
        raise BadInput(f"--port {port} is no port; give a number from 1 to 65535, or leave it out")
    try:
        family, kind, number, _, place = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)[0]
        made = socket.socket(family, kind, number)
    except OSError as problem:
        raise BadInput(f"{address!r} is no address of this machine: {problem.strerror}") from None
    if ipaddress.ip_address(str(place[0]).partition("%")[0]).is_unspecified:  # however it is written: 0, ::0, 00.0.0.0
        made.close()
        raise BadInput(_NOT_ALL)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(place)
        made.listen(64)
    except OSError as problem:
        made.close()
        raise BadInput(
            f"{address}:{port} cannot be used: {problem.strerror}; leave --port out, and a free one is taken"
        ) from None
    return made


def _in_address(name: str) -> str:
    try:
        return f"[{name}]" if ipaddress.ip_address(name).version == 6 else name
    except ValueError:
        return name
