"""Dates are read as days only where all are written in one way."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput
from microveil.data.days import TYPED, UNCLEAR, days_of_levels, form_of_days, numbers_of_levels


@pytest.mark.parametrize(
    ("levels", "form"),
    [
        (["2025-12-11", "2025-02-28"], "year first"),
        (["2025/12/11"], "year first"),
        (["11.12.2025", "1.2.2025"], "day first"),
        (["11.12.2025 08:30"], "day first"),
        (["13/12/2025", "01/02/2025"], "day first"),
        (["12/13/2025", "01/02/2025"], "month first"),
        (["12/11/2025", "01/02/2025"], UNCLEAR),
        (["13/12/2025", "12/13/2025"], ""),
        (["2025-12-11", "2025-02-30"], ""),
        (["2025-12-11", "11.12.2025"], ""),
        (["2025-12"], ""),
        ([20251211], ""),
        ([], ""),
        ([date(2025, 1, 1), datetime(2025, 1, 1, 12, tzinfo=UTC)], TYPED),
    ],
)
def test_a_form_fits_all_values_or_none(levels, form):
    assert form_of_days(levels) == form


def test_days_are_counted_with_their_time():
    east = timezone(timedelta(hours=6))
    assert days_of_levels(["1970-01-03 06:00", "1969-12-31"], "year first").tolist() == [2.25, -1.0]
    assert days_of_levels([date(1970, 1, 2), datetime(1970, 1, 2, 6, tzinfo=east)], TYPED).tolist() == [1.0, 1.0]
    assert days_of_levels(["1970-01-03", "1970"], "year first") is None
    assert numbers_of_levels([3, 2.5]).tolist() == [3.0, 2.5]
    assert numbers_of_levels([3, True]) is None


STAYS = pd.DataFrame(
    {
        "admission": ["2025-01-01", "2025-01-05", None, "2025-02-27"],
        "discharge": ["2025-01-03", "2025-01-04", "2025-01-09", "2025-03-01"],
        "los": [2, 1, 3, 2],
        "ward": ["a", "b", "a", "b"],
    }
)


@pytest.mark.parametrize("typed", [False, True])
def test_rules_about_dates_are_stated_and_counted(typed):
    frame = (
        STAYS.assign(**{name: pd.to_datetime(STAYS[name]) for name in ("admission", "discharge")}) if typed else STAYS
    )
    rules = ["admission <= discharge", "discharge - admission == los", "los >= 0"]
    data = mv.Microdata(frame, kinds={"los": "continuous"}, edits=rules)
    broken = {str(edit): rows.tolist() for edit, rows in data.broken_edits().items()}
    # a record with a gap breaks nothing
    assert broken == {"admission <= discharge": [1], "discharge == admission + los": [1]}
    assert [str(edit) for edit in data.edits_of_amounts] == ["los >= 0"]
    some = data.with_(frame.iloc[[0, 1]])
    assert [str(edit) for edit in some.edits] == [str(edit) for edit in data.edits]
    coarser = frame.assign(admission="2025")
    assert [str(edit) for edit in data.with_(coarser).edits] == ["los >= 0"]


def test_categories_are_numbers_in_a_rule_about_dates_alone():
    data = mv.Microdata(STAYS, kinds={"los": "ordinal"}, edits=["discharge - admission == los"])
    assert [rows.tolist() for rows in data.broken_edits().values()] == [[1]]
    assert np.isnan(data.read_for_rules(data.narwhal.get_column("admission"), "admission")[2])


@pytest.mark.parametrize(
    ("rule", "frame", "message"),
    [
        ("los >= 0", STAYS, "which is ordinal; rules are about amounts and dates"),
        ("ward >= 0", STAYS, "which is nominal; rules are about amounts and dates"),
        ("ward <= discharge", STAYS, "'ward', which holds values that are neither numbers nor dates"),
        (
            "admission <= discharge",
            STAYS.assign(admission="03/04/2025"),
            "'admission', which holds dates that may be read with the day or with the month first",
        ),
    ],
)
def test_what_no_rule_can_be_about_is_refused(rule, frame, message):
    with pytest.raises(BadInput, match=message):
        mv.Microdata(frame, kinds={"los": "ordinal"}, edits=[rule])


def test_some_records_are_read_as_the_whole_file_is():
    frame = pd.DataFrame({"begin": ["03/04/2025", "13/04/2025"], "end": ["02/05/2025", "14/04/2025"]})
    data = mv.Microdata(frame, edits=["begin <= end"])
    some = data.with_(frame.iloc[:1])
    assert some.edits == data.edits
    assert not some.broken_edits()
    turned = data.with_(frame.iloc[:1].rename(columns={"begin": "end", "end": "begin"}))
    assert [rows.tolist() for rows in turned.broken_edits().values()] == [[0]]
