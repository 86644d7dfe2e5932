"""What a release may be called, and by when it may be reviewed."""

from __future__ import annotations

import pytest

from microveil.core.errors import BadInput
from microveil.plan import Project
from microveil.plan.release_plan import ReleasePlan, check_review

HEAD = "version: 1\ndataset: {path: survey.csv}\n"


@pytest.mark.parametrize("title", ["a\ud800b", "a\nb", "a\u202eb"])
def test_titles_are_one_line_that_is_shown(title):
    with pytest.raises(BadInput, match="the title is"):
        ReleasePlan(title=title)


@pytest.mark.parametrize("text", [r'"a\ud800b"', r'"a\nb"', r'"\u202eb"'])
def test_titles_of_projects_are_told_with_their_line(text):
    with pytest.raises(BadInput, match=r"title of release is .* \(line 4 of the project\)"):
        Project.from_text(f"{HEAD}release:\n  title: {text}\n")


def test_halves_of_characters_are_no_need_and_no_signer():
    with pytest.raises(BadInput, match="need is"):
        ReleasePlan(need="a\ud800")
    with pytest.raises(BadInput, match="name of a signer"):
        ReleasePlan(signers=("Jane", "John\nRoe"))


@pytest.mark.parametrize("review", ["2026-11-18", "2020-01-01"])
def test_a_review_is_later_than_its_release(review):
    with pytest.raises(BadInput, match=f"the review is to be by {review}, and the release is of 2026-11-18"):
        check_review(ReleasePlan(review=review), "2026-11-18")
    check_review(ReleasePlan(review="2026-11-19"), "2026-11-18")
    check_review(ReleasePlan(), "2026-11-18")


def test_a_review_is_a_day():
    with pytest.raises(BadInput, match="is no day"):
        ReleasePlan(review="soon")


def test_an_overlap_is_no_negative_number():
    goal = "{name: wages, regression: pay ~ age, overlap: -1}"
    with pytest.raises(BadInput, match=r"overlap of .* is -1; give the least overlap"):
        Project.from_text(f"{HEAD}utility:\n- {goal}\n")
