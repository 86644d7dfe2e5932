"""A second process that removes a folder when the one that made it ends, however that ends.

A process that is killed cannot sweep. Its watcher holds the other end of a pipe, which the system closes with the
process, and is in a session of its own, so that signals of a terminal do not reach it. It ends with the machine, or
where everything is killed together, as containers are: what is left then is for the next run to sweep.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_WATCH = "import shutil, sys; sys.stdin.buffer.read(); shutil.rmtree(sys.argv[1], ignore_errors=True)"


class Watcher:
    """Removes a folder once this process has ended; `end` calls it off."""

    def __init__(self, folder: Path) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        if sys.executable:
            try:
                self._process = subprocess.Popen(
                    [sys.executable, "-I", "-S", "-c", _WATCH, str(folder.absolute())],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    cwd=folder.anchor or None,
                    start_new_session=True,
                )
            except OSError:  # no more processes, or no such program: the next run sweeps
                self._process = None

    def end(self) -> None:
        """Let the folder be."""
        if self._process is not None:
            self._process.kill()  # before the pipe is closed: it must not take that for our end
            self._process.communicate()
            self._process = None
