"""`microveil key` and `microveil sign`: passphrases are never words of a command, keys are never replaced."""

from __future__ import annotations

import sys

import pytest

from microveil import certify
from microveil.certify import Statement
from microveil.cli import main, passphrase

pytest.importorskip("cryptography", reason="signatures need the package cryptography")


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """Run a command in a folder of its own: exit status, output, complaints."""
    monkeypatch.chdir(tmp_path)

    def call(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["microveil", *map(str, words)])
        with pytest.raises(SystemExit) as end:
            main()
        shown = capsys.readouterr()
        return int(end.value.code or 0), shown.out, shown.err

    return call


def asked(monkeypatch, *answers: str) -> None:
    """A terminal on which somebody types."""
    typed = iter(answers)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr(passphrase, "getpass", lambda _: next(typed))


def test_a_new_key_asks_twice_and_shows_its_id(run, monkeypatch, tmp_path):
    asked(monkeypatch, "three quiet words", "three quiet words")
    status, out, _ = run("key", "new", "jane.key", "--name", "Jane Doe")
    assert status == 0
    public = certify.read_public_key(tmp_path / "jane.key.pub")
    assert f"key id: {public.keyid}" in out
    assert public.name == "Jane Doe"
    assert certify.read_private_key(tmp_path / "jane.key", "three quiet words").keyid == public.keyid
    status, out, _ = run("key", "show", "jane.key.pub")
    assert (status, out) == (0, f"name: Jane Doe\nkey id: {public.keyid}\n{public.to_text()}")
    asked(monkeypatch, "three quiet words")
    status, out, _ = run("key", "show", "jane.key")
    assert status == 0
    assert f"key id: {public.keyid}" in out
    assert "PRIVATE" not in out


def test_two_different_answers_write_nothing(run, monkeypatch, tmp_path):
    asked(monkeypatch, "three quiet words", "three other words")
    status, _, err = run("key", "new", "jane.key")
    assert status == 2
    assert "passphrases differ" in err
    assert list(tmp_path.iterdir()) == []


def test_a_passphrase_comes_from_the_environment_or_a_file(run, monkeypatch, tmp_path):
    monkeypatch.setenv(passphrase.VARIABLE, "from the outside")
    assert run("key", "new", "a.key")[0] == 0
    assert certify.read_private_key(tmp_path / "a.key", "from the outside")
    (tmp_path / "secret").write_text("from a long file\nand no more\n")
    assert run("key", "new", "b.key", "--passphrase-file", "secret")[0] == 0
    assert certify.read_private_key(tmp_path / "b.key", "from a long file")
    (tmp_path / "empty").write_text("\n")
    assert run("key", "new", "c.key", "--passphrase-file", "empty")[0] == 2


def test_without_a_terminal_one_line_says_what_to_do(run, monkeypatch):
    monkeypatch.delenv(passphrase.VARIABLE, raising=False)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: False)
    status, _, err = run("key", "new", "a.key")
    assert status == 2
    assert "MICROVEIL_PASSPHRASE" in err


def test_a_key_is_not_replaced_and_nobody_is_asked(run, monkeypatch, tmp_path):
    (tmp_path / "a.key").write_text("old")
    asked(monkeypatch)  # would fail if asked
    status, _, err = run("key", "new", "a.key")
    assert status == 2
    assert "never replaced" in err
    assert (tmp_path / "a.key").read_text() == "old"


@pytest.mark.parametrize(("words", "told"), [(("knew", "a.key"), "new"), (("show", "a.key", "--name", "x"), "--name")])
def test_wrong_words_are_told(run, words, told):
    status, _, err = run("key", *words)
    assert status == 2
    assert told in err


def test_two_people_sign_a_package(run, monkeypatch, tmp_path):
    monkeypatch.setenv(passphrase.VARIABLE, "three quiet words")
    for name in ("jane", "john"):
        assert run("key", "new", f"{name}.key", "--name", name)[0] == 0
    package = tmp_path / "package"
    package.mkdir()
    (package / "data.csv").write_text("x\n1\n")
    certify.write_certificate(package, Statement.of_files(package, ["data.csv"], {"limits": "kept"}))
    for name in ("jane", "john"):
        status, out, _ = run("sign", "package", "--key", f"{name}.key")
        assert status == 0
        assert "1 file" in out
    found = certify.read_certificate(package, certify.read_trusted(tmp_path), least=2)
    assert {key.name for key in found.signed_by} == {"jane", "john"}
    status, _, err = run("sign", "package", "--key", "jane.key")
    assert status == 2
    assert "signed this already" in err
    (package / "data.csv").write_text("x\n2\n")
    status, _, err = run("sign", "package", "--key", "jane.key")
    assert status == 1
    assert "data.csv was changed" in err


def test_what_is_no_package_is_told_before_anybody_is_asked(run, monkeypatch, tmp_path):
    asked(monkeypatch)
    status, _, err = run("sign", ".", "--key", "jane.key")
    assert status == 2
    assert "no certificate.json" in err


def test_what_is_no_key_is_told_before_anybody_is_asked(run, monkeypatch, tmp_path):
    package_in(tmp_path / "package")
    asked(monkeypatch)
    status, _, err = run("sign", "package", "--key", "jane.key")
    assert (status, "there is no file 'jane.key'" in err) == (2, True), err
    (tmp_path / "jane.key").write_text("a note\n")
    status, _, err = run("sign", "package", "--key", "jane.key")
    assert (status, "jane.key holds no private key" in err) == (2, True), err


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
        assert run("key", "new", f"{name}.key", "--name", name.title())[0] == 0
        assert run("sign", "package", "--key", f"{name}.key")[0] == 0
        if name != "joan":
            (tmp_path / f"{name}.key.pub").rename(tmp_path / "trusted" / f"{name}.pub")
    before = (tmp_path / "package" / "certificate.json").read_bytes()
    status, _, err = run("sign", "package", "--key", "jane.key")
    assert status == 2
    assert "has signed this already" in " ".join(err.split())
    assert (tmp_path / "package" / "certificate.json").read_bytes() == before
    status, out, _ = run("audit", "package", "--trust", "trusted", "--signers", 2)
    assert status == 0
    assert "the certificate is signed by Jane and John." in out
    assert "a key that you do not trust has signed too" in out
    assert run("audit", "package", "--trust", "trusted", "--signers", 3)[0] == 1


def test_a_wrong_passphrase_signs_nothing(run, monkeypatch, tmp_path):
    package_in(tmp_path / "package")
    monkeypatch.setenv(passphrase.VARIABLE, "three quiet words")
    run("key", "new", "jane.key")
    before = (tmp_path / "package" / "certificate.json").read_bytes()
    monkeypatch.setenv(passphrase.VARIABLE, "three other words")
    status, _, err = run("sign", "package", "--key", "jane.key")
    assert status == 2
    assert "the passphrase is not that of jane.key" in " ".join(err.split())
    assert (tmp_path / "package" / "certificate.json").read_bytes() == before


@pytest.mark.skipif(sys.platform == "win32", reason="files have no such permissions there")
def test_a_key_that_others_may_read_signs_with_a_note(run, monkeypatch, tmp_path):
    package_in(tmp_path / "package")
    monkeypatch.setenv(passphrase.VARIABLE, "three quiet words")
    run("key", "new", "jane.key")
    (tmp_path / "jane.key").chmod(0o644)
    status, _, err = run("sign", "package", "--key", "jane.key")
    assert status == 0
    assert "note: jane.key is open to others than its owner (permissions 644)" in " ".join(err.split())
