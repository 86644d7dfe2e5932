"""Machine code on disk: kept while its sources stay, renewed when one of them changes, and not needed."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import microveil
from microveil.core import compiling

PACKAGE = Path(microveil.__file__).parent
CORE, KERNELS = PACKAGE / "core", PACKAGE / "kernels"

LOW = "from microveil.core.compiling import compiled\n\n\n@compiled\ndef low(x):\n    return x + 1\n"
HIGH = """from microveil.core.compiling import compiled
from microveil.kernels.text.low import low


@compiled
def high(x):
    return 10 * low(x)
"""
ASK = """
from microveil.kernels.text.high import high
print(high(1), sum(high.stats.cache_hits.values()), sum(high.stats.cache_misses.values()))
"""


@pytest.fixture
def copy(tmp_path):
    """The ground floor of the package copied, with one kernel that imports another."""
    package = tmp_path / "lib" / "microveil"
    package.mkdir(parents=True)
    for name in ("__init__.py", "_rooms.py"):
        shutil.copy(PACKAGE / name, package)
    no_caches = shutil.ignore_patterns("__pycache__")
    shutil.copytree(CORE, package / "core", ignore=no_caches)
    shutil.copytree(KERNELS / "text", package / "kernels" / "text", ignore=no_caches)
    shutil.copy(KERNELS / "__init__.py", package / "kernels")
    (package / "kernels" / "text" / "low.py").write_text(LOW)
    (package / "kernels" / "text" / "high.py").write_text(HIGH)
    return package / "kernels" / "text"


def ask(copy: Path, **environment: str) -> str:
    """The result of the upper kernel in a new process, whether it came from disk, and whether it was compiled."""
    around = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    around |= {"PYTHONPATH": str(copy.parents[2]), "PYTHONDONTWRITEBYTECODE": "1"} | environment
    run = subprocess.run([sys.executable, "-c", ASK], env=around, capture_output=True, text=True, check=True)
    return run.stdout.strip()


@pytest.mark.long
def test_a_kernel_is_compiled_anew_when_one_that_it_imports_changes(copy, tmp_path):
    caches = str(tmp_path / "caches")
    assert ask(copy, NUMBA_CACHE_DIR=caches) == "20 0 1"
    assert ask(copy, NUMBA_CACHE_DIR=caches) == "20 1 0"
    before = (copy / "low.py").stat()
    (copy / "low.py").write_text(LOW.replace("x + 1", "x + 2"))
    os.utime(copy / "low.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert ask(copy, NUMBA_CACHE_DIR=caches) == "30 0 1"
    folders = [path.name.rsplit("-", 1)[0] for path in (tmp_path / "caches" / "microveil").glob("*/*")]
    assert sorted(folders) == ["kernels.text.high", "kernels.text.low"]


@pytest.mark.long
def test_the_folder_for_caches_is_the_users_unless_stated(copy, tmp_path):
    if sys.platform != "linux":
        pytest.skip("the folder for caches is set by XDG_CACHE_HOME on Linux")
    assert ask(copy, XDG_CACHE_HOME=str(tmp_path / "mine")) == "20 0 1"
    assert list((tmp_path / "mine" / "microveil").glob("*/kernels.text.high-*/*"))


@pytest.mark.long
def test_kernels_run_where_nothing_can_be_written(copy, tmp_path):
    (tmp_path / "occupied").write_text("a file, not a folder")
    assert ask(copy, NUMBA_CACHE_DIR=str(tmp_path / "occupied")) == "20 0 1"
    assert not list(tmp_path.rglob("*.nbi"))


FORMS = [
    "import microveil.kernels.text.low",
    "import numpy as np, microveil.kernels.text.low as low",
    "from microveil.kernels.text import low",
    "from microveil.kernels.text.low import low as lower",
    "from .low import low",
    "from . import low",
    "from ..text.low import (\n    # (the lower one)\n    low,\n)",
    "from microveil.kernels.text import (other, low)  # both (of them",
    "from microveil.kernels.text.low \\\n    import low",
    "def f():\n    import microveil.kernels.text.low",
    "if True: from microveil.kernels.text.low import low",
    "x = 1; from .low import low",
    "from microveil.kernels.packed import low",
    "from microveil.kernels import packed",
    "import microveil.kernels.packed",
    "from ..packed import *",
    'WHY = """\nfrom microveil: as is\n"""\nfrom .low import low',
]


@pytest.mark.parametrize("form", FORMS)
def test_sources_are_followed_through_every_form_of_import(form, tmp_path, monkeypatch):
    files = {
        "__init__.py": "import microveil.kernels.above",
        "kernels/__init__.py": "",
        "kernels/above.py": "",
        "kernels/text/__init__.py": "other = 1",
        "kernels/text/low.py": "import microveil.kernels.text.lowest",
        "kernels/text/lowest.py": "import os",
        "kernels/text/high.py": form,
        "kernels/packed/__init__.py": "from ..text.low import low",
    }
    for name, text in files.items():
        path = tmp_path / "microveil" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(compiling, "_PACKAGE", tmp_path / "microveil")
    found = {path.relative_to(tmp_path / "microveil").as_posix() for path in compiling._sources(path_of(tmp_path))}
    assert {"kernels/text/high.py", "kernels/text/low.py", "kernels/text/lowest.py"} <= found
    assert ("kernels/packed/__init__.py" in found) == ("packed" in form)
    assert "kernels/above.py" not in found


def path_of(folder: Path) -> Path:
    return folder / "microveil" / "kernels" / "text" / "high.py"


def test_imports_of_others_and_of_what_is_not_there_lead_nowhere(tmp_path, monkeypatch):
    monkeypatch.setattr(compiling, "_PACKAGE", tmp_path / "microveil")
    source = path_of(tmp_path)
    source.parent.mkdir(parents=True)
    source.write_text("import numpy, microveilish.low\nfrom microveil.gone import x\nfrom ......far import y\n")
    assert compiling._sources(source) == {source}


def test_statements_are_found_without_parsing_whole_modules():
    """What is read of each module of the package is what a parser of all of it finds."""
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        whole = {
            ast.dump(node)
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Import | ast.ImportFrom) and re.search(r"\bmicroveil\b|level=[1-9]", ast.dump(node))
        }
        assert {ast.dump(node) for node in compiling._imports_in(text)} >= whole, path


def test_every_kernel_is_compiled_in_the_same_way():
    """Numba is met in one place."""
    texts = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    assert [path.name for path, text in texts.items() if re.search(r"^\s*(from|import) numba", text, re.MULTILINE)] == [
        "compiling.py"
    ]
