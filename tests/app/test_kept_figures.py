"""Search and comparison of the app hold plans to the figures that must survive, as the commands that they name do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import microveil as mv
from microveil import plan, study
from microveil.app.calls.call import Work
from microveil.app.calls.comparing import COMPARE
from microveil.app.calls.searching import SEARCH
from microveil.plan.utility_plan import goals_of

GOALS = goals_of([{"name": "level", "statistic": "mean", "of": "total_sales", "tolerance": 0.1}])


class _Asked(Exception):
    """What a call asked for; it goes no further."""


@pytest.mark.parametrize(("call", "room", "asked"), [(SEARCH, study, "search"), (COMPARE, plan, "compare")])
def test_figures_that_must_survive_are_asked_for(call, room, asked, tmp_path: Path, monkeypatch):
    source = tmp_path / "firms.csv"
    mv.datasets.make_enterprises(20, seed=1).select(["total_sales"]).to_pandas().to_csv(source, index=False)
    columns = {"total_sales": {"role": "confidential"}}
    path = tmp_path / "project.yaml"
    made = mv.plan.Project(source.name, mv.io.sha256_of(source), columns, utility=tuple(GOALS))
    replace(made, plan=mv.Plan([mv.mask.RankSwap()])).save(path)

    def ask(*_: object, utility: object, **__: object) -> None:
        raise _Asked(utility)

    monkeypatch.setattr(room, asked, ask)
    with pytest.raises(_Asked) as told:
        call.do(Work(path, {"folder": "study", "plans": [path.name]}, tmp_path, lambda *_: None))
    assert told.value.args == (GOALS,)
    assert "utility" in call.about
