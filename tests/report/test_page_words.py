"""The page in words: settings, parts and their short names."""

from __future__ import annotations

import numpy as np
import pandas as pd

import microveil as mv
from microveil.measure import Pair
from microveil.report.decided_parts import decision_part
from microveil.report.page import InternalContent, render
from microveil.report.parts import Items
from microveil.report.settings_words import settings_in_words


def test_settings_are_words_and_not_python() -> None:
    hybrid = mv.hybrid.MicroHybrid(categories="multinomial", blocks=[["district", "region"], ["job", "branch"]])
    said = settings_in_words(hybrid)
    assert "partition: mdav (k: 10; standardise: zscore)" in said
    assert "blocks: district, region | job, branch" in said
    assert not set("='[]{}") & set(said)
    assert settings_in_words(mv.mask.Repair(ranges={"employees": (1.0, 1e9)})).startswith(
        "ranges: employees (1, 1,000,000,000)"
    )


def test_parts_that_are_left_out_are_counted_and_short_names_are_told_in_words() -> None:
    draw = np.random.default_rng(1)
    frame = pd.DataFrame(draw.normal(size=(60, 12)), columns=[f"x{i}" for i in range(12)])
    frame["sex"], frame["ill"] = list("fm") * 30, list("abc") * 20
    roles = {"sex": "key", "ill": "confidential"}
    before = mv.Microdata(frame, roles=roles)
    after = mv.Microdata(frame.assign(x0=frame["x0"] + 1.0, ill=list("acb") * 20), roles=roles)
    measures = [mv.loss.PIL(), mv.risk.AttributeDisclosure()]
    page = render(InternalContent(Pair.of(before, after), mv.evaluate(before, after, measures=measures)))
    parts = len(mv.loss.PIL()(before, after).parts)
    assert parts > 40
    assert f"and {parts - 40} more parts" in page
    assert "right by a record with the same keys" in page
    assert "<dt>tcap</dt>" not in page


def test_the_figures_of_a_verdict_stand_below_one_another() -> None:
    data = mv.datasets.make_survey(60, seed=1).select(["age", "sex", "income"])
    release = mv.mask.RankSwap(p=20).apply(data, columns=["age"], seed=1)
    verdict = mv.plan.verdict_of(release)
    told = verdict.line.split(" · ")
    assert len(told) > 1
    (items,) = (part for part in decision_part(verdict, "", "limits").parts if isinstance(part, Items))
    assert items.items == tuple(one[:1].upper() + one[1:] for one in told)
