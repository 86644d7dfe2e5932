"""What a run is given and returns where nothing more is said."""

from __future__ import annotations

from microveil.core.streams import Key, Streams
from microveil.data import Table
from microveil.run.job import Job, Outcome


def test_nothing_surrounds_the_values_unless_it_is_given() -> None:
    nothing = Table({}, 0)
    job = Job(Streams(Key.of(1)), nothing, nothing)
    assert (job.weights, job.households, job.around, job.aside) == (None, None, nothing, {})


def test_rows_groups_and_promises_are_those_of_the_method_unless_stated() -> None:
    outcome = Outcome({})
    assert (outcome.groups, outcome.origin, outcome.notes, outcome.claims) == (None, None, (), None)
