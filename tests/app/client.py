"""A browser's requests without a browser: straight to the app, one after the other."""

from __future__ import annotations

import asyncio
import re
import time
from pathlib import Path
from typing import ClassVar

import httpx

from microveil.app import create_app
from microveil.app.jobs import Job, Jobs

HOST = "127.0.0.1:8765"
TOKEN = "a-token-of-the-tests"
PATIENCE = 600  # seconds, on a machine that has a lot to do


class Client:
    """Asks the app as a browser that opened the printed link; `let_in=False`: as anybody else."""

    made: ClassVar[list[Client]] = []

    def __init__(self, project: Path, *, let_in: bool = True) -> None:
        self.made.append(self)
        self.app = create_app(project, TOKEN, {HOST, HOST.replace("127.0.0.1", "localhost")})
        self.project = project
        self.cookies = {self.app.cookie: TOKEN} if let_in else {}

    def ask(self, method: str, path: str, **how: object) -> httpx.Response:
        async def send() -> httpx.Response:
            transport = httpx.ASGITransport(self.app)
            async with httpx.AsyncClient(
                transport=transport, base_url=f"http://{HOST}", cookies=self.cookies, trust_env=False
            ) as client:
                return await client.request(method, path, **how)

        return asyncio.run(send())

    def get(self, path: str, **how: object) -> httpx.Response:
        return self.ask("GET", path, **how)

    def post(self, path: str, form: dict[str, object] | None = None, **how: object) -> httpx.Response:
        """Send a form of the page as it is now."""
        headers = {"Origin": f"http://{HOST}", **how.pop("headers", {})}  # type: ignore[dict-item]
        data = {"base": self.base(), **(form or {})} if "base" not in (form or {}) else form
        return self.ask("POST", path, data=data, headers=headers, **how)

    def base(self) -> str:
        found = re.search(r'name="base" value="(\w+)"', self.get("/project").text)
        assert found is not None
        return found[1]

    @property
    def jobs(self) -> Jobs:
        return Jobs(self.project.parent / f"{self.project.stem}_work" / "jobs", self.project)

    def finished(self) -> Job:
        """The newest job, once it has ended."""
        until = time.monotonic() + PATIENCE
        while (job := self.jobs.all()[0]).running:
            assert time.monotonic() < until, job
            time.sleep(0.05)
        # the app has looked at it too: it waits for its own processes
        self.get(f"/jobs/{job.number}/part")
        return job

    def end(self) -> None:
        """No job goes on, and no process is left that this app began: others would run in its shadow."""
        for job in self.jobs.all():
            self.jobs.cancel(job.number)
            self.get(f"/jobs/{job.number}/part")


def problem_of(answer: httpx.Response) -> str:
    """What the page says went wrong."""
    found = re.search(r'role="alert">(.*?)</div>', answer.text, re.DOTALL)
    return re.sub(r"<[^>]+>", "", found[1]).strip() if found else ""
