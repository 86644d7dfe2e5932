"""`make dist`: are the wheel and the source archive what people should get? `python -m tools.dist dist [--install]`

The wheel holds every file of the package (templates, styles and `py.typed` too) and nothing else; its metadata say what
pyproject.toml does. With `--install` it goes into a fresh environment, where `microveil doctor` and `demo` must work.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Iterable
from email.parser import HeaderParser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "microveil"
_DATA = (".csv", ".parquet", ".feather", ".sav", ".dta", ".sas7bdat", ".xpt", ".xlsx", ".key", ".pem")
_MOST_BYTES = 12 * 2**20
_SOURCES = {
    "src",
    "docs",
    "README.md",
    "CHANGELOG.md",
    "CITATION.cff",
    "LICENSE",
    "pyproject.toml",
    "PKG-INFO",
    ".gitignore",
}


def faults_of_wheel(wheel: Path, root: Path = ROOT) -> list[str]:
    """What is wrong with a wheel, in words; empty if nothing is."""
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
        inside = {name for name in names if not name.split("/")[0].endswith(".dist-info")}
        about = next((name for name in names if name.endswith(".dist-info/METADATA")), None)
        entry = next((name for name in names if name.endswith(".dist-info/entry_points.txt")), None)
        metadata = archive.read(about).decode() if about else ""
        entries = archive.read(entry).decode() if entry else ""
    expected = {
        path.relative_to(root / "src").as_posix()
        for path in (root / "src" / PACKAGE).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    found = [f"{name} is missing" for name in sorted(expected - inside)]
    found += [f"{name} does not belong there" for name in sorted(inside - expected)]
    if f"{PACKAGE}/py.typed" not in inside:
        found.append("py.typed is missing: users get no types")
    if f"{PACKAGE} = {PACKAGE}.cli:main" not in entries:
        found.append(f"there is no command {PACKAGE}")
    if not any(".dist-info/licenses/" in name for name in names):
        found.append("the licence is missing")
    return found + _faults_of_metadata(metadata, root) + _faults_of_content(names, wheel)


def faults_of_source(archive: Path) -> list[str]:
    """What is wrong with a source archive: anything but sources and documentation, or data."""
    with tarfile.open(archive) as opened:
        names = [member.name.split("/", 1)[1] for member in opened.getmembers() if "/" in member.name]
    found = [f"{name} does not belong there" for name in sorted({n.split("/")[0] for n in names} - _SOURCES)]
    found += [f"{name} is missing" for name in ("pyproject.toml", "LICENSE", "README.md") if name not in names]
    return found + _faults_of_content(names, archive)


def _faults_of_metadata(text: str, root: Path) -> list[str]:
    stated = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    said = HeaderParser().parsestr(text)
    pairs = {
        "Name": stated["name"],
        "Version": stated["version"],
        "Summary": stated["description"],
        "Requires-Python": stated["requires-python"],
        "License-Expression": stated["license"],
    }
    found = [f"{name} is {said[name]!r}, not {value!r}" for name, value in pairs.items() if said[name] != value]
    if set(said.get_all("Provides-Extra") or ()) != set(stated["optional-dependencies"]):
        found.append("the extras are not those of pyproject.toml")
    needed = [line for line in said.get_all("Requires-Dist") or () if "extra ==" not in line]
    if len(needed) != len(stated["dependencies"]):
        found.append(f"{len(needed)} packages are needed, not {len(stated['dependencies'])}")
    return found


def _faults_of_content(names: Iterable[str], archive: Path) -> list[str]:
    found = [f"{name} looks like data or a key" for name in sorted(names) if name.endswith(_DATA)]
    found += [f"{name} is of a test" for name in sorted(names) if name.split("/")[0] == "tests"]
    if archive.stat().st_size > _MOST_BYTES:
        found.append(f"{archive.name} has {archive.stat().st_size:,} bytes, more than {_MOST_BYTES:,}")
    return found


def install_and_try(wheel: Path) -> None:
    """A fresh environment, the wheel in it, and the first commands of a new user; any of them may fail this."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        _call(sys.executable, "-m", "venv", place / "venv")
        programs = place / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
        _call(programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel.resolve())
        for words in (["--version"], ["doctor"], ["demo", "-d", place / "demo", "--records", "200"]):
            _call(programs / PACKAGE, *words, cwd=place)
        if not (place / "demo" / "report.html").is_file():
            sys.exit("the demo left no report")


def _call(*words: object, cwd: Path | None = None) -> None:
    around = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}  # what is installed, not here
    subprocess.run([str(word) for word in words], cwd=cwd, env=around, check=True)


def main() -> None:
    """Check the one wheel and the one source archive of a folder."""
    folder = Path(sys.argv[1])
    (wheel,), (source,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    found = [f"{wheel.name}: {fault}" for fault in faults_of_wheel(wheel)]
    found += [f"{source.name}: {fault}" for fault in faults_of_source(source)]
    if found:
        sys.exit("\n".join(found))
    if "--install" in sys.argv[2:]:
        install_and_try(wheel)
    print(f"{wheel} and {source} are as they should be")


if __name__ == "__main__":
    main()
