"""Hierarchies that `inspect` proposes, and the project that holds them."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

import microveil as mv
from microveil.hierarchy import Dates, Intervals, Order, Prefixes, Redact

N = 400
DRAW = np.random.default_rng(3)
FRAME = pd.DataFrame(
    {
        "age": DRAW.integers(0, 95, N),
        "zip": [f"{code:05}" for code in DRAW.integers(1000, 1060, N)],
        "plz": DRAW.integers(1000, 1060, N),
        "visit": [f"2024-{month:02}-05" for month in DRAW.integers(1, 13, N)],
        "occupation": [str(code) for code in DRAW.choice([2411, 2412, 5120, 5131, 9111], N)],
        "education": DRAW.choice(["none", "basic", "middle", "high"], N),
        "sex": DRAW.choice(["f", "m"], N),
        "income": DRAW.gamma(2.0, 900.0, N).round(2),
    }
)
KEYS = dict.fromkeys(["age", "zip", "plz", "visit", "occupation", "education", "sex"], "key")
DATA = mv.Microdata(FRAME, roles=KEYS, levels={"education": ["none", "basic", "middle", "high"]})


def test_each_key_gets_a_rule_that_suits_its_values():
    assert mv.inspect(DATA).hierarchies == {
        "age": Intervals(widths=[5, 10, 20]),
        "zip": Redact(),
        "plz": Redact(pad="0", pad_side="left"),
        "visit": Dates(),
        "occupation": Prefixes(lengths=[3, 2, 1]),
        "education": Order(sizes=[2]),
    }


def test_what_is_stated_stays_and_few_values_need_none():
    data = DATA.with_(hierarchies={"age": Intervals(widths=[50])}, roles={"zip": "other"})
    assert set(mv.inspect(data).hierarchies) == {"plz", "visit", "occupation", "education"}
    assert mv.inspect(data.with_(hierarchies={"plz": "redact"})).hierarchies.keys() == {
        "visit",
        "occupation",
        "education",
    }


def test_days_are_read_as_they_are_written_unless_two_readings_are_possible():
    def proposed(form: str, last: int) -> object:
        days = [f"{n % last + 1:02}{form}{n % 12 + 1:02}{form}2024" for n in range(N)]
        return mv.inspect(mv.Microdata(FRAME.assign(visit=days), roles=KEYS)).hierarchies.get("visit")

    assert proposed(".", 28) == Dates(pattern="%d.%m.%Y")
    assert proposed("/", 28) == Dates(pattern="%d/%m/%Y")
    assert proposed("/", 12) is None


def test_texts_show_them():
    found = mv.inspect(DATA)
    assert 'age: {"intervals": {"widths": [5.0, 10.0, 20.0]}}' in repr(found)
    assert "mv.hierarchy.Intervals(widths=(5.0, 10.0, 20.0))" in found._repr_html_()


def test_the_project_loads_again_with_the_lines_in_their_places(tmp_path):
    FRAME.to_csv(tmp_path / "data.csv", index=False)
    data = mv.read(tmp_path / "data.csv", roles=KEYS, kinds={"occupation": "nominal", "zip": "nominal"})
    found = mv.inspect(data)
    text = mv.plan.Project.propose("data.csv", "", data, found).to_text()
    assert mv.plan.Project.from_text(text).columns["age"].keys() == {"role", "kind"}
    offered = dict(re.findall(r"^#:  (\w+):(.*)$", text, re.MULTILINE))
    assert {"age", "zip", "plz", "visit"} <= set(offered)
    for name, line in offered.items():
        text = re.sub(rf"^  {name}:.*$", lambda _, name=name, line=line: f"  {name}:{line}", text, flags=re.MULTILINE)
    project = mv.plan.Project.from_text(text)
    read = project.read(tmp_path)
    for name in offered:
        assert read.values(name).hierarchy.rule == found.hierarchies[name].bound(read.encoded(name).levels), name


def test_a_stated_rule_comes_back_as_a_rule_and_a_file_as_its_content(tmp_path):
    data = DATA.with_(hierarchies={"age": Intervals(widths=[50]), "sex": {"f": ["*"], "m": ["*"]}})
    project = mv.plan.Project.propose("data.csv", "", data, mv.inspect(data))
    assert project.columns["age"]["hierarchy"] == {"intervals": {"widths": [50.0]}}
    assert project.columns["sex"]["hierarchy"] == {"f": ["*"], "m": ["*"]}
    assert mv.plan.Project.from_text(project.to_text()).columns == project.columns
