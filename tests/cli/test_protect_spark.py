"""`microveil protect --engine spark`: a session that the command starts, and ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import microveil as mv
from tests.cli.test_protect_blocks import ROLES, WAY
from tests.engines.files import FACTS, ROWS, write_parts
from tests.spark import ONE_SESSION, need_spark

pytestmark = ONE_SESSION


def test_the_command_starts_spark_and_says_nothing_of_it(tmp_path: Path) -> None:
    need_spark()
    pattern = write_parts(tmp_path)
    words = ["protect", pattern, *WAY[:-1], "spark", *ROLES, "-o", "out", "--log", "log.json", "--threads", "1"]
    done = subprocess.run(
        [sys.executable, "-m", "microveil", *words], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert f"Wrote out ({ROWS} records in 1 file)." in done.stdout
    assert done.stderr == ""
    again = mv.plan.replay(tmp_path / "log.json", mv.scan(pattern, **FACTS), into=tmp_path / "again")
    assert again.files[0].read_bytes() == (tmp_path / "out" / "part-00000.parquet").read_bytes()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]
