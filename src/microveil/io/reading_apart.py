"""Reading in a process of its own: what crashes there over damaged bytes does not take this one along."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.ipc as ipc

_SEND = """
import sys, pyarrow.ipc
with pyarrow.ipc.new_stream(sys.stdout.buffer, table.schema) as writer:
    writer.write_table(table)
"""
_LARGEST_STATUS = 255  # a process that ends by itself; Windows tells crashes by larger numbers, others by negative ones


def read_apart(path: Path, read: str) -> pa.Table:
    """The `table` that the code `read` makes of `path`; ValueError when its process fails in any way."""
    done = _run(path, read + _SEND)
    if done.returncode:
        raise ValueError(f"the reader ended with status {done.returncode}")
    return ipc.open_stream(done.stdout).read_all()


def crashes_apart(path: Path, read: str, *words: str) -> bool:
    """Whether the code `read` makes its process crash over `path`; an error that it can tell is no crash."""
    return not 0 <= _run(path, read, *words).returncode <= _LARGEST_STATUS


def _run(path: Path, read: str, *words: str) -> subprocess.CompletedProcess[bytes]:
    program = f"import sys, warnings\nwarnings.simplefilter('ignore')\npath, *words = sys.argv[1:]\n{read}"
    return subprocess.run(
        [sys.executable, "-I", "-c", program, str(path.absolute()), *words], capture_output=True, check=False
    )
