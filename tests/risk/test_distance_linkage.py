"""Distance-based record linkage."""

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput
from microveil.measure import Pair
from microveil.measure.sampling import with_some_searched
from microveil.risk.files import LinkedFiles
from tests.reference import masked_pair


def frame(n=300, d=4, seed=0):
    return pd.DataFrame(np.random.default_rng(seed).standard_normal((n, d)), columns=list("abcdefgh")[:d])


def grouped(data, k):
    """Every k consecutive records replaced by their mean."""
    return data.groupby(np.arange(len(data)) // k).transform("mean")


@pytest.mark.parametrize(("direction", "expected"), [("original", 18.6), ("masked", 20.8)])
def test_average_over_one_to_ten_attributes_of_microaggregated_eia(eia, direction, expected):
    found = mv.risk.DistanceLinkage(sizes=range(1, 11), direction=direction)(*eia)
    assert round(found.value, 1) == expected
    assert found.value == pytest.approx(np.mean(list(found.parts.values())))


def test_rows_in_another_order_give_the_same_to_the_last_digit(eia):
    original, masked = eia
    order = np.random.default_rng(3).permutation(len(original))
    for metric in ("euclid", "mahalanobis", "manhattan"):
        measure = mv.risk.DistanceLinkage(sizes=(3, 10), metric=metric)
        assert measure(original, masked).value == measure(original.iloc[order], masked.iloc[order]).value


@pytest.mark.parametrize("metric", ["euclid", "mahalanobis", "manhattan"])
@pytest.mark.parametrize("direction", ["original", "masked"])
def test_identity_links_every_record_once(metric, direction):
    data = frame()
    measure = mv.risk.DistanceLinkage(sizes=(1, 2, 4), metric=metric, direction=direction)
    assert measure(data, data).value == 100.0


def test_duplicates_share_their_links():
    data = pd.concat([frame(100), frame(100)])
    assert mv.risk.DistanceLinkage()(data, data).value == 50.0


@pytest.mark.parametrize("k", [3, 5])
@pytest.mark.parametrize("direction", ["original", "masked"])
def test_groups_of_k_equal_records_are_linked_at_most_one_time_in_k(k, direction):
    data = frame(60 * k)
    for metric in ("euclid", "mahalanobis", "manhattan"):
        value = mv.risk.DistanceLinkage(direction=direction, metric=metric)(data, grouped(data, k)).value
        assert 0 < value <= 100 / k + 1e-9


def test_census_mdav_is_bounded_although_its_covariance_is_singular():
    original, masked, _ = masked_pair("mdav5")
    for metric in ("euclid", "mahalanobis"):
        assert 0 < mv.risk.DistanceLinkage(metric=metric)(original, masked).value <= 20.0


def test_independent_values_are_linked_by_chance():
    shares = [mv.risk.DistanceLinkage()(frame(200, seed=s), frame(200, seed=1000 + s)).value for s in range(40)]
    # the share of one run has variance of about 1/n^2 in records
    assert np.mean(shares) == pytest.approx(100 / 200, abs=4 * 0.5 / np.sqrt(40))


def test_a_constant_masked_file_gives_exactly_the_chance_level():
    data = frame(50)
    assert mv.risk.DistanceLinkage()(data, data * 0 + 1).value == pytest.approx(2.0)


def test_standardising_by_the_original_sees_a_shift_that_own_scales_hide():
    data = frame()
    assert mv.risk.DistanceLinkage(standardise="own")(data, data + 100).value == 100.0
    assert mv.risk.DistanceLinkage(standardise="original")(data, data + 100).value < 5.0


def test_mahalanobis_links_best_where_the_noise_follows_the_covariance():
    rng = np.random.default_rng(5)
    mixing = np.array([[1, 0.95, 0.9], [0, 0.3, 0], [0, 0, 0.3]])
    X = pd.DataFrame(rng.standard_normal((300, 3)) @ mixing, columns=list("abc"))
    noisy = X + 0.3 * rng.standard_normal(X.shape) @ mixing
    euclid, whitened = (mv.risk.DistanceLinkage(metric=m)(X, noisy).value for m in ("euclid", "mahalanobis"))
    assert whitened > 1.3 * euclid


def test_all_subsets_are_the_average_over_every_combination():
    data, noisy = frame(), frame() + 0.3 * frame(seed=9)
    each = [
        mv.risk.DistanceLinkage()(data, noisy, columns=list(pair)).value
        for pair in [("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d")]
    ]
    assert mv.risk.DistanceLinkage(sizes=[2], subsets="all")(data, noisy).value == pytest.approx(np.mean(each))
    drawn = mv.risk.DistanceLinkage(sizes=[2], subsets="random", draws=3)(data, noisy).value
    assert min(each) <= drawn <= max(each)
    assert drawn == mv.risk.DistanceLinkage(sizes=[2], subsets="random", draws=3)(data, noisy).value


def test_categories_help_to_link():
    data = frame(200, 1).assign(town=[f"t{i % 20}" for i in range(200)])
    noisy = data.assign(a=data.a + 0.05 * frame(200, 1, seed=4).a)
    without = mv.risk.DistanceLinkage(categories=False)(data, noisy).value
    assert mv.risk.DistanceLinkage(categories=True)(data, noisy).value > 1.5 * without


def test_gaps_hold_every_value_and_leave_nobody_out():
    data = frame(20)
    masked = data.copy()
    masked.iloc[:5, 0] = np.nan
    assert mv.risk.DistanceLinkage()(data, masked).value == 100.0
    whitened = mv.risk.DistanceLinkage(metric="mahalanobis")(data, masked)
    assert whitened.notes == ("5 of 20 records with missing values were left out",)
    # whoever is suppressed everywhere is nearest to nobody
    masked.iloc[:5] = np.nan
    assert mv.risk.DistanceLinkage()(data, masked).value == pytest.approx(75 + 25 / 5)


def test_sizes_beyond_the_attributes_are_left_out_and_noted():
    found = mv.risk.DistanceLinkage(sizes=range(1, 7))(frame(), frame())
    assert list(found.parts) == ["1 attribute", "2 attributes", "3 attributes", "4 attributes"]
    assert found.notes == ("sizes above 4 attributes were left out: [5, 6]",)


def test_wrong_parameters_are_told():
    with pytest.raises(BadInput, match=r"sizes must be 1 or more; \(0,\) was given"):
        mv.risk.DistanceLinkage(sizes=(0,))
    with pytest.raises(BadInput, match="sizes is empty; give at least one"):
        mv.risk.DistanceLinkage(sizes=())
    with pytest.raises(BadInput, match="needs numbers; use 'euclid' or 'manhattan'"):
        mv.risk.DistanceLinkage(metric="mahalanobis", categories=True)


def test_unlinked_files_do_not_apply():
    found = mv.risk.DistanceLinkage()(frame(), frame(), linked=False)
    assert found.reason == "nobody knows which rows of the two files belong together"


def test_noise_on_eia(eia):
    original, _ = eia
    noise = np.random.default_rng(0).standard_normal(original.shape) * 0.16 * original.std(ddof=0).to_numpy()
    assert mv.risk.DistanceLinkage(sizes=range(1, 11))(original, original + noise).value == pytest.approx(8.0, abs=0.3)
    back = mv.risk.DistanceLinkage(sizes=range(1, 11), direction="masked")(original, original + noise)
    assert back.value == pytest.approx(10.1, abs=0.4)
    assert mv.risk.RankInterval()(original, original + noise).value == pytest.approx(39.2, abs=0.4)
    assert mv.risk.SDInterval()(original, original + noise).value == pytest.approx(26.6, abs=0.4)


def test_shares_have_a_confidence_interval_that_narrows_with_the_file():
    from microveil.measure.shares import share_interval

    # Wilson's interval for 5 of 10 and its limits at 0 and 100 %
    assert share_interval(50.0, 10) == pytest.approx((23.659, 76.341), abs=1e-3)
    assert share_interval(0.0, 10)[0] == 0
    assert share_interval(100.0, 10)[1] == 100
    widths = [np.ptp(share_interval(20.0, n)) for n in (10, 100, 1000)]
    assert widths == sorted(widths, reverse=True)


@pytest.mark.parametrize("metric", ["euclid", "manhattan"])
@pytest.mark.parametrize("scale", ["values", "ranks"])
def test_records_with_other_true_keys_need_not_be_searched(metric, scale, monkeypatch):
    draw = np.random.default_rng(8)
    data = frame(800, 2, seed=8).assign(sex=draw.choice(["f", "m"], 800), town=draw.integers(0, 30, 800).astype(str))
    noisy = data.assign(a=data.a + draw.normal(0, 0.3, 800), b=data.b + draw.normal(0, 0.3, 800))
    noisy.loc[:40, "a"] = np.nan
    pair = with_some_searched(Pair.of(mv.Microdata(data), mv.Microdata(noisy)), 100)
    measure = mv.risk.DistanceLinkage(metric=metric, scale=scale)
    looked_at = []
    few = LinkedFiles.in_question

    def counting(files, subset):
        looked_at.append(few(files, subset))
        return looked_at[-1]

    monkeypatch.setattr(LinkedFiles, "in_question", counting)
    found = measure.on(pair)
    assert len(looked_at[0]) < 800
    monkeypatch.setattr(LinkedFiles, "in_question", lambda files, subset: None)
    assert found == measure.on(pair)
    assert 0 < found.value < 100
