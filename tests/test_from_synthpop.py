"""The page for users of synthpop: its Python runs, every name is there, and figures said to be equal are."""

from __future__ import annotations

import re

import pytest

import microveil as mv
from tests.pages import Reader, calls_of, read_page
from tests.reference import thyroid

PAGE = read_page("from_synthpop.md")
GENERATED, EQUAL = PAGE.split("## Equal results")
FUNCTIONS = """syn compare utility.gen utility.tab utility.tables replicated.uniques sdc lm.synds glm.synds
multi.compare read.obs codebook.syn write.syn syn.strata disclosure numtocat.syn visit.sequence predictor.matrix rules
proper smoothing minbucket mergelevels.syn multi.disclosure multinom.synds polr.synds summary"""


def test_its_python_runs(monkeypatch, capsys):
    pytest.importorskip("sklearn", reason="trees need the extra models")
    said = Reader(monkeypatch, capsys).follow(GENERATED)
    assert "3 files of" in said
    assert "of at most 0.25" in said


def test_every_name_is_there():
    names = re.findall(r"mv\.(\w+)\.(\w+)", PAGE)
    assert len(names) > 25
    for room, name in names:
        assert hasattr(getattr(mv, room), name), f"mv.{room}.{name}"


@pytest.mark.parametrize("function", FUNCTIONS.split())
def test_every_function_is_named(function):
    assert re.search(rf"`[^`|]*\b{re.escape(function)}\b", PAGE)


def test_figures_of_both_programs_are_those_of_the_page():
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
    shown = re.findall(r"\| ([\d.]+) \| ([\d.]+) \|$", EQUAL, re.MULTILINE)
    assert [float(a) for a, _ in shown] == pytest.approx(said, rel=1e-5)
    assert [float(b) for _, b in shown] == pytest.approx(ours, rel=1e-5)


@pytest.mark.parametrize("call", calls_of(PAGE))
def test_settings_are_those_that_there_are(call):
    assert eval(call, {"mv": mv}) is not None
