"""What the report costs beside the protection: `protect` on a CSV file with and without `--report`.

`survey` has keys, weights, households and amounts with gaps, `amounts` fifteen correlated amounts. Each command is a
process of its own; `measures` is the option, `-` the overview in which slow measures are told from a sample.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROWS = 1_000_000
_SURVEY = ["--columns", "income,expenditure,wealth,debts", "--missing", "drop"]


def run(quick: bool) -> list[dict[str, object]]:
    """Every file without a report, with the quick measures, and with the overview."""
    rows = ROWS // 50 if quick else ROWS
    out: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        # fifteen amounts take minutes to group at a million, beside which any report is quick
        for name, size, write in (("survey", rows, _survey), ("amounts", rows // 10, _amounts)):
            more, alone = write(folder, size), 0.0
            for measures in (None, "quick", "-"):
                options = [] if measures is None else ["--report", str(folder / "page.html")]
                options += ["--measures", measures] if measures == "quick" else []
                wall, cpu = _seconds(folder, name, [*more, *options])
                alone = alone or cpu
                out.append({"file": name, "rows": size, "report": "none" if measures is None else measures,
                            "cpu seconds": cpu, "wall seconds": wall, "times without": cpu / alone})  # fmt: skip
    return out


def _seconds(folder: Path, name: str, options: list[str]) -> tuple[float, float]:
    command = [sys.executable, "-m", "microveil", "protect", str(folder / f"{name}.csv"), "--force"]
    command += ["-o", str(folder / "out.csv"), "-m", "micro-hybrid", "-s", "k=10", "--given", "", *options]
    start, used = time.perf_counter(), os.times()
    subprocess.run(command, check=True, capture_output=True)
    ended = os.times()
    cpu = ended.children_user + ended.children_system - used.children_user - used.children_system
    return time.perf_counter() - start, cpu


def _survey(folder: Path, rows: int) -> list[str]:
    import pyarrow.csv

    import microveil as mv

    pyarrow.csv.write_csv(mv.datasets.make_survey(rows, seed=1), folder / "survey.csv")
    roles = mv.datasets.survey_schema()["roles"]
    return [*_SURVEY, *(word for name, role in roles.items() for word in ("--role", f"{name}={role}"))]


def _amounts(folder: Path, rows: int) -> list[str]:
    import numpy as np
    import pyarrow as pa
    import pyarrow.csv

    draw = np.random.default_rng(0)
    X = np.round(draw.normal(size=(rows, 15)) @ draw.normal(size=(15, 15)), 2)
    pyarrow.csv.write_csv(pa.table({f"x{j}": X[:, j] for j in range(15)}), folder / "amounts.csv")
    return ["--columns", ",".join(f"x{j}" for j in range(15))]
