"""Population uniqueness, k-map and the three intruders."""

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput
from microveil.risk.log_linear import expected_counts, risk_of_uniques
from microveil.risk.population_models import Frequencies, pitman, slide_negative_binomial, zayatz

KEYS = ["a", "b", "c", "d"]


@pytest.fixture(scope="module")
def population():
    rng = np.random.default_rng(1)
    shapes = {"a": (0.3, 20), "b": (0.1, 60), "c": (0.5, 8), "d": (0.2, 30)}
    return pd.DataFrame({name: np.minimum(rng.geometric(p, 100_000), top) for name, (p, top) in shapes.items()})


def sample(population, fraction, seed=2):
    return population.sample(int(len(population) * fraction), random_state=seed)


def truth(population, drawn):
    sizes = population.groupby(KEYS)["a"].transform("size").loc[drawn.index]
    alone = drawn.groupby(KEYS)["a"].transform("size") == 1
    return 100 * (sizes == 1).mean(), (1 / sizes[alone]).sum()


@pytest.mark.parametrize("fraction", [0.1, 0.5])
def test_known_population_within_half_as_much_again(population, fraction):
    drawn = sample(population, fraction)
    true, _ = truth(population, drawn)
    found = mv.risk.PopulationUniqueness(keys=KEYS, population=len(population))(drawn)
    assert true / 1.5 < found.value < true * 1.5
    assert set(found.parts) >= {"pitman", "zayatz", "snb", "log-linear"}


@pytest.mark.parametrize("fraction", [0.1, 0.5])
def test_log_linear_model_of_independent_keys_within_a_tenth(population, fraction):
    drawn = sample(population, fraction)
    true, matches = truth(population, drawn)
    found = mv.risk.PopulationUniqueness(keys=KEYS, population=len(population), model="log-linear")(drawn)
    assert found.value == pytest.approx(true, rel=0.1)
    assert found.parts["expected correct matches of uniques (log-linear)"] == pytest.approx(matches, rel=0.05)
    assert "expects" in found.notes[-1]


def test_two_way_model_reproduces_two_way_margins_and_main_effects_one_way_margins():
    rng = np.random.default_rng(0)
    rows = np.unique(rng.integers(0, 4, (200, 3)), axis=0)
    counts = rng.integers(1, 9, len(rows))
    table = np.zeros((4, 4, 4))
    table[tuple(rows.T)] = counts
    _, whole = expected_counts(rows, counts, 1)
    assert whole.reshape(4, 4, 4).sum(axis=(1, 2)) == pytest.approx(table.sum(axis=(1, 2)))
    at, whole = expected_counts(rows, counts, 2)
    assert whole.reshape(4, 4, 4).sum(axis=2) == pytest.approx(table.sum(axis=2), abs=1e-4)
    assert at == pytest.approx(whole.reshape(4, 4, 4)[tuple(rows.T)])


def test_risk_of_uniques_by_hand():
    unique, inverse = risk_of_uniques(np.array([0.5, 0.0]), 0.25)
    assert unique == pytest.approx([np.exp(-1.5), 1.0])
    assert inverse == pytest.approx([(1 - np.exp(-1.5)) / 1.5, 1.0])


def test_no_uniques_and_whole_population():
    none = Frequencies.of(np.array([2, 3, 5]))
    assert zayatz(none, 1000) == pitman(none, 1000) == slide_negative_binomial(none, 1000) == 0.0
    census = Frequencies.of(np.array([1] * 40 + [2] * 20 + [5] * 10))
    assert zayatz(census, census.records) == pytest.approx(40)
    assert pitman(census, census.records) == pytest.approx(40, rel=0.25)
    assert slide_negative_binomial(census, census.records) == pytest.approx(40, rel=0.25)


def test_population_must_be_known_and_no_smaller_than_the_file(population):
    drawn = sample(population, 0.01)
    assert "population's size is unknown" in mv.risk.PopulationUniqueness(keys=KEYS)(drawn).reason
    with pytest.raises(BadInput, match=r"population=10 is smaller than the file \(1000 records\)"):
        mv.risk.PopulationUniqueness(keys=KEYS, population=10)(drawn)
    weighted = mv.Microdata(drawn.assign(w=100.0), roles={"w": "weight"})
    by_weight = mv.risk.PopulationUniqueness(keys=KEYS)(weighted).value
    assert by_weight == mv.risk.PopulationUniqueness(keys=KEYS, population=100_000)(drawn).value


def test_k_map_with_a_register_is_the_population_class(population):
    drawn = sample(population, 0.1)
    sizes = population.groupby(KEYS)["a"].transform("size").loc[drawn.index]
    found = mv.risk.KMap(keys=KEYS, population="original")(population, drawn)
    assert found.value == sizes.min()
    assert found.parts["records below 5"] == (sizes < 5).sum()
    assert found.value >= mv.risk.KAnonymity(keys=KEYS)(drawn).value


def test_k_map_by_weights_and_without_anything():
    data = pd.DataFrame({"k": ["a", "a", "b"], "w": [3.0, 4.0, 9.5]})
    assert mv.risk.KMap(keys=["k"])(mv.Microdata(data, roles={"w": "weight"})).value == 7.0
    assert "no column has the role weight" in mv.risk.KMap(keys=["k"])(data).reason


def test_keys_the_register_lacks_count_as_in_the_file():
    register, released = pd.DataFrame({"k": ["a", "a", "a"]}), pd.DataFrame({"k": ["a", "b", "b"]})
    found = mv.risk.KMap(keys=["k"], population="original")(register, released)
    assert found.value == 2.0
    assert found.notes == ("2 records have keys the register lacks: their class in the file counts",)


def test_three_intruders_by_hand():
    data = mv.Microdata(pd.DataFrame({"k": ["a", "a", "a", "b"], "w": [10.0, 10.0, 20.0, 5.0]}), roles={"w": "weight"})
    prosecutor, journalist, marketer = (
        mv.risk.ReidentificationRisk(keys=["k"], view=view, threshold=0.1)(data)
        for view in ("prosecutor", "journalist", "marketer")
    )
    assert prosecutor.value == 100.0
    assert prosecutor.parts["prosecutor: mean (%)"] == pytest.approx(100 * 2 / 4)
    assert journalist.value == pytest.approx(100 / 5)
    assert journalist.parts["journalist: records above 10 % (%)"] == 25.0
    assert marketer.value == pytest.approx(100 * (3 / 40 + 1 / 5) / 4)
    assert "20 %; 1 of 4 records are above 10 %." in journalist.reading


def test_journalist_is_never_better_off_than_the_prosecutor(population):
    drawn = mv.Microdata(sample(population, 0.02).assign(w=50.0), roles={"w": "weight"})
    journalist = mv.risk.ReidentificationRisk(keys=KEYS, view="journalist").records(drawn)
    assert (journalist <= mv.risk.ReidentificationRisk(keys=KEYS).records(drawn)).all()


def test_unknown_population_is_told():
    data = pd.DataFrame({"k": ["a", "b"]})
    assert "no column has the role weight" in mv.risk.ReidentificationRisk(keys=["k"], view="journalist")(data).reason
    marketer = mv.risk.ReidentificationRisk(keys=["k"], view="marketer")(data)
    assert marketer.notes == ("the population is unknown: the file stands for it",)


def test_large_numbers_are_written_out():
    n = 12_000
    frame = pd.DataFrame({"k": np.arange(n), "w": np.full(n, 84.25)})
    data = mv.Microdata(frame, roles={"k": "key", "w": "weight"}, kinds={"k": "nominal"})
    alone = mv.Microdata(frame[["k"]], roles={"k": "key"}, kinds={"k": "nominal"})
    said = [
        mv.risk.PopulationUniqueness()(data).reading,
        mv.risk.IndividualRisk()(alone).reading,
        mv.risk.Uniqueness()(alone).reading,
        mv.risk.ReidentificationRisk(view="marketer")(alone).reading,
        repr(mv.evaluate(alone, measures=[mv.risk.KMap(population="weights"), mv.risk.KAnonymity()])),
    ]
    assert "in the population of 1,011,000 (100 % are alone in the file)" in said[0]
    assert said[1] == "About 12,000 of 12,000 records (100 %) would be re-identified by their keys."
    assert said[3] == "A marketer who matches the whole file would be right for 100 % of the records on average."
    assert not any("e+" in text for text in said)
