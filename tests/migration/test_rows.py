"""The rows of the pages for users of other programs: what they name is there, and numbers are converted as stated."""

from __future__ import annotations

import inspect
import re
import tomllib
from itertools import accumulate
from operator import attrgetter, mul
from pathlib import Path

import pytest

import microveil as mv
from tests.pages import calls_of, read_page

FACTS = tomllib.loads(Path(__file__).with_name("facts.toml").read_text(encoding="utf-8"))
PAGES = {program: read_page(facts["page"]) for program, facts in FACTS.items()}
NUMBER = r"(?<![\w.])\d[\d_]*(?:\.\d+)?(?:e-\d+)?"


def _rows(program: str) -> list[list[str]]:
    page = re.sub(r"## Equal results.*?(?=\n## |\Z)", "", PAGES[program], flags=re.DOTALL)
    return [row.split(" | ", maxsplit=1) for row in re.findall(rf"^\| (?!{program} \|)(.*) \|$", page, re.MULTILINE)]


ROWS = [(program, left, right) for program in FACTS for left, right in _rows(program)]


def _arguments(signature: str) -> set[str]:
    return {part.split("=")[0].strip() for part in signature.split(",")}


def _unknown(program: str, cell: str) -> list[str]:
    """List what a cell names that no fact has."""
    facts = FACTS[program]
    functions = {**facts["functions"], **facts.get("earlier", {})}
    every = set().union(*(_arguments(signature) for _, signature in functions.values()))
    strings = {text for accepted in facts["strings"].values() for text in accepted}
    wrong = [name for name in facts.get("earlier", {}) if name in cell and f"earlier `{name}" not in cell]
    for span in re.findall(r"`([^`]+)`", cell):
        inner = every
        wrong += [text for _, text in re.findall(r"""(["'])(.*?)\1""", span) if text not in strings]
        bare = re.sub(r"""(["']).*?\1""", "", span)
        for name, after in re.findall(r"(?<![\w.])(\.?[A-Za-z_][\w.]*)\s*([(=]?)", bare):
            if name in functions and after != "=":
                inner = _arguments(functions[name][1]) if after == "(" and functions[name][1] else inner
            elif name not in inner | {"TRUE", "FALSE", *facts["names"]}:
                wrong.append(name)
    return wrong


def _numbers(cell: str) -> list[float]:
    return [float(number) for number in re.findall(NUMBER, re.sub(r'"[^"]*"', "", cell))]


@pytest.mark.parametrize(("program", "left", "right"), ROWS)
def test_a_row_rests_on_facts(program, left, right):
    assert "`" in left or left in (*FACTS[program].get("terms", ()), "none")
    assert not _unknown(program, left)
    entries = [entry for entry in FACTS[program]["conversions"] if entry["row"] in left]
    taken = [name for entry in entries for name in entry.get("take", ())]
    stated = sum(len(re.findall(rf"\b{name}\s*=\s*\d", left)) for name in taken)
    assert stated == len(_numbers(left)) if taken else bool(entries) == bool(_numbers(left))


def test_what_is_not_in_the_facts_fails():
    assert _unknown("sdcMicro", "`rankSwap(p=10)`") == ["p"]
    assert _unknown("sdcMicro", "`exportProblem`, `LLmodGlobalRisk`") == ["LLmodGlobalRisk", "exportProblem"]
    assert _unknown("synthpop", '`utility.gen(method = "forest")`') == ["forest"]


@pytest.mark.parametrize("program", FACTS)
def test_facts_say_where_they_were_read_and_are_used(program):
    facts, left = FACTS[program], "\n".join(row[1] for row in ROWS if row[0] == program)
    named = {**facts["functions"], **facts.get("earlier", {})}
    assert all(re.search(r"\.(R|r|Rd|java)$|^NAMESPACE$", at) for at, _ in named.values())
    assert [name for name in (*named, *facts.get("terms", ())) if name not in left] == []


@pytest.mark.parametrize(("program", "conversion"), [(p, c) for p in FACTS for c in FACTS[p]["conversions"]])
def test_numbers_are_converted_as_stated(program, conversion):
    ((left, right),) = [(left, right) for left, right in _rows(program) if conversion["row"] in left]
    taken = [float(n) for name in conversion.get("take", ()) for n in re.findall(rf"\b{name}\s*=\s*([\d.e-]+)", left)]
    x = taken or _numbers(left)
    if "to" not in conversion:
        assert set(x) == {0.0}  # switched off, for it has no counterpart
        return
    found = _numbers(re.search(rf"\b{conversion['to']}\"?[=: ]+([\d.,_\-e\[\]() ]+)", right)[1])
    names = {"x": x[0] if len(x) == 1 else x, "cumulative": lambda steps: list(accumulate(steps, mul))}
    expected = eval(conversion["formula"], names)
    assert found == pytest.approx(expected if isinstance(expected, list) else [expected], rel=1e-4)


def test_every_name_and_setting_is_there():
    rooms = (mv.mask, mv.risk, mv.loss, mv.synth, mv.partition, mv.hierarchy)
    public = {name: getattr(room, name) for room in rooms for name in dir(room)}
    others = (mv.Microdata, mv.Anonymity, mv.write, mv.mask.Lattice.apply, mv.mask.Lattice.explore)
    settings = {name for one in (*public.values(), *others) for name in inspect.signature(one).parameters}
    for page in PAGES.values():
        assert all(attrgetter(path)(mv) is not None for path in re.findall(r"\bmv\.([A-Za-z_]\w*(?:\.\w+)*)", page))
        assert all(eval(call, {"mv": mv}) is not None for call in calls_of(page))
    for _, _, right in ROWS:
        assert set(re.findall(r"`([a-z]\w*)=[^`]*`", right)) <= settings
        assert set(re.findall(r"`([A-Z][a-z]+[A-Z]\w*)[`(]", right)) <= set(public)
