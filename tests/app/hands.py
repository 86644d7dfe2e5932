"""Two ways to use a page: with a mouse, and with nothing but a keyboard."""

from __future__ import annotations

from typing import Any, Protocol

_MOST_STEPS = 400


class Hand(Protocol):
    """Whoever uses the page."""

    def press(self, target: Any) -> None:
        """Use a button or a link."""

    def write(self, target: Any, text: str) -> None:
        """Fill in an input."""

    def choose(self, target: Any, label: str) -> None:
        """Choose one of a list."""

    def tick(self, target: Any) -> None:
        """Tick a box."""


class Mouse:
    """Points and clicks."""

    def __init__(self, page: Any) -> None:
        self.page = page

    def press(self, target: Any) -> None:
        target.click()

    def write(self, target: Any, text: str) -> None:
        target.fill(text)

    def choose(self, target: Any, label: str) -> None:
        target.select_option(label=label)

    def tick(self, target: Any) -> None:
        target.check()


class Keyboard:
    """Goes from one thing to the next by Tab, and never points."""

    def __init__(self, page: Any) -> None:
        self.page = page

    def reach(self, target: Any) -> None:
        """Press Tab until the thing has the focus; an error if it is never reached."""
        for _ in range(_MOST_STEPS):
            # looked up anew: a part of the page may have been replaced by the next state of a job
            if target.evaluate("one => one === document.activeElement"):
                assert self.page.evaluate("document.activeElement.matches(':focus-visible')"), "the focus is not seen"
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"{target} cannot be reached by Tab")

    def press(self, target: Any) -> None:
        self.reach(target)
        self.page.keyboard.press("Enter")

    def write(self, target: Any, text: str) -> None:
        self.reach(target)
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.type(text)

    def choose(self, target: Any, label: str) -> None:
        self.reach(target)
        options = target.locator("option").all_text_contents()
        self.page.keyboard.press("Home")
        for _ in range(options.index(label)):
            self.page.keyboard.press("ArrowDown")
        assert target.evaluate("one => one.selectedOptions[0].text") == label

    def tick(self, target: Any) -> None:
        self.reach(target)
        self.page.keyboard.press("Space")
        assert target.is_checked()
