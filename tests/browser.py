"""A real browser for tests of pages, spoken to over a pipe: nothing to install but chromium itself."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER = next((found for found in map(shutil.which, _NAMES) if found), None)
NEEDS_BROWSER = pytest.mark.skipif(BROWSER is None or os.name != "posix", reason="there is no chromium on this machine")
# a key by its name, as the protocol of the browser wants it
_CODES = {"Tab": 9, "Enter": 13, "Escape": 27, "End": 35, "Home": 36}
_CODES |= {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}


# words of the page that begin on one line and end on another; those of 25 letters or more may
_BROKEN = """
(() => {
  const found = [], walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node.parentElement.closest("svg, pre, script, style, select")) continue;
    for (const word of node.data.matchAll(/\\p{L}+/gu)) {
      if (word[0].length > 24) continue;
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
      if (lines.size > 1) found.push(word[0]);
    }
  }
  return found;
})()
"""


class Browser:
    """One page in a browser without a window; `requests` holds the addresses of everything the page asked for."""

    def __init__(self, folder: Path, width: int = 1100, height: int = 900) -> None:
        assert BROWSER is not None
        theirs_in, self._to = os.pipe()
        self._from, theirs_out = os.pipe()
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
        where = [f"--user-data-dir={folder / 'profile'}", f"--window-size={width},{height}"]
        # the browser reads its orders at 3 and answers at 4
        joined = f'exec 3<&{theirs_in} 4>&{theirs_out}; exec "$@"'
        self._process = subprocess.Popen(
            ["/bin/bash", "-c", joined, "browser", BROWSER, *flags, *where, "--remote-debugging-pipe", "about:blank"],
            pass_fds=(theirs_in, theirs_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._left, self._number, self._session = b"", 0, ""
        self.requests: list[str] = []
        self.problems: list[str] = []
        page = next(one for one in self.call("Target.getTargets")["targetInfos"] if one["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.resize(width, height)

    def call(self, method: str, **facts: object) -> Any:
        """One order and its answer; what happens meanwhile is noted."""
        self._number += 1
        message: dict[str, object] = {"id": self._number, "method": method, "params": facts}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            found = self._next()
            if found.get("id") == self._number:
                assert "error" not in found, found
                return found["result"]
            self._note(found)

    def open(self, page: Path) -> None:
        """Show a file and wait until it is there."""
        self._loaded = False
        self.call("Page.navigate", url=page.resolve().as_uri())
        while not self._loaded:
            self._note(self._next())

    def ask(self, expression: str) -> Any:
        """The value of an expression in the page."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def broken_words(self) -> list[str]:
        """The words of the page that are broken in the middle."""
        found: list[str] = self.ask(_BROKEN)
        return found

    def press(self, *keys: str) -> None:
        """Press keys by their names, one after another."""
        for key in keys:
            for what in ("rawKeyDown", "keyUp"):
                self.call("Input.dispatchKeyEvent", type=what, key=key, code=key, windowsVirtualKeyCode=_CODES[key])

    def point(self, x: float, y: float) -> None:
        """Move the pointer."""
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def resize(self, width: int, height: int) -> None:
        """Another size of the window."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def picture(self, path: Path, whole: bool = False) -> None:
        """What the window shows, or the whole page."""
        data = self.call("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
        path.write_bytes(base64.b64decode(data))

    def paper(self, path: Path) -> None:
        """The page as it is printed."""
        path.write_bytes(base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"]))

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._left:
            more = os.read(self._from, 1 << 16)
            assert more, "the browser has ended"
            self._left += more
        one, _, self._left = self._left.partition(b"\0")
        found: dict[str, Any] = json.loads(one)
        return found

    def _note(self, found: dict[str, Any]) -> None:
        method, facts = found.get("method"), found.get("params", {})
        if method == "Page.loadEventFired":
            self._loaded = True
        elif method == "Network.requestWillBeSent":
            self.requests.append(facts["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.problems.append(str(facts["exceptionDetails"]))
        elif method == "Log.entryAdded" and facts["entry"]["level"] == "error":
            self.problems.append(facts["entry"]["text"])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._to)
        os.close(self._from)
