"""Loss and risk of files in blocks: the figures of the same files in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import microveil as mv
from microveil.core.measured import Measured, NotApplicable
from microveil.engines import BlockEngine, FileRelease, Scan, SparkEngine, scan
from tests.engines.files import FACTS, write_parts

PLAN = mv.Plan(
    [
        (mv.mask.UncorrelatedNoise(p=1.0), ["income", "tax"]),
        {"method": mv.mask.GlobalRecode(bins=4), "columns": ["age"], "missing": "mask"},
        {"method": mv.mask.KimNoise(), "columns": ["debt"], "missing": "mask"},
    ]
)
ROLES = {**FACTS["roles"], "age": "key"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Scan, FileRelease]:
    folder = tmp_path_factory.mktemp("files")
    source = scan(write_parts(folder), **{**FACTS, "roles": ROLES})
    release = PLAN.run(source, engine=BlockEngine(block_rows=37), into=folder / "out", seed=3, reproducible=True)
    return source, release


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("pair_of_files", "linked_sample"):
        monkeypatch.setattr(f"microveil.engines.{module}.BLOCK_ROWS", 37)


def in_memory(made: tuple[Scan, FileRelease]) -> tuple[mv.Microdata, pa.Table, np.ndarray[Any, Any]]:
    """The original, the written files, and the original row of each written one."""
    source, release = made
    assert release.linking is not None
    places = release.linking.places(np.arange(source.n))
    link = np.full(len(release), -1)
    link[places[places >= 0]] = np.flatnonzero(places >= 0)
    table = pa.concat_tables([parquet.read_table(path) for path in release.files])
    return source.read(), table, link


COUNTED = [
    mv.risk.KAnonymity(),
    mv.risk.KAnonymity(keys=("region", "sex"), missing="wildcard"),
    mv.risk.Uniqueness(),
    mv.risk.Uniqueness(sizes=(1, 2)),
    mv.risk.IndividualRisk(),
    mv.risk.KMap(),
    mv.risk.ReidentificationRisk(),
    mv.risk.Suda(),
    mv.risk.Suda(missing="own"),
    mv.risk.LDiversity(targets=("score",)),
    mv.risk.LDiversity(targets=("score", "account"), kind="entropy", multi=True),
    mv.risk.LDiversity(targets=("income",), kind="recursive"),
    mv.risk.TCloseness(targets=("score", "account")),
    mv.risk.TCloseness(targets=("income",), distance="nominal"),
]


@pytest.mark.parametrize("measure", COUNTED, ids=repr)
def test_counts_give_the_figures_of_all_records_to_the_last_digit(measure, made):
    _, released, _ = in_memory(made)
    original = made[0].read()
    expected = measure(original, released)
    found = measure(*made)
    assert isinstance(found, Measured)
    assert found == expected
    assert measure(made[0]) == measure(original)


@pytest.mark.parametrize(
    "measure",
    [mv.loss.PIL(), mv.loss.MomentChange(), mv.loss.MomentChange(central=False), mv.loss.MatrixLoss()],
    ids=repr,
)
def test_loss_by_sums_is_that_of_all_records(measure, made):
    _, released, _ = in_memory(made)
    expected = measure(made[0].read(), released, linked=False)
    found = measure(*made)
    assert isinstance(found, Measured), found
    assert found.value == pytest.approx(expected.value, rel=1e-12)
    assert found.parts == pytest.approx(expected.parts, rel=1e-11, abs=1e-12)
    assert found.reading == expected.reading


KNOWN = ("region", "age", "income", "tax", "debt")
WAYS = [
    mv.risk.DistanceLinkage(),
    mv.risk.DistanceLinkage(metric="manhattan", gaps="partial"),
    mv.risk.DistanceLinkage(direction="masked"),
    mv.risk.DistanceLinkage(standardise="original", sizes=(2, 4), subsets="all"),
    mv.risk.DistanceLinkage(scale="ranks"),
    mv.risk.DistanceLinkage(scale="ranks", standardise="original", direction="masked"),
    mv.risk.DistanceLinkage(categories=False),
]


@pytest.mark.parametrize("measure", WAYS, ids=repr)
def test_linkage_of_all_originals_is_that_in_memory(measure, made):
    source, released, link = in_memory(made)
    expected = measure(source, released, linked=link, columns=KNOWN)
    found = measure(*made, columns=KNOWN)
    assert isinstance(found, Measured), found
    assert 1 < found.value < 60
    assert found.value == pytest.approx(expected.value, rel=1e-12)
    assert found.parts == pytest.approx(expected.parts, rel=1e-12)
    assert found.interval == pytest.approx(expected.interval)


NEIGHBOUR = mv.risk.Scenario("neighbour", ("region", "sex", "age"), (), {"risk": 0.3, "share": 5})
COLLEAGUE = mv.risk.Scenario("colleague", ("region", "sex"), ("income", "tax"), {"risk": 0.3, "share": 5})


def test_scenarios_of_true_keys_are_counted_exactly(made):
    measure = mv.risk.ScenarioRisk(scenarios=(NEIGHBOUR,))
    _, released, link = in_memory(made)
    original = made[0].read()
    assert measure(*made) == measure(original, released, linked=link)
    assert measure(made[0]) == measure(original)


def test_scenarios_with_more_than_keys_are_told_from_a_sample_of_links(made):
    measure = mv.risk.ScenarioRisk(scenarios=(COLLEAGUE,))
    _, released, link = in_memory(made)
    found, expected = measure(*made), measure(made[0].read(), released, linked=link)
    for part in ("records at risk (%)", "mean risk (%)"):
        assert found.parts[f"colleague: {part}"] == pytest.approx(expected.parts[f"colleague: {part}"], rel=1e-12)
    assert found.interval is not None
    assert found.parts["colleague: records at risk at most (%)"] == found.interval[1] > found.value
    assert "180 of 180 originals, drawn at random, were searched for" in found.notes[0]


def test_a_sample_of_originals_is_searched_for_among_all_records(made, monkeypatch):
    monkeypatch.setattr("microveil.engines.linked_sample.SAMPLED", 60)
    source, released, link = in_memory(made)
    measure = mv.risk.DistanceLinkage(standardise="original")
    found, whole = measure(*made, columns=KNOWN), measure(source, released, linked=link, columns=KNOWN)
    assert isinstance(found, Measured)
    assert found.interval is not None
    assert found.interval[0] < whole.value < found.interval[1]
    assert found.value != whole.value
    assert found.notes[0] == ("60 of 180 originals, drawn at random, were searched for in all 180 protected records")


LEFT_OUT = {"method": mv.mask.UncorrelatedNoise(), "columns": ["debt"], "missing": "drop"}


@pytest.mark.parametrize("engine", ["memory", BlockEngine(block_rows=50)], ids=["memory", "blocks"])
@pytest.mark.parametrize("step", [LEFT_OUT, (mv.mask.Sample(fraction=0.5), ["income"])], ids=["gaps", "sample"])
def test_every_record_of_the_source_is_found_in_the_files(engine, step, tmp_path, monkeypatch):
    monkeypatch.setattr("microveil.engines.part_files.PART_ROWS", 50)
    source = scan(write_parts(tmp_path), **FACTS)
    steps = [step, (mv.mask.UncorrelatedNoise(), ["income"])]
    release = mv.Plan(steps).run(source, engine=engine, into=tmp_path / "out", seed=5, reproducible=True)
    assert release.linking is not None
    places = release.linking.places(np.arange(source.n))
    assert sorted(places[places >= 0]) == list(range(len(release)))
    assert len(release) < source.n
    original = source.files.whole()
    released = pa.concat_tables([parquet.read_table(path) for path in release.files])
    there = np.flatnonzero(places >= 0)
    for name in ("score", "day", "tax"):
        assert original[name].take(there).to_pylist() == released[name].take(places[there]).to_pylist()


def test_equal_words_are_written_by_their_rows():
    from microveil.engines.linking import written_places

    class Words:
        """Streams that give few words."""

        def __init__(self, rows: Any = None) -> None:
            self.rows = rows

        def of_rows(self, rows: Any) -> Any:
            return Words(rows)

        def words(self, start: int, stop: int) -> Any:
            rows = np.arange(start, stop) if self.rows is None else self.rows[start:stop]
            return (rows * 7 % 5).astype(np.uint64)[:, None]

    every = np.arange(40)
    expected = np.empty(40, dtype=int)
    expected[np.lexsort((every, every * 7 % 5))] = every
    some = np.array([0, 3, 8, 9, 31, 36, 39])
    streams: Any = Words()
    assert written_places(streams, 40, some).tolist() == expected[some].tolist()


def test_too_many_different_rows_are_refused(made, monkeypatch):
    monkeypatch.setattr("microveil.engines.counted_rows.MOST_ROWS", 20)
    found = mv.evaluate(*made, measures=["k-anonymity", "l-diversity"])
    assert isinstance(found["k-anonymity"], NotApplicable)
    assert found["k-anonymity"].reason == (
        "not applicable in blocks: region, age, sex have more than 20 different combinations, too many to be counted "
        "in memory; make them coarser, or name fewer columns"
    )


@pytest.mark.parametrize("odd", [None, float("nan"), -2.5, 1e19], ids=str)
def test_weights_that_are_none_are_refused_and_never_added_up(odd, made, tmp_path):
    table = pa.concat_tables([parquet.read_table(path) for path in made[1].files])
    weights, place = table["weight"].to_pylist(), table.schema.names.index("weight")
    weights[99] = odd
    parquet.write_table(table.set_column(place, "weight", pa.array(weights)), tmp_path / "a.parquet")
    found = mv.evaluate(made[0], scan(tmp_path / "a.parquet"), measures=["individual-risk"])
    assert isinstance(found["individual-risk"], NotApplicable)
    assert found["individual-risk"].reason.startswith("the weights in 'weight' must all be positive numbers up to")


@pytest.mark.long
def test_an_evaluation_of_files_says_what_it_did_not_measure(made):
    found = mv.evaluate(*made, scenarios=[NEIGHBOUR, COLLEAGUE])
    assert (found.records, found.protected_records) == (180, 180)
    worst = found.worst
    assert isinstance(worst, Measured)
    assert worst.value == max(worst.parts.values()) > 0
    assert "Not tried, so that more may be found" in worst.reading
    assert isinstance(found["propensity"], NotApplicable)
    assert "not applicable in blocks" in found["propensity"].reason
    alone = next(line for line in found.lines if line.measure.name == "uniqueness")
    assert alone.before == mv.risk.Uniqueness()(made[0].read())
    assert mv.evaluate(made[1], scenarios=[NEIGHBOUR, COLLEAGUE]).said == found.said


def test_scans_without_their_release_are_compared_but_not_linked(made):
    source, release = made
    other = scan(str(release.folder / "*.parquet"))
    found = mv.evaluate(source, other, measures=["pil", "distance-linkage", "k-anonymity"])
    assert found["pil"] == mv.loss.PIL()(source, release)
    assert isinstance(found["distance-linkage"], NotApplicable)
    assert isinstance(found.worst, NotApplicable)
    assert isinstance(found["k-anonymity"], Measured)
    assert "Nobody says how the protected files were made" in found.unused[0]


def test_what_is_refused_of_files_in_blocks(made):
    source, release = made
    with pytest.raises(mv.errors.BadInput, match="leave `by` out"):
        mv.evaluate(source, release, by="region")
    with pytest.raises(mv.errors.BadInput, match="leave `linked` out"):
        mv.loss.PIL()(source, release, linked=False)
    with pytest.raises(mv.errors.BadInput, match="the protected file must be taken in blocks too"):
        mv.evaluate(source, source.read())
    with pytest.raises(mv.errors.BadInput, match="the original must be too"):
        mv.evaluate(source.read(), release)
    with pytest.raises(mv.errors.BadInput, match="compares two files"):
        mv.loss.PIL()(source)


def test_records_that_were_made_are_nobodys(tmp_path):
    source = scan(write_parts(tmp_path), **FACTS)
    step = {"method": mv.synth.GaussianCopula(), "columns": ["income", "tax"], "by": "sex"}
    release = mv.Plan([step]).run(source, engine="blocks", into=tmp_path / "out", seed=5, reproducible=True)
    found = mv.risk.DistanceLinkage()(source, release)
    assert isinstance(found, NotApplicable)
    assert found.reason == "no protected record comes from an original one"


@pytest.mark.long
def test_tasks_of_spark_find_the_same(tmp_path):
    pytest.importorskip("pyspark", reason="pyspark is not installed: pip install 'microveil[spark]'")
    from tests.engines.fake_spark import FakeSession

    source, plan = (
        scan(write_parts(tmp_path), **FACTS),
        mv.Plan([(mv.mask.UncorrelatedNoise(p=0.3), ["income", "tax"])]),
    )
    by_blocks = plan.run(source, engine="blocks", into=tmp_path / "a", seed=5, reproducible=True)
    by_tasks = plan.run(
        source, engine=SparkEngine(FakeSession(), 3, 20), into=tmp_path / "b", seed=5, reproducible=True
    )
    asked: dict[str, Any] = {"scenarios": [COLLEAGUE]}
    assert mv.evaluate(by_tasks, **asked).said == mv.evaluate(by_blocks, **asked).said


@pytest.mark.parametrize("known", [("region", "sex", "account"), ("region", "sex", "age", "income", "tax", "debt")])
def test_records_released_as_they_are_are_counted_among_all_originals(known, made):
    source, released, link = in_memory(made)
    measure = mv.attack.Verbatim(known=known)
    expected, found = measure(source, released, linked=link), measure(*made)
    assert isinstance(found, Measured), found
    assert found.value == expected.value
    assert found.parts == pytest.approx(expected.parts, rel=1e-9)
    assert found.reading == expected.reading
    assert "180 of 180 released records, drawn at random" in found.notes[0]


def test_changes_of_single_values_are_those_of_a_sample(made, monkeypatch):
    source, released, link = in_memory(made)
    measure, known = mv.loss.InformationLoss(), ("income", "tax")
    expected, found = measure(source, released, linked=link, columns=known), measure(*made, columns=known)
    assert isinstance(found, Measured), found
    assert found.parts == pytest.approx(expected.parts, rel=1e-12)
    monkeypatch.setattr("microveil.engines.linked_sample.SAMPLED", 90)
    some = measure(*made, columns=known)
    assert some.interval is not None
    assert some.interval[0] < expected.value < some.interval[1]
    assert {name: some.parts[name] for name in ("IL2", "IL3", "IL4", "IL5")} == pytest.approx(
        {name: expected.parts[name] for name in ("IL2", "IL3", "IL4", "IL5")}, rel=1e-12
    )


@pytest.mark.parametrize(
    "measure", [mv.risk.KMap(population="original"), mv.risk.ReidentificationRisk(population="original")], ids=repr
)
def test_a_register_is_not_taken_for_its_first_record(measure, made):
    found = measure(*made)
    assert isinstance(found, NotApplicable)
    assert "a register are not counted" in found.reason


def test_an_original_whose_known_amounts_tell_everybody_apart_does_not_keep_a_limit_of_linking(made):
    # by sex alone nobody would be found; who knows debts as well finds nearly everybody in the original
    stated = {
        known: mv.risk.Scenario("colleague", ["sex"], known=[known], thresholds={"risk": 0.2, "share": 90})
        for known in ("debt", "region")
    }
    figures = mv.evaluate(*made, measures="quick", scenarios=[*stated.values()][:1])
    for known, scenario in stated.items():
        verdict = mv.plan.verdict_of_files(made[1], [scenario], figures)
        assert verdict.ok
        assert ("The original keeps this limit too" in verdict.because[0]) == (known == "region")
