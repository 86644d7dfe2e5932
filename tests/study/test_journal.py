"""The journal: a study that was stopped anywhere goes on as if it had not been, and no other is taken for it."""

from __future__ import annotations

import json
from concurrent.futures import Future
from pathlib import Path

import pyarrow as pa
import pytest

import microveil as mv
from microveil.core import locking
from microveil.core.errors import BadInput, FileProblem
from microveil.core.streams import Key
from microveil.data import Microdata
from microveil.study.aims import Aims
from microveil.study.arms import Arms
from microveil.study.journal import NAME, VERSION, Journal, mark_of_data
from microveil.study.lines import alone_in
from microveil.study.measuring import Bench
from microveil.study.searching import Run
from microveil.study.tried import Found
from tests.study.toys import FRAME, Counting, Exposed, Lost, study_here

TRIALS = 24


def _plain(study):
    return [(trial.text, trial.state, trial.loss, trial.risk, dict(trial.figures)) for trial in study.trials]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory):
    from microveil.core import registry
    from tests.study.toys import TOYS

    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        registry.registered()
        patch.setattr(registry, "_REGISTERED", {**registry._REGISTERED, **TOYS})
        study = study_here(TRIALS, folder=folder)
    return study, (folder / NAME).read_bytes()


@pytest.mark.parametrize("most", [0, 7, 9])
def test_a_study_that_was_stopped_goes_on_as_if_it_had_not_been(most: int, tmp_path: Path, whole):
    with pytest.raises(KeyboardInterrupt):
        study_here(TRIALS, folder=tmp_path, most=most)
    told = []
    settled = (tmp_path / NAME).read_bytes().count(b"\n") - 1  # what was under way is measured again
    assert max(0, most - 8) <= settled <= most
    again = study_here(TRIALS, folder=tmp_path, told=told)
    assert _plain(again) == _plain(whole[0])
    assert len(told[0].tasks) == TRIALS - settled + 4  # and the draws that confirm the plan
    assert [one.risks for one in again.confirmed] == [one.risks for one in whole[0].confirmed]


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.999])
def test_a_journal_cut_at_any_byte_is_completed(share: float, tmp_path: Path, whole):
    study, written = whole
    (tmp_path / NAME).write_bytes(written[: int(share * len(written))])
    again = study_here(TRIALS, folder=tmp_path)
    assert _plain(again) == _plain(study)
    # what was measured anew took other seconds; everything else stands there again
    assert (tmp_path / NAME).read_bytes().count(b"\n") == written.count(b"\n")


def test_a_whole_journal_is_replayed_without_running_anything(tmp_path: Path, whole):
    (tmp_path / NAME).write_bytes(whole[1])
    told = []
    again = study_here(TRIALS, folder=tmp_path, told=told)
    assert told[0].tasks == []
    assert _plain(again) == _plain(whole[0])
    assert (tmp_path / NAME).read_bytes() == whole[1]
    longer = study_here(TRIALS + 3, folder=tmp_path)
    assert _plain(longer)[:TRIALS] == _plain(whole[0])


def test_another_study_is_not_taken_up(tmp_path: Path, whole):
    (tmp_path / NAME).write_bytes(whole[1])
    other = pa.table({"x": FRAME["x"], "y": pa.array([7.0] * 40)})
    with pytest.raises(BadInput, match=r"is about other data.*give another folder"):
        study_here(TRIALS, folder=tmp_path, data=other)
    with pytest.raises(BadInput, match="other objectives, limits"):
        study_here(TRIALS, folder=tmp_path, at_most={"toy-lost": 3})
    with pytest.raises(BadInput, match="other columns or methods"):
        study_here(TRIALS, folder=tmp_path, methods=("toy-shift", "toy-failing"))
    with pytest.raises(BadInput, match="has another seed, or was begun with a seed where none is given now"):
        study_here(TRIALS, folder=tmp_path, seed=2)
    with pytest.raises(BadInput, match="has another seed"):
        study_here(TRIALS, folder=tmp_path, seed=None)
    assert (tmp_path / NAME).read_bytes() == whole[1]
    head, *lines = whole[1].splitlines(keepends=True)
    older = json.dumps({**json.loads(head), "study": VERSION - 1}).encode() + b"\n"
    (tmp_path / NAME).write_bytes(b"".join([older, *lines]))
    with pytest.raises(BadInput, match="is of another version of studies; give another folder"):
        study_here(TRIALS, folder=tmp_path)


def test_a_line_that_is_no_line_of_a_journal_is_told(tmp_path: Path, whole):
    lines = whole[1].splitlines(keepends=True)
    (tmp_path / NAME).write_bytes(b"".join([*lines[:3], b"{}\n", *lines[3:]]))
    with pytest.raises(BadInput, match=r"line 4 of .* is no line of a journal"):
        study_here(TRIALS, folder=tmp_path)


@pytest.mark.parametrize("value", [-5.0, float("nan")])
def test_a_figure_that_its_measure_cannot_be_is_told(value: float, tmp_path: Path, whole):
    lines = whole[1].splitlines(keepends=True)
    changed = next(number for number, line in enumerate(lines) if number and json.loads(line).get("figures"))
    fields = json.loads(lines[changed])
    next(iter(fields["figures"].values()))["value"] = value
    lines[changed] = json.dumps(fields).encode() + b"\n"
    (tmp_path / NAME).write_bytes(b"".join(lines))
    with pytest.raises(BadInput, match=rf"line {changed + 1} of .* is no line of a journal"):
        study_here(TRIALS, folder=tmp_path)


def _spoil(fields, how):
    figure = next(iter(fields["figures"].values()))
    if how == "a figure without its value":
        del figure["value"]
    elif how == "a figure that is a text":
        figure["value"] = "little"
    elif how == "figures in a list":
        fields["figures"] = [figure]
    elif how == "a list of columns too many":
        fields["acted_on"].append(["x"])
    elif how == "no seconds":
        del fields["seconds"]
    elif how == "a state that there is not":
        fields["state"] = "fine"
    elif how == "bounds of a figure missing":
        figure["bounds"] = []
    elif how == "seconds that are nan":
        fields["seconds"] = float("nan")
    elif how == "no plan":
        del fields["plan"]
    elif how == "a share beyond all records":
        fields["scenarios"] = {"near": 101.0}
    elif how == "fewer records than none left out":
        fields["left_out"] = -1
    elif how == "a worst case below one of its parts":
        worst = {**figure, "name": "worst-case", "value": 5.0, "parts": {"Linkage, scenario near": 7.0}}
        fields["figures"]["worst-case"] = worst
    elif how == "a worst case with a part that is nan":
        worst = {**figure, "name": "worst-case", "value": 5.0, "parts": {"a": 5.0, "b, scenario near": float("nan")}}
        fields["figures"]["worst-case"] = worst


@pytest.mark.parametrize(
    "how",
    [
        "a figure without its value",
        "a figure that is a text",
        "figures in a list",
        "a list of columns too many",
        "no seconds",
        "a state that there is not",
        "bounds of a figure missing",
        "seconds that are nan",
        "no plan",
        "a share beyond all records",
        "fewer records than none left out",
        "a worst case below one of its parts",
        "a worst case with a part that is nan",
    ],
)
@pytest.mark.parametrize("last", [False, True])
def test_a_damaged_line_is_told_with_its_place(how: str, last: bool, tmp_path: Path, whole):
    lines = whole[1].splitlines(keepends=True)
    changed = next(number for number, line in enumerate(lines) if number and json.loads(line).get("figures"))
    fields = json.loads(lines[changed])
    _spoil(fields, how)
    damaged = [*lines[:changed], json.dumps(fields).encode() + b"\n", *([] if last else lines[changed + 1 :])]
    (tmp_path / NAME).write_bytes(b"".join(damaged))
    with pytest.raises(
        BadInput, match=rf"line {changed + 1} of .*journal.jsonl is no line of a journal, or it was dama"
    ):
        study_here(TRIALS, folder=tmp_path)
    assert (tmp_path / NAME).read_bytes() == b"".join(damaged)  # nothing is thrown away


def test_a_plan_or_a_draw_that_stands_there_twice_is_told(tmp_path: Path, whole):
    lines = whole[1].splitlines(keepends=True)
    drawn = next(line for line in lines[1:] if "draw" in json.loads(line))
    for line in (lines[2], drawn):
        (tmp_path / NAME).write_bytes(b"".join([*lines, line]))
        with pytest.raises(BadInput, match=rf"lines {lines.index(line) + 1} and {len(lines) + 1} of .* the same plan"):
            study_here(TRIALS, folder=tmp_path)


def test_plans_that_this_search_would_not_try_are_told(tmp_path: Path, whole):
    lines = whole[1].splitlines(keepends=True)
    (tmp_path / NAME).write_bytes(b"".join([lines[0], *lines[2:]]))
    with pytest.raises(BadInput, match="other plans than this search would try"):
        study_here(TRIALS, folder=tmp_path)


def test_without_a_seed_a_study_goes_on_under_other_keys(tmp_path: Path):
    first = study_here(4, folder=tmp_path, seed=None)
    again = study_here(6, folder=tmp_path, seed=None)
    assert _plain(again)[:4] == _plain(first)
    assert json.loads((tmp_path / NAME).read_text().splitlines()[0])["key"] == ""


def test_a_plan_whose_process_broke_down_is_noted(tmp_path: Path):
    head = {"study": VERSION}
    lost = Found("failed", 0.0, "its process ended")
    beaten = Found("discarded", 0.5, "beaten", at_least=0.0)
    journal = Journal(tmp_path, head)
    journal.note_trial('{"steps":[]}', lost)
    journal.note_trial('{"steps":["a"]}', beaten)
    assert Journal(tmp_path, head).trials == [('{"steps":[]}', lost), ('{"steps":["a"]}', beaten)]


def test_only_its_owner_reads_it_and_no_seed_is_in_it(tmp_path: Path):
    seed = 8675309123
    study = study_here(6, folder=tmp_path, seed=seed)
    from microveil.core.streams import Key
    from microveil.report import render_study

    written = (tmp_path / NAME).read_text()
    assert (tmp_path / NAME).stat().st_mode & 0o077 == 0
    for text in (written, study.to_text(), repr(study), render_study(study), repr(study.trials)):
        assert str(seed) not in text
        assert Key.of(seed).hex not in text


KEYS = pa.table({"x": FRAME["x"], "y": FRAME["y"], "c": pa.array(list("uvwz") * 10)})


@pytest.mark.parametrize(
    "stated",
    [
        {"hierarchies": {"c": {one: [one if one < "w" else "wz", "*"] for one in "uvwz"}}},
        {"hierarchies": {"c": {one: ["uv" if one < "w" else one, "*"] for one in "uvwz"}}},
        {"levels": {"c": list("zwvu")}, "kinds": {"c": "ordinal"}},
        {"levels": {"c": list("uvwz")}, "kinds": {"c": "ordinal"}},
        {"missing": {"c": ["z"]}},
        {"missing": {"c": ["u"]}},
    ],
)
def test_the_mark_of_data_tells_by_what_values_are_read(stated):
    roles = {"c": "key"}
    others = [Microdata(KEYS, roles=roles), Microdata(KEYS, roles=roles, missing={"c": ["w"]})]
    others += [Microdata(KEYS, roles=roles, levels={"c": list("vuwz")}, kinds={"c": "ordinal"})]
    others += [Microdata(KEYS, roles=roles, hierarchies={"c": {one: ["*"] for one in "uvwz"}})]
    data = Microdata(KEYS, roles=roles, **stated)
    assert mark_of_data(data) == mark_of_data(Microdata(KEYS, roles=roles, **stated))
    assert mark_of_data(data) not in set(map(mark_of_data, others))


def test_two_searches_do_not_write_into_one_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    if not locking.knows_locks():
        pytest.skip("this system has no locks that end with their process")
    monkeypatch.setattr(locking, "_PATIENCE", 0.0)
    with alone_in(tmp_path, "the study"), pytest.raises(FileProblem, match="somebody else is writing the study in"):
        mv.search(FRAME, trials=1, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_a_file_is_told(tmp_path: Path):
    place = tmp_path / "study"
    place.write_text("")
    with pytest.raises(FileProblem, match=r"the folder .*study cannot be made"):
        mv.search(FRAME, trials=1, folder=place)


class _Stopped(Future):
    """A draw during which somebody presses Ctrl-C."""

    def result(self, timeout=None):
        raise KeyboardInterrupt


class _StoppedInDraw(Counting):
    """Plans measured here, until somebody presses Ctrl-C in the draw of this number."""

    def __init__(self, bench, number):
        super().__init__(bench)
        self._number = number

    def submit(self, task):
        return _Stopped() if len(self.tasks) == self._number else super().submit(task)


def _confirmed_in(folder, told, stopped=None, shown=None):
    source = Microdata.of(FRAME)
    aims = Aims.of(source, (Lost(), Exposed()), (), None, ())
    bench = Bench(source, aims)
    measurers = Counting(bench) if stopped is None else _StoppedInDraw(bench, stopped)
    told.append(measurers)
    arms = Arms.of(source, None, ("toy-shift",), ())
    progress = None if shown is None else lambda *said: shown.append(said)
    run = Run(bench, bench.original(), arms, Journal(folder, {"study": VERSION}), measurers, Key.of(1), progress)
    return run.study(None, 6, {})


def test_who_stops_in_confirming_goes_on_with_the_draw_that_was_not_made(tmp_path):
    told: list[Counting] = []
    with pytest.raises(KeyboardInterrupt):
        _confirmed_in(tmp_path, told, stopped=8)  # two of the four draws were made
    lines = (tmp_path / NAME).read_text().splitlines()
    assert [json.loads(line).get("draw") for line in lines[1:]] == [*[None] * 6, 0, 1]
    again = _confirmed_in(tmp_path, told)
    assert len(told[1].tasks) == 2
    assert again.confirmed[0].losses == _confirmed_in(None, told).confirmed[0].losses


def test_progress_tells_how_far_confirming_is():
    shown: list[tuple[str, int, int]] = []
    study = _confirmed_in(None, [], shown=shown)
    draws = [said for said in shown if said[0].startswith("confirming ")]
    label = study.best().label
    assert [said[1:] for said in draws] == [(number, 5) for number in (1, 2, 3, 4)]
    assert draws[1][0].startswith(f"confirming {label} (plan 1 of 5 at most), draw 2 of 4, about ")
    assert draws[1][0].endswith(" s left for it")
