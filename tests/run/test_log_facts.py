"""The private log: what it keeps of the columns, and when it is refused."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput
from microveil.run.log import _facts, _other_versions, _same_files, _with_facts, check_log, log_of, rerun, seal_of


@pytest.fixture
def stated() -> mv.Microdata:
    frame = pd.DataFrame({"x": [1.5, 2.5, -9.0, 4.0] * 5, "size": ["S", "L", "M", "S"] * 5, "place": list("abcd") * 5})
    return mv.Microdata(
        frame,
        kinds={"size": "ordinal"},
        levels={"size": ["S", "M", "L"]},
        hierarchies={"place": {"a": ["north"], "b": ["north"], "c": ["south"], "d": ["south"]}},
        missing={"x": [-9.0]},
    )


@pytest.fixture
def log(stated: mv.Microdata) -> dict[str, Any]:
    return log_of(mv.mask.UncorrelatedNoise().apply(stated, missing="mask", seed=1))


def test_everything_stated_of_a_column_is_kept(stated: mv.Microdata) -> None:
    assert _facts(stated, "x") == {"role": "other", "kind": "continuous", "declared": False, "missing": [-9.0]}
    size = _facts(stated, "size")
    assert (size["kind"], size["declared"], size["levels"]) == ("ordinal", True, ["S", "M", "L"])
    assert _facts(stated, "place")["hierarchy"][0] == ["a", ["north"]]
    assert "hierarchy" not in size
    assert "missing" not in size


def test_the_facts_of_the_log_decide(stated: mv.Microdata, log: dict[str, Any]) -> None:
    again = _with_facts(mv.Microdata(stated.frame), log)
    for name in stated.columns:
        assert _facts(again, name) == _facts(stated, name)
    with pytest.raises(BadInput, match="these are not the data of the log: their columns differ"):
        _with_facts(mv.Microdata(stated.frame.rename(columns={"x": "y"})), log)


def test_a_run_again_is_the_same_release(stated: mv.Microdata, log: dict[str, Any]) -> None:
    assert log_of(rerun(log, stated.frame))["released"] == log["released"]
    with pytest.raises(BadInput, match="these are not the data of the log: their fingerprint differs"):
        rerun(log, stated.frame.iloc[::-1])


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"key": "no hexadecimal digits"}, BadInput, "was changed after it was written: its seal does not fit"),
        ({"notes": ["another"]}, BadInput, "was changed after it was written"),
        ({"version": 0}, BadInput, "the log is a log of format 0; this version reads format 1: install"),
        ({"version": 2}, BadInput, "the log is a log of format 2; .* install the microveil that wrote it"),
        ({"version": None}, BadInput, "the log is not a private log as microveil writes it: its version is None, not"),
        ({"version": [1]}, BadInput, r"its version is \[1\], not a whole number; use it as it was written"),
        ({"version": True}, BadInput, "its version is True, not a whole number"),
    ],
)
def test_logs_that_were_changed(log: dict[str, Any], change: dict[str, Any], error: type, message: str) -> None:
    assert check_log(log, "the log") == log
    with pytest.raises(error, match=message):
        check_log({**log, **change}, "the log")


@pytest.mark.parametrize("left_out", ["key", "steps"])
def test_what_is_no_log(log: dict[str, Any], left_out: str) -> None:
    for other in ({name: value for name, value in log.items() if name != left_out}, [], None):
        with pytest.raises(BadInput, match="the file is not a private log: it has no key and steps"):
            check_log(other, "the file")


def test_the_seal_is_of_all_lines_but_itself(log: dict[str, Any]) -> None:
    assert seal_of(log) == seal_of({**log, "seal": "another"}) == log["seal"]
    assert len(log["seal"]) == 64


def test_the_seal_of_lines_is_the_same_in_any_order_and_version() -> None:
    lines = {"key": "00" * 32, "version": 2, "notes": ["ä"]}
    assert seal_of(lines) == seal_of(dict(reversed(lines.items())))
    assert seal_of(lines) == "6e161eb11769748fd30366b21d123d9f7f38379e92a733e8b0aed302c95a24df"


def test_files_aside_are_asked_for_and_proven(stated: mv.Microdata) -> None:
    mark = mv.io.fingerprint(stated)
    assert list(_same_files({"frame": mark}, {"frame": stated})) == ["frame"]
    with pytest.raises(BadInput, match="the release read 'frame' beside the data; give that file with aside="):
        _same_files({"frame": mark}, {})
    with pytest.raises(BadInput, match="'frame' is not the file of the log: its fingerprint differs"):
        _same_files({"frame": mark}, {"frame": stated.frame.iloc[:3]})


def test_versions_that_differ_are_named(log: dict[str, Any]) -> None:
    versions = log["versions"]
    assert list(versions) == ["python", *sorted(set(versions) - {"python"})]
    assert {"microveil", "numpy", "pandas"} <= set(versions)
    assert _other_versions(log) == "none differ"
    other = {**versions, "python": "2.7", "numpy": "0.1", "not installed": "1.0"}
    assert _other_versions({"versions": other}) == "python 2.7, numpy 0.1"


@pytest.mark.parametrize("field", ["input", "released", "written", "integers"])
def test_a_log_that_lacks_a_field_is_refused_though_its_seal_fits(field: str) -> None:
    stated = mv.Microdata(pd.DataFrame({"x": [1.5, 2.25, 4.0, 8.5]}), roles={"x": "confidential"})
    log = log_of(mv.mask.UncorrelatedNoise().apply(stated, seed=1))
    del log[field]
    with pytest.raises(BadInput, match=f"log.json lacks {field}, which every private log has"):
        check_log({**log, "seal": seal_of(log)}, "log.json")
