"""The private log: it keeps what was stated, replays to the same release and the same bytes, and proves it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core import BadInput, BrokenPromise
from microveil.plan import find_writing, link_of_written, load_log, private_log, refuse_used_key, replay, save_log
from microveil.run.log import seal_of


@pytest.fixture
def frame() -> pd.DataFrame:
    draw = np.random.default_rng(2)
    return pd.DataFrame(
        {
            "age": draw.integers(18, 90, 160),
            "sex": draw.choice(["f", "m"], 160),
            "job": draw.choice(list("abc"), 160),
            "income": draw.lognormal(8, 0.5, 160).round(2),
            "wealth": draw.normal(1e4, 3e3, 160).round(2),
            "w": draw.uniform(1, 3, 160).round(3),
        }
    )


ROLES = {"age": "key", "sex": "key", "job": "confidential", "income": "confidential", "wealth": "confidential"}

PLANS: dict[str, list[Any]] = {
    "nothing kept": [
        {
            "method": mv.hybrid.MicroHybrid(partition=mv.partition.MDAV(k=10)),
            "columns": ["income", "wealth"],
            "given": [],
        }
    ],
    "ipso alone": [{"method": mv.synth.Ipso(), "columns": ["income", "wealth"], "given": []}],
    "sensitive column": [(mv.mask.KAnonymise(model=mv.Anonymity(k=4, sensitive=("job",), l=2)), ["age", "sex"])],
    "massc": [(mv.mask.Massc(), ["sex"])],
    "sample": [mv.mask.Sample(fraction=0.5), (mv.mask.ExactNoise(), ["income"])],
    "defaults": [mv.mask.UncorrelatedNoise()],
    "subdomains": [{"method": mv.mask.RankSwap(p=20), "columns": ["income"], "by": "sex"}],
}


def microdata(frame: pd.DataFrame, name: str) -> mv.Microdata:
    return (
        mv.Microdata(frame, roles={**ROLES, "w": "weight"})
        if name in ("massc", "sample")
        else mv.Microdata(frame, roles=ROLES)
    )


@pytest.mark.parametrize("name", PLANS)
def test_what_was_stated_is_replayed(frame: pd.DataFrame, name: str) -> None:
    release = mv.Plan(PLANS[name]).run(microdata(frame, name))
    log = json.loads(json.dumps(private_log(release)))
    again = replay(log, frame)
    pd.testing.assert_frame_equal(again.frame, release.frame)
    assert again.original.roles == release.original.roles
    assert again.lost == release.lost
    assert [record.step for record in again.steps] == [record.step for record in release.steps]


def test_every_file_of_multiple_imputation_is_replayed(frame: pd.DataFrame) -> None:
    method = mv.synth.MultipleImputation()
    files = method.files(frame, 3, columns=["income", "wealth"], given=["age", "sex"])
    for release in files:
        pd.testing.assert_frame_equal(replay(private_log(release), frame).frame, release.frame)
    assert not files[0].frame.equals(files[1].frame)


def test_a_population_frame_stands_aside_and_is_asked_for(frame: pd.DataFrame) -> None:
    draw = np.random.default_rng(4)
    people = pd.DataFrame({"age": draw.integers(18, 90, 400), "sex": draw.choice(["f", "m"], 400)})
    release = mv.synth.MultipleImputation().files(
        frame, 1, columns=["income"], given=["age", "sex"], population=people
    )[0]
    log = private_log(release)
    pd.testing.assert_frame_equal(replay(log, frame, aside={"population": people}).frame, release.frame)
    with pytest.raises(BadInput, match="the release read 'population' beside the data; give that file with aside="):
        replay(log, frame)
    with pytest.raises(BadInput, match="'population' is not the file of the log"):
        replay(log, frame, aside={"population": people.assign(age=20)})


def test_another_result_is_not_taken_for_the_release(frame: pd.DataFrame) -> None:
    log = private_log(mv.mask.UncorrelatedNoise().apply(frame, columns=["income"]))
    log["steps"][0]["method"] = {"uncorrelated-noise": {"p": 0.17}}
    with pytest.raises(BadInput, match="was changed after it was written: its seal does not fit"):
        replay(log, frame)
    with pytest.raises(BrokenPromise, match="running the log again gave another release"):
        replay({**log, "seal": seal_of(log)}, frame)


@pytest.mark.parametrize(
    ("place", "value"),
    [(("input", "columns", "income", "role"), "other"), (("key_strong",), False), (("released", "lost"), ["x"])],
)
def test_a_changed_line_of_the_log_is_found(frame: pd.DataFrame, place: tuple[str, ...], value: Any) -> None:
    log = private_log(mv.mask.UncorrelatedNoise().apply(mv.Microdata(frame, roles=ROLES)))
    inner: Any = log
    for name in place[:-1]:
        inner = inner[name]
    inner[place[-1]] = value
    with pytest.raises(BadInput, match="its seal does not fit"):
        replay(log, frame)


def test_the_log_knows_the_columns_versions_and_hashes(frame: pd.DataFrame, tmp_path: Path) -> None:
    data = mv.Microdata(frame, roles=ROLES, missing={"age": [99]}, kinds={"job": "nominal"})
    release = mv.mask.UncorrelatedNoise().apply(data)
    written = mv.write(release, tmp_path / "out.csv", shuffle=False)
    log = private_log(release)
    assert log["version"] == 1
    assert log["input"]["columns"]["age"] == {"role": "key", "kind": "continuous", "declared": False, "missing": [99]}
    assert log["released"]["perturbed"] == dict.fromkeys(["income", "wealth"], "uncorrelated-noise")
    assert {"microveil", "numpy", "pandas", "pyarrow", "scipy", "python"} <= set(log["versions"])
    assert log["written"][0]["shuffle"] is False
    assert log["written"][0]["sha256"] == written.sha256


def test_a_log_of_another_format_is_refused_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "new.json").write_text(json.dumps({"version": 2, "key": "ab", "steps": []}))
    with pytest.raises(BadInput, match=r"new\.json is a log of format 2; this version reads format 1"):
        load_log(tmp_path / "new.json")


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet", "feather", "sav", "dta", "xlsx"])
def test_the_same_bytes_again(frame: pd.DataFrame, tmp_path: Path, ending: str) -> None:
    data = mv.Microdata(frame, roles={**ROLES, "w": "weight"})
    release = mv.Plan(PLANS["nothing kept"]).run(data)
    first = mv.write(release, tmp_path / f"first.{ending}")
    save_log(release, tmp_path / "log.json")
    again = replay(tmp_path / "log.json", frame)
    second = mv.write(again, tmp_path / f"second.{ending}", **again.written[-1].arguments)
    assert second.sha256 == first.sha256


@pytest.mark.parametrize("shuffle", [True, False])
def test_the_link_of_a_written_file_follows_its_options(frame: pd.DataFrame, tmp_path: Path, shuffle: bool) -> None:
    numbered = mv.Microdata(frame.assign(row=np.arange(len(frame))), roles={"row": "other"})
    release = mv.mask.UncorrelatedNoise().apply(numbered, columns=["income"])
    mv.write(release, tmp_path / "out.csv", shuffle=shuffle)
    found = pd.read_csv(tmp_path / "out.csv")
    assert link_of_written(release).tolist() == found["row"].tolist()
    # the log tells the same
    save_log(release, tmp_path / "log.json")
    assert link_of_written(replay(tmp_path / "log.json", numbered)).tolist() == found["row"].tolist()
    # and of several files each has its own
    mv.write(release, tmp_path / "other.csv", shuffle=not shuffle)
    assert link_of_written(release, release.written[0]).tolist() == found["row"].tolist()
    assert link_of_written(release).tolist() == pd.read_csv(tmp_path / "other.csv")["row"].tolist()
    # found by the bytes of the file
    mine = find_writing(release, mv.io.sha256_of(tmp_path / "out.csv"))
    assert link_of_written(release, mine).tolist() == found["row"].tolist()
    with pytest.raises(BadInput, match="this is not a file that the release was written to"):
        find_writing(release, "0" * 64)


def test_a_key_is_not_used_for_other_data(frame: pd.DataFrame, tmp_path: Path) -> None:
    key = mv.core.Key.fresh().hex
    noise = mv.mask.UncorrelatedNoise()
    save_log(noise.apply(frame, columns=["income"], seed=key), tmp_path / "january.json")
    same = noise.apply(frame, columns=["income"], seed=key)
    save_log(same, tmp_path / "january_again.json")
    updated = frame.assign(income=frame["income"] + (frame.index == 3))
    with pytest.raises(BadInput, match=r"the key was used for other data before \(january\.json\)"):
        save_log(noise.apply(updated, columns=["income"], seed=key), tmp_path / "february.json")
    assert not (tmp_path / "february.json").exists()
    refuse_used_key(mv.core.Key.fresh().hex, "another", [], tmp_path)


def test_a_key_is_not_used_for_other_steps_on_the_same_data(frame: pd.DataFrame, tmp_path: Path) -> None:
    key = mv.core.Key.fresh().hex
    little, much = (mv.mask.UncorrelatedNoise(p=p).apply(frame, columns=["income"], seed=key) for p in (0.1, 0.4))
    save_log(little, tmp_path / "little.log")
    with pytest.raises(BadInput, match=r"the key was used for other steps on these data before \(little\.log\)"):
        save_log(much, tmp_path / "much.json")
    # two files under one key give the original back
    a, b = little.frame["income"], much.frame["income"]
    assert np.abs((0.4 * a - 0.1 * b) / 0.3 - frame["income"]).max() < 0.05


def test_weak_keys_are_not_written_unless_said(frame: pd.DataFrame, tmp_path: Path) -> None:
    release = mv.mask.UncorrelatedNoise().apply(frame, columns=["income"], seed=2024)
    with pytest.raises(BadInput, match="the seed of this release can be guessed"):
        mv.write(release, tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []
    written = mv.write(release, tmp_path / "out.csv", reproducible=True)
    assert not any("seed" in note or "reproducible" in note for note in written.notes)
    assert private_log(release)["written"][0]["reproducible"] is True
    assert private_log(release)["key_strong"] is False
