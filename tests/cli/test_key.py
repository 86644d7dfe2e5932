"""`microveil key` and `microveil sign`: passphrases are never words of a command, keys are never replaced."""

from __future__ import annotations

import sys

import pytest

from microveil import certify
from microveil.certify import Statement
from microveil.cli import passphrase

pytest.importorskip("cryptography", reason="signatures need the package cryptography")
pytestmark = pytest.mark.usefixtures("folder")


def asked(monkeypatch, *answers: str) -> None:
    """A terminal on which somebody types."""
    typed = iter(answers)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr(passphrase, "getpass", lambda _: next(typed))


def test_a_new_key_asks_twice_and_shows_its_id(run, monkeypatch, tmp_path):
    asked(monkeypatch, "three quiet words", "three quiet words")
    said = run("key", "new", "jane.key", "--name", "Jane Doe")
    public = certify.read_public_key(tmp_path / "jane.key.pub")
    assert f"key id: {public.keyid}" in said
    assert public.name == "Jane Doe"
    assert certify.read_private_key(tmp_path / "jane.key", "three quiet words").keyid == public.keyid
    shown = f"name: Jane Doe\nkey id: {public.keyid}\n{public.to_text()}"
    assert run("key", "show", "jane.key.pub") == shown.replace("\n", " ")
    asked(monkeypatch, "three quiet words")
    said = run("key", "show", "jane.key", match=f"key id: {public.keyid}")
    assert "PRIVATE" not in said


def test_two_different_answers_write_nothing(run, monkeypatch, tmp_path):
    asked(monkeypatch, "three quiet words", "three other words")
    run("key", "new", "jane.key", status=2, match="passphrases differ")
    assert list(tmp_path.iterdir()) == []


def test_a_passphrase_comes_from_the_environment_or_a_file(run, monkeypatch, tmp_path):
    monkeypatch.setenv(passphrase.VARIABLE, "from the outside")
    run("key", "new", "a.key")
    assert certify.read_private_key(tmp_path / "a.key", "from the outside")
    (tmp_path / "secret").write_text("from a long file\nand no more\n")
    run("key", "new", "b.key", "--passphrase-file", "secret")
    assert certify.read_private_key(tmp_path / "b.key", "from a long file")
    (tmp_path / "empty").write_text("\n")
    run("key", "new", "c.key", "--passphrase-file", "empty", status=2)


def test_without_a_terminal_one_line_says_what_to_do(run, monkeypatch):
    monkeypatch.delenv(passphrase.VARIABLE, raising=False)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: False)
    run("key", "new", "a.key", status=2, match="MICROVEIL_PASSPHRASE")


def test_a_key_is_not_replaced_and_nobody_is_asked(run, monkeypatch, tmp_path):
    (tmp_path / "a.key").write_text("old")
    asked(monkeypatch)  # would fail if asked
    run("key", "new", "a.key", status=2, match="never replaced")
    assert (tmp_path / "a.key").read_text() == "old"


@pytest.mark.parametrize(("words", "told"), [(("knew", "a.key"), "new"), (("show", "a.key", "--name", "x"), "--name")])
def test_wrong_words_are_told(run, words, told):
    run("key", *words, status=2, match=told)


def test_two_people_sign_a_package(run, monkeypatch, tmp_path):
    monkeypatch.setenv(passphrase.VARIABLE, "three quiet words")
    for name in ("jane", "john"):
        run("key", "new", f"{name}.key", "--name", name)
    package = tmp_path / "package"
    package.mkdir()
    (package / "data.csv").write_text("x\n1\n")
    certify.write_certificate(package, Statement.of_files(package, ["data.csv"], {"limits": "kept"}))
    for name in ("jane", "john"):
        run("sign", "package", "--key", f"{name}.key", match="1 file")
    found = certify.read_certificate(package, certify.read_trusted(tmp_path), least=2)
    assert {key.name for key in found.signed_by} == {"jane", "john"}
    run("sign", "package", "--key", "jane.key", status=2, match="signed this already")
    (package / "data.csv").write_text("x\n2\n")
    run("sign", "package", "--key", "jane.key", status=1, match="data.csv was changed")


def test_what_is_no_package_is_told_before_anybody_is_asked(run, monkeypatch, tmp_path):
    asked(monkeypatch)
    run("sign", ".", "--key", "jane.key", status=2, match="no certificate.json")


def test_what_is_no_key_is_told_before_anybody_is_asked(run, monkeypatch, tmp_path):
    package_in(tmp_path / "package")
    asked(monkeypatch)
    run("sign", "package", "--key", "jane.key", status=2, match="there is no file 'jane.key'")
    (tmp_path / "jane.key").write_text("a note\n")
    run("sign", "package", "--key", "jane.key", status=2, match="jane.key holds no private key")


def package_in(folder) -> None:
    """A folder with a certificate."""
    folder.mkdir()
    (folder / "data.csv").write_text("x\n1\n")
    certify.write_certificate(folder, Statement.of_files(folder, ["data.csv"], {"limits": "kept"}))


def test_several_people_sign_and_nobody_twice(run, monkeypatch, tmp_path):
    package_in(tmp_path / "package")
    monkeypatch.setenv(passphrase.VARIABLE, "three quiet words")
    (tmp_path / "trusted").mkdir()
    for name in ("jane", "john", "joan"):
        run("key", "new", f"{name}.key", "--name", name.title())
        run("sign", "package", "--key", f"{name}.key")
        if name != "joan":
            (tmp_path / f"{name}.key.pub").rename(tmp_path / "trusted" / f"{name}.pub")
    before = (tmp_path / "package" / "certificate.json").read_bytes()
    run("sign", "package", "--key", "jane.key", status=2, match="has signed this already")
    assert (tmp_path / "package" / "certificate.json").read_bytes() == before
    said = run(
        "audit", "package", "--trust", "trusted", "--signers", 2, match="the certificate is signed by Jane and John."
    )
    assert "a key that you do not trust has signed too" in said
    run("audit", "package", "--trust", "trusted", "--signers", 3, status=1)


def test_a_wrong_passphrase_signs_nothing(run, monkeypatch, tmp_path):
    package_in(tmp_path / "package")
    monkeypatch.setenv(passphrase.VARIABLE, "three quiet words")
    run("key", "new", "jane.key")
    before = (tmp_path / "package" / "certificate.json").read_bytes()
    monkeypatch.setenv(passphrase.VARIABLE, "three other words")
    run("sign", "package", "--key", "jane.key", status=2, match="the passphrase is not that of jane.key")
    assert (tmp_path / "package" / "certificate.json").read_bytes() == before


@pytest.mark.skipif(sys.platform == "win32", reason="files have no such permissions there")
def test_a_key_that_others_may_read_signs_with_a_note(run, monkeypatch, tmp_path):
    package_in(tmp_path / "package")
    monkeypatch.setenv(passphrase.VARIABLE, "three quiet words")
    run("key", "new", "jane.key")
    (tmp_path / "jane.key").chmod(0o644)
    said = run("sign", "package", "--key", "jane.key")
    assert "note: jane.key is open to others than its owner (permissions 644)" in said
