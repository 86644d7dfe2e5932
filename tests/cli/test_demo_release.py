"""The whole way to signed packages that the demo shows, and what is given away scanned for anything internal."""

from __future__ import annotations

import csv
import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from microveil.cli import demo_release
from microveil.core.errors import BadInput
from microveil.package import history

pytest.importorskip("cryptography", reason="signatures need the extra sign")
RECORDS = 300


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """The demo with all of its commands in this process, measuring little; what was typed, by folder."""
    from typer.testing import CliRunner

    from microveil.cli.app import app

    typed: list[tuple[str, ...]] = []

    def do(words: Sequence[str], folder: Path) -> None:
        typed.append((folder.name, *words))
        more = ["--measures", "pil"] if words[0] == "run" else []
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            ended = CliRunner().invoke(app, [*words, *more], catch_exceptions=False)
        assert ended.exit_code == 0, ended.output

    folder = tmp_path_factory.mktemp("demo") / "signed"
    demo_release.show_release(folder, RECORDS, do)
    return folder, typed


@pytest.mark.long
def test_every_step_of_the_way_is_shown_for_both_files(shown):
    _, typed = shown
    way = ["inspect", "run", "key", "sign", "audit", "history"]
    assert [words[1] for words in typed] == way * 2
    assert [words[0] for words in typed] == ["survey"] * 6 + ["enterprises"] * 6


@pytest.mark.parametrize("name", ["survey", "enterprises"])
@pytest.mark.long
def test_packages_are_signed_and_in_the_history(shown, name):
    folder, _ = shown
    (run,) = history(folder / name)
    assert (run.signatures, run.review, run.problem) == (1, "2099-06-30", "")
    assert all(one["kept"] for one in run.utility)


def risk_figures(internal: Path, digits: int) -> set[str]:
    """Every figure of risk that the run noted, as it might be written: those with at least that many characters."""
    verdict = json.loads((internal / "run.json").read_text())["verdict"]
    values = [one["found"] for one in verdict["attacked"]] + [verdict["worst"]["value"]]
    return {text for value in values for text in (f"{value:.3g}", f"{value:.2f}") if len(text) >= digits}


@pytest.mark.parametrize("name", ["survey", "enterprises"])
@pytest.mark.long
def test_nothing_of_the_internal_is_in_what_is_given_away(shown, name):
    folder, _ = shown
    run = folder / name / "runs" / "0001"
    log = json.loads((run / "internal" / "log.json").read_text())
    manifest = json.loads((run / "internal" / "manifest.json").read_text())
    with (folder / name / f"{name}.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    secrets = {log["key"], manifest["sha256"], manifest["fingerprint"], f"{name}.csv", str(folder), "project.yaml"}
    secrets |= {row["name"] for row in rows}
    amounts = [
        one["name"] for one in manifest["columns"] if one["role"] == "confidential" and one["kind"] == "continuous"
    ]
    for column in amounts:
        numbers = sorted({row[column] for row in rows if row[column]}, key=float)
        secrets |= {text for text in (numbers[0], numbers[-1]) if len(text) >= 5}
    assert len(secrets) > 100
    texts = {
        path.name: path.read_text(encoding="utf-8") for path in (run / "package").iterdir() if path.suffix in TEXTS
    }
    assert set(texts) == {"report.html", "codebook.txt", "codebook.xml", "certificate.json"}
    report = texts["report.html"]
    for text in texts.values():
        assert not {one for one in secrets if one and re.search(rf"(?<!\w){re.escape(one)}(?!\w)", text)}
    # short figures ("0", "2.5") may stand there by chance: they say something else
    long = {one for one in risk_figures(run / "internal", digits=4) if float(one) > 0}
    assert not {one for one in long if re.search(rf"(?<![\d.]){re.escape(one)} ?%", report)}
    for word in ("threshold", "scenario", "linked", "re-identif", "worst case", "seed", "neighbour"):
        assert word not in report.lower(), word
    # the same look at the report that stays finds plenty: it is the report that is silent, not the look
    inside = (run / "internal" / "report.html").read_text(encoding="utf-8")
    assert "scenario" in inside.lower()
    # the key is drawn anew in each run, so that every figure may be a short one
    every = risk_figures(run / "internal", digits=1)
    assert any(re.search(rf"(?<![\d.]){re.escape(one)} ?%", inside) for one in every)


TEXTS = (".html", ".txt", ".xml", ".json")


def test_a_command_that_fails_ends_the_demo(tmp_path, monkeypatch, capsys):
    asked: list[object] = []

    def fail(words: Sequence[str], **how: object) -> subprocess.CompletedProcess[str]:
        asked.append((list(words[2:]), how["cwd"]))
        return subprocess.CompletedProcess([], 2)

    monkeypatch.setattr(subprocess, "run", fail)
    with pytest.raises(BadInput, match="microveil run ended with status 2"):
        demo_release._run(["run", "a b.yaml"], tmp_path)
    assert asked == [(["microveil", "run", "a b.yaml"], tmp_path)]
    assert f"{tmp_path.name}$ microveil run 'a b.yaml'" in capsys.readouterr().out.replace("\n", "")


def test_the_command_takes_new_folders_only(tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    made: list[tuple[Path, int]] = []
    monkeypatch.setattr(demo_release, "show_release", lambda folder, records: made.append((folder, records)))
    (tmp_path / "microveil-demo-signed").mkdir()
    run("demo", "--signed")
    assert made == [(Path("microveil-demo-signed-2"), 600)]
    run("demo", "--signed", "--force", status=2, match="packages are never replaced")
    run("demo", "--signed", "-d", "microveil-demo-signed", status=2, match="there already")
    run("demo", "--signed", "-n", 10, status=2, match="50 or more")
