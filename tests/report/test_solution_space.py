"""The map of other levels in the report of a lattice."""

from __future__ import annotations

import microveil as mv
from microveil.measure import Pair
from microveil.report import render
from microveil.report.page import InternalContent
from tests.mask.test_lattice_search import KEYS, survey_with_hierarchies


def page_of(method):
    data = survey_with_hierarchies()
    release = method.apply(data, columns=KEYS, seed=1)
    figures = mv.evaluate(data, release, measures=(mv.loss.NCP(), mv.risk.KAnonymity()))
    return render(InternalContent(Pair.of(data, release), figures, release=release))


def test_the_report_of_a_lattice_shows_other_levels():
    page = page_of(mv.mask.Lattice(k=4))
    assert "Other levels of generalisation" in page
    assert "Labels are the levels of age, job, place" in page
    assert "proven to be the best" in page
    chosen = mv.mask.Lattice(k=4).explore(survey_with_hierarchies(), best=4)[3].levels
    assert " ".join(map(str, chosen.values())) in page_of(mv.mask.Lattice(k=4, levels=chosen))


def test_other_reports_do_not():
    assert "Other levels of generalisation" not in page_of(mv.mask.KAnonymise(k=4))
