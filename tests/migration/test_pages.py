"""The pages for users of other programs: their Python and commands run, and results said to be equal are."""

from __future__ import annotations

import re

import pandas as pd
import pytest

import microveil as mv
from microveil.plan import Project
from tests.pages import Reader, blocks_of, read_page
from tests.reference import shared_file, thyroid

SDCMICRO, SDCMICRO_EQUAL = read_page("from_sdcmicro.md").split("## Equal results")
ARX, ARX_EQUAL, ARX_AFTER = re.split("## (?:Equal results|The Java interface)", read_page("coming_from_arx.md"))
SYNTHPOP, SYNTHPOP_EQUAL = read_page("from_synthpop.md").split("## Equal results")


def test_what_the_page_on_sdcmicro_shows_runs(monkeypatch, capsys):
    assert "are alone with their keys" in Reader(monkeypatch, capsys).follow(SDCMICRO)


def test_results_equal_to_sdcmicro_are_those_of_the_page(monkeypatch, capsys):
    for name in ("testdata", "census"):
        shared_file("data", f"{name}.csv")
    Reader(monkeypatch, capsys, names={"mv": mv}).follow(SDCMICRO_EQUAL)


def test_what_the_page_on_arx_shows_runs(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    reader = Reader(monkeypatch, capsys, rough=1.0)
    said = reader.follow(ARX + ARX_AFTER)
    assert "A prosecutor would re-identify the record most at risk" in said
    assert "('[20, 25)', '[20, 30)', '[20, 40)', '*') ('>=60', '>=60', '>=60', '*')" in said
    assert "with zip one level up" in said
    assert reader.names["both"].values("age").hierarchy[24] == ("[20, 25)", "[20, 30)", "[20, 40)", "*")
    assert reader.ran == ["hierarchy", "protect"]
    assert len(pd.read_csv("out.csv")) == 600
    (project,) = [text for kind, _, text in blocks_of(ARX) if kind == "yaml"]
    project = Project.from_text(f"version: 1\ndataset: {{path: people.csv}}\n{project}")
    assert project.columns["sex"]["hierarchy"] == "sex.csv"


def test_results_equal_to_arx_are_those_of_the_page(monkeypatch, capsys, tmp_path):
    for name in ("adult.csv.gz", "adult_hierarchies.csv"):
        (tmp_path / name).write_bytes(shared_file("data", "adult", name).read_bytes())
    monkeypatch.chdir(tmp_path)
    said = Reader(monkeypatch, capsys, names={"mv": mv}).follow(ARX_EQUAL).splitlines()
    theirs = re.findall(r"# ([\d ]+), loss ([\d.]+)", ARX_EQUAL)  # as the tests of ARX state them
    for line, (levels, loss) in zip(said, theirs, strict=True):
        assert line.rsplit(" ", 1)[0] == levels
        assert float(line.rsplit(" ", 1)[1]) == pytest.approx(float(loss), abs=1e-4)


def test_what_the_page_on_synthpop_shows_runs(monkeypatch, capsys):
    pytest.importorskip("sklearn", reason="trees need the extra models")
    said = Reader(monkeypatch, capsys).follow(SYNTHPOP)
    assert "3 files of" in said
    assert "of at most 0.25" in said


def test_figures_equal_to_synthpop_are_those_of_the_page():
    x, files, theirs = thyroid()
    kinds = {name: "continuous" if name in ("age", "tsh", "t3", "t4u", "fti") else "nominal" for name in x}
    data, keys = mv.Microdata(x, kinds=kinds), ["male", "age", "on_thyroxine", "sick"]
    main, pairs = (mv.loss.Propensity(order=order, terms="interactions", ridge=0) for order in (1, 2))
    first, second = main(data, files[0], linked=False), pairs(data, files[0], linked=False)
    given = mv.risk.AttributeDisclosure(keys=keys, targets=["psych"])(x, files[0])
    fit = mv.synth.compare(x, files, "fti ~ age + tsh + t3 + t4u", synthesis="plug-in", target="original").combined
    ours = [first.value, first.parts["ratio to null"], second.value, given.value, given.parts["tcap"],
            mv.risk.ReplicatedUniques(keys=keys)(x, files[0]).value, fit.estimate[1], fit.error[1]]  # fmt: skip
    block = theirs["disclosure_keys_male_age_onthyroxine_sick_target_psych"]
    said = [theirs["utility_gen_logit_maxorder0"]["pMSE"][0], theirs["utility_gen_logit_maxorder0"]["S_pMSE"][0],
            theirs["utility_gen_logit_maxorder1"]["pMSE"][0], block["attrib"][0]["DiSCO"], block["allCAPs"][0]["TCAP"],
            block["ident"][0]["repU"], *theirs["lm_fti"]["expected"][1][:2]]  # fmt: skip
    shown = re.findall(r"\| ([\d.]+) \| ([\d.]+) \|$", SYNTHPOP_EQUAL, re.MULTILINE)
    assert [float(a) for a, _ in shown] == pytest.approx(said, rel=1e-5)
    assert [float(b) for _, b in shown] == pytest.approx(ours, rel=1e-5)
