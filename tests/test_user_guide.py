"""The Python of the user guide runs as it stands."""

from __future__ import annotations

import re
from pathlib import Path

GUIDE = Path(__file__).resolve().parents[1] / "docs" / "user_guide.md"


def test_the_python_of_the_guide_runs(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) >= 9
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(GUIDE), "exec"), names)
    shown = capsys.readouterr().out
    assert "Evaluation of 1000 protected against 1000 original records" in shown
    assert "rank-swap" in shown
    assert "Worst case over attacks, %" in shown
    assert "[20, 40)" in shown
    assert "Risk by 4 keys: region, age, sex, occupation" in shown
    assert "expected re-identifications" in shown
    assert (tmp_path / "report.html").exists()
    assert "5 files of 1000 records" in shown
    assert "break one of the 3 rules of the data" in shown
    assert "No released record (0 %) breaks one of the 3 rules" in shown
    assert "Intersection of neighbouring averages: 99 % (guessing: 0.2 %)" in shown
    assert "found 99 % -> 20 % of the records" in shown
    assert "with probability 1/20 at most (exchangeable records)" in shown
