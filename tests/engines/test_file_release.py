"""Releases in files: what they tell, the private log and its replay, and what is refused before anything is read."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import microveil as mv
from microveil.core.errors import BadInput, BrokenPromise, FileProblem, NothingHidden
from microveil.core.passes_told import hearing_passes
from microveil.core.stages import Stage
from microveil.detect import UnstatedRoles
from microveil.engines import BlockEngine, Scan, scan
from microveil.plan import private_log, replay, save_log
from tests.engines.files import FACTS, KEY, ROWS, people, write_parts

NOISE = mv.Plan([(mv.mask.UncorrelatedNoise(), ["income"])])


def test_a_release_tells_what_was_done_and_what_was_not_measured(parts: Scan, tmp_path: Path) -> None:
    release = mv.Plan([(mv.mask.Round(base=10), ["tax"])]).run(parts, into=tmp_path / "out", seed=KEY, engine="blocks")
    assert not hasattr(release, "frame")
    assert release.files == (tmp_path / "out" / "part-00000.parquet",)
    assert str(release).startswith(f"Release: {ROWS} records in 1 file; round on tax\n  promised: every value of tax")
    assert any(note.startswith("not measured on a file in blocks") for note in release.notes)
    assert any(note.startswith("released as they are: region, age") for note in release.notes)
    assert "identifiers were left out: id" in release.notes
    assert KEY not in repr(release)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out"]


def test_files_that_were_changed_are_found(parts: Scan, tmp_path: Path) -> None:
    release = NOISE.run(parts, into=tmp_path / "out", seed=KEY, engine="blocks")
    (tmp_path / "out" / "more.txt").write_text("x")
    with pytest.raises(BrokenPromise, match=r"more\.txt in .* is no file of the release"):
        release.check()
    (tmp_path / "out" / "more.txt").unlink()
    whole = release.files[0].read_bytes()
    release.files[0].write_bytes(whole[:-1] + b"x")
    with pytest.raises(BrokenPromise, match="its bytes differ"):
        release.check()
    release.files[0].write_bytes(whole)
    parquet.write_table(parquet.read_table(release.files[0]).slice(1), release.files[0])
    for look in (mv.evaluate, mv.risk.DistanceLinkage()):
        with pytest.raises(BrokenPromise, match="its bytes differ"):  # whose record is whose is not known of others
            look(parts, release)
    release.files[0].unlink()
    with pytest.raises(FileProblem, match="not complete"):
        release.check()


@pytest.mark.parametrize("engine", ["memory", "blocks"])
def test_a_source_that_changed_after_it_was_scanned_is_refused(engine: str, tmp_path: Path) -> None:
    pattern = write_parts(tmp_path)
    own = scan(pattern, **FACTS)
    release = NOISE.run(own, into=tmp_path / "before", seed=KEY, engine=engine)
    changed = tmp_path / "part0.parquet"

    def turn(name: str = "writing", *_: int) -> None:
        """The same records in another order."""
        if name == "writing":
            table = parquet.read_table(changed)
            parquet.write_table(table.take(np.arange(table.num_rows)[::-1]), changed)

    if engine == "blocks":
        with pytest.raises(FileProblem, match="changed after it was scanned"):
            NOISE.run(scan(pattern, **FACTS), into=tmp_path / "out", seed=KEY, engine=engine, progress=turn)
    turn()
    for again in (
        lambda: NOISE.run(own, into=tmp_path / "out", seed=KEY, engine=engine),
        release.check,
        lambda: mv.evaluate(own, release),
    ):
        with pytest.raises(FileProblem, match=r"part0\.parquet' changed after it was scanned"):
            again()
    assert not (tmp_path / "out").exists()


def test_any_engine_replays_the_log_of_any(parts: Scan, tmp_path: Path) -> None:
    release = NOISE.run(parts, into=tmp_path / "out", seed=KEY, engine="blocks")
    save_log(release, tmp_path / "log.json")
    in_memory = NOISE.run(parts, into=tmp_path / "whole", seed=KEY)
    first, second = (private_log(one) for one in (release, in_memory))
    for log in (first, second):
        for name in ("seal", "notes"):
            log.pop(name)
    assert json.dumps(first, default=str) == json.dumps(second, default=str)
    again = replay(tmp_path / "log.json", parts, into=tmp_path / "again", engine=BlockEngine(2, 50))
    assert again.files[0].read_bytes() == release.files[0].read_bytes()
    # the log of files is replayed on the same records in memory too
    frame = replay(tmp_path / "log.json", people())
    assert frame.frame["income"].to_pylist() != people()["income"].to_pylist()
    other = people().slice(1)
    parquet.write_table(other, tmp_path / "other.parquet")
    with pytest.raises(BadInput, match="not the data of the log"):
        replay(tmp_path / "log.json", scan(tmp_path / "other.parquet"), into=tmp_path / "no", engine="blocks")
    assert not (tmp_path / "no").exists()


@pytest.mark.parametrize(
    ("method", "told"),
    [
        (mv.mask.Sample(design="risk"), "sample, as it is set, needs all records in one place"),
        (
            mv.mask.Microaggregation(),
            "needs all records in one place .* give by=... .*, give partition='blocked' to form",
        ),
        (
            mv.mask.Microaggregation(partition=mv.partition.Blocked(), blocks=1),
            "a step without blocks for each list of columns, with partition='blocked'",
        ),
        (
            mv.mask.KAnonymise(partition=mv.partition.Blocked()),
            "near one another .* give partition='mondrian' with str",
        ),
        (
            mv.hybrid.MicroHybrid(),  # whose groups are larger than those of `blocked` by itself
            r"give partition=\{'blocked': \{'base': \{'mdav': \{'k': 10\}\}\}\} to form groups in blocks",
        ),
        (mv.mask.DataSwap(), "data-swap, as it is set, needs all records .* give by=... to run it inside subdomains"),
        (mv.synth.Cart(learn_from=None), "cart, .* in one place .*, give learn_from=131072 to learn from a random"),
        (
            mv.mask.IndividualRanking(grouping="optimal"),
            "individual-ranking, as it is set, takes a column at a time .* up to 99 records, and there are",
        ),
    ],
    ids=lambda one: getattr(one, "name", ""),
)
def test_what_blocks_cannot_do_is_refused_before_anything_is_read(
    method: Any, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parts: Scan
) -> None:
    monkeypatch.setattr("microveil.engines.refusing.MOST_IN_COLUMN", 99)
    monkeypatch.setattr("microveil.engines.files.Files.blocks", lambda *_: pytest.fail("something was read"))
    with pytest.raises(BadInput, match=told):
        mv.Plan([(method, ["income"])]).run(parts, into=tmp_path / "out", seed=KEY, engine="blocks")
    around_gaps = [
        {"method": mv.hybrid.MicroHybrid(), "columns": ["income"], "by": "sex", "missing": "mask"},
        {"method": mv.hybrid.LocalSynthesis(), "columns": ["income"], "missing": "mask"},
    ]
    for step in around_gaps:
        with pytest.raises(BadInput, match=r"leaves out records whose gaps are rare, .* use missing='drop'"):
            mv.Plan([step]).run(parts, into=tmp_path / "out", seed=KEY, engine="blocks")


@pytest.mark.parametrize(("beside", "told"), [([], True), (["age"], False)], ids=["the whole file", "beside others"])
def test_records_that_all_came_back_in_another_order_are_refused(beside: list[str], told: bool, tmp_path: Path) -> None:
    parquet.write_table(people().select(["income", "region", *beside]), tmp_path / "file.parquet")
    source = scan(tmp_path / "file.parquet", roles={"income": "confidential", "region": "key"})
    near = mv.partition.Blocked(base=mv.partition.MDAV(k=4), size=60)
    plan = mv.Plan([(mv.mask.SwapInGroups(partition=near), ["income", "region"])])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NothingHidden)
        for number, engine in enumerate(("memory", BlockEngine(2, 50))):
            if not told:
                assert len(plan.run(source, into=tmp_path / str(number), seed=KEY, engine=engine)) == ROWS
                continue
            with pytest.raises(BrokenPromise, match="every original record as it was, at most in another order"):
                plan.run(source, into=tmp_path / str(number), seed=KEY, engine=engine)


def test_a_few_values_in_finer_digits_hide_no_original(tmp_path: Path) -> None:
    cells = np.arange(60.0)
    cells[7] = 7.5
    parquet.write_table(pa.table({"x": cells, "y": cells[::-1]}), tmp_path / "file.parquet")
    near = mv.partition.Blocked(base=mv.partition.MDAV(k=4), size=30)
    swapped = [(mv.mask.SwapInGroups(partition=near), ["x", "y"])]
    spared: list[Any] = [(mv.mask.Repair(low=0.0), ["x"])]
    for number, steps in enumerate((swapped, spared)):
        for engine in ("memory", BlockEngine(2, 13)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", NothingHidden)
                with pytest.raises(BrokenPromise, match="every original record as it was, at most in another order"):
                    mv.Plan(steps).run(
                        scan(tmp_path / "file.parquet"), into=tmp_path / str(number), seed=KEY, engine=engine
                    )


def test_other_refusals(parts: Scan, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="say which, with into='out'"):
        NOISE.run(parts, seed=KEY, engine="blocks")  # type: ignore[call-overload]
    with pytest.raises(BadInput, match="can be guessed"):
        NOISE.run(parts, into=tmp_path / "out", seed=1, engine="blocks")
    with pytest.raises(BadInput, match="take files that were scanned"):
        NOISE.run(people(), seed=1, engine="blocks")  # type: ignore[call-overload]
    with pytest.raises(BadInput, match="for files that were scanned"):
        NOISE.run(people(), seed=1, into="out")  # type: ignore[call-overload]
    with pytest.raises(BadInput, match="block_rows must be a whole number"):
        BlockEngine(1, 0)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("")
    with pytest.raises(FileProblem, match="is not empty"):
        NOISE.run(parts, into=tmp_path / "full", seed=KEY, engine="blocks")
    with pytest.raises(FileProblem, match="there is no folder"):
        NOISE.run(parts, into=tmp_path / "no" / "out", seed=KEY, engine="blocks")
    ruled = parts.stated_as({"edits": ["income >= 0"]})
    with pytest.raises(BadInput, match="state integers='keep exact'"):
        NOISE.run(ruled, into=tmp_path / "out", seed=KEY, engine="blocks")
    homes = parts.stated_as({"roles": {**FACTS["roles"], "account": "household"}})
    with pytest.raises(BadInput, match="holds households"):
        NOISE.run(homes, into=tmp_path / "out", seed=KEY, engine="blocks")
    loose = parts.stated_as({"roles": {"region": "key"}})
    with pytest.raises(UnstatedRoles, match="'id'"):
        NOISE.run(loose, into=tmp_path / "out", seed=KEY, engine="blocks")
    assert not (tmp_path / "out").exists()


def test_edits_and_weights_are_told_of(tmp_path: Path) -> None:
    ruled = scan(
        write_parts(tmp_path), **{**FACTS, "integers": "keep exact", "edits": ["income >= 0", "tax - income <= 0"]}
    )
    steps = [{"method": mv.mask.UncorrelatedNoise(p=1.0), "columns": ["income", "debt"], "missing": "drop"}]
    whole = mv.Plan(steps).run(ruled, into=tmp_path / "whole", seed=KEY)
    found = mv.Plan(steps).run(ruled, into=tmp_path / "out", seed=KEY, engine=BlockEngine(1, 50))
    assert found.files[0].read_bytes() == whole.files[0].read_bytes()
    told = [note for note in whole.notes if "the rule" in note or "weights" in note]
    assert len(told) == 3
    assert set(told) <= set(found.notes)
    kept = [mv.mask.Repair(low=0.0)]
    mended = mv.Plan([*steps, (kept[0], ["income"])]).run(ruled, into=tmp_path / "mended", seed=KEY, engine="blocks")
    assert any(str(claim) == "income >= 0 in every record" for claim in mended.claims)


def test_nothing_hidden_is_not_written(parts: Scan, tmp_path: Path) -> None:
    with pytest.warns(NothingHidden), pytest.raises(BrokenPromise, match="nothing is protected there; nothing was wri"):
        mv.Plan([(mv.mask.UncorrelatedNoise(p=0.0), ["income"])]).run(
            parts, into=tmp_path / "out", seed=KEY, engine="blocks"
        )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_a_run_that_is_killed_leaves_nothing_that_stays(parts: Scan, tmp_path: Path) -> None:
    code = f"""
import os, microveil as mv
from tests.engines.files import FACTS
import microveil.engines.block_engine as engine
def killed(*_):
    assert any(path.name.endswith(".arrows") for path in hidden())
    os.kill(os.getpid(), 9)
def hidden():
    from pathlib import Path
    return Path({str(tmp_path)!r}).rglob("*")
engine.write_parts = killed
mv.Plan([(mv.mask.UncorrelatedNoise(), ["income"])]).run(
    mv.scan({str(parts.files.paths[0].parent / "part*.parquet")!r}, **FACTS), into={str(tmp_path / "out")!r},
    seed={KEY!r}, engine="blocks")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == -9, done.stderr
    # the watcher of the run may have been quicker; what is left for a moment is hidden
    assert all(path.name.startswith(".microveil-") for path in tmp_path.iterdir())
    release = NOISE.run(parts, into=tmp_path / "out", seed=KEY, engine="blocks")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert len(release) == ROWS


def test_a_full_disk_is_told_by_the_folder_that_was_named(
    parts: Scan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("microveil.engines.block_engine.write_parts", full)
    stage = Stage(tmp_path / "out")  # as commands do, which write their files all at once
    told = f"^'{tmp_path / 'out'}' cannot be written: No space left on device; nothing was written$"
    with pytest.raises(FileProblem, match=told):
        mv.Plan([(mv.mask.UncorrelatedNoise(), ["income"])]).run(parts, into=stage.new, seed=KEY, engine="blocks")
    stage.remove()
    assert list(tmp_path.iterdir()) == []


def test_records_are_shuffled_out_of_memory_into_several_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("microveil.engines.shuffling._BUCKET_ROWS", 100)
    monkeypatch.setattr("microveil.engines.part_files.PART_ROWS", 700)
    monkeypatch.setattr("microveil.engines.part_files._GROUP_ROWS", 300)
    n = 2000
    table = pa.table({"row": np.arange(n), "word": np.arange(n) * 1.25, "text": [f"t{row % 7}" for row in range(n)]})
    parquet.write_table(table, tmp_path / "a.parquet")
    data = scan(tmp_path / "a.parquet", roles={"row": "other", "word": "confidential"})
    plan = mv.Plan([(mv.mask.UncorrelatedNoise(), ["word"])])
    whole = plan.run(data, into=tmp_path / "whole", seed=KEY)
    found = plan.run(data, into=tmp_path / "blocks", seed=KEY, engine=BlockEngine(2, 333))
    assert [part.rows for part in found.parts] == [700, 700, 600]
    assert found.parts == whole.parts
    rows = np.concatenate([parquet.read_table(path)["row"].to_numpy() for path in found.files])
    assert not np.array_equal(rows, np.arange(n))
    np.testing.assert_array_equal(np.sort(rows), np.arange(n))


_ONE_BLOCK = mv.hybrid.MicroHybrid(partition=mv.partition.Blocked(base=mv.partition.MDAV(k=10)))
_PIECES = mv.hybrid.LocalSynthesis(k=12, piece=50, families=("EEI",), max_groups=2)


@pytest.mark.parametrize("method", [_ONE_BLOCK, _PIECES], ids=["one block", "pieces of clusters"])
def test_promises_about_groups_and_rules_are_judged(method: Any, tmp_path: Path) -> None:
    source = scan(write_parts(tmp_path), **{**FACTS, "integers": "keep exact", "edits": ["income >= 0"]})
    plan = mv.Plan([mv.plan.Step(method, ["income", "tax"], given=[])])
    made = [
        plan.run(source, into=tmp_path / str(number), seed=KEY, engine=engine)
        for number, engine in enumerate(("memory", BlockEngine(2, 50)))
    ]
    assert made[1].unchecked == made[0].unchecked == ()
    assert [str(claim) for claim in made[1].claims] == [str(claim) for claim in made[0].claims]
    assert made[1].fingerprint == made[0].fingerprint
    assert all(verdict.holds for verdict in made[1].check())


def test_passes_over_a_file_are_told_by_their_records_parts_and_files(parts: Scan, tmp_path: Path) -> None:
    heard: list[tuple[str, int, int]] = []
    grouped = mv.Plan([{"method": mv.mask.Microaggregation(), "columns": ["income", "tax"], "by": "sex"}])
    with hearing_passes(lambda *found: heard.append(found)):
        grouped.run(parts, into=tmp_path / "out", seed=KEY, engine=BlockEngine(2, 50))
    assert {(what, total) for what, _, total in heard} == {("records", ROWS), ("parts", 2), ("files to write", 1)}
    assert heard[-1] == ("files to write", 1, 1)
