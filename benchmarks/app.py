"""Pages of the app on a file of 10^6 records: each ten times through the real server, once its jobs are done.

`seconds` is what the server computes for one page, `waited` how long one waits for it on the clock (median), `slowest`
the longest of ten, and `beside a job` the median while the risk of the file is measured. Jobs are by the clock.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import httpx
from pyarrow.csv import write_csv

from microveil.datasets import make_survey

_FIRST = ("data", "roles", "columns/5", "columns/15", "rules", "scenarios", "figures", "risk")
PAGES = (*_FIRST, "methods", "methods/step?number=0", "search", "compare", "release", "pair", "history", "project")
_TIMES = 10
_TICKS = os.sysconf("SC_CLK_TCK")
_PATIENCE = 3600.0  # seconds for a job


def run(quick: bool) -> list[dict[str, object]]:
    """What every page takes, and the jobs that came before."""
    records = 10_000 if quick else 1_000_000
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home)
        write_csv(make_survey(records, seed=1), folder / "survey.csv")
        with _serving(folder / "project.yaml") as browser:
            jobs = [browser.do("a look at the file", "/data", {"path": "survey.csv"})]
            jobs.append(browser.do("risk before", "/risk", {}))
            pages = [browser.take(f"/{page}") for page in PAGES]
            browser.press("/risk", {})
            for row, page in zip(pages, PAGES, strict=True):
                row["beside a job"] = browser.take(f"/{page}")["waited"]
            browser.cancel()
    return [{"records": records, **row} for row in (*pages, *jobs)]


@contextmanager
def _serving(project: Path) -> Iterator[_Browser]:
    """The app as the command starts it, and a browser that opened its link."""
    command = [sys.executable, "-m", "microveil", "app", str(project), "--no-browser"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        link = next(line.strip() for line in server.stdout if line.startswith("http"))
        with httpx.Client(base_url=link.split("/?")[0], trust_env=False, timeout=60.0) as client:
            client.get(link)
            yield _Browser(client, server.pid, project.parent / "project_work")
    finally:
        server.send_signal(signal.SIGINT)
        server.wait()


class _Browser:
    """Asks the server as a browser does, and reads from the system what that cost."""

    def __init__(self, client: httpx.Client, process: int, work: Path) -> None:
        self._client, self._process, self._work = client, process, work

    def take(self, address: str) -> dict[str, object]:
        """What a page takes: on average in processor time, and at worst on the clock."""
        before, waited, size = self._cpu(), [], 0
        for _ in range(_TIMES):
            begun = time.perf_counter()
            answer = self._client.get(address)
            waited.append(time.perf_counter() - begun)
            answer.raise_for_status()
            size = len(answer.content)
        computed = (self._cpu() - before) / _TIMES
        return {
            "page": address,
            "kB": size // 1000,
            "seconds": computed,
            "waited": median(waited),
            "slowest": max(waited),
        }

    def do(self, name: str, address: str, form: dict[str, str]) -> dict[str, object]:
        """A job to its end."""
        self.press(address, form)
        until = time.monotonic() + _PATIENCE
        while self._is_running():
            assert time.monotonic() < until, name
            time.sleep(0.5)
        said = json.loads((self._last() / "done.json").read_text(encoding="utf-8"))
        return {"page": f"job: {name}", "waited": said["seconds"]}

    def press(self, address: str, form: dict[str, str]) -> None:
        """Send the form of a page."""
        found = re.search(r'name="base" value="(\w+)"', self._client.get("/project").text)
        sent = {**form, "base": found[1] if found else "none"}
        answer = self._client.post(address, data=sent, headers={"Origin": str(self._client.base_url).rstrip("/")})
        assert answer.status_code == 303, answer.text[:2000]

    def cancel(self) -> None:
        """End the job under way, if there is one."""
        if self._is_running():
            self.press(f"/jobs/{self._last().name}/cancel", {})

    def _is_running(self) -> bool:
        return not any((self._last() / name).exists() for name in ("done.json", "ended.json"))

    def _last(self) -> Path:
        return max((self._work / "jobs").iterdir(), key=lambda path: path.name)

    def _cpu(self) -> float:
        fields = Path(f"/proc/{self._process}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS
