"""The command: where it may listen, and the link that it prints."""

from __future__ import annotations

import re
import shlex
import socket
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from typer.main import get_command

from microveil.app import create_app, serving, warming
from microveil.cli.app import app
from microveil.core.errors import BadInput
from tests.app.client import HOST, TOKEN, Client
from tests.pages import blocks_of, read_page


class Quiet:
    """Stands for the server: what it was given is kept, and it ends at once."""

    made: list[object]

    def __init__(self, config: object) -> None:
        self.config = config

    def run(self, sockets: list[socket.socket]) -> None:
        Quiet.made = [self.config, *(one.getsockname() for one in sockets)]


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> type[Quiet]:
    monkeypatch.setattr("uvicorn.Server", Quiet)
    monkeypatch.setattr("webbrowser.open", _read_opened)
    monkeypatch.setattr("microveil.app.warming.begin_warming", lambda: None)
    opened.clear()
    return Quiet


opened: list[tuple[Path, int, str]] = []


def _read_opened(address: str) -> None:
    place = Path(address.removeprefix("file://"))
    opened.append((place, place.stat().st_mode & 0o777, place.read_text(encoding="utf-8")))


def make_tls_files(folder: Path) -> None:
    """A certificate for this machine with its key, the key under a passphrase, and the key of another one."""
    keys = {"k.pem": ec.generate_private_key(ec.SECP256R1()), "other.pem": ec.generate_private_key(ec.SECP256R1())}
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    for name, key in keys.items():
        (folder / name).write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain))
    closed = serialization.BestAvailableEncryption(b"several words")
    own = keys["k.pem"]
    (folder / "closed.pem").write_bytes(own.private_bytes(pem, serialization.PrivateFormat.PKCS8, closed))
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    made = x509.CertificateBuilder(name, name, own.public_key(), x509.random_serial_number())
    made = made.not_valid_before(datetime(2026, 1, 1, tzinfo=UTC)).not_valid_after(datetime(2126, 1, 1, tzinfo=UTC))
    (folder / "c.pem").write_bytes(made.sign(own, hashes.SHA256()).public_bytes(pem))


def test_the_link_stands_alone_and_opens_on_this_machine_only(tmp_path: Path, quiet: type[Quiet]):
    said: list[str] = []
    serving.serve(tmp_path / "project.yaml", say=said.append)
    assert re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=[\w-]{43}", said[1])
    assert quiet.made[1][0] == "127.0.0.1"
    assert quiet.made[0].access_log is False
    # by a file of ours alone: everybody on the machine sees what a browser is started with
    (place, mode, text), *others = opened
    assert (mode, f"url={said[1]}" in text, place.exists(), others) == (0o600, True, False, [])
    serving.serve(tmp_path / "project.yaml", say=said.append, browser=False)
    assert len(opened) == 1
    assert said[4].split("=")[1] != said[1].split("=")[1]


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"listen": "192.0.2.1"}, "--tls-certificate FILE and --tls-key FILE too"),
        ({"listen": "192.0.2.1", "certificate": "c.pem"}, "belong together"),
        ({"key": "k.pem"}, "belong together"),
        ({"listen": "a", "certificate": "none.pem", "key": "k.pem"}, "no file '.*none.pem'"),
        ({"listen": "0.0.0.0", "certificate": "c.pem", "key": "k.pem"}, "not all of them"),
        ({"listen": "0", "certificate": "c.pem", "key": "k.pem"}, "not all of them"),
        ({"listen": "0:0::0", "certificate": "c.pem", "key": "k.pem"}, "not all of them"),
        ({"listen": "192.0.2.1", "certificate": "c.pem", "key": "k.pem"}, "cannot be used|no address"),
        ({"listen": "localhost", "certificate": "k.pem", "key": "c.pem"}, "do not make TLS"),
        ({"listen": "localhost", "certificate": "c.pem", "key": "other.pem"}, "do not make TLS"),
        ({"listen": "localhost", "certificate": "c.pem", "key": "closed.pem"}, "do not make TLS"),
        ({"port": 70_000}, "from 1 to 65535"),
    ],
)
def test_other_addresses_need_tls(tmp_path: Path, how: dict[str, object], said: str, quiet: type[Quiet]):
    make_tls_files(tmp_path)
    given = {what: tmp_path / str(value) if what in ("certificate", "key") else value for what, value in how.items()}
    with pytest.raises(BadInput, match=said):
        serving.serve(tmp_path / "project.yaml", say=print, **given)


def test_tls_is_used_where_it_is_given(tmp_path: Path, quiet: type[Quiet]):
    make_tls_files(tmp_path)
    said: list[str] = []
    files = {"certificate": tmp_path / "c.pem", "key": tmp_path / "k.pem"}
    serving.serve(tmp_path / "project.yaml", say=said.append, listen="localhost", **files)
    assert said[1].startswith("https://localhost:")
    assert quiet.made[0].ssl_certfile == tmp_path / "c.pem"
    assert opened == []


@pytest.mark.parametrize(
    ("named", "said"),
    [("", "is a folder"), ("nowhere/project.yaml", "there is no folder"), ("data.csv", "is no project file")],
)
def test_what_is_no_project_is_told(tmp_path: Path, named: str, said: str):
    with pytest.raises(BadInput, match=said):
        serving.serve(tmp_path / named, say=print)


def test_where_no_file_can_be_written_the_link_is_printed_alone(tmp_path: Path, quiet: type[Quiet]):
    (tmp_path / "project_work").write_text("", encoding="utf-8")
    said: list[str] = []
    serving.serve(tmp_path / "project.yaml", say=said.append)
    assert (said[1].startswith("http://127.0.0.1:"), opened) == (True, [])


def test_a_port_that_is_taken_is_told(tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(BadInput, match="leave --port out"):
        serving.serve(tmp_path / "project.yaml", say=print, port=taken.getsockname()[1])


def test_loops_are_compiled_at_the_first_start_with_a_line(
    tmp_path: Path, quiet: type[Quiet], monkeypatch: pytest.MonkeyPatch
):
    ended: list[object] = []
    process = SimpleNamespace(poll=lambda: None, terminate=lambda: ended.append("end"), wait=lambda: None)
    monkeypatch.setattr("microveil.app.warming.begin_warming", lambda: process)
    said: list[str] = []
    serving.serve(tmp_path / "project.yaml", say=said.append, browser=False)
    assert said[1].startswith("http://")
    assert (said[2], ended) == (warming.LINE, ["end"])
    app = create_app(tmp_path / "project.yaml", TOKEN, {HOST}, warming=process)  # type: ignore[arg-type]
    client = Client(tmp_path / "project.yaml")
    client.app = app
    assert warming.LINE in client.get("/data").text
    process.poll = lambda: 0
    assert warming.LINE not in client.get("/data").text


def test_what_was_compiled_is_not_compiled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    begun: list[list[str]] = []
    monkeypatch.setattr("microveil.core.compiling.home_of_machine_code", lambda: tmp_path / "loops")
    monkeypatch.setattr("subprocess.Popen", lambda command, **_: begun.append(command))
    monkeypatch.setattr(warming, "_RECORDS", 120)
    warming.begin_warming()
    assert [command[-1] for command in begun] == ["microveil.app.warming"]
    warming.warm()
    assert warming.begin_warming() is None
    assert len(begun) == 1


def test_the_page_on_the_app_names_a_command_that_there_is():
    ((_, _, text),) = blocks_of(read_page("app.md"))
    name, *words = shlex.split(text.removeprefix("$ microveil "))
    assert get_command(app).commands[name].make_context(name, words).params["project"] == Path("project.yaml")
