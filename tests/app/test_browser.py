"""The app in a real browser: the way to a package by mouse and keyboard, tabs, reload, cancel, a killed server."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.app.conftest import DATA, make_project
from tests.app.hands import Hand, Keyboard, Mouse
from tests.browser import BROWSER, NEEDS_BROWSER

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright, which drives the browser, is not installed")
axe_core = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core is not installed")

pytestmark = [NEEDS_BROWSER, pytest.mark.browser, pytest.mark.long]
PATIENCE = 180_000  # milliseconds for a job on a busy machine
PAGES = [
    "/data",
    "/roles",
    "/columns/0",
    "/rules",
    "/scenarios",
    "/figures",
    "/risk",
    "/methods",
    "/methods/step?number=0",
]
PAGES += ["/methods/step?method=micro-hybrid", "/search", "/compare", "/release", "/pair", "/history", "/project"]


# what axe-core is asked: everything once, and in the dark on a narrow screen what depends on colours and width
_NARROW = ["color-contrast", "link-in-text-block", "scrollable-region-focusable"]
LOOKS = {
    ("light", 1280): {"resultTypes": ["violations"]},
    ("dark", 390): {"resultTypes": ["violations"], "runOnly": {"type": "rule", "values": _NARROW}},
}
# the command itself, which compiles no loops beforehand: that would take longer than all of these tests
COMMAND = """
from microveil.app import warming
from microveil.cli import main
warming.begin_warming = lambda: None
main()
"""


class Server:
    """The command itself in a process of its own, and the link that it prints into a pipe."""

    def __init__(self, project: Path) -> None:
        command = [sys.executable, "-c", COMMAND, "app", str(project), "--no-browser"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.project = project
        self.said = [self.process.stdout.readline() for _ in range(3)]
        self.link = self.said[1].strip()
        self.address = self.link.split("/?")[0]

    def end(self, number: int = signal.SIGINT) -> str:
        self.process.send_signal(number)
        _, said = self.process.communicate(timeout=600)
        return said


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]
    with sync_api.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=BROWSER, args=flags)
        yield found
        found.close()


class Watched:
    """A page and everything that it asked for or complained of."""

    def __init__(self, browser: Any, server: Server, **how: object) -> None:
        self.context = browser.new_context(**how)
        self.context.set_default_timeout(PATIENCE)
        self.server, self.asked, self.problems = server, [], []
        self.page = self.tab()
        self.page.goto(server.link)
        self.page.wait_for_url(f"{server.address}/data*")

    def tab(self) -> Any:
        page = self.context.new_page()
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("pageerror", lambda problem: self.problems.append(str(problem)))
        page.on("console", lambda said: self.problems.append(said.text) if said.type == "error" else None)
        return page

    @property
    def outside(self) -> list[str]:
        return [url for url in self.asked if not url.startswith((f"{self.server.address}/", "data:"))]


@pytest.fixture
def watched(browser: Any) -> Iterator[Callable[..., Watched]]:
    made: list[Watched] = []

    def make(server: Server, **how: object) -> Watched:
        made.append(Watched(browser, server, **how))
        return made[-1]

    yield make
    for one in made:
        assert one.outside == []
        assert one.problems == []
        one.context.close()


@contextmanager
def serving() -> Iterator[Callable[[Path], Server]]:
    running: list[Server] = []

    def start(project: Path) -> Server:
        running.append(Server(project))
        return running[-1]

    yield start
    for server in running:
        if server.process.poll() is None:
            said = server.end()
            assert server.process.returncode == 130
            assert "what was saved stands in" in said
            assert "Traceback" not in said


@pytest.fixture
def serve() -> Iterator[Callable[[Path], Server]]:
    with serving() as start:
        yield start


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for the tests of single pages, whose project some of them change."""
    with serving() as start:
        yield start(make_project(tmp_path_factory.mktemp("served")))


def walk(page: Any, hand: Hand, *, whole: bool) -> None:
    """From a file to a signed package, as the pages say it; `whole`: with risk and audit, and no words meanwhile."""

    def button(name: str) -> Any:
        return page.get_by_role("button", name=name, exact=True)

    def link(name: str) -> Any:
        return page.get_by_role("link", name=name, exact=True)

    def field(name: str) -> Any:
        return page.get_by_label(name, exact=True).first

    def shown(text: str) -> None:
        page.get_by_text(text).first.wait_for()

    hand.press(button("Look at this file"))
    hand.press(link("Check the roles"))
    hand.choose(field("role of age"), "key")
    hand.write(field("label of income"), "Income in euros")
    hand.press(button("Save"))
    shown("Saved as version")
    hand.press(button("Save and go on: rules"))
    hand.press(button("Save and go on: scenarios"))
    hand.write(field("Largest tolerated risk of a record"), "0.5")
    hand.write(field("Per cent of records that may exceed it"), "100")
    hand.press(button("Save and go on: figures"))
    shown("Saved as version")
    hand.press(page.get_by_text("Add a mean, a sum or the like"))
    hand.write(page.locator("#name-0"), "mean income")
    hand.choose(page.locator("#of-0"), "income")
    hand.write(page.locator("#limit-0"), "50")
    hand.press(button("Save and go on: the risk before"))
    shown("Saved as version")
    if whole:
        hand.press(button("Measure the risk"))
        shown("The records most at risk, and why")
        hand.press(link("Next: methods"))
    else:
        hand.press(link("Methods"))
    hand.press(page.get_by_role("link", name="Change").first)
    hand.press(button("Save the step"))
    hand.press(page.get_by_role("link", name="Release", exact=True))
    hand.write(field("Title"), "A small survey")
    hand.press(button("Make the package"))  # what was written is saved with it
    if not whole:  # what is written meanwhile outlives the end of the job
        page.get_by_role("progressbar").wait_for()
        hand.write(field("Why it is released"), "a long story")
        page.get_by_role("progressbar").wait_for(state="detached")
        shown("The job has ended.")
        assert field("Why it is released").input_value() == "a long story"
        hand.press(button("Save"))
    shown("Run 0001 is complete")
    shown("Run 0001: A small survey")
    if whole:
        hand.press(button("Audit this package"))
        shown("The audit finds no fault")
    hand.press(page.get_by_text("Draw a new key"))
    hand.write(field("Who signs with it"), "Jane Doe")
    hand.write(page.locator("#passphrase"), "correct horse")
    hand.write(page.locator("#again"), "correct horse")
    hand.press(button("Draw the key"))
    hand.press(page.get_by_text("Sign it", exact=True))
    hand.write(page.locator("#passphrase-0001"), "correct horse")
    hand.press(button("Sign the package"))
    shown("The package of run 0001 was signed.")


@pytest.mark.parametrize("kind", [Mouse, pytest.param(Keyboard, marks=pytest.mark.full)])
def test_the_way_to_a_package(kind: type[Any], tmp_path: Path, serve: Any, watched: Any):
    (tmp_path / "data.csv").write_text(DATA, encoding="utf-8")
    server = serve(tmp_path / "project.yaml")
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{43}\n", server.said[1])
    visitor, asked = watched(server), []
    visitor.page.on("dialog", lambda one: (asked.append(one.type), one.dismiss()))
    assert "token" not in visitor.page.url
    walk(visitor.page, kind(visitor.page), whole=kind is Keyboard)
    certificate = (tmp_path / "runs" / "0001" / "package" / "certificate.json").read_text(encoding="utf-8")
    assert '"sig"' in certificate
    assert asked == []
    said = (tmp_path / "project.yaml").read_text(encoding="utf-8")
    assert "Income in euros" in said
    assert ("need: a long story" in said) is (kind is Mouse)
    assert server.link.split("=")[1] not in "".join(url for url in visitor.asked[1:])


def test_pages_are_for_everybody_on_any_screen(server: Server, watched: Any):
    """No violation of what axe-core knows, nothing wider than the screen, in light and dark; links by themselves."""
    page = watched(server, viewport={"width": 1280, "height": 900}).page
    page.get_by_role("button", name="Look at the file").click()
    page.get_by_role("link", name="Check the roles").wait_for()
    for path in PAGES:
        page.goto(server.address + path)
        page.evaluate("document.querySelectorAll('main details').forEach(one => { one.open = true })")
        for (scheme, width), asked in LOOKS.items():
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 900})
            found = axe_core.Axe().run(page, options=asked)
            assert found.violations_count == 0, (path, scheme, found.generate_report())
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (path, width)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"


@pytest.mark.full
def test_a_choice_brings_the_fields_of_what_was_chosen(server: Server, watched: Any):
    page = watched(server).page
    page.goto(f"{server.address}/methods/step?number=0")
    Keyboard(page).choose(page.get_by_label("partition", exact=True), "vmdav")
    page.get_by_label("gamma", exact=True).wait_for()
    assert page.evaluate("document.activeElement.name") == "microaggregation.partition"
    page.get_by_label("k", exact=True).fill("4")
    page.get_by_role("button", name="Save the step").click()
    page.get_by_text("Saved as version").wait_for()
    assert "vmdav: {k: 4}" in server.project.read_text(encoding="utf-8")
    # a text on which other settings depend brings them too, while somebody writes on in the next field
    page.goto(f"{server.address}/methods/step?method=lattice")
    page.get_by_label("sensitive", exact=True).fill("income")
    page.keyboard.press("Tab")
    page.keyboard.type("3", delay=50)
    page.get_by_label("l", exact=True).wait_for()
    assert page.get_by_label("sensitive", exact=True).input_value().strip("[]") == "income"


@pytest.mark.full
def test_two_tabs_a_reload_in_mid_job_and_cancel(server: Server, watched: Any):
    visitor = watched(server)
    page, other = visitor.page, visitor.tab()
    page.goto(f"{server.address}/search")
    page.get_by_label("How long it may take").fill("10 min")
    page.get_by_role("button", name="Search", exact=True).click()
    page.get_by_role("progressbar").wait_for()
    page.reload()
    page.get_by_role("progressbar").wait_for()
    Keyboard(page).reach(page.get_by_role("button", name="Cancel"))
    with page.expect_response(re.compile("/part$")):
        pass
    page.wait_for_timeout(100)  # the part was replaced, and the focus stays where it was
    assert page.evaluate("document.activeElement.textContent") == "Cancel"
    other.goto(f"{server.address}/search")
    other.get_by_role("button", name="Cancel").click()
    other.get_by_text("cancelled").first.wait_for()
    page.get_by_text("cancelled").first.wait_for()  # the first tab finds out by itself
    assert page.get_by_role("progressbar").count() == 0


@pytest.mark.full
def test_a_killed_server_leaves_a_whole_package_or_none(tmp_path: Path, serve: Any, watched: Any):
    project = make_project(tmp_path)
    server = serve(project)
    visitor = watched(server)
    visitor.page.goto(f"{server.address}/release")
    visitor.page.get_by_label("Release region, sex as in the file").check()
    visitor.page.get_by_role("button", name="Make the package").click()
    visitor.page.get_by_role("progressbar").wait_for()
    visitor.page.goto("about:blank")
    server.end(signal.SIGKILL)
    again = serve(project)
    page = watched(again).page
    page.goto(f"{again.address}/release")
    page.get_by_text("Run 0001 is complete").wait_for()  # the job went on, and is found again
    runs = tmp_path / "runs"
    until = time.monotonic() + 60
    while sorted(path.name for path in runs.iterdir()) != ["0001"] and time.monotonic() < until:
        time.sleep(0.05)
    assert sorted(path.name for path in runs.iterdir()) == ["0001"]
    assert (runs / "0001" / "package" / "certificate.json").is_file()
