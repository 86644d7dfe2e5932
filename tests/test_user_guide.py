"""The Python of the user guide runs as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

GUIDE = Path(__file__).resolve().parents[1] / "docs" / "user_guide.md"


FEWER = {"make_enterprises(1000,": "make_enterprises(300,", "make_survey(2000,": "make_survey(500,"}


@pytest.mark.long
def test_the_python_of_the_guide_runs(capsys, folder):
    text = GUIDE.read_text(encoding="utf-8")
    for many, few in FEWER.items():
        assert many in text
        text = text.replace(many, few)
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) >= 9
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(GUIDE), "exec"), names)
    shown = capsys.readouterr().out
    assert "Evaluation of 300 protected against 300 original records" in shown
    assert "rank-swap" in shown
    assert "Worst case over attacks, %" in shown
    assert "[20, 40)" in shown
    assert "Risk by 4 keys: region, age, sex, occupation" in shown
    assert "expected re-identifications" in shown
    assert (folder / "report.html").exists()
    assert "5 files of 300 records" in shown
    assert "break one of the 3 rules of the data" in shown
    assert "No released record (0 %) breaks one of the 3 rules" in shown
    assert "Intersection of neighbouring averages: 99 % (guessing: 0.2 %)" in shown
    assert "found 99 % -> 20 % of the records" in shown
    assert "with probability 1/20 at most (exchangeable records)" in shown
