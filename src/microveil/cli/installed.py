"""Which packages are installed: what microveil needs and its extras, as its own metadata say, never by a list here."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import metadata

from microveil.cli.finding import BROKEN, Finding, found, lacking, works

_NAME = "microveil"
_REQUIREMENT = re.compile(
    r"([\w.-]+)(?:\[([^\]]*)\])?\s*(?:>=\s*([\d.]+))?[^;]*(?:;.*extra\s*==\s*['\"]([\w-]+)['\"])?"
)
_ALL = "all"  # the extra that joins those that runs can use; others are for who works on the package


@dataclass(frozen=True)
class Requirement:
    """A package, the oldest version that will do, the extra that asks for it, and extras of that package."""

    package: str
    oldest: str
    extra: str
    inner: tuple[str, ...]

    @classmethod
    def read(cls, text: str) -> Requirement:
        """What a line of the metadata says, such as `optuna>=5.0; extra == 'search'`."""
        read = _REQUIREMENT.match(text)
        package, inner, oldest, extra = read.groups() if read else (text, None, None, None)
        return cls(package, oldest or "", extra or "", tuple(name.strip() for name in (inner or "").split(",") if name))

    @property
    def version(self) -> str | None:
        """The installed version; None if there is none."""
        try:
            return metadata.version(self.package)
        except metadata.PackageNotFoundError:
            return None

    def problem(self, *, load: bool) -> str:
        """What is wrong with it; empty if nothing is. With `load` it is imported: it may be there and broken."""
        version = self.version
        if version is None:
            return f"{self.package} is not installed"
        if self.oldest and _numbers(version) < _numbers(self.oldest):
            return f"{self.package} {version} is older than {self.oldest}"
        for module in _modules(self.package) if load else ():
            try:
                importlib.import_module(module)
            except Exception as problem:  # noqa: BLE001 - whatever a broken package raises
                return f"{self.package} {version} cannot be loaded ({' '.join(str(problem).split())})"
        return ""


def check_packages() -> list[Finding]:
    """The package itself, what it needs, and each of its extras."""
    try:
        home = metadata.distribution(_NAME)
    except metadata.PackageNotFoundError:
        return [lacking("package", f"{_NAME} is not installed, only its files are here", _install(""), needed=True)]
    asked = [Requirement.read(text) for text in home.requires or ()]
    extras = sorted(home.metadata.get_all("Provides-Extra") or ())
    needed = [_needed(one) for one in asked if not one.extra]
    optional = [_extra(name, asked) for name in extras if name != _ALL]
    return [works(_NAME, f"version {home.version}"), *needed, *optional]


def _needed(one: Requirement) -> Finding:
    problem = one.problem(load=True)
    if problem:
        to_do = f"python -m pip install --force-reinstall '{one.package}{'>=' + one.oldest if one.oldest else ''}'"
        return Finding(one.package, BROKEN, problem, to_do)
    return works(one.package, f"version {one.version}")


def _extra(name: str, asked: Iterable[Requirement]) -> Finding:
    """An extra works if all of its packages do; one that runs can use is loaded, others are looked at."""
    asked = list(asked)
    packages = _packages_of(name, asked)
    joined = {one.package for one in _packages_of(_ALL, asked)}
    usable = bool(packages) and all(one.package in joined for one in packages)
    problems = [problem for one in packages if (problem := one.problem(load=usable))]
    what = f"extra {name}"
    if problems:
        purpose = "" if usable else "only who works on microveil needs it: "
        return lacking(what, ", ".join(problems), purpose + _install(name), needed=False)
    told = ", ".join(f"{one.package} {one.version}" for one in packages)
    return works(what, told) if usable else found(what, told)


def _packages_of(extra: str, asked: Iterable[Requirement]) -> list[Requirement]:
    """The packages of an extra; one that names other extras of microveil has theirs."""
    named: list[Requirement] = []
    for one in asked:
        if one.extra != extra:
            continue
        inner = [other for name in one.inner for other in _packages_of(name, asked)] if one.package == _NAME else [one]
        named += [other for other in inner if other not in named]
    return named


def _install(extra: str) -> str:
    return f"python -m pip install '{_NAME}[{extra}]'" if extra else f"python -m pip install {_NAME}"


def _modules(package: str) -> list[str]:
    """What one imports of a package, by the files that it installed."""
    tops = {file.parts[0].removesuffix(".py") for file in metadata.files(package) or () if file.suffix == ".py"}
    return sorted(name for name in tops if name.isidentifier() and not name.startswith("_"))


def _numbers(version: str) -> tuple[int, ...]:
    numbers = [int(part) for part in re.findall(r"\d+", version.split("+")[0])[:3]]
    return (*numbers, *(0,) * (3 - len(numbers)))
