"""Pages of the site that are not files of docs/: those of the root, and the reference made of what the rooms offer."""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[2]
ASSETS = Path(__file__).resolve().parent / "assets"
# pages of the root, and what they are called among those of docs/
ROOT_PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "CHANGELOG.md": "CHANGELOG.md",
    "SECURITY.md": "SECURITY.md",
    "benchmarks/results.md": "benchmarks.md",
}
ALONE = ("index.md", "catalogue.md")  # the only pages of their tabs: no list of pages beside them
# what everybody meets first, by the room that it lives in
FIRST = (
    "microveil.data.Microdata",
    "microveil.io.read",
    "microveil.io.write",
    "microveil.plan.Plan",
    "microveil.plan.Step",
    "microveil.run.Release",
    "microveil.measure.Pair",
    "microveil.core.measured.Measured",
    "microveil.core.measured.NotApplicable",
    "microveil.claims.anonymity.Anonymity",
    "microveil.plan.assess",
    "microveil.plan.evaluate",
    "microveil.plan.inspect",
    "microveil.plan.methods",
)
# the reader of docstrings knows no list that is made of another one; `_offered` asks the rooms themselves
logging.getLogger("mkdocs.plugins.griffe").addFilter(
    lambda said: "Unsupported item in microveil.__all__" not in said.getMessage()
)
_RANGES = "The [catalogue](../catalogue.md) has the ranges, promises and references of all members."
_FENCE = re.compile(r"^```(\w+) (?:(title|file|append)=(\S+)|(check))$", re.MULTILINE)
_LINK = re.compile(r"\]\(([^)\s#]+)(#[^)\s]*)?\)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Enter the pages of the reference in the navigation."""
    sys.path.insert(0, str(ROOT / "src"))
    pages: list[Any] = [{"First things": "api/first.md"}]
    pages += [{f"mv.{room}": f"api/{room}.md"} for room in _rooms()]
    for entry in config.nav or ():
        if "Reference" in entry:
            entry["Reference"] = pages
        if "Project" in entry:
            entry["Project"].append({"Measured times": "benchmarks.md"})
    return config


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the pages of the root, the reference and what the pages load."""
    for source, name in ROOT_PAGES.items():
        files.append(File.generated(config, name, content=(ROOT / source).read_text(encoding="utf-8")))
    files.append(
        File.generated(config, "api/first.md", content=_page("First things", (f"::: {name}" for name in FIRST)))
    )
    for room in _rooms():
        files.append(File.generated(config, f"api/{room}.md", content=_page(f"mv.{room}", (_RANGES, *_offered(room)))))
    for source in (ROOT / "CITATION.cff", *sorted((ROOT / "notebooks").glob("*.ipynb"))):  # files to take along
        name = source.relative_to(ROOT).as_posix()
        files.append(File.generated(config, name, abs_src_path=str(source)))
    for asset in sorted(ASSETS.iterdir()):
        files.append(File.generated(config, f"assets/{asset.name}", abs_src_path=str(asset)))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Links as they are in the site, and blocks that name their file with that name above them."""
    if page.file.src_uri in ALONE:
        page.meta["hide"] = ["navigation"]
    markdown = _FENCE.sub(_titled, markdown)
    source = next((root for root, name in ROOT_PAGES.items() if name == page.file.src_uri), None)
    folder = "docs" if source is None else Path(source).parent.as_posix()
    return _LINK.sub(lambda found: f"]({_in_site(found[1], folder)}{found[2] or ''})", markdown)


def _titled(found: re.Match[str]) -> str:
    language, word, path, _ = found.groups()
    title = "what must work then" if word is None else f"{path}, at the end" if word == "append" else path
    return f'```{language} title="{title}"'


def _in_site(target: str, folder: str) -> str:
    """Where a link of a page in this folder of the repository leads in the site, which holds docs/ and a few others."""
    if ":" in target:
        return target
    path = _from_root(target, folder)
    if path in ROOT_PAGES:
        return ROOT_PAGES[path]
    return path.removeprefix("docs/") if path.startswith("docs/") else target


def _from_root(target: str, folder: str) -> str:
    parts: list[str] = [] if folder == "." else folder.split("/")
    for part in target.split("/"):
        parts = parts[:-1] if part == ".." else [*parts, part]
    return "/".join(parts)


def _rooms() -> tuple[str, ...]:
    from microveil._rooms import ROOMS

    return (*ROOMS, "claims", "datasets")


def _offered(room: str) -> Iterator[str]:
    """The public classes and functions of a room; of a member its parameters: the rest is for those who write one."""
    import importlib

    from microveil.core.registry import Value

    module = importlib.import_module(f"microveil.{room}")
    for name in dir(module):
        found = getattr(module, name)
        if isinstance(found, type) and issubclass(found, Value) and found.name:
            shown = [parameter.name for parameter in found.parameters()]
            yield f"::: microveil.{room}.{name}\n    options:\n      members: {json.dumps(shown)}"
        elif callable(found):
            yield f"::: microveil.{room}.{name}"


def _page(title: str, parts: Iterable[str]) -> str:
    return "\n\n".join([f"# {title}", *parts]) + "\n"
