"""Evaluation: every measure, with a reading or a reason."""

from __future__ import annotations

import json
from html import escape

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core import BadInput, Measured, NotApplicable
from microveil.plan import rows_seem_to_correspond

RNG = np.random.default_rng(2)
FRAME = pd.DataFrame(RNG.gamma(2.0, size=(120, 3)), columns=["a", "b", "c"]).assign(sex=["f", "m"] * 60)
MASKED = FRAME.assign(a=FRAME["a"] + RNG.normal(size=120))


def test_every_line_has_a_figure_with_a_reading_or_a_reason():
    figures = mv.evaluate(FRAME, MASKED)
    assert {line.family for line in figures.lines} == {"loss", "risk", "attack"}
    for line in figures.lines:
        if isinstance(line.result, Measured):
            assert line.result.reading
        else:
            assert line.result.reason


def test_a_measure_is_found_by_either_name():
    figures = mv.evaluate(FRAME, MASKED, measures=[mv.loss.PIL()])
    assert figures["PIL"] is figures["pil"]
    with pytest.raises(KeyError, match="no measure 'x' here"):
        figures["x"]


def test_a_name_that_does_not_say_enough_is_refused_in_words():
    message = r"score needs loss, which its name alone does not say; leave it out, .* itself: Score\(loss=...\)"
    with pytest.raises(BadInput, match=message):
        mv.evaluate(FRAME, MASKED, measures=["score"])


def test_json_and_html_are_complete():
    figures = mv.evaluate(FRAME, MASKED)
    written = json.loads(figures.to_text())
    assert sum(len(written[family]) for family in ("loss", "risk", "attack")) == len(figures.lines)
    html = figures._repr_html_()
    for line in figures.lines:
        assert escape(line.title) in html


def test_names_of_columns_cannot_break_the_page():
    frame = FRAME.rename(columns={"a": "<script>alert(1)</script>"})
    assert "<script>" not in mv.evaluate(frame, frame.assign(b=frame["b"] + 1))._repr_html_()


def test_unlinked_files_have_no_record_level_figures():
    figures = mv.evaluate(FRAME, MASKED, linked=False)
    assert isinstance(figures["DistanceLinkage"], NotApplicable)
    assert isinstance(figures["PIL"], Measured)


def test_files_without_a_common_column_are_refused():
    with pytest.raises(BadInput, match="share no column"):
        mv.evaluate(FRAME, MASKED.rename(columns=lambda name: name + "x"))


def test_a_release_brings_its_own_link():
    release = mv.mask.RankSwap(p=5).apply(FRAME, seed=1)
    direct = mv.evaluate(release)["DistanceLinkage"].value
    assert direct == mv.evaluate(FRAME, release)["DistanceLinkage"].value
    shuffled = np.random.default_rng(1).permutation(len(FRAME))
    linked = mv.risk.DistanceLinkage()(FRAME, release.frame.iloc[shuffled], linked=shuffled)
    assert linked.value == pytest.approx(direct)


def test_a_link_of_the_wrong_length_is_refused():
    with pytest.raises(BadInput, match="the link has 3 rows and the protected file 120"):
        mv.loss.PIL()(FRAME, MASKED, linked=np.arange(3))


def test_what_takes_long_is_left_out_of_an_overview_with_its_reason(monkeypatch):
    monkeypatch.setattr(mv.risk.GlobalLinkage, "overview_limit", 100)
    assert "left out of an overview" in mv.evaluate(FRAME, MASKED)["GlobalLinkage"].reason
    assert isinstance(mv.evaluate(FRAME, MASKED, measures=[mv.risk.GlobalLinkage()])["GlobalLinkage"], Measured)


def test_subdomains_are_measured_apart():
    result = mv.loss.PIL()(FRAME, MASKED, by="sex")
    assert set(result.domains) == {"sex=f", "sex=m"}
    assert result.value == pytest.approx(np.mean([part.value for part in result.domains.values()]))
    assert result.worst == max(part.value for part in result.domains.values())


def test_correspondence_of_rows_is_seen_in_the_values():
    before = mv.Microdata(FRAME)
    assert rows_seem_to_correspond(before, mv.Microdata(MASKED))
    order = np.random.default_rng(3).permutation(120)
    assert not rows_seem_to_correspond(before, mv.Microdata(MASKED.iloc[order]))
    assert not rows_seem_to_correspond(before, mv.Microdata(MASKED.iloc[:50]))


def test_the_protected_data_are_built_once_for_all_measures(monkeypatch):
    from microveil.data.microdata import Microdata

    data = Microdata(mv.datasets.make_enterprises(120, seed=1), **mv.datasets.enterprises_schema())
    release = mv.mask.UncorrelatedNoise().apply(data, seed=1)
    built = []
    make = Microdata.__init__

    def counting(self, *arguments, **named):
        built.append(1)
        make(self, *arguments, **named)

    monkeypatch.setattr(Microdata, "__init__", counting)
    mv.evaluate(data, release, measures=[mv.loss.PIL(), mv.loss.InformationLoss(), mv.risk.DistanceLinkage()])
    assert len(built) == 1
    mv.loss.PIL()(data, release)
    assert len(built) == 1


def test_measures_of_one_file_say_what_they_find_in_the_original():
    data = mv.Microdata(FRAME[:6].assign(sex=list("ffffmm")), roles={"sex": "key", "a": "confidential"})
    release = mv.mask.LocalSuppression(k=3).apply(data, columns=["sex"], seed=1)
    figures = mv.evaluate(data, release, measures=[mv.risk.KAnonymity(), mv.loss.PIL()])
    risk, loss = figures.lines
    assert isinstance(risk.before, Measured)
    assert risk.before.value == 2.0
    assert loss.before is None
    assert json.loads(figures.to_text())["risk"][0]["before"]["value"] == 2.0
    assert mv.evaluate(data, measures=[mv.risk.KAnonymity()]).lines[0].before is None


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_figures_come_as_a_frame_of_the_users_library(library):
    import narwhals as nw

    native = nw.from_native(FRAME).to_arrow()
    frame = native if library == "pyarrow" else nw.from_arrow(native, backend=library).to_native()
    figures = mv.evaluate(frame, frame, measures=[mv.risk.RankInterval(), mv.risk.KAnonymity(), mv.loss.PIL()])
    found = nw.from_native(figures.to_frame(), eager_only=True)
    assert found.implementation.value == library
    rows = {row["measure"]: row for row in found.iter_rows(named=True)}
    assert rows["pil"]["value"] == figures["pil"].value
    assert rows["pil"]["family"] == "loss"
    assert rows["pil"]["question"] == "What is lost for means, variances and correlations?"
    assert rows["k-anonymity"]["reading"].startswith("does not apply: ")
    assert rows["k-anonymity"]["value"] is None or rows["k-anonymity"]["value"] != rows["k-anonymity"]["value"]


def test_nobody_is_told_as_not_found_where_nobody_knows_who_is_who():
    frame = mv.datasets.make_enterprises(80, seed=1).to_pandas()
    shuffled = frame.sample(frac=1, random_state=1).reset_index(drop=True)
    unknown = mv.evaluate(frame, shuffled, linked=False)
    assert "nobody knows which rows" in unknown.worst.reason
    assert "was not measured" in repr(unknown)
    taken = mv.evaluate(frame, shuffled, measures=["distance-linkage"])
    assert "do not seem to correspond" in taken.worst.reading
    assert "do not seem to correspond" not in mv.evaluate(frame, frame, measures=["distance-linkage"]).worst.reading


def test_households_that_stay_together_are_told():
    roles = {"household_id": "household", "income": "confidential"}
    data = mv.Microdata(mv.datasets.make_survey(200, seed=1), roles=roles)
    release = mv.mask.UncorrelatedNoise(p=0.3).apply(data, columns=["income"], missing="mask", seed=1)
    worst = mv.evaluate(data, release, measures=["distance-linkage"]).worst
    assert "stand together in the release" in worst.reading
    assert any("stand together" in sentence for sentence in mv.plan.verdict_of(release).because)


def test_a_figure_of_a_subdomain_names_it():
    frame = mv.datasets.make_enterprises(120, seed=1).to_pandas()
    columns = [name for name in frame if name.endswith(("revenue", "sales"))]
    release = mv.mask.UncorrelatedNoise(p=0.5).apply(mv.Microdata(frame[["region", *columns]]), columns=columns, seed=1)
    found = mv.evaluate(release.original, release, by="region", columns=columns, measures=["distance-linkage"])
    assert "of the records of the subdomain" in found.worst.reading
