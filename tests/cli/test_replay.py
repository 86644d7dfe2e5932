"""`microveil replay`: from the log to the same file; and what `protect` refuses on the way."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core import Key


@pytest.fixture
def debts(tmp_path: Path) -> Path:
    """Incomes and debts, one of which is a code for missing."""
    draw = np.random.default_rng(6)
    frame = pd.DataFrame(
        {
            "region": draw.choice(["north", "south", "east"], 60),
            "income": draw.lognormal(8, 0.4, 60).round(2),
            "debt": draw.normal(900, 200, 60).round(2),
        }
    )
    frame.loc[3, "debt"] = -9.0
    frame.to_csv(tmp_path / "survey.csv", index=False)
    return tmp_path / "survey.csv"


def test_the_log_of_the_command_line_replays_to_the_same_bytes(debts: Path, run: Callable[..., str]) -> None:
    folder = debts.parent
    run(
        "protect", debts, "-m", "micro-hybrid", "--set", "k=10", "--columns", "income,debt", "--given", "",
        "--missing", "drop", "--na", "-9", "-o", folder / "out.csv", "--log", folder / "log.json",
    )  # fmt: skip
    text = run("replay", folder / "log.json", debts, "-o", folder / "again.csv")
    assert "the same bytes as in log.json" in text
    assert (folder / "again.csv").read_bytes() == (folder / "out.csv").read_bytes()


def test_a_release_in_parts_is_replayed_into_a_folder(debts: Path, run: Callable[..., str]) -> None:
    folder = debts.parent
    run(
        "protect", debts, "-m", "uncorrelated-noise", "--columns", "income", "--na", "-9", "--engine", "blocks",
        "-o", folder / "out", "--log", folder / "log.json",
    )  # fmt: skip
    text = run("replay", folder / "log.json", debts, "-o", folder / "again")
    assert "the same bytes as in log.json" in text
    made, again = (sorted((folder / name).iterdir()) for name in ("out", "again"))
    assert [one.read_bytes() for one in again] == [one.read_bytes() for one in made]
    run("replay", folder / "log.json", debts, "-o", folder / "again", status=2, match="is a folder of files")
    changed = pd.read_csv(debts).assign(income=lambda frame: frame["income"] + 1)
    changed.to_csv(folder / "changed.csv", index=False)
    run("replay", folder / "log.json", folder / "changed.csv", "-o", folder / "x", status=2, match="fingerprint")
    assert not (folder / "x").exists()


def test_other_data_are_refused(debts: Path, run: Callable[..., str]) -> None:
    folder = debts.parent
    run("protect", debts, "-m", "rank-swap", "--columns", "income", "-o", folder / "o.csv", "--log", folder / "l.json")
    changed = pd.read_csv(debts)
    changed.loc[0, "income"] += 1
    changed.to_csv(folder / "changed.csv", index=False)
    run("replay", folder / "l.json", folder / "changed.csv", "-o", folder / "x.csv", status=2, match="fingerprint")
    assert not (folder / "x.csv").exists()


def test_an_edited_log_is_bad_input(debts: Path, run: Callable[..., str]) -> None:
    log, made = debts.parent / "l.json", debts.parent / "o.csv"
    run("protect", debts, "-m", "rank-swap", "--columns", "income", "-o", made, "--log", log)
    log.write_text(log.read_text().replace('"records": 60', '"records": 61'))
    match = "l.json was changed after it was written: its seal does not fit; use it as it was written"
    for words in (("replay", log, debts, "-o", debts.parent / "x.csv"), ("evaluate", debts, made, "--log", log)):
        said = run(*words, status=2, match=match)
        assert "promise" not in said
    assert not (debts.parent / "x.csv").exists()


def test_a_guessable_seed_is_refused_before_anything_runs(debts: Path, run: Callable[..., str]) -> None:
    out = debts.parent / "o.csv"
    arguments = ("protect", debts, "-m", "uncorrelated-noise", "--columns", "income", "--seed", "2024", "-o", out)
    run(*arguments, status=2, match="--seed can be guessed")
    assert not out.exists()
    run(*arguments, "--reproducible")
    assert out.exists()


def test_promises_given_up_need_a_word(debts: Path, run: Callable[..., str]) -> None:
    folder = debts.parent
    (folder / "plan.yaml").write_text(
        "steps:\n- {method: exact-noise, columns: [income, debt]}\n- {method: {sample: {fraction: 0.5}}}\n"
    )
    arguments = ("protect", debts, "--plan", folder / "plan.yaml", "-o", folder / "o.csv")
    run(*arguments, status=1, match="--accept-lost")
    assert not (folder / "o.csv").exists()
    text = run(*arguments, "--accept-lost")
    assert "given up: exact-noise promised: means of income, debt" in text


def test_a_column_left_as_it_was_is_not_released(debts: Path, run: Callable[..., str]) -> None:
    out = debts.parent / "o.csv"
    run("protect", debts, "-m", "rank-swap", "--set", "p=0", "--columns", "income", "-o", out, status=1,
        match="left every value of 'income' as it was")  # fmt: skip
    assert not out.exists()


def test_a_key_can_stand_in_a_file(debts: Path, run: Callable[..., str]) -> None:
    folder = debts.parent
    (folder / "key.txt").write_text(Key.fresh().hex + "\n")
    for name in ("a.csv", "b.csv"):
        run("protect", debts, "-m", "uncorrelated-noise", "--columns", "income", "--seed", f"@{folder / 'key.txt'}",
            "-o", folder / name)  # fmt: skip
    assert (folder / "a.csv").read_bytes() == (folder / "b.csv").read_bytes()
    (folder / "empty.txt").write_text("")
    run("protect", debts, "-m", "uncorrelated-noise", "--columns", "income", "--seed", f"@{folder / 'empty.txt'}",
        "-o", folder / "c.csv", status=2, match="is empty; put the key into its first line")  # fmt: skip


def test_what_a_plan_says_is_not_said_twice(debts: Path, run: Callable[..., str]) -> None:
    folder = debts.parent
    (folder / "plan.yaml").write_text("steps:\n- {method: exact-noise, columns: [income, debt]}\n")
    run("protect", debts, "--plan", folder / "plan.yaml", "--missing", "drop", "-o", folder / "o.csv", status=2,
        match="leave --set, --columns, --given, --by and --missing out")  # fmt: skip


def test_each_of_several_formats_is_written_again_to_the_same_bytes(debts: Path, run: Callable[..., str]) -> None:
    folder = debts.parent
    release = mv.mask.RankSwap(p=10).apply(mv.read(debts), columns=["income"])
    for name in ("o.csv", "o.parquet"):
        mv.write(release, folder / name)
    mv.plan.save_log(release, folder / "l.json")
    for name in ("again.csv", "again.parquet"):
        assert ": the same bytes as in l.json." in run("replay", folder / "l.json", debts, "-o", folder / name)
        assert (folder / name).read_bytes() == (folder / name.replace("again", "o")).read_bytes()
    text = run("replay", folder / "l.json", debts, "-o", folder / "again.feather")
    assert "whose file ended in .csv, .parquet, so that the bytes are others" in text


def test_replay_never_replaces_a_file_and_writes_other_formats(debts: Path, run: Callable[..., str]) -> None:
    folder = debts.parent
    run("protect", debts, "-m", "rank-swap", "--columns", "income", "-o", folder / "o.csv", "--log", folder / "l.json")
    (folder / "mine.csv").write_text("keep me")
    run("replay", folder / "l.json", debts, "-o", folder / "mine.csv", status=2, match="is there already")
    assert (folder / "mine.csv").read_text() == "keep me"
    text = run("replay", folder / "l.json", debts, "-o", folder / "again.parquet")
    assert "whose file ended in .csv, so that the bytes are others" in text
    released, again = pd.read_csv(folder / "o.csv"), pd.read_parquet(folder / "again.parquet")
    assert released["income"].tolist() == again["income"].tolist()


def test_ordinal_text_is_replayed(debts: Path, run: Callable[..., str]) -> None:
    folder = debts.parent
    (folder / "project.yaml").write_text(
        "dataset: {path: survey.csv}\ncolumns:\n  region: {role: key, kind: ordinal, levels: [south, east, north]}\n"
    )
    run("protect", debts, "--project", folder / "project.yaml", "-m", "rank-swap", "--columns", "region",
        "-o", folder / "o.csv", "--log", folder / "l.json")  # fmt: skip
    run("replay", folder / "l.json", debts, "-o", folder / "again.csv")
    assert (folder / "again.csv").read_bytes() == (folder / "o.csv").read_bytes()


def test_a_log_links_its_own_file_only(debts: Path, run: Callable[..., str]) -> None:
    folder = debts.parent
    for name in ("a", "b"):
        run("protect", debts, "-m", "uncorrelated-noise", "--set", "p=0.02", "--columns", "income,debt",
            "-o", folder / f"{name}.csv", "--log", folder / f"{name}.json")  # fmt: skip
    evaluate = ("evaluate", debts, folder / "a.csv", "--columns", "income,debt")
    assert "known from the private log" in run(*evaluate, "--log", folder / "a.json")
    run(*evaluate, "--log", folder / "b.json", status=2, match="this is not a file that the release was written to")
    pd.read_csv(folder / "a.csv").sort_values("income").to_csv(folder / "sorted.csv", index=False)
    run("evaluate", debts, folder / "sorted.csv", "--log", folder / "a.json", status=2, match="byte for byte")


@pytest.mark.long
def test_changes_against_attacks_are_tried_on_request(debts: Path, run: Callable[..., str]) -> None:
    folder = debts.parent
    run("protect", debts, "-m", "rank-swap", "--set", "p=5", "--columns", "income,debt",
        "-o", folder / "s.csv", "--log", folder / "s.json")  # fmt: skip
    words = ("evaluate", debts, folder / "s.csv", "--columns", "income,debt", "--measures", "rank-swap-attack")
    plain = run(*words, "--log", folder / "s.json")
    assert "Intersection of swapped ranks" in plain
    assert "Tried on" not in plain
    figures = folder / "figures.json"
    told = run(*words, "--log", folder / "s.json", "--advise", "--json", figures)
    assert "Tried on 60 of 60 records" in told
    assert "p=10 instead of 5: found " in told
    assert "loss of amounts (PIL)" in told
    tried = json.loads(figures.read_text())["advice"]["tried"]
    assert "p=10 instead of 5" in [one["change"] for one in tried]
    run(*words, "--advise", status=2, match="only the private log knows it: give --log LOG")


@pytest.fixture
def with_words(tmp_path: Path) -> Path:
    """A file of another office, with a word for missing among its amounts."""
    draw = np.random.default_rng(7)
    rows = [
        f"{area};{pay:.2f}".replace(".", ",") for area, pay in zip("NSO" * 40, draw.lognormal(7, 0.3, 120), strict=True)
    ]
    rows[5] = "S;?"
    path = tmp_path / "umfrage.csv"
    path.write_bytes(("größe;einkommen\n" + "\n".join(rows) + "\n").encode("cp1252"))
    return path


def test_the_log_knows_how_the_file_was_read(with_words: Path, run: Callable[..., str]) -> None:
    folder = with_words.parent
    run(
        "protect", with_words, "-m", "rank-swap", "--columns", "einkommen", "--missing", "mask", "--na", "?",
        "-o", folder / "out.csv", "--log", folder / "log.json",
    )  # fmt: skip
    assert "the same bytes" in run("replay", folder / "log.json", with_words, "-o", folder / "again.csv")
    assert (folder / "again.csv").read_bytes() == (folder / "out.csv").read_bytes()
    run("evaluate", with_words, folder / "out.csv", "--log", folder / "log.json", match="known from the private log")


def test_a_stated_mark_that_the_file_leaves_open_is_in_the_log_and_in_the_project(
    tmp_path: Path, run: Callable[..., str]
) -> None:
    """No number of the file tells whether 1,500 is one and a half: who said it once is not asked again."""
    debts = tmp_path / "survey.csv"
    debts.write_text("area;pay\n" + "".join(f"{'NS'[i % 2]};{1 + i * i % 97},500\n" for i in range(40)))
    protect = ("protect", debts, "-m", "rank-swap", "--set", "p=60", "--columns", "pay")
    run(*protect, "-o", tmp_path / "x.csv", status=2, match="say --decimal comma or --decimal point")
    run(*protect, "--decimal", "point", "-o", tmp_path / "out.csv", "--log", tmp_path / "log.json")
    run("replay", tmp_path / "log.json", debts, "-o", tmp_path / "again.csv", match="the same bytes")
    run("inspect", debts, "--decimal", "point", "-p", tmp_path / "project.yaml")
    run(*protect, "--project", tmp_path / "project.yaml", "-o", tmp_path / "other.csv")


def test_the_project_keeps_words_for_missing_among_numbers(with_words: Path, run: Callable[..., str]) -> None:
    folder = with_words.parent
    run("inspect", with_words, "--na", "?", "-p", folder / "project.yaml")
    run("protect", with_words, "--project", folder / "project.yaml", "-m", "rank-swap", "--set", "p=60", "--seed", "7",
        "--reproducible", "--columns", "einkommen", "--missing", "mask", "-o", folder / "out.csv")  # fmt: skip


def test_the_data_of_a_log_may_come_in_another_format(with_words: Path, run: Callable[..., str]) -> None:
    """How text was read says nothing about a Parquet file with the same values."""
    folder = with_words.parent
    run("protect", with_words, "-m", "rank-swap", "--columns", "einkommen", "--missing", "mask", "--na", "?",
        "-o", folder / "out.csv", "--log", folder / "log.json")  # fmt: skip
    pd.read_csv(with_words, sep=";", decimal=",", encoding="cp1252", na_values=["?"]).to_parquet(
        folder / "same.parquet"
    )
    run("replay", folder / "log.json", folder / "same.parquet", "-o", folder / "again.csv", match="the same bytes")
