"""The package as a whole: light to import, complete, and silent about where it was made."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import microveil as mv

ROOT = Path(__file__).resolve().parents[1]
HEAVY = (
    "numba",
    "scipy",
    "pandas",
    "polars",
    "pyarrow",
    "sklearn",
    "jinja2",
    "rich",
    "typer",
    "openpyxl",
    "pyreadstat",
    "cryptography",
    "pyspark",
)


def test_importing_pulls_in_nothing_heavy():
    code = f"import sys, microveil; print([name for name in {HEAVY!r} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_every_public_name_is_there():
    for name in mv.__all__:
        assert getattr(mv, name) is not None
    assert set(mv.__all__) <= set(dir(mv))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = mv.nothing


def test_errors_are_one_set_under_both_names():
    names = [name for name in vars(mv.core.errors) if isinstance(getattr(mv.core.errors, name), type)]
    assert "BrokenPromise" in names
    assert all(getattr(mv.errors, name) is getattr(mv.core.errors, name) for name in names)


def test_no_global_generators_and_no_pandas_in_the_sources():
    for path in (ROOT / "src").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"np\.random\.(seed|rand|randn|normal|random|choice|shuffle|permutation)\(", text), path
        if "testing" not in path.parts:
            assert not re.search(r"^\s*(import|from) (pandas|polars)\b", text, re.MULTILINE), path
            assert "default_rng" not in text, path


def test_nothing_is_fetched_at_run_time():
    for path in (ROOT / "src").rglob("*"):
        if path.suffix in (".py", ".html", ".js"):
            text = path.read_text(encoding="utf-8")
            addresses = re.findall(r"https?://[^\s\"')]+", text)
            allowed = (
                "http://www.w3.org/",
                "https://json-schema.org/",
                "http://schemas.",
                "http://purl.oclc.org/ooxml/",
                "https://in-toto.io/",
                "http://example.com/",  # the published example of DSSE
            )  # names, never fetched
            assert all(address.startswith(allowed) for address in addresses), (path, addresses)
            # the script of the map and what it is told stand in the page; nothing names a script elsewhere
            scripts = re.findall(r"<script[^>]*>", text) if path.suffix == ".html" else []
            ours = {f'<script src="/static/{name}" defer>' for name in ("htmx-4.0.1.min.js", "app.js", "map.js")}
            assert set(scripts) <= {"<script>", '<script type="application/json">', *ours}, path
            if path.name.startswith("htmx-"):
                continue  # it asks the server that the page came from, and the policy of pages allows no other
            assert not re.search(r"fetch\(|XMLHttp|WebSocket|import\(|sendBeacon", text) or path.suffix != ".js", path


def test_the_oldest_versions_that_are_tested_are_those_that_are_allowed():
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = stated["optional-dependencies"]
    allowed = dict(
        re.fullmatch(r"([\w-]+)>=([\d.]+)(?:;.*)?", one).groups()
        for one in (
            *stated["dependencies"],
            *(name for extra in ("models", "search", "sign", "pdf", "app", "spark", "dev") for name in extras[extra]),
        )
        if ">=" in one
    )
    tools = {"ruff", "mypy", "import-linter", "atheris"}  # they look at the sources and need no old versions
    lines = (ROOT / "tools" / "oldest.txt").read_text(encoding="utf-8").splitlines()
    tested = dict(line.split("==") for line in lines if not line.startswith("#"))
    assert set(tested) - {"click"} == set(allowed) - tools  # typer of that time needs a click of that time

    def padded(version):
        return tuple(map(int, f"{version}.0.0".split(".")[:3]))

    for name in set(allowed) - tools:
        assert padded(tested[name]) == padded(allowed[name]), name


def test_every_extra_is_for_something():
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {"all", "models", "search", "sign", "pdf", "app", "spark", "docs", "dev"}
    assert set(stated["optional-dependencies"]) == extras
