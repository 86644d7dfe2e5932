"""The words of this door: messages name arguments as Python does, and here they are said as options.

A message is written once, where something is wrong, in the form `name=value`. The command line turns every such
form into the option that says the same; a test looks at all messages of the package for a form that it does not know.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from functools import cache

from microveil.core.rewording import IN_QUOTES, Said, rewording, unescaped

_TEXT = r"""(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)")"""
_LIST = rf"\[((?:{IN_QUOTES}|[^\]\n'\"])*)\]"
_FACT = r"\{" + _TEXT + r":\s*" + _TEXT + r"\}"


def in_command_words(message: str) -> str:
    """The message with the options of the command line for the arguments of Python.

    >>> in_command_words("missing values in 'x'; use missing='drop'")
    "missing values in 'x'; use --missing drop"
    >>> in_command_words("use core='polar'")
    'use --set core=polar'
    >>> in_command_words("give partition={'blocked': {'base': {'mdav': {'k': 10}}}} to go on")
    "give --set 'partition={blocked: {base: {mdav: {k: 10}}}}' to go on"
    """
    if "=" not in message and "mv." not in message:
        return message
    return _reworded()(message)


def _values(found: re.Match[str]) -> list[str]:
    return [unescaped(value) for value in found.groups() if value is not None]


def _option(name: str) -> Callable[[re.Match[str]], str]:
    return lambda found: f"{name} {shlex.quote(''.join(_values(found)))}"


def _fact(name: str) -> Callable[[re.Match[str]], str]:
    return lambda found: f"{name} {shlex.quote('='.join(_values(found)))}"


def _items(found: re.Match[str]) -> list[str]:
    """The items of a list: what stands in quotes may hold commas."""
    items = re.findall(rf"\s*(?:{_TEXT}|([^,]+))", found[1])
    return [item for *quoted, bare in items if (item := unescaped("".join(quoted)) or bare.strip())]


def _each(name: str) -> Callable[[re.Match[str]], str]:
    return lambda found: " ".join(f"{name} {shlex.quote(item)}" for item in _items(found))


def _together(name: str) -> Callable[[re.Match[str]], str]:
    return lambda found: f"{name} {shlex.quote(','.join(_items(found)))}"


_MARKS = {",": "comma", ".": "point"}  # a shell takes some marks for its own
_OPTIONS: tuple[tuple[str, str | Said], ...] = tuple(
    (rf"(?<![\w-]){pattern}", option)
    for pattern, option in (
        # a parameter of methods, not the policy of a step
        (r"""missing=['"](own|wildcard)['"]""", r"--set missing=\1"),
        (rf"missing={_TEXT}", _option("--missing")),
        (rf"missing={_LIST}", _each("--na")),
        (rf"kinds={_FACT}", _fact("--kind")),
        (rf"roles={_FACT}", _fact("--role")),
        (
            rf"levels=\{{{_TEXT}:(?:{IN_QUOTES}|[^}}'\"])*\}}",
            lambda found: f"levels: [...] of {''.join(_values(found))} in a project file (--project)",
        ),
        (rf"encoding={_TEXT}", _option("--encoding")),
        (
            rf"decimal={_TEXT}",
            lambda found: f"--decimal {_MARKS.get(''.join(_values(found)), ''.join(_values(found)))}",
        ),
        (rf"delimiter={_TEXT}", _option("--delimiter")),
        (rf"engine={_TEXT}", _option("--engine")),
        (rf"sheet={_TEXT}", _option("--sheet")),
        (rf"integers={_TEXT}", _option("--integers")),
        (rf"formulas={_TEXT}", _option("--formulas")),
        (rf"columns={_LIST}", _together("--columns")),
        (rf"by={_TEXT}", _option("--by")),
        (rf"by={_LIST}", _together("--by")),
        (r"given=\[\]", "--given ''"),
        (r"(columns|given|by)=\.\.\.", r"--\1 NAMES"),
        (r"(columns|given|by|missing|integers|seed)=`", r"--\1`"),
        (r"reproducible=True", "--reproducible"),
        (r"accept_lost=True", "--accept-lost"),
        (r"give it with register=\.\.\.", "there is no option for it, give it in Python: apply(data, register=people)"),
        (r"(log|original|project|register)=\.\.\.", lambda found: f"--{found[1]} {found[1].upper()}"),
        (r"earlier=\[\.\.\.\]", "--earlier RUN"),
        (r"words=\[\.\.\.\]", "--word WORD"),
        (r"trusted=\.\.\.", "--trust KEYS"),
        (r"give the release itself, or records that were not in the original with holdout=\.\.\.", "give --log LOG"),
        (r"give holdout=\.\.\.", "records that were not in the original can be given in Python only"),
        (r"mv\.write\(release, path\)", "microveil protect"),
        (r"titles=True", "--titles keep"),
        (r"mv\.(\w+)(?:\.(\w+)(?:\(([^()]*)\))?)?", lambda found: _called(found)),
        (r"name (it|them) with (?:keys|targets)=\[\.\.\.\]", r"state \1 in a project file (--project)"),
    )
)
_NESTED = rf"(?:{IN_QUOTES}|[^{{}}'\"])*"  # inside braces
for _ in range(4):  # as deep as parameters nest
    _NESTED = rf"(?:{IN_QUOTES}|[^{{}}'\"]|\{{{_NESTED}\}})*"
_PARAMETER = (
    rf"(?<![\w.'\"-])(?<!--set )([a-z_]+)=(?:{_TEXT}|(True|False|None)\b"
    rf"|(\((?:{IN_QUOTES}|[^()'\"])*\)|\{{{_NESTED}\}}))"
)


@cache
def _reworded() -> Callable[[str], str]:
    return rewording([*_OPTIONS, (_PARAMETER, _setting)])


def _setting(found: re.Match[str]) -> str:
    name, nested = found[1], found[5]
    value = "".join(_values(found)[1:]) if nested is None else nested
    if name not in _settable():
        return f"(in Python) {found[0]}"
    value = {"True": "true", "False": "false", "None": "null"}.get(value, value)
    if value.startswith("("):
        value = f"[{value[1:-1]}]"
    if value.startswith("{"):
        value = re.sub(r"'([a-z][\w-]*)'", r"\1", value)  # plain names need no quotes in YAML
    return f"--set {shlex.quote(f'{name}={value}')}"


@cache
def _settable() -> frozenset[str]:
    """The parameters that --set reaches: those of methods and of what nests in them."""
    from microveil.core.registry import registered
    from microveil.measure import Measure

    return frozenset(
        parameter.name for cls in registered() if not issubclass(cls, Measure) for parameter in cls.parameters()
    )


def _measuring() -> frozenset[str]:
    """The rooms of measures."""
    from microveil.core.registry import registered
    from microveil.measure import Measure

    return frozenset(cls.family for cls in registered(Measure))


def _called(found: re.Match[str]) -> str:
    """A class as the option that chooses it; what --method does not take stays as it is."""
    from microveil.core.registry import registered
    from microveil.run.method import Method

    family, name, settings = found.groups()
    if family in _measuring():
        return "microveil evaluate" if settings is None else f"microveil evaluate({settings})"
    named = {cls.__name__: cls.name for cls in registered(Method)}
    if name not in named:
        return found[0]
    items = [item.strip() for item in (settings or "").split(",") if item.strip()]
    return " ".join([f"--method {named[name]}", *(f"--set {shlex.quote(item)}" for item in items)])
