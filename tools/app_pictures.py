"""Takes the pictures of the app anew: `python -m tools.app_pictures`, with a chromium at hand.

Every page of a small survey, once its jobs are done, at 1280 and 420 px, light and dark, as WebP in docs/pictures/app.
"""

from __future__ import annotations

import base64
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from pyarrow.csv import write_csv
from tests.browser import BROWSER

from microveil.datasets import make_survey

FOLDER = Path("docs/pictures/app")
WIDTHS, COLOURS = (1280, 420), ("light", "dark")
_RECORDS = 250
_TALLEST = 1500  # pixels: what is below is cut off, and the picture says enough
_QUALITY = 30
_PATIENCE = 600_000  # milliseconds for a job


def main() -> int:
    """Take all pictures."""
    from playwright.sync_api import sync_playwright

    if not BROWSER:
        print("there is no chromium on this machine; install one, and say this again")
        return 1
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as home, sync_playwright() as driver:
        place = Path(home, "survey")
        place.mkdir()
        write_csv(make_survey(_RECORDS, seed=1), place / "survey.csv")
        server = subprocess.Popen(
            [sys.executable, "-m", "microveil", "app", str(place / "project.yaml"), "--no-browser"],
            stdout=subprocess.PIPE,
            text=True,
        )
        browser = driver.chromium.launch(executable_path=BROWSER, args=["--no-sandbox", "--disable-gpu"])
        try:
            assert server.stdout is not None
            link = [server.stdout.readline() for _ in range(2)][1].strip()
            context = browser.new_context()
            context.set_default_timeout(_PATIENCE)
            page = context.new_page()
            page.goto(link)
            page.wait_for_url(lambda url: "token=" not in url)
            _walk(page, re.sub(r"/\?.*", "", link))
        finally:
            browser.close()
            server.send_signal(signal.SIGINT)
            server.wait()
    whole = sum(path.stat().st_size for path in FOLDER.iterdir())
    print(f"{len(list(FOLDER.iterdir()))} pictures, {whole / 1e6:.1f} MB in {FOLDER}")
    return 0


def _walk(page: Any, address: str) -> None:
    """Use every page, and take its picture once it has something to show."""

    def press(name: str, then: str) -> None:
        page.get_by_role("button", name=name, exact=True).click()
        page.get_by_text(then).first.wait_for()

    def take(name: str, path: str) -> None:
        page.goto(f"{address}{path}")
        _take(page, name)

    _take(page, "begin")
    press("Look at this file", "Check the roles")
    for name in ("data", "roles", "rules", "scenarios"):
        take(name, f"/{name}")
    take("column", "/columns/9")
    page.goto(f"{address}/figures")
    page.get_by_text("Add a mean, a sum or the like").click()
    page.locator("#name-0").fill("mean income by region")
    page.locator("#of-0").select_option("income")
    page.locator("input[name=by-0][value=region]").check()
    page.locator("#limit-0").fill("60")
    press("Save", "Saved as version")
    take("figures", "/figures")
    page.goto(f"{address}/risk")
    press("Measure the risk", "The records most at risk, and why")
    take("risk", "/risk")
    take("methods", "/methods")
    take("step", "/methods/step?number=0")
    page.goto(f"{address}/search")
    page.locator("#budget").fill("4 trials")
    page.get_by_role("button", name="Search", exact=True).click()
    page.locator(".job .picture svg").first.wait_for()
    _take(page, "searching")
    page.get_by_text("Take a plan").first.wait_for()
    take("search", "/search")
    page.goto(f"{address}/methods/step?number=0")
    page.locator("[name='micro-hybrid.partition.mdav.k']").fill("20")
    press("Save the step", "Saved as version")
    page.goto(f"{address}/compare")
    page.locator("#indicators").fill("mean(income)")
    press("Compare", "Which plan keeps the limits")
    take("compare", "/compare")
    page.goto(f"{address}/release")
    page.locator("#title").fill("Household survey 2026")
    page.locator("#need").fill("Research on incomes, for everybody.")
    press("Make the package", "Run 0001 is complete")
    take("release", "/release")
    page.goto(f"{address}/pair")
    press("Measure", "Open the report, with charts")
    take("pair", "/pair")
    take("history", "/history")
    take("project", "/project")


def _take(page: Any, name: str) -> None:
    """One page at every width in both colours."""
    session = page.context.new_cdp_session(page)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        # on narrow screens the list of pages is folded when a page is loaded
        page.evaluate("open => document.querySelector('details.menu').open = open", width > WIDTHS[-1])
        for colours in COLOURS:
            page.emulate_media(color_scheme=colours)
            tall = min(page.evaluate("document.documentElement.scrollHeight"), _TALLEST)
            clip = {"x": 0, "y": 0, "width": width, "height": tall, "scale": 1}
            shown = {"format": "webp", "quality": _QUALITY, "captureBeyondViewport": True, "clip": clip}
            found = session.send("Page.captureScreenshot", shown)
            (FOLDER / f"{name}_{width}_{colours}.webp").write_bytes(base64.b64decode(found["data"]))
    session.detach()


if __name__ == "__main__":
    raise SystemExit(main())
