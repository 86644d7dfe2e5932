"""Published figures: computed by hand, weighted where there is a weight."""

from __future__ import annotations

import pandas as pd
import pytest

from microveil.package import audit
from microveil.plan import Project
from microveil.plan.release_plan import Published

NORTH = {"region": "North"}


@pytest.fixture
def paid(tmp_path):
    (tmp_path / "package").mkdir()
    frame = pd.DataFrame(
        {"region": ["North", "North", "South", "North"], "code": [1, 1, 2, 1], "pay": [10.0, 20.0, 40.0, None]}
    )
    frame.assign(w=[2.0, 1.0, 5.0, 1.0]).to_csv(tmp_path / "package" / "data.csv", index=False)
    columns = {"region": {"role": "key"}, "code": {"role": "key"}, "pay": {}, "w": {"role": "weight"}}
    Project("x.csv", columns=columns).save(tmp_path / "project.yaml")
    return tmp_path / "package"


def said(paid, stated: Published, weighted: bool) -> list[str]:
    project = paid.parent / "project.yaml" if weighted else None
    found = audit(paid, published=[stated], project=project).findings
    return [str(one) for one in found if one.check == "published"]


# by hand: North pays 10 and 20 with the weights 2 and 1, and one without a pay has the weight 1
@pytest.mark.parametrize(
    ("statistic", "of", "where", "plain", "weighted"),
    [
        ("sum", "pay", NORTH, 30.0, 40.0),
        ("mean", "pay", NORTH, 15.0, 40.0 / 3),
        ("count", None, NORTH, 3.0, 4.0),
        ("count", "pay", NORTH, 2.0, 3.0),
        ("count", None, {"code": 1}, 3.0, 4.0),
        ("count", None, {"code": 2, "region": "South"}, 1.0, 5.0),
        ("sum", "pay", {}, 70.0, 240.0),
    ],
)
def test_figures_are_those_of_the_file(paid, statistic, of, where, plain, weighted):
    for use_weight, value in ((False, plain), (True, weighted)):
        line = said(paid, Published(statistic, value, of, where), use_weight)[0]
        assert line.startswith(f"holds: data.csv: the {'weighted ' * use_weight}{statistic}"), line
        line = said(paid, Published(statistic, value * 1.03, of, where, 0.02), use_weight)[0]
        assert line.startswith("BROKEN"), line
        assert said(paid, Published(statistic, value * 1.03, of, where, 0.03), use_weight)[0].startswith("holds")


def test_the_line_says_what_was_found_and_allowed(paid):
    line = said(paid, Published("sum", 50.0, "pay", NORTH, 0.1), True)[0]
    assert line == (
        "BROKEN: data.csv: the weighted sum of pay where region is North is 40, and 50 was published, 20 % apart; "
        "10 % apart are allowed."
    )


@pytest.mark.parametrize(
    ("stated", "why"),
    [
        (Published("sum", 1.0, "tax"), "the file has no column 'tax'"),
        (Published("sum", 1.0, "pay", {"region": "East"}), "no record of the file is among these"),
        (Published("sum", 1.0, "region"), "'region' holds no numbers"),
        (Published("median", 1.0, "pay"), "not one of sum, mean, count"),
        (Published("sum", 1.0), "no column is named"),
    ],
)
def test_what_cannot_be_compared_is_told(paid, stated, why):
    line = said(paid, stated, False)[0]
    assert line.startswith("not checked")
    assert why in line


def test_zero_is_a_figure_too(paid):
    assert said(paid, Published("sum", 0.0, "pay", NORTH), False)[0].startswith("BROKEN")
