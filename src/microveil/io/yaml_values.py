"""Values in YAML that one program reads as another than the next, or that none can read: never read, never written.

YAML 1.1 takes 012 for 10 and 1:30 for 90, YAML 1.2 takes 012 for 12 and 0o17 for 15, and 08 and 1e3 are texts in one of
them; no and on are texts in the one, and false and true in the other. Whoever wrote k: 012 meant neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Any

import yaml

from microveil.core.errors import BadInput

_LEADING_ZERO = r"0[0-9_]+(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?"
_OTHER_BASE = r"0[xXoObB][0-9a-fA-F_]+"
_UNDERSCORES = r"[0-9]*(?:\.[0-9]+)?_[0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?"
_BASE_SIXTY = r"[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?"
_EXPONENT = r"(?:[0-9]+[eE][-+]?|(?:[0-9]+\.[0-9]*|\.[0-9]+)[eE])[0-9]+"  # without a point, or without a sign
_ODD = re.compile(rf"[-+]?(?:{_LEADING_ZERO}|{_OTHER_BASE}|(?=[0-9.]){_UNDERSCORES}|{_BASE_SIXTY}|{_EXPONENT})\Z")
_TAG = "tag:yaml.org,2002:"
_TRUTHS = {"yes": "true", "on": "true", "no": "false", "off": "false"}
_MOST_DIGITS = 20  # of a number that is written out
_LONGEST_SHOWN = 40  # signs of a value in an error
# what a value is said to be, by its looks or by a tag, and what to write where it is not
_READ_AS = {
    "timestamp": "write a day that the calendar has as 2028-06-30",
    "int": "write a number",
    "float": "write a number",
    "bool": "write true or false",
}
_READER = yaml.constructor.SafeConstructor()


class OddValue(yaml.YAMLError):
    """A value is read differently by programs, or by none: where it stands, and what to write instead."""

    def __init__(self, node: Any, place: str, instead: str) -> None:
        super().__init__()
        where = f" (line {node.start_mark.line + 1}, in {place})" if place else ""
        value = " ".join(node.value.split())
        shown = value if len(value) <= _LONGEST_SHOWN else f"{value[:_LONGEST_SHOWN]}..."
        self.told = f"{shown}{where}; {instead}, or '{shown}' in quotation marks if it is text"


def refuse_odd_values(root: Any, words: bool = True) -> None:
    """Numbers, and `words` such as no and on, that are read differently, by whatever tag; and what cannot be read.

    Each node once, in the order of the text, without recursion: an anchor may stand in many places or in itself.
    """
    waiting: list[tuple[Any, tuple[Any, ...]]] = [(root, ())]
    seen: set[int] = set()
    while waiting:
        node, place = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.ScalarNode):
            if _is_odd(node) or (words and node.tag == f"{_TAG}bool" and node.value.lower() in _TRUTHS):
                raise OddValue(node, ", ".join(_names(place)), f"write {_meant(node.value)}")
            instead = _instead_of_unreadable(node)
            if instead:
                raise OddValue(node, ", ".join(_names(place)), instead)
        else:
            waiting.extend(reversed(list(_inside(node, place))))


def _is_odd(node: Any) -> bool:
    """Whether a scalar is such a number: one without quotation marks, unless a tag says that it is text."""
    if not _ODD.match(node.value):
        return False
    if node.tag in (f"{_TAG}int", f"{_TAG}float"):
        return True
    return node.style is None and "!" not in node.start_mark.buffer[node.start_mark.pointer : node.end_mark.pointer]


def _instead_of_unreadable(node: Any) -> str:
    """What to write where a scalar is not what it looks like: 2028-13-30 is no day, and !!bool maybe no truth."""
    instead = _READ_AS.get(node.tag.removeprefix(_TAG), "")
    if not instead:
        return ""
    try:
        value = _READER.yaml_constructors[node.tag](_READER, node)
        if isinstance(value, int):
            float(value)
    except (ValueError, KeyError, AttributeError, IndexError):  # a kind each; a number of thousands of digits, no sign
        return instead
    except OverflowError:  # nothing can be calculated with it
        return "write a number with fewer digits"
    return ""


def _inside(node: Any, place: tuple[Any, ...]) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """What a list or mapping holds; a place is the one around it and a name, so that depth costs nothing."""
    if isinstance(node, yaml.SequenceNode):
        yield from ((one, (place, f"entry {number}")) for number, one in enumerate(node.value, start=1))
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield key, place
            yield value, ((place, str(key.value)) if isinstance(key, yaml.ScalarNode) else place)


def _names(place: tuple[Any, ...]) -> list[str]:
    found = []
    while place:
        place, name = place
        found.append(name)
    return found[::-1]


def _meant(given: str) -> str:
    """The number, or what a word means, as everybody reads it."""
    if given.lower() in _TRUTHS:
        return _TRUTHS[given.lower()]
    sign, plain = ("-" if given.startswith("-") else ""), given.lstrip("+-").replace("_", "")
    if ":" in plain:
        return "a plain number"
    if plain[1:2].lower() in ("x", "o", "b"):
        try:
            return f"{sign}{int(plain, 0)}"
        except ValueError:
            return "a plain number"
    if "e" in plain.lower():
        try:
            return f"{sign}{_written_out(Decimal(plain))}"
        except InvalidOperation:  # an exponent that no number has
            return "a plain number"
    whole, point, rest = plain.partition(".")
    return f"{sign}{whole.lstrip('0') or '0'}{point}{rest}"


def _written_out(number: Decimal) -> str:
    """1000 for 1e3; what would be very long has a point and a sign, by which all programs know the number."""
    if abs(number.adjusted()) <= _MOST_DIGITS:
        return f"{number:f}"
    digits, _, power = f"{number:e}".partition("e")
    return f"{digits}{'' if '.' in digits else '.0'}e{power}"


def read_value(text: str, what: str) -> object:
    """One value as somebody writes it into an option or a field, which errors call `what`."""
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        refuse_odd_values(root, words=not isinstance(root, yaml.ScalarNode))  # alone, yes answers an option
        return yaml.safe_load(text)
    except OddValue as problem:
        raise BadInput(f"{what} says {problem.told}") from None
    except RecursionError:
        raise BadInput(f"{what} has too many brackets inside one another; write it flatter") from None


class _Dumper(yaml.SafeDumper):
    """Texts that look like such a number are written in quotation marks."""


_Dumper.add_implicit_resolver("tag:microveil,2026:odd", _ODD, list("-+0123456789."))


def write_yaml(content: object, flow: bool | None = False, width: int | None = None) -> str:
    """Content as YAML that every program reads alike."""
    text: str = yaml.dump(
        content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, default_flow_style=flow, width=width
    )
    return text
