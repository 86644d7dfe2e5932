"""Reading a file in a process of its own: what crashes there over damaged bytes does not take this one along."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.ipc as ipc

_PROGRAM = """
import sys, warnings
warnings.simplefilter("ignore")
path = sys.argv[1]
{read}
import pyarrow.ipc
with pyarrow.ipc.new_stream(sys.stdout.buffer, table.schema) as writer:
    writer.write_table(table)
"""


def read_apart(path: Path, read: str) -> pa.Table:
    """The `table` that the code `read` makes of `path`; ValueError when its process fails in any way."""
    words = [sys.executable, "-I", "-c", _PROGRAM.format(read=read), str(path.resolve())]
    done = subprocess.run(words, capture_output=True, check=False)
    if done.returncode:
        raise ValueError(f"the reader ended with status {done.returncode}")
    return ipc.open_stream(done.stdout).read_all()
