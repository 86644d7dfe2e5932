"""Files below the folder of the project, and no other."""

from __future__ import annotations

import html
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from microveil.app.calls.call import Work
from microveil.app.paths import below, data_files, there
from microveil.core.errors import BadInput, FileProblem
from microveil.io.formats import endings_of, known_formats
from microveil.package.names import AUDIT, CODEBOOK, INSIDE, PACKAGE
from tests.app.client import Client, problem_of


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The folder of a project, with links into it and out of it."""
    (tmp_path / "home" / "inside").mkdir(parents=True)
    (tmp_path / "outside.csv").write_text("x\n1\n", encoding="utf-8")
    (tmp_path / "home" / "data.csv").write_text("x\n1\n", encoding="utf-8")
    (tmp_path / "home" / "inside" / "more.parquet").write_bytes(b"PAR1")
    (tmp_path / "home" / "out.csv").symlink_to(tmp_path / "outside.csv")
    (tmp_path / "home" / "up").symlink_to(tmp_path)
    (tmp_path / "home" / "again.csv").symlink_to(tmp_path / "home" / "data.csv")
    return tmp_path / "home"


OUTSIDE = ["../outside.csv", "inside/../../outside.csv", "out.csv", "up/outside.csv", "/etc/passwd", "up", "", "a\0b"]


@pytest.mark.parametrize("named", OUTSIDE)
def test_a_file_elsewhere_is_refused(home: Path, named: str):
    with pytest.raises(BadInput, match="folder of the project"):
        below(home, named)


def test_a_file_below_is_found(home: Path):
    assert there(home, "inside/../data.csv") == home / "data.csv"
    assert below(home, "again.csv") == home / "again.csv"
    with pytest.raises(FileProblem, match="no file 'inside'"):
        there(home, "inside")


def test_pipes_and_circles_of_links_are_no_files(home: Path):
    os.mkfifo(home / "pipe.csv")
    (home / "circle.csv").symlink_to("circle.csv")
    assert data_files(home) == ["again.csv", "data.csv", "inside/more.parquet"]


def test_files_with_odd_names_are_offered_as_they_are_called(tmp_path: Path):
    for name in (b"two  blanks.csv", b" first.csv", b"two\nlines.csv", b"back\rward.csv", b"\xff\xfe.csv"):
        (tmp_path / os.fsdecode(name)).write_text("x\n1\n", encoding="utf-8")
    # a page cannot send back the last two
    assert data_files(tmp_path) == [" first.csv", "two\nlines.csv", "two  blanks.csv"]
    client = Client(tmp_path / "project.yaml")
    for page in ("/data", "/pair"):  # browsers take blanks out of what stands between tags, and not out of values
        assert '<option value="two  blanks.csv"' in client.get(page).text
    answer = client.post("/data", {"path": "two\r\nlines.csv", "begin": "yes", "base": "none"})
    assert answer.status_code == 303, problem_of(answer)
    assert client.jobs.all()[0].settings["path"] == "two\nlines.csv"


def test_a_folder_whose_name_is_no_text_can_be_worked_in(tmp_path: Path):
    home = tmp_path / os.fsdecode(b"\xff")
    home.mkdir()
    assert Client(home / "project.yaml").get("/data").status_code == 200


def test_the_list_holds_data_below_the_folder_alone(home: Path):
    assert data_files(home) == ["again.csv", "data.csv", "inside/more.parquet"]
    assert data_files(home, [home / "inside"]) == ["again.csv", "data.csv"]


def test_the_list_holds_every_format_and_no_text_of_a_run(tmp_path: Path):
    every = endings_of(known_formats().values())
    names = sorted(f"file{ending}" for ending in every)
    run = [f"runs/0001/{INSIDE}/{AUDIT}", f"runs/0001/{PACKAGE}/{CODEBOOK}.txt", f"runs/0001/{PACKAGE}/data.csv"]
    for name in [*names, "FILE.SAV", "spss", "mycsv", *run]:
        place = tmp_path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()
    assert data_files(tmp_path) == ["FILE.SAV", *names, f"runs/0001/{PACKAGE}/data.csv"]


def test_an_spss_file_can_be_chosen(tmp_path: Path):
    (tmp_path / "survey.sav").touch()
    page = Client(tmp_path / "project.yaml").get("/data").text
    assert "survey.sav</option>" in page


@pytest.mark.parametrize(
    ("page", "form"),
    [
        ("/data", {"path": "NAMED", "begin": "yes", "sure": "yes"}),
        ("/pair", {"original": "NAMED", "protected": "data.csv"}),
        ("/pair", {"original": "data.csv", "protected": "NAMED"}),
        ("/compare", {"first": "NAMED"}),
    ],
)
def test_no_page_opens_a_file_elsewhere(client: Client, page: str, form: dict[str, str]):
    (client.project.parent.parent / "outside.csv").write_text("x\n1\n", encoding="utf-8")
    (client.project.parent / "link.csv").symlink_to(client.project.parent.parent / "outside.csv")
    for named in ("../outside.csv", "link.csv", str(client.project.parent.parent / "outside.csv")):
        answer = client.post(page, {name: value.replace("NAMED", named) for name, value in form.items()})
        assert answer.status_code == 422
        assert "not below the folder of the project" in problem_of(answer)
    assert client.jobs.all() == []


@pytest.mark.parametrize("path", ["/runs/0001/..%2f..%2fdata", "/runs/..%2f/report", "/jobs/..%2f..%2f/part"])
def test_addresses_lead_nowhere_else(client: Client, path: str):
    assert client.get(path).status_code == 404


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("data.csv", "../outside.csv"),
        ("kind: nominal}  #", "kind: nominal, hierarchy: ../outside.csv}  #"),
        ("kind: nominal}  #", "kind: nominal, hierarchy: {tree: {file: ../outside.csv}}}  #"),
        ("plan:", "release: {register: ../register.jsonl}\nplan:"),
        ("plan:", "release: {earlier: [../runs/0001]}\nplan:"),
    ],
)
def test_the_project_as_text_names_no_file_elsewhere(client: Client, old: str, new: str):
    before = client.project.read_text(encoding="utf-8")
    answer = client.post("/project", {"text": before.replace(old, new)})
    assert "not below the folder of the project" in problem_of(answer)
    assert client.project.read_text(encoding="utf-8") == before


def test_the_rule_of_a_hierarchy_names_no_file_elsewhere(looked: Callable[[], Client], tmp_path: Path):
    client, outside = looked(), tmp_path.parent / f"{tmp_path.name}.txt"
    outside.write_text("N;elsewhere\nE;elsewhere\nS;elsewhere\nW;elsewhere\n", encoding="utf-8")
    for named in (f"../{outside.name}", str(outside)):
        answer = client.post("/columns/0", {"form": "tree", "hierarchy.tree.file": named})
        assert "not below the folder of the project" in problem_of(answer)
    by_hand = client.project.read_text(encoding="utf-8").replace(
        "kind: nominal}  #", f"kind: nominal, hierarchy: ../{outside.name}}}  #"
    )
    client.project.write_text(by_hand, encoding="utf-8")
    page = client.get("/columns/0").text
    assert "elsewhere" not in page
    assert "not below the folder of the project" in page


def test_a_project_named_from_beside_it_finds_its_files(
    client: Client, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    (tmp_path / "beside").mkdir()
    monkeypatch.chdir(tmp_path / "beside")
    beside = Client(Path("../project.yaml"))
    assert "choose the original" in problem_of(beside.post("/pair", {"original": "data.csv", "protected": "data.csv"}))


def test_packages_are_not_written_where_a_link_leads(client: Client):
    folder, elsewhere = client.project.parent, client.project.parent.with_name("elsewhere")
    (elsewhere / "0001" / "package").mkdir(parents=True)
    (folder / "runs").symlink_to(elsewhere)
    refused = client.post("/release", {"act": "run", "as_they_are": "yes"})
    assert "'runs' is not below the folder of the project" in html.unescape(problem_of(refused))
    assert ("Run 0001" in refused.text, client.jobs.all()) == (False, [])
    assert "Run 0001" not in client.get("/history").text
    with pytest.raises(BadInput, match="'runs' is not below"):  # the link was put there after the page had looked
        Work(client.project, {"path": "data.csv"}, folder, lambda *_: None).check_files()
