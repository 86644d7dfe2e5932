"""The page for users of sdcMicro: its Python runs, equal results are equal, and every name in it is there."""

from __future__ import annotations

import re

import pytest

import microveil as mv
from tests.pages import Reader, calls_of, read_page
from tests.reference import shared_file

PAGE = read_page("from_sdcmicro.md")
GENERATED, REFERENCE = PAGE.split("## Equal results")


def test_its_python_runs(monkeypatch, capsys):
    assert "are alone with their keys" in Reader(monkeypatch, capsys).follow(GENERATED)


def test_results_that_are_equal_are_those_of_the_page(monkeypatch, capsys):
    for name in ("testdata", "census"):
        shared_file("data", f"{name}.csv")
    Reader(monkeypatch, capsys, names={"mv": mv}).follow(REFERENCE)


def test_every_name_is_there():
    names = re.findall(r"mv\.(\w+)\.(\w+)", PAGE)
    assert len(names) > 40
    for room, name in names:
        assert hasattr(getattr(mv, room), name), f"mv.{room}.{name}"


FUNCTIONS = """createSdcObj localSuppression kAnon microaggregation rankSwap addNoise pram shuffle topBotCoding
globalRecode groupAndRename dRisk suda2 ldiversity measure_risk indivRisk report undolast extractManipData recordSwap
LocalRecProg mafast dUtility freqCalc readMicrodata writeSafeFile modRisk riskyCells calcRisks createNewID dataGen
sdcApp kAnon_violations localSupp IL_variables IL_correl get.sdcMicroObj removeDirectID argus_rankswap
LLmodGlobalRisk"""


@pytest.mark.parametrize("function", FUNCTIONS.split())
def test_every_function_is_named(function):
    assert re.search(rf"`[^`|]*\b{function}\b", PAGE)


@pytest.mark.parametrize("call", calls_of(PAGE))
def test_settings_are_those_that_there_are(call):
    assert eval(call, {"mv": mv}) is not None
