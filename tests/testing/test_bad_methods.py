"""The common suite is shown methods, partitions and measures that are no good, and finds each by name."""

from __future__ import annotations

import pytest

from microveil.core import registered
from microveil.testing import check_class, check_method
from tests.testing import bad_measures, bad_partitions, bad_synthesisers
from tests.testing import bad_methods as bad

EXPECTED = {
    bad.PassesAll: "check_every_column_changed",
    bad.PassesOneColumn: "check_every_column_changed",
    bad.ReturnsSomeColumns: "check_every_column_changed",
    bad.PassesSmallSubdomains: "check_every_column_changed",
    bad.PassesAsText: "check_every_column_changed",
    bad.SparesInSilence: "check_unchanged_told",
    bad.GroupsTooSmall: "check_claims",
    bad.EqualRowsTooFew: "check_claims",
    bad.MeansOff: "check_claims",
    bad.CovariancesOff: "check_claims",
    bad.CovariancesLost: "check_moments",
    bad.LowerEndBroken: "check_claims",
    bad.FirstSubdomainOnly: "check_subdomains",
    bad.ExactInTheFileOnly: "check_in_groups",
    bad_synthesisers.DrawsAcrossGroups: "check_in_groups",
    bad_synthesisers.ShufflesGroups: "check_in_groups",
    bad.PromisesForManyOnly: "check_two_steps",
    bad.PromisesMoreThanDigits: "check_written",
    bad.SeedIgnored: "check_same_seed_same_release",
    bad.SeedsItself: "check_same_seed_same_release",
    bad.DrawsAnywhere: "check_same_seed_same_release",
    bad.SharesNoise: "check_columns_independent",
    bad.DependsOnColumns: "check_columns_independent",
    bad.DrawsByChunk: "check_any_engine",
    bad.SaysRowNeedsSums: "check_passes",
    bad.DrawsByCompany: "check_left_out",
    bad.ChangesInput: "check_claims",
    bad.FillsGaps: "check_missing_values",
    bad.FillsEmptyColumns: "check_empty_column",
    bad.MovesConstants: "check_hard_columns",
    bad.DigitsTell: "check_digits",
    bad.FalselyCoarser: "check_coarsens",
    bad.FalselyAffine: "check_change",
    bad.ExpectsTooLittle: "check_unchanged_told",
    bad.LooksBack: "check_looks_back",
    bad.KeyInNote: "check_nothing_secret",
    bad.SpecForgets: "check_round_trips",
    bad.ShowsNothing: "check_samples",
    bad.HiddenState: "check_replay",
    bad.QuadraticMemory: "check_memory",
    bad.FalselyExchangeable: "check_guarantee_against_linkage",
    bad_synthesisers.Nudges: "check_every_column_changed",
    bad_synthesisers.NudgesMore: "check_ties_record",
    bad_synthesisers.FollowsRanks: "check_ties_record",
    bad_synthesisers.CopiesOriginals: "check_every_column_changed",
    bad_partitions.SmallGroupsOfTies: "check_sizes",
    bad_partitions.SmallGroupsOfCategories: "check_mixed_tables",
    bad_partitions.GroupsByLot: "check_deterministic",
    bad_partitions.UnitsDecide: "check_units_do_not_matter",
    bad_partitions.AllPairs: "check_memory_of_groups",
    bad_measures.FirstRowCounts: "check_row_order",
    bad_measures.OtherInSubdomains: "check_by_agrees",
    bad_measures.LossThatFalls: "check_stronger",
    bad_measures.LossOfNothing: "check_identity",
    bad_measures.DividesByZero: "check_gaps_and_constants",
    bad_measures.NoLoss: "check_stronger",
    bad_measures.LossOfNoFile: "check_figure",
    bad_measures.EndlessPart: "check_figure",
    bad_measures.DividesByFreedom: "check_few_records",
    bad_measures.AsManyRecordsOnly: "check_more_released",
    bad_measures.WorstSubdomain: "check_by_agrees",
    bad_measures.RiskThatGrows: "check_stronger",
}


@pytest.mark.parametrize(("cls", "check"), EXPECTED.items(), ids=lambda one: getattr(one, "__name__", one))
def test_a_planted_fault_is_found_by_the_check_that_is_meant_for_it(cls, check):
    with bad.planted(cls), pytest.raises(AssertionError, match=rf"\b{check}\b"):
        check_class(cls)


@pytest.mark.parametrize("cls", [bad.SoundNoise, bad_measures.SoundLoss])
def test_what_the_faults_were_planted_in_is_sound(cls):
    with bad.planted(cls):
        check_class(cls)


def test_planted_classes_do_not_stay_registered():
    with bad.planted(bad.PassesAll):
        assert bad.PassesAll in registered()
    assert not [cls for cls in registered() if cls in EXPECTED]


def test_one_member_is_checked_like_a_class():
    with bad.planted(bad.PassesAll), pytest.raises(AssertionError, match=r"^check_every_column_changed: income came"):
        check_method(bad.PassesAll())


def test_an_error_inside_a_check_names_the_check():
    with bad.planted(bad.FirstSubdomainOnly), pytest.raises(AssertionError, match="check_subdomains ended in BrokenPr"):
        check_method(bad.FirstSubdomainOnly())
