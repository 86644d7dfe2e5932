"""The browser is opened by a file: everybody on a machine sees what a program is started with, and the link lets in."""

from __future__ import annotations

import contextlib
import html
import webbrowser
from collections.abc import Iterator
from pathlib import Path

from microveil.io import write_text

_PAGE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={link}">
<title>microveil</title>
<p><a href="{link}">Open the app</a></p>
</html>
"""


@contextlib.contextmanager
def opened(link: str, folder: Path) -> Iterator[None]:
    """Open a link in the browser by a file that only its owner can read, which is there as long as the app runs."""
    place = folder / "open.html"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_text(place, _PAGE.format(link=html.escape(link)), private=True)
    except OSError:  # the link that was printed is there
        yield
        return
    try:
        with contextlib.suppress(webbrowser.Error):
            webbrowser.open(place.as_uri())
        yield
    finally:
        place.unlink(missing_ok=True)
