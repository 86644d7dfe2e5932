"""The tool that plants faults: which it plants, that it finds what is not tested, and leaves the tree as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import mutants
from tools.mutations import mutants_of

SOURCE = '''"""A module."""

from __future__ import annotations

LIMIT: float = 2


def large(x: int, flag: bool = True) -> bool:
    """Whether it is larger than 1."""
    if not flag:
        raise ValueError(f"{x + 1} is not allowed")
    return x > LIMIT and x != 7


class Thing:
    def __repr__(self) -> str:
        return "Thing" + str(1)

    def ends(self, xs: list[int]) -> list[int]:
        xs[0] = max(xs)
        return sorted(xs[1:])
'''


def planted(tmp_path: Path, source: str = SOURCE) -> dict[str, set[str]]:
    path = tmp_path / "module.py"
    path.write_text(source)
    found: dict[str, set[str]] = {}
    for mutant in mutants_of(path, tmp_path):
        compile(mutant.applied(path.read_bytes()), "module.py", "exec")
        found.setdefault(mutant.old, set()).add(mutant.new)
    return found


def test_faults_are_planted_where_code_is(tmp_path):
    assert planted(tmp_path) == {
        "2": {"(2 + 1)", "(2 - 1)"},
        "True": {"False"},
        "not flag": {"(flag)", "True", "False"},
        'raise ValueError(f"{x + 1} is not allowed")': {"pass"},
        "x > LIMIT and x != 7": {"(x > LIMIT or x != 7)", "True", "False"},
        "x > LIMIT": {"(x >= LIMIT)"},
        "x != 7": {"(x == 7)"},
        "7": {"(7 + 1)", "(7 - 1)"},
        "xs[0] = max(xs)": {"pass"},
        "max": {"min"},
        "sorted(xs[1:])": {"(sorted(xs[1:], reverse=True))"},
        "1": {"(1) + 1", "(1 + 1)", "(1 - 1)"},
    }


@pytest.mark.parametrize(
    ("source", "old", "new"),
    [
        ("y = a + b * c\n", "a + b * c", {"(a - b * c)"}),
        ("y = a + b * c\n", "b * c", {"(b / c)"}),
        ("y = x[:-1].any()\n", "x[:-1].any", {"(x[:-1].all)"}),
        ("y = 0 < x <= 1\n", "0 < x <= 1", {"(0 <= x <= 1)", "(0 < x < 1)"}),
        ("y = ~x\n", "~x", {"(x)"}),
        ("y += 1\n", "y += 1", {"pass"}),
        ("def f() -> float:\n    return g()\n", "g()", {"0.0"}),
        ('def f() -> str:\n    return ""\n', None, None),
        ("def f() -> Deviation:\n    return g()\n", "g()", {"Deviation(0.0, 0.0)"}),
        ("y = 'é' if a < b else 'ü'\n", "a < b", {"(a <= b)"}),
    ],
)
def test_fault(tmp_path, source, old, new):
    assert planted(tmp_path, source).get(old) == new


def test_texts_annotations_and_imports_for_types_are_spared(tmp_path):
    source = (
        '"""Text."""\nfrom typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    import os\n\n'
        "x: Literal[1]\n\n\n@decorated(1)\ndef f(x: Literal[2]) -> Literal[3]:\n    '''Text.'''\n    return f'{x}'\n"
        "def examples() -> int:\n    return 1 + 1\n"
    )
    assert planted(tmp_path, source) == {}
    assert planted(tmp_path, "pairs = zip(x, y, strict=True)\n") == {}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with one file, of which half is tested."""
    root = tmp_path / "project"
    (root / "src/microveil").mkdir(parents=True)
    (root / "tests").mkdir()
    (root / "src/microveil/__init__.py").write_text(
        "def above(x, y):\n    return x > y\n\n\ndef both(x, y):\n    return x and y\n"
    )
    test = "from microveil import above\n\n\ndef test_above():\n    assert above(2, 1)\n    assert not above(1, 1)\n"
    (root / "tests/test_it.py").write_text(test)
    monkeypatch.setattr(mutants, "TESTS", (("src/microveil", ("tests/test_it.py", "tests/not_there.py")),))
    monkeypatch.setattr(mutants, "FOLDERS", ["src/microveil"])
    return root


@pytest.mark.long
def test_what_is_tested_is_noticed_and_what_is_not_survives(project, capsys):
    before = {path: path.read_bytes() for path in project.rglob("*.py")}
    assert mutants.main(["-n", "9", "--seconds", "60"], project) == 1
    out = capsys.readouterr().out
    assert "killed    src/microveil/__init__.py:2 comparison (FAILED tests/test_it.py::test_above" in out
    assert "SURVIVED  src/microveil/__init__.py:6 and, or" in out
    assert "-    return x and y\n+    return (x or y)" in out
    assert "1 of 2 faults were noticed (seed 1); 1 survived" in out
    assert {path: path.read_bytes() for path in project.rglob("*.py")} == before


def argue(project, reason, was=None):
    (project / "tools").mkdir()
    entry = f'[[survivor]]\nfile = "src/microveil/__init__.py"\nline = "return (x or y)"\nreason = "{reason}"\n'
    (project / "tools/survivors.toml").write_text(entry + (f'was = "{was}"\n' if was else ""))


@pytest.mark.parametrize(("was", "planted"), [(None, 1), ("return x and y", 1), ("return y and x", 2)])
def test_survivors_with_a_reason_are_not_planted(project, was, planted):
    argue(project, "both are the same here", was)
    assert len(mutants.draw(project, mutants.FOLDERS, 9, 1)) == planted


def test_survivors_without_a_reason_are_refused(project):
    argue(project, " ")
    with pytest.raises(SystemExit, match="has no reason; say why no test can notice it"):
        mutants.main(["-n", "9"], project)


@pytest.mark.long
def test_tests_that_fail_anyway_prove_nothing(project):
    (project / "tests/test_it.py").write_text("def test_it():\n    assert False\n")
    with pytest.raises(SystemExit, match=r"the tests tests/test_it.py fail without any fault: FAILED"):
        mutants.main(["-n", "9", "--seconds", "60"], project)


def test_the_same_seed_draws_the_same_faults():
    draws = [mutants.draw(mutants.ROOT, ["src/microveil/claims/moments.py"], 5, seed) for seed in (1, 1, 2)]
    assert draws[0] == draws[1] != draws[2]
    assert len(draws[0]) == 5


@pytest.mark.long
def test_argued_survivors_are_still_there():
    """A line that nobody could write any more is an excuse for nothing."""
    found = set()
    for mutant in mutants.mutants_in(mutants.ROOT, mutants.FOLDERS):
        old, new = mutant.changed_line((mutants.ROOT / mutant.file).read_bytes())
        found |= {(mutant.file, old, new), (mutant.file, None, new)}
    assert mutants.argued(mutants.ROOT) - found == set()
