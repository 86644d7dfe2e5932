"""Published figures in a run: told where they stand, and refused where the original or the plan does not give them."""

from __future__ import annotations

import re
from html import unescape

import numpy as np
import pytest

import microveil as mv
from microveil.core.errors import BadInput, OverLimit
from microveil.package import add_release, read_register, revoke_release, run_project, running
from microveil.package.findings import holds, not_checked, note, open_points
from microveil.plan import Plan
from tests.package.releases import KEY, people
from tests.package.test_run_stages import with_sections
from tests.package.test_running import MICRO, left_in

WOMEN = people().frame.to_pandas().query("sex == 2")
TOTAL = float((WOMEN["income"] * WOMEN["weight"]).sum())
RECODED = (mv.mask.GlobalRecode(merges={"sex": {"all": ["1", "2"]}}), ["sex"])


def published(value: float, tolerance: float) -> str:
    figure = f"{{statistic: sum, of: income, where: {{sex: 2}}, value: {value}, tolerance: {tolerance}}}"
    return f"\nrelease:\n  register: register.jsonl\n  published:\n  - {figure}\n"


def text_of(path) -> str:
    page = re.sub(r"<style>.*?</style>|<[^>]+>", " ", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return unescape(re.sub(r"\s+", " ", page))


@pytest.fixture(scope="module")
def second(tmp_path_factory):
    """The second release of a register whose first one was revoked, with a published figure that stands."""
    project = with_sections(tmp_path_factory.mktemp("second"), published(TOTAL * 1.01, 0.2))
    first = run_project(project, measures=["pil"], seed=KEY)
    register = project.parent / "register.jsonl"
    add_release(register, first.package.folder)
    revoke_release(register, 1, "A reader found a neighbour.")
    return run_project(project, measures=["pil"]), read_register(register)


def test_a_published_figure_that_stands_is_told_wherever_people_decide(second):
    made, _ = second
    said = next(one for one in made.told if one.startswith("Published figure"))
    found = float(
        (made.release.data.values("income").numbers * people().weights)[np.asarray(people().frame["sex"]) == 2].sum()
    )
    off = 100 * abs(found / (TOTAL * 1.01) - 1)
    assert said == (
        f"Published figure, the weighted sum of income where sex is 2, stands: {TOTAL * 1.01:,.0f} was published, the "
        f"release gives {found:,.0f}, {off:.3g} % off; the original gives {TOTAL:,.0f}; 20 % are tolerated."
    )
    for page in ("report.html", "sign_off.html"):
        shown = text_of(made.package.internal / page)
        assert "Figures that were published" in shown
        assert f"the weighted sum of income where sex is 2 {TOTAL * 1.01:,.0f} {TOTAL:,.0f} {found:,.0f}" in shown
    assert f"{TOTAL:,.0f}" not in text_of(made.package.public / "report.html")


def test_the_page_to_sign_names_earlier_releases_and_what_they_tell_together(second):
    made, register = second
    page = text_of(made.package.internal / "sign_off.html")
    day, last = register.entries[0].date, register.entries[1].date
    assert f"release 1 (Protected microdata), released {day}, revoked {last}: A reader found a neighbour." in page
    assert "together with these there are earlier releases of these data, and a second version" in page
    assert "the new release and release 1: Who combines 2 releases finds" in page
    known = page.partition("Known limits")[2]
    assert "Who combines" not in known


def test_a_published_figure_that_the_original_does_not_give_is_told_before_anything_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(running, "_protect", None)
    project = with_sections(tmp_path, published(2 * TOTAL, 0.1))
    line = len(project.read_text().splitlines())
    with pytest.raises(BadInput) as end:
        run_project(project)
    assert str(end.value) == (
        f"published figure 1, the weighted sum of income where sex is 2: the original gives {TOTAL:,.0f}, and the "
        f"published {2 * TOTAL:,.0f} is 50 % off already, where 10 % are tolerated; correct the figure or its "
        f"tolerance, or take it out of `published`. Nothing was written (line {line} of the project)"
    )
    assert left_in(tmp_path) == set()


def test_a_published_figure_that_the_plan_takes_away_is_told_with_changes_of_the_plan(tmp_path):
    project = with_sections(tmp_path, published(round(TOTAL, 2), 0.2), plan=Plan([MICRO, RECODED]))
    with pytest.raises(OverLimit) as end:
        run_project(project, measures=["pil"])
    assert end.value.lines[0] == (
        f"- Published figure, the weighted sum of income where sex is 2, does NOT stand: {TOTAL:,.0f} was published, "
        "and the release has none: no record of the file is among these; they may have been recoded."
    )
    assert any("without sex, which then leaves as in the file: less protection" in line for line in end.value.lines)
    assert left_in(tmp_path) == set()


def test_what_an_audit_leaves_open_is_said_once_for_all_files():
    found = [
        not_checked("s", "data.csv, read by pandas and polars: scenario 'x': counting says nothing."),
        holds("s", "data.csv: 3 records."),
        not_checked("s", "data.sav, read by pyreadstat: scenario 'x': counting says nothing."),
        note("w", "ids: few digits."),
    ]
    assert open_points(found) == [
        "not checked: scenario 'x': counting says nothing (data.csv and data.sav).",
        "note: ids: few digits.",
    ]
