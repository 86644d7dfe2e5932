"""Plans: steps in order, files and back, private log and replay."""

from __future__ import annotations

import json
import stat

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import microveil as mv
from microveil.claims import EqualRowsAtLeast, MeansKept, ValuesKept, VariancesKept
from microveil.core import BadInput, BrokenPromise, FileProblem, UnknownName
from microveil.plan import Step, load_log, plan_schema, private_log, replay, save_log

FRAME = pd.DataFrame(
    np.random.default_rng(1).gamma(2.0, size=(90, 3)) * [1.0, 100.0, 1e4], columns=["a", "b", "c"]
).assign(g=["u", "v", "w"] * 30)

PLAN = mv.Plan(
    [
        (mv.mask.Microaggregation(partition=mv.partition.MDAV(k=5)), ["a", "b"]),
        Step(mv.mask.RankSwap(p=10), columns=("c",), by=("g",)),
    ]
)


def test_steps_run_in_order_on_their_columns():
    release = PLAN.run(FRAME, seed=3)
    assert release.columns == ("a", "b", "c")
    assert len(release.frame[["a", "b"]].drop_duplicates()) == 18
    assert sorted(release.frame["c"]) == sorted(FRAME["c"])
    for kind in (MeansKept, EqualRowsAtLeast, ValuesKept):
        assert any(isinstance(claim, kind) for claim in release.claims)


def test_one_step_in_a_plan_is_the_method_alone():
    method = mv.mask.RankSwap(p=10)
    alone, planned = method.apply(FRAME, seed=9), mv.Plan([method]).run(FRAME, seed=9)
    pd.testing.assert_frame_equal(alone.frame, planned.frame)


def test_a_later_step_on_the_same_columns_ends_comparisons_openly_and_k_is_checked_again():
    steps = [(mv.mask.Microaggregation(partition=mv.partition.MDAV(k=5)), ["a", "b"]), (mv.mask.Round(base=0.5), ["a"])]
    release = mv.Plan(steps).run(FRAME, seed=1)
    assert not any(isinstance(claim, MeansKept) for claim in release.claims)
    assert any("means" in text and "round changed a" in text for text in release.lost)
    assert any(isinstance(claim, EqualRowsAtLeast) for claim in release.claims)  # rounding merges classes
    assert release.frame.groupby(["a", "b"]).size().min() >= 5


def test_k_that_a_later_step_destroys_is_an_error():
    steps = [
        (mv.mask.Microaggregation(partition=mv.partition.MDAV(k=5)), ["a", "b"]),
        (mv.mask.UncorrelatedNoise(), ["a"]),
    ]
    with pytest.raises(BrokenPromise, match=r"a, b occurs at least 5 times.*run microaggregation last"):
        mv.Plan(steps).run(FRAME, seed=1)


def test_rescaling_after_microaggregation_keeps_k_and_restores_variances():
    steps = [mv.mask.Microaggregation(partition=mv.partition.MDAV(k=5)), mv.mask.Rescale()]
    release = mv.Plan(steps).run(FRAME, seed=1)
    for kind in (MeansKept, VariancesKept, EqualRowsAtLeast):
        assert any(isinstance(claim, kind) for claim in release.claims)
    assert np.allclose(release.frame[["a", "b", "c"]].var(), FRAME[["a", "b", "c"]].var(), rtol=1e-9)


def test_the_plan_decides_about_whole_numbers():
    frame = pd.DataFrame({"n": np.arange(60) ** 2})
    plan = mv.Plan([mv.mask.ExactNoise(p=0.3)], integers="keep exact")
    assert plan.run(frame, seed=1).frame["n"].dtype == np.float64
    assert mv.Plan(plan.steps).run(frame, seed=1).frame["n"].dtype == np.int64


@pytest.mark.parametrize("rows", [1, 17, 1000])
def test_chunks_do_not_matter(rows):
    plan = mv.Plan([mv.mask.CorrelatedNoise(p=0.3), (mv.mask.Round(base=0.1, mode="random"), ["a"])])
    pd.testing.assert_frame_equal(plan.run(FRAME, seed=5).frame, plan.run(FRAME, seed=5, chunk_rows=rows).frame)


def test_yaml_round_trip(tmp_path):
    assert mv.Plan.from_text(PLAN.to_text()) == PLAN
    PLAN.save(tmp_path / "plan.yaml")
    assert mv.Plan.load(tmp_path / "plan.yaml") == PLAN


@pytest.mark.long
@given(
    st.lists(
        st.builds(
            Step,
            st.one_of(
                st.builds(mv.mask.Round, base=st.floats(0.001, 1e6), mode=st.sampled_from(["nearest", "random"])),
                st.builds(mv.mask.RankSwap, p=st.floats(0, 100)),
                st.builds(mv.mask.Microaggregation, partition=st.builds(mv.partition.MDAV, k=st.integers(2, 50))),
            ),
            columns=st.none() | st.lists(st.text(min_size=1), min_size=1, max_size=3, unique=True).map(tuple),
            by=st.lists(st.text(min_size=1), max_size=2, unique=True).map(tuple),
            missing=st.sampled_from(["error", "drop", "mask"]),
        ),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from([None, "round", "keep exact"]),
)
def test_any_plan_survives_its_file(steps, integers):
    plan = mv.Plan(steps, integers)
    assert mv.Plan.from_text(plan.to_text()) == plan


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("steps: [round", BadInput, "not valid YAML"),
        ("- a", BadInput, "a plan is a mapping"),
        ("stepps: []", UnknownName, r"no field 'stepps'; .*did you mean 'steps'\?"),
        ("version: 99\nsteps: [mdav]", BadInput, "version 99; this release reads version 1"),
        ("steps: []", BadInput, "the plan has no steps"),
        ("steps: {}", BadInput, "a plan needs steps"),
        ("steps: [{method: rank-swp}]", UnknownName, r"no method called 'rank-swp'; .*did you mean 'rank-swap'\?"),
        ("steps: [{method: {rank-swap: {q: 1}}}]", UnknownName, "rank-swap has no parameter 'q'"),
        ("steps: [{method: {rank-swap: {p: -1}}}]", BadInput, r"p must be between 0 and 100; -1 was given"),
        ("steps: [{methd: rank-swap}]", UnknownName, r"no field 'methd'; .*did you mean 'method'\?"),
        ("steps: [{columns: [a]}]", BadInput, "a step needs a method"),
        ("steps: [{method: round}]", BadInput, "round needs base"),
        (
            "steps: [{method: {microaggregation: {partition: {mdav: {k: 1}}}}}]",
            BadInput,
            "k must be 2 or more; 1",
        ),
    ],
)
def test_wrong_plan_files_are_named(text, error, message):
    with pytest.raises(error, match=message):
        mv.Plan.from_text(text)


def test_a_missing_plan_file_is_a_clear_error(tmp_path):
    with pytest.raises(FileProblem, match=r"there is no file '.*no\.yaml'"):
        mv.Plan.load(tmp_path / "no.yaml")


def test_the_log_replays_the_release_and_refuses_other_data(tmp_path):
    release = PLAN.run(FRAME)
    save_log(release, tmp_path / "log.json")
    again = replay(tmp_path / "log.json", FRAME)
    pd.testing.assert_frame_equal(again.frame, release.frame)
    with pytest.raises(BadInput, match="these are not the data of the log: their fingerprint differs"):
        replay(tmp_path / "log.json", FRAME.assign(a=0.0))


def test_the_log_is_private(tmp_path):
    release = PLAN.run(FRAME)
    save_log(release, tmp_path / "log.json")
    assert stat.S_IMODE((tmp_path / "log.json").stat().st_mode) == 0o600
    log = load_log(tmp_path / "log.json")
    assert log["key"] == release.key.hex
    assert log["versions"]["microveil"] == mv.__version__
    assert json.dumps(private_log(release))


def test_a_file_that_is_no_log_is_refused(tmp_path):
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(BadInput, match="has no key and steps"):
        load_log(tmp_path / "x.json")
    (tmp_path / "y.json").write_text("nothing")
    with pytest.raises(BadInput, match="no JSON at line 1"):
        load_log(tmp_path / "y.json")


def test_the_schema_knows_every_method():
    schema = plan_schema()
    text = json.dumps(schema)
    for entry in mv.methods():
        assert f'"{entry.name}"' in text
    assert schema["$defs"]["method"]["anyOf"]


def test_the_schema_takes_what_plans_write():
    step = plan_schema()["properties"]["steps"]["items"]["properties"]
    empty_list = step["given"]["anyOf"][1]
    assert empty_list["type"] == "array"
    assert "minItems" not in empty_list  # given: [] keeps nothing, and is written
    assert step["columns"]["anyOf"][1]["minItems"] == 1
