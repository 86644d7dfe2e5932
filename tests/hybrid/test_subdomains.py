"""Subdomains of records and of attributes, and the guidance for choosing them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput, NotEnoughRecords, UnknownName
from microveil.core.measured import Measured
from microveil.hybrid import CholeskyHybrid, suggest_subdomains
from microveil.hybrid.subdomain_merges import Parts, covariance_difference, join_parts
from microveil.hybrid.subdomains import recommended_size
from microveil.loss import PIL
from microveil.mask import Microaggregation, RankSwap, Sample, UncorrelatedNoise
from microveil.partition import MDAV
from microveil.plan import Plan
from tests.hybrid.helpers import EXACT, moment_error
from tests.mask.helpers import normal_frame
from tests.reference import shared_file

NAMES = ["a", "b", "c", "d"]


def parts_frame(sizes=(40, 50, 60), seed=0, gap=0.0):
    """Four columns, a subdomain column `part`, and an ordered one; means differ by `gap` between subdomains."""
    n = sum(sizes)
    frame = normal_frame(n, p=4, seed=seed)
    part = np.repeat([f"p{i}" for i in range(len(sizes))], sizes)
    scale = frame.std(ddof=0)
    frame = frame + np.repeat(np.arange(len(sizes)), sizes)[:, None] * gap * scale.to_numpy()
    return frame.assign(part=part)


def errors(frame, release, names, rows=slice(None)):
    return moment_error(frame.loc[rows, names], release.frame.loc[rows, names])


# -- subdomains of records ------------------------------------------------------------------------


@pytest.mark.parametrize("core", ["minimal", "polar", "paper"])
def test_any_union_of_subdomains_is_exact(core):
    frame = parts_frame((30, 40, 50, 60), gap=2.0)
    method = CholeskyHybrid(mask=UncorrelatedNoise(p=0.5), core=core)
    release = method.apply(frame, columns=NAMES, by="part", seed=1)
    values = ["p0", "p1", "p2", "p3"]
    unions = [[v for i, v in enumerate(values) if number >> i & 1] for number in range(1, 16)]
    assert max(errors(frame, release, NAMES, frame.part.isin(union)) for union in unions) < EXACT


def test_two_columns_cross_to_subdomains():
    frame = parts_frame((60, 60)).assign(half=np.tile(["x", "y"], 60))
    release = CholeskyHybrid(mask=RankSwap(p=20)).apply(frame, columns=NAMES, by=["part", "half"], seed=1)
    for rows in frame.groupby(["part", "half"]).groups.values():
        assert errors(frame, release, NAMES, rows) < EXACT


def test_a_subdomain_that_is_too_small_is_named_with_what_to_do():
    frame = parts_frame((40, 4))
    with pytest.raises(
        NotEnoughRecords,
        match=r"in the subdomain part=p1: cholesky-hybrid needs at least 5 records .* 4 given; join subdomains "
        r"\(suggest_subdomains says which\), protect fewer columns together \(blocks\), or leave by out",
    ):
        CholeskyHybrid(mask=UncorrelatedNoise(p=0.3)).apply(frame, columns=NAMES, by="part", seed=1)


def test_top_down_loses_in_subdomains_what_bottom_up_keeps():
    frame = parts_frame((100, 100, 100), gap=1.0)
    method = CholeskyHybrid(mask=UncorrelatedNoise(p=1.0))
    top_down = method.apply(frame, columns=NAMES, seed=1)
    bottom_up = method.apply(frame, columns=NAMES, by="part", seed=1)
    measure = PIL()
    lost = {}
    for name, release in {"top down": top_down, "bottom up": bottom_up}.items():
        found = measure(frame, release, columns=NAMES, by="part")
        assert isinstance(found, Measured)
        assert set(found.domains) == {"part=p0", "part=p1", "part=p2"}
        lost[name] = max(part.parts["variance"] for part in found.domains.values())
    assert lost["bottom up"] < 1e-6 < lost["top down"]


# -- subdomains of records and attributes ----------------------------------------------------------


def test_blocks_of_attributes_are_exact_each_and_promised_so():
    frame = parts_frame()
    method = CholeskyHybrid(mask=UncorrelatedNoise(p=1.0), blocks=(("a", "b"), ("c", "d")))
    release = method.apply(frame, columns=NAMES, seed=1)
    assert errors(frame, release, ["a", "b"]) < EXACT
    assert errors(frame, release, ["c", "d"]) < EXACT
    assert errors(frame, release, NAMES) > 1e-3
    kept = [claim.columns for claim in release.claims if type(claim).__name__ == "CovariancesKept"]
    assert kept == [("a", "b"), ("c", "d")]


def test_a_block_is_what_the_method_does_to_its_columns_alone():
    frame = parts_frame()
    both = CholeskyHybrid(mask=Microaggregation(), blocks=2).apply(frame, columns=NAMES, seed=1).frame
    alone = CholeskyHybrid(mask=Microaggregation()).apply(frame, columns=["c", "d"], seed=1).frame
    assert np.array_equal(both[["c", "d"]], alone[["c", "d"]])


def test_equal_records_stay_equal_on_each_block():
    frame = parts_frame()
    release = CholeskyHybrid(mask=Microaggregation(partition=MDAV(k=4)), blocks=2).apply(frame, columns=NAMES, seed=1)
    for block in (["a", "b"], ["c", "d"]):
        assert release.frame.value_counts(block).min() >= 4
    assert sum("at least 4 times" in str(claim) for claim in release.claims) == 2


def test_blocks_need_fewer_records():
    frame = parts_frame((4, 40))
    method = CholeskyHybrid(mask=UncorrelatedNoise(p=0.3), blocks=2)
    release = method.apply(frame, columns=NAMES, by="part", seed=1)
    assert errors(frame, release, ["a", "b"], frame.part == "p0") < EXACT


def test_blocks_may_differ_between_subdomains_of_records():
    frame = parts_frame((30, 40, 50), gap=1.0)
    blocks = {"part=p0": (("a", "b"), ("c", "d")), "part=p1": (("a", "b", "c"), ("d",))}
    method = CholeskyHybrid(mask=UncorrelatedNoise(p=1.0), blocks=blocks)
    release = method.apply(frame, columns=NAMES, by="part", seed=1)
    assert CholeskyHybrid.from_spec(method.to_spec()) == method
    exact = {"p0": [["a", "b"], ["c", "d"]], "p1": [["a", "b", "c"], ["d"]], "p2": [NAMES]}
    for part, sets in exact.items():
        for names in sets:
            assert errors(frame, release, names, frame.part == part) < EXACT
    assert errors(frame, release, NAMES, frame.part == "p0") > 1e-3
    # what is together everywhere is exact everywhere, and only that is promised
    kept = [claim.columns for claim in release.claims if type(claim).__name__ == "CovariancesKept"]
    assert kept == [("a", "b"), ("c",), ("d",)]
    assert errors(frame, release, ["a", "b"]) < EXACT


def test_blocks_of_subdomains_are_checked():
    frame = parts_frame((30, 40)).assign(month=np.tile([1, 2], 35))
    own = (("a", "b"), ("c", "d"))

    def applied(blocks, **how):
        return CholeskyHybrid(mask=RankSwap(p=20), blocks=blocks).apply(frame, columns=NAMES, seed=1, **how)

    with pytest.raises(BadInput, match=r"'part=p0' and only 30 of 70 records are in it; .* by='part'"):
        applied({"part=p0": own})
    with pytest.raises(BadInput, match=r"'part=p7' and no record is in it; did you mean 'part=p[01]'"):
        applied({"part=p7": own}, by="part")
    with pytest.raises(BadInput, match=r"'p0'; write column=value with a column of"):
        applied({"p0": own}, by="part")
    with pytest.raises(BadInput, match=r"no block holds \['d'\]"):
        applied({"part=p0": (("a", "b"), ("c",))}, by="part")
    release = applied({"month=1": own}, by="month")
    assert errors(frame, release, NAMES, frame.month == 2) < EXACT < errors(frame, release, NAMES, frame.month == 1)


def test_a_mask_that_draws_records_cannot_run_in_blocks():
    with pytest.raises(BadInput, match="sample draws records, others for each block; leave blocks out"):
        CholeskyHybrid(mask=Sample(fraction=0.5), blocks=2).apply(parts_frame(), columns=NAMES, seed=1)


def test_a_plan_gives_each_set_of_attributes_its_own_subdomains():
    frame = parts_frame((60, 60)).assign(half=np.tile(["x", "y"], 60))
    hybrid = CholeskyHybrid(mask=RankSwap(p=20))
    plan = Plan([
        {"method": hybrid, "columns": ["a", "b"], "by": "part"},
        {"method": hybrid, "columns": ["c", "d"], "by": "half"},
    ])  # fmt: skip
    release = plan.run(frame, seed=1)
    for value in ("p0", "p1"):
        assert errors(frame, release, ["a", "b"], frame.part == value) < EXACT
    for value in ("x", "y"):
        assert errors(frame, release, ["c", "d"], frame.half == value) < EXACT
    # top-down evaluation of records and attributes that were not foreseen
    found = PIL()(frame, release, columns=["a", "b"], by="half")
    assert isinstance(found, Measured)
    assert found.value > 0


# -- guidance --------------------------------------------------------------------------------------


def test_parts_explain_what_the_adjusted_coefficient_says():
    Z = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    parts = Parts.of(Z, np.array([0, 0, 1, 1]))
    # between 9 of 10, 4 records, 2 parts: 1 - 0.1 * 3 / 2
    assert parts.explained(10.0) == pytest.approx(0.85)
    assert Parts.of(Z, np.array([0, 1, 1, 0])).explained(10.0) == 0.0


def test_covariances_that_differ_are_seen_and_chance_is_not():
    draw = np.random.default_rng(1)
    labels = np.repeat(np.arange(10), 400)
    Z = draw.standard_t(5, size=(4000, 3))
    assert covariance_difference(Z - Z.mean(axis=0), labels) < 0.1
    Z[labels < 5] *= 3.0
    assert covariance_difference(Z - Z.mean(axis=0), labels) > 0.5


def test_the_smallest_part_joins_where_least_is_lost():
    parts = Parts(np.array([50, 5, 50, 50]), np.array([[0.0], [5 * 9.0], [50 * 2.0], [50 * 10.0]]))
    assert join_parts(parts, 10, ordered=False).tolist() == [0, 2, 1, 2]
    assert join_parts(parts, 10, ordered=True).tolist() == [0, 1, 1, 2]
    assert join_parts(parts, 5, ordered=False).tolist() == [0, 1, 2, 3]
    assert join_parts(parts, 1000, ordered=True).tolist() == [0, 0, 0, 0]


def test_a_telling_column_comes_before_a_random_one():
    frame = parts_frame((100, 100, 100), gap=2.0)
    frame = frame.assign(noise=np.random.default_rng(1).permutation(np.repeat(["u", "v"], 150)), name=range(300))
    found = suggest_subdomains(frame, NAMES, candidates=["noise", "part"])
    assert found[0].by in [("part",), ("noise", "part")]
    by = {row.by: row for row in found}
    assert by[("part",)].explained > 0.6 > 0.05 > by[("noise",)].explained
    assert by[("part",)].verdict == "sound: use by='part'"
    assert by[("noise",)].verdict.endswith("means hardly differ")
    assert by[("part",)].ready


def test_sizes_decide_what_is_sound():
    found = suggest_subdomains(parts_frame((100, 34, 4), gap=1.0), NAMES)
    assert (found.needed, found.at_least) == (5, 35)
    row = found[0]
    assert (row.subdomains, row.smallest, row.too_small, row.impossible) == (3, 4, 38, 4)
    assert not row.sound
    assert "1 of 3 are too small to run; join part=p1 with part=p2: leaves 2" in row.verdict
    assert row.joined == (("part=p1", "part=p2"),)
    lower = suggest_subdomains(parts_frame((100, 34, 4), gap=1.0), NAMES, at_least=20)
    assert lower[0].too_small == 4


def test_recommended_size_leaves_ten_numbers_for_each_exact_one():
    for m in (1, 3, 4, 10, 50):
        assert recommended_size(m) == max(30, 5 * (m + 3))


def test_joined_subdomains_run_and_are_exact():
    frame = parts_frame((100, 34, 4), gap=1.0)
    row = suggest_subdomains(frame, NAMES)[0]
    with pytest.raises(NotEnoughRecords, match="part=p2"):
        CholeskyHybrid(mask=UncorrelatedNoise(p=0.3)).apply(frame, columns=NAMES, by="part", seed=1)
    labelled = frame.assign(domain=row.labels)
    release = CholeskyHybrid(mask=UncorrelatedNoise(p=0.3)).apply(labelled, columns=NAMES, by="domain", seed=1)
    assert set(labelled.domain) == {"part=p0", "part=p1 or part=p2"}
    assert errors(frame, release, NAMES, frame.part.isin(["p1", "p2"])) < EXACT


def test_ordered_categories_join_their_neighbours():
    frame = parts_frame((100, 5, 100)).drop(columns="part")
    data = mv.Microdata(frame.assign(age=np.repeat([1, 2, 3], [100, 5, 100])), kinds={"age": "ordinal"})
    row = suggest_subdomains(data, NAMES)[0]
    assert len(row.joined) == 1
    assert row.joined[0] in [("age=1", "age=2"), ("age=2", "age=3")]


def test_classes_of_amounts_and_of_size():
    frame = parts_frame((200,)).drop(columns="part")
    frame = frame.assign(turnover=frame.a * 2 + 1)
    found = suggest_subdomains(frame, ["a", "b"], candidates=["turnover"], classes=4)
    by = {row.by: row for row in found}
    size = by[("4 classes of size",)]
    assert (size.subdomains, size.smallest, size.ready) == (4, 50, False)
    assert size.explained > 0.3
    assert len(set(by[("4 classes of turnover",)].labels)) == 4
    assert any("leave their column out of the release" in note for note in found.notes)


def test_records_with_gaps_are_left_out_and_labelled():
    frame = parts_frame((100, 100))
    frame.loc[[3, 7], "b"] = np.nan
    found = suggest_subdomains(frame, NAMES)
    assert "2 of 200 records with gaps were left out" in found.notes
    assert found[0].labels[3] == "gaps"
    assert found[0].smallest == 98


def test_the_table_reads_in_text_and_html():
    found = suggest_subdomains(parts_frame((100, 100)), NAMES)
    text = repr(found)
    assert "4 protected columns. 5 records are needed in each; 35 are recommended" in text
    assert "by    subdomains" in text
    assert text.endswith("Made from the original: private, not for release.")
    assert "<td>sound: use by=&#x27;part&#x27;" in found._repr_html_()
    assert len(found) == len(list(found)) == 1


def test_nothing_usable_is_said():
    frame = normal_frame(60).assign(name=[f"n{i}" for i in range(60)])
    found = suggest_subdomains(frame)
    assert len(found) == 0
    assert found.notes == (
        "too many subdomains for 60 records: name",
        "no candidate has at least two subdomains of a usable size; leave by out",
    )


def test_wrong_arguments_are_refused():
    frame = parts_frame()
    with pytest.raises(UnknownName, match="candidates: there is no column 'prat'"):
        suggest_subdomains(frame, NAMES, candidates=["prat"])
    with pytest.raises(BadInput, match=r"\['a'\] are protected and cannot name subdomains"):
        suggest_subdomains(frame, NAMES, candidates=["a", "part"])
    with pytest.raises(BadInput, match=r"classes must be 2 or more; 1 was given"):
        suggest_subdomains(frame, NAMES, classes=1)


def test_input_is_untouched():
    frame = parts_frame()
    before = frame.copy()
    suggest_subdomains(frame, NAMES, classes=3)
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.long
def test_the_table_of_the_documentation_is_what_its_snippet_prints(monkeypatch, capsys):
    shared_file("data", "eia.csv")
    text = (Path(__file__).resolve().parents[2] / "docs" / "subdomains.md").read_text(encoding="utf-8")
    (snippet,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(compile(snippet, "docs/subdomains.md", "exec"), {})
    printed = [line.split("|") for line in capsys.readouterr().out.splitlines()]
    assert len(printed) == 6
    for name, *cells in (line[1:-1] for line in printed):
        (shown,) = [line.split("|")[2:-1] for line in text.splitlines() if line.startswith(f"|{name}|")]
        assert [float(cell) for cell in cells] == pytest.approx([float(cell) for cell in shown], abs=0.11)
