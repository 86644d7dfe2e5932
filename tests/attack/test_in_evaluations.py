"""Attacks where people meet them: evaluations, verdicts and reports try those that the method makes possible."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.attack import RankSwapAttack
from microveil.plan.worst_case import attacks_on

TITLE = RankSwapAttack.title
OTHERS = [cls.title for cls in (mv.attack.CentroidIntersection, mv.attack.BlockIntersection)]


@pytest.fixture(scope="module")
def six_columns() -> mv.Microdata:
    draw = np.random.default_rng(1)
    X = draw.normal(size=(150, 6)) @ (np.eye(6) + 0.4)
    return mv.Microdata(pd.DataFrame(X.round(3), columns=list("abcdef")))


@pytest.fixture(scope="module")
def release(six_columns) -> mv.Release:
    return mv.mask.RankSwap(p=20).apply(six_columns, columns=list("abcdef"), seed=1)


def test_an_evaluation_tries_the_attacks_on_its_methods_alone(six_columns, release):
    found = mv.evaluate(six_columns, release, measures="quick")
    assert [line.measure.name for line in found.of("attack")] == ["mahalanobis-linkage", "rank-swap-attack"]
    plain = max(value for title, value in found.worst.parts.items() if title != TITLE)
    assert found.worst.value == found.worst.parts[TITLE] > plain + 10
    assert f"({TITLE})" in found.worst.reading
    untried = found.worst.reading.partition("Not tried")[2]
    assert "One-to-one record linkage" in untried
    assert not any(title in untried for title in OTHERS)
    assert found.to_json()["attack"][1]["parts"]["precision"] == 1.0


def test_of_plain_files_each_says_what_it_needs(six_columns, release):
    found = mv.evaluate(six_columns, release.frame, measures=["rank-swap-attack"])
    assert "RankSwapAttack(p=10)" in found["rank-swap-attack"].reason
    assert not set(attacks_on(mv.measure.Pair.of(six_columns, release.frame))) & {TITLE, *OTHERS}
    (quick,) = mv.evaluate(six_columns, release.frame, measures="quick").of("attack")
    assert quick.measure.name == "mahalanobis-linkage"  # what was done is learnt from the files


def test_a_verdict_says_the_most_that_was_found(six_columns, release):
    verdict = mv.plan.verdict_of(release)
    assert TITLE in verdict.worst.parts
    assert verdict.after.linked == verdict.worst.value >= mv.attack.RankSwapAttack()(six_columns, release).value
    assert TITLE not in verdict.after.untried
    other = mv.mask.UncorrelatedNoise(p=0.5).apply(six_columns, columns=list("abcdef"), seed=1)
    assert TITLE not in mv.plan.verdict_of(other).worst.parts


@pytest.mark.long
def test_the_internal_report_shows_what_each_found(six_columns, release, tmp_path):
    evaluation = mv.evaluate(six_columns, release, measures=["rank-swap-attack", "distance-linkage", "pil"])
    release.report(tmp_path / "report.html", evaluation=evaluation)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "What does an intruder find who knows the method?" in page
    assert TITLE in page
    assert "Distance-based record linkage" in page


def test_subdomains_are_searched_in_the_whole_release(six_columns):
    frame = six_columns.frame.assign(town=["x", "y", "z"] * 50)
    release = mv.mask.RankSwap(p=10).apply(frame, columns=list("abcdef"), seed=1)
    found = mv.attack.RankSwapAttack(known=list("abcdef"))(frame, release, by="town")
    whole = mv.attack.RankSwapAttack(known=list("abcdef"))(frame, release)
    assert len(found.domains) == 3
    assert all(part.parts["precision"] == 1.0 for part in found.domains.values())
    certain = np.mean([part.parts["certain"] for part in found.domains.values()])
    assert certain == pytest.approx(whole.parts["certain"])
