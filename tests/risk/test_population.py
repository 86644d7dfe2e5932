"""Population uniqueness, k-map and the three intruders."""

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput
from microveil.risk.log_linear import expected_counts, expected_sizes, risk_of_uniques, two_way_terms
from microveil.risk.population_fit import Modelled, best_fitting, dankar, likely_range, misfit
from microveil.risk.population_models import (
    Frequencies,
    pitman,
    pitman_classes,
    slide_negative_binomial,
    zayatz,
)

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
    assert not any("log-linear (main) does not fit" in note for note in found.notes)


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
    for model in (zayatz, pitman, slide_negative_binomial):
        assert model(none, 1000) == (0.0, None)
    census = Frequencies.of(np.array([1] * 40 + [2] * 20 + [5] * 10))
    assert zayatz(census, census.records).uniques == pytest.approx(40)
    assert zayatz(census, census.records).expected == pytest.approx([40, 20, 0])
    assert pitman(census, census.records).uniques == pytest.approx(40, rel=0.25)
    assert slide_negative_binomial(census, census.records).uniques == pytest.approx(40, rel=0.25)


def test_classes_that_models_expect_by_hand():
    # two records: alike with probability (1 - alpha) / (theta + 1)
    assert pitman_classes(np.array([1.0, 2.0, 3.0]), 2, 0.5, 0.2) == pytest.approx([2 * 0.7 / 1.5, 0.8 / 1.5, 0.0])
    # four classes, two of one and two of two: of 6 people 3 are drawn
    mixed = zayatz(Frequencies.of(np.array([1, 2])), 6.0)
    assert mixed.expected == pytest.approx([2 * 0.5 + 2 * 0.6, 2 * 0.2, 0.0])
    assert expected_sizes(np.array([1.0, 2.0])) == pytest.approx(
        [np.exp(-1) + 2 * np.exp(-2), np.exp(-1) / 2 + 2 * np.exp(-2), np.exp(-1) / 6 + 8 / 6 * np.exp(-2)]
    )
    assert misfit(np.array([12.0, 4.0, 1.0]), np.array([9.0, 4.0, 0.25])) == pytest.approx(1.0 + 0.75**2)
    assert two_way_terms(np.array([[1, 2, 0]])) == 2 * 3 + 2 + 3


def drawn_from_pitman(n, theta, alpha, seed):
    """Class sizes of n records that join a class by its size, or found a new one."""
    rng = np.random.default_rng(seed)
    sizes = []
    for i in range(n):
        if rng.random() < (theta + alpha * len(sizes)) / (theta + i):
            sizes.append(1)
        else:
            weights = np.array(sizes) - alpha
            sizes[int(np.searchsorted(np.cumsum(weights), rng.random() * weights.sum()))] += 1
    return np.array(sizes)


def test_a_true_model_fits_and_a_wrong_one_does_not():
    found = Frequencies.of(drawn_from_pitman(3000, 40.0, 0.5, 8))
    true = Modelled(1.0, misfit(found.small, pitman(found, 1e5).expected))
    wrong = Modelled(1.0, misfit(found.small, zayatz(found, 1e5).expected))
    assert true.fits
    assert not wrong.fits
    regular = Frequencies.of(np.random.default_rng(1).poisson(4.0, 5000))  # nearly equal classes: no Pitman model
    regular = Frequencies(regular.sizes[1:], regular.classes[1:])
    assert misfit(regular.small, pitman(regular, 1e5).expected) > 100


def test_choice_of_a_model():
    good, bad = 1.0, 99.0
    models = {"pitman": Modelled(5.0, good), "zayatz": Modelled(4.0, bad), "snb": Modelled(3.0, good)}
    assert best_fitting(models, 0.05) == dankar(models, 0.05) == "pitman"
    assert best_fitting(models, 0.5) == dankar(models, 0.5) == "snb"
    tables = {"log-linear (main)": Modelled(2.0, good), "log-linear (two-way)": Modelled(2.5, good)}
    misfitting = models | {"pitman": Modelled(5.0, bad)}
    assert dankar(misfitting, 0.05) == "pitman"
    assert best_fitting(misfitting | tables, 0.05) == "log-linear (two-way)"  # snb is not asked when few are sampled
    repeating = tables | {"log-linear (two-way)": Modelled(2.5, good, trusted=False)}
    assert best_fitting(misfitting | repeating, 0.05) == "log-linear (main)"
    assert best_fitting({"pitman": Modelled(5.0, 50.0), "zayatz": Modelled(4.0, bad)}, 0.05) == "pitman"
    assert best_fitting({"zayatz": Modelled(4.0, None)}, 0.05) == "zayatz"


def test_likely_range_by_hand():
    models = {"pitman": Modelled(5.0, 1.0), "log-linear (main)": Modelled(6.0, 1.0), "zayatz": Modelled(50.0, 1.0)}
    assert likely_range(models, 5.0, 3, 40.0) == pytest.approx((0.0, 6 * np.e))
    assert likely_range(models, 5.0, 3, 10.0) == (0.0, 10.0)
    assert likely_range(models | {"log-linear (two-way)": Modelled(2.0, 1.0)}, 5.0, 3, 10.0)[0] == 2 / np.e


@pytest.mark.parametrize("fraction", [0.01, 0.1])
def test_truth_lies_in_the_likely_range_and_what_does_not_fit_is_told(fraction):
    people = mv.datasets.make_survey(40_000, seed=11, backend="pandas")
    for keys in (["region", "sex", "age", "marital_status"], ["district", "sex", "age"], ["region", "sex", "age"]):
        sizes = people.groupby(keys, dropna=False)["sex"].transform("size")
        found = mv.risk.PopulationUniqueness(keys=keys, population=len(people))(
            mv.Microdata(sample(people, fraction)[keys], kinds=dict.fromkeys(keys, "nominal"))
        )
        assert found.parts["likely at least"] <= 100 * (sizes == 1).mean() <= found.parts["likely at most"]
        assert any("zayatz" in note and "not fit" in note for note in found.notes)


def test_weights_bring_the_log_linear_model_nearer_the_truth():
    rng = np.random.default_rng(6)
    n = 60_000
    people = pd.DataFrame(
        {
            "a": np.minimum(rng.geometric(0.25, n), 20),
            "b": np.minimum(rng.geometric(0.12, n), 40),
            "c": np.minimum(rng.geometric(0.4, n), 10),
        }
    )
    people["region"] = rng.choice([0, 1, 2], n, p=[0.1, 0.3, 0.6])
    keys = ["region", "a", "b", "c"]
    chance = np.array([0.5, 0.1, 0.02])[people["region"]]  # small regions are sampled most
    drawn = people.assign(w=1 / chance)[rng.random(n) < chance]
    sizes = people.groupby(keys)["a"].transform("size").loc[drawn.index]
    true = 100 * (sizes == 1).mean()
    measure = mv.risk.PopulationUniqueness(keys=keys, model="log-linear", population=n)
    kinds = dict.fromkeys(keys, "nominal")
    weighted = measure(mv.Microdata(drawn, roles={"w": "weight"}, kinds=kinds))
    plain = measure(mv.Microdata(drawn[keys], kinds=kinds))
    assert weighted.value == pytest.approx(true, rel=0.1)
    assert abs(plain.value - true) > 3 * abs(weighted.value - true)
    assert any("the weights differ" in note for note in weighted.notes)
    assert not any("the weights differ" in note for note in plain.notes)


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
