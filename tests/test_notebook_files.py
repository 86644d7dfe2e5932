"""The notebooks for the three users run from the first cell to the last, and keep no output that could be stale."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"
SAID = {
    "data_protector": "The audit finds no fault",
    "researcher": "groups,",
    "data_engineer": "True",
}


def test_there_is_one_for_each_user():
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == set(SAID)


@pytest.mark.long
@pytest.mark.parametrize("name", SAID)
def test_every_cell_runs(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    notebook = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    names: dict[str, object] = {"__name__": "notebook"}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            assert cell["execution_count"] is None
            _run("".join(cell["source"]), names)
    said = capsys.readouterr().out
    assert SAID[name] in said
    assert "False" not in said


def _run(text: str, names: dict[str, object]) -> None:
    """As a notebook does: the last line, if it is a value, is shown as a card."""
    tree = ast.parse(text)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    if last is not None:
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
        assert value is None or value._repr_html_() or repr(value)
