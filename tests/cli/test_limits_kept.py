"""Whether limits are kept is told alike by every command, and by what protect was judged by."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from tests.cli.conftest import PROJECT


@pytest.fixture(autouse=True)
def _project(alone_by_keys):
    """A file whose keys single out one record, and a project."""
    (alone_by_keys / "project.yaml").write_text(PROJECT.replace("LIMIT", "0.5"))


PROTECT = (
    *("protect", "data.csv", "--project", "project.yaml", "-m", "local-suppression", "--set", "k=2"),
    *("-o", "out.csv", "--log", "log.json", "--columns", "region,sex", "--report", "protect.html"),
)
EVALUATE = ("evaluate", "data.csv", "out.csv", "--log", "log.json", "--measures", "quick")


def test_a_log_keeps_the_scenarios_that_protect_was_judged_by(folder, run):
    run(*PROTECT, "--measures", "quick")
    kept = json.loads((folder / "log.json").read_text())["scenarios"]
    assert kept == [{"name": "neighbour", "keys": ["region", "sex"], "thresholds": {"risk": 0.5}}]
    said = run(*EVALUATE, "--report", "evaluate.html", match="Scenario 'neighbour' is kept")
    assert "Nobody stated" not in said
    pages = [(folder / name).read_text() for name in ("protect.html", "evaluate.html")]
    verdicts = [page[page.index('<section class="verdict') : page.index("</section>")] for page in pages]
    assert verdicts[0] == verdicts[1]
    worst = [line for line in pages[0].splitlines() if "In the worst scenario (neighbour)" in line]
    assert worst
    assert worst == [line for line in pages[1].splitlines() if "In the worst scenario (neighbour)" in line]
    run("risk", "data.csv", "--protected", "out.csv", "--log", "log.json", match="Scenario neighbour:")


def test_protect_and_evaluate_say_the_same_with_and_without_a_report(folder, run):
    said = [run(*PROTECT, "--measures", "quick")]
    (folder / "log.json").rename(folder / "kept.json")
    said.append(run("evaluate", "data.csv", "out.csv", "--log", "kept.json", "--json", "figures.json"))
    without = PROTECT[: PROTECT.index("--report")]
    said.append(run(*without, "--force"))
    verdicts = [text[text.index("Verdict:") : text.index("Wrote")] for text in said]

    assert len(set(verdicts)) == 1
    assert verdicts[0].count("Exposed to an intruder who") == 1
    written = json.loads((folder / "figures.json").read_text())
    assert written["worst"] == written["verdict"]["worst"]
    assert f"linked in the worst case at least about {written['worst']['value']:g} %" in verdicts[0]
    assert written["verdict"]["exposed"] in verdicts[0]
    page = (folder / "protect.html").read_text()
    assert written["verdict"]["exposed"] in page


def test_a_project_beside_the_log_decides_the_limits_and_says_so(folder, run):
    run(*PROTECT, "--measures", "quick")
    (folder / "project.yaml").write_text(PROJECT.replace("LIMIT", "0.1"))
    said = run(*EVALUATE, "--project", "project.yaml", status=1, match="Scenario 'neighbour' is not kept")
    assert "project.yaml states other scenarios than the log; the project decides the limits." in said
    (folder / "project.yaml").write_text(PROJECT[: PROJECT.index("scenarios:")])
    run(*EVALUATE, "--project", "project.yaml", match="Scenario 'neighbour' is kept")


def test_a_log_whose_limits_were_changed_is_refused(folder, run):
    run(*PROTECT, "--measures", "quick")
    text = (folder / "log.json").read_text().replace('"risk": 0.5', '"risk": 0.9')
    (folder / "log.json").write_text(text)
    run(*EVALUATE, status=2, match="was changed after it was written")


def test_without_a_log_evaluate_says_one_thing_and_names_the_log(folder, run):
    frame = pd.DataFrame(
        {"region": list("nnnneeeessssnnnn"), "sex": list("fmfm" * 4), "income": [100.0 + 7 * i * i for i in range(16)]}
    )
    frame.to_csv("data.csv", index=False)
    # other people in other places: more of some kinds than there are
    frame.assign(region=list("sssseeennnnseens"), sex=list("ffmfmmfmffmffmmm")).iloc[::-1].to_csv(
        "out.csv", index=False
    )
    said = run(
        *("evaluate", "data.csv", "out.csv", "--project", "project.yaml", "--rows", "unknown", "--measures", "quick"),
        status=1,
    )
    assert "within the limits" not in said
    assert "singled out" not in said
    assert "linked in the worst case" not in said
    assert "The worst case, how many records an intruder finds, was not measured: nobody knows which rows" in said
    assert said.count("the keys region, sex seem perturbed") == 2  # of the measures together, and of the verdict
    assert "What would help: give the private log (--log LOG" in said


def test_protect_ends_with_whether_the_limits_are_kept(folder, run):
    said = run(*PROTECT, "--measures", "quick")
    end = said[said.index("Verdict:") :]
    assert "The limits stated are kept, but an intruder finds about 100 % of the records in the worst case" in end
    assert "Scenario 'neighbour' is kept" in end
    assert "note:" not in end
    assert "Exposed to an intruder who" in end
    assert end.index("The limits stated") < end.index("Wrote out.csv")


def test_protect_shortens_a_long_list_of_notes(folder, run, monkeypatch):
    monkeypatch.setattr("microveil.cli.protect._MOST_NOTES", 1)
    short = run(*PROTECT, "--measures", "quick")
    assert short.count("note:") == 1
    assert "more notes: see protect.html" in short


def test_a_refused_run_still_writes_its_report(folder, run):
    (folder / "project.yaml").write_text(PROJECT.replace("LIMIT", "0.1"))
    said = run(*PROTECT, "--measures", "quick", status=1, match="a limit of the project is not kept")
    assert sorted(path.name for path in folder.iterdir()) == ["data.csv", "project.yaml", "protect.html"]
    assert "Wrote protect.html" in said
    page = (folder / "protect.html").read_text()
    assert "Refused: nothing was released." in page
    assert "The limits stated are not kept" in page
    assert "out.csv" not in page
