"""Faults planted in the run around a method, in its log and in its files: the common suite finds them too."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import microveil as mv
from microveil.claims.guarantee import GroupAnonymity
from microveil.io import cleaning
from microveil.io.rounding import Rounded
from microveil.run import log, release, state
from microveil.testing.attacks import check_guarantee_against_linkage, check_ties_record
from microveil.testing.methods import check_identifiers
from microveil.testing.passing import check_unchanged_told
from microveil.testing.replaying import check_replay
from microveil.testing.runs import seen_in_domains, seen_on_sample
from microveil.testing.two_steps import check_two_steps
from microveil.testing.written import check_digits, check_written, check_written_formats
from tests.testing import bad_methods as bad
from tests.testing import bad_synthesisers

NOISE = mv.mask.UncorrelatedNoise()
AVERAGES = mv.mask.Microaggregation()


@pytest.fixture(autouse=True)
def _nothing_remembered():
    """Releases that other tests made, or that were made with a fault, are not looked at."""
    seen_on_sample.cache_clear()
    seen_in_domains.cache_clear()
    yield
    seen_on_sample.cache_clear()
    seen_in_domains.cache_clear()


def test_rows_in_the_order_of_the_source_are_found(monkeypatch):
    monkeypatch.setattr(cleaning, "written_order", lambda key, rows, shuffle: np.arange(rows))
    with pytest.raises(AssertionError, match="rows are in the source's order"):
        check_written(NOISE)


@pytest.mark.parametrize("check", [check_written, check_written_formats])
def test_other_values_in_the_file_are_found(monkeypatch, check):
    sound = cleaning.settled

    def off_by_one(array, name):
        found = sound(array, name)
        return pa.compute.add(found, 1) if name == "weight" else found

    monkeypatch.setattr(cleaning, "settled", off_by_one)
    with pytest.raises(AssertionError, match="the file lacks"):
        check(NOISE)


def test_finer_digits_are_found(monkeypatch):
    monkeypatch.setattr(cleaning, "round_release", lambda source: Rounded())
    with pytest.raises(AssertionError, match=r"has finer digits than the source \(2 decimals\)"):
        check_digits(NOISE)


def test_rounding_that_no_note_tells_is_found(monkeypatch):
    sound = cleaning.round_release

    def without_notes(source):
        return Rounded(sound(source).columns, sound(source).half_units)

    monkeypatch.setattr(cleaning, "round_release", without_notes)
    with pytest.raises(AssertionError, match="the file lacks"):
        check_written(NOISE)


def test_promises_lost_in_silence_are_found(monkeypatch):
    monkeypatch.setattr(state, "after_step", lambda before, fresh, later, names: (tuple(fresh), ()))
    with pytest.raises(AssertionError, match="with a sample of it released, it is silently lost that means of"):
        check_two_steps(AVERAGES)


def test_false_alarms_are_found(monkeypatch):
    kept_too_long = lambda before, fresh, later, names: ((*before, *fresh), ())  # noqa: E731 - the fault in one line
    monkeypatch.setattr(state, "after_step", kept_too_long)
    with pytest.raises(AssertionError, match="a false alarm: BROKEN: means of"):
        check_two_steps(mv.mask.ExactNoise())


def test_a_promise_that_is_broken_in_truth_is_no_false_alarm():
    check_two_steps(AVERAGES)


def test_identifiers_that_are_used_are_found(monkeypatch):
    monkeypatch.setattr(state.State, "_refuse_identifiers", lambda self, step, *used: None)
    with pytest.raises(AssertionError, match="an identifier in by was accepted"):
        check_identifiers(NOISE)


def test_a_log_that_forgets_what_was_stated_is_found(monkeypatch):
    sound = log.log_of

    def forgetful(made, scenarios):
        found = sound(made, scenarios)
        found = {**found, "steps": [{**step, "given": None} for step in found["steps"]]}
        return {**found, "seal": log.seal_of(found)}

    monkeypatch.setattr("microveil.plan.log.log_of", forgetful)
    with pytest.raises(AssertionError, match=r"by region, given=\[\]: the log does not replay"):
        check_replay(mv.synth.Ipso())


def test_columns_that_pass_in_silence_are_found(monkeypatch):
    monkeypatch.setattr(release, "find_nothing_hidden", lambda state: ())
    with (
        bad.planted(bad.PassesAll),
        pytest.raises(AssertionError, match="every value of income is as it was, and noth"),
    ):
        check_unchanged_told(bad.PassesAll())


def test_a_wrong_count_of_unchanged_cells_is_found(monkeypatch):
    monkeypatch.setattr(release, "share_unchanged", lambda state: dict.fromkeys(state.changed, 0.5))
    with pytest.raises(AssertionError, match=r"release.unchanged says 0.5 of income, and we count 0.0"):
        check_unchanged_told(NOISE)


def test_copies_that_are_not_told_are_found(monkeypatch):
    monkeypatch.setattr(release, "count_copied_records", lambda state: None)
    with (
        bad.planted(bad_synthesisers.CopiesOriginals),
        pytest.raises(AssertionError, match="the release does not count them"),
    ):
        check_ties_record(bad_synthesisers.CopiesOriginals())


def test_copies_that_are_told_pass():
    with bad.planted(bad_synthesisers.CopiesOriginals):
        check_ties_record(bad_synthesisers.CopiesOriginals())


def test_a_guarantee_of_more_than_the_groups_give_is_found(monkeypatch):
    many = GroupAnonymity(50, "exchangeable records")
    monkeypatch.setattr("microveil.run.proving._Found.anonymity", lambda self, number, step: many)
    monkeypatch.setattr("microveil.run.proving._Found._classes", lambda *parts: np.array([50]))
    with pytest.raises(AssertionError, match="and the guarantee says 12 at most"):
        check_guarantee_against_linkage(mv.mask.SwapInGroups())
