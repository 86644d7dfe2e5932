"""Small text files (plans, logs, reports): read with clear errors, written whole or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from microveil.core.errors import BadInput, FileProblem
from microveil.io.atomic import open_temporary, replacing
from microveil.io.first_bytes import check_there
from microveil.io.limits import DEEPEST, LONGEST_TEXT
from microveil.io.yaml_values import OddValue, refuse_odd_values


def read_text(path: str | Path) -> str:
    """The text of a UTF-8 file."""
    file = Path(path)
    check_there(file)
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as problem:
        line = problem.object.count(b"\n", 0, problem.start) + 1
        raise FileProblem(f"{str(file)!r} is not UTF-8 text (line {line}); save it as UTF-8") from None
    except OSError as problem:
        raise FileProblem(f"{str(file)!r} cannot be read: {problem.strerror}") from None


def write_text(path: str | Path, text: str, private: bool = False) -> None:
    """Write a UTF-8 file; `private` ones only their owner can read."""
    write_bytes(path, text.encode("utf-8"), private)


def write_bytes(path: str | Path, content: bytes, private: bool = False) -> None:
    """Write a file as it is; `private` ones only their owner can read."""
    file = Path(path)
    with replacing(file) as temporary:
        if private:
            temporary.chmod(0o600)
        with open_temporary(temporary, file) as handle:
            handle.write(content)


class _NamedTwice(yaml.YAMLError):
    def __init__(self, name: object, line: int) -> None:
        super().__init__()
        self.name, self.line = name, line


class _Loader(yaml.SafeLoader):
    """Of two entries of one name the second would count, and nobody would know of the first: that is refused.

    Entries that are merged from elsewhere ("<<") give way to those that stand there; each name is kept once, so that
    merging into one another cannot multiply them. Values that programs read differently, or not at all, are refused.
    """

    def get_single_node(self) -> Any:
        root = super().get_single_node()
        refuse_odd_values(root)
        return root

    def flatten_mapping(self, node: Any) -> None:
        seen: set[object] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if _called(key) in seen:
                    raise _NamedTwice(key.value, key.start_mark.line + 1)
                seen.add(_called(key))
        super().flatten_mapping(node)
        node.value = list({_called(key): (key, value) for key, value in node.value}.values())


def _called(key: Any) -> object:
    return (key.tag, key.value) if isinstance(key, yaml.ScalarNode) else id(key)


def read_yaml(text: str, what: str) -> object:
    """The content of a YAML text; `what` names it in errors ("the plan")."""
    if len(text) > LONGEST_TEXT:
        raise BadInput(
            f"{what} has {len(text):,} characters, and {LONGEST_TEXT:,} is the most that is read; shorten it"
        )
    try:
        content = yaml.load(text, Loader=_Loader)
    except _NamedTwice as problem:
        raise BadInput(
            f"{what} says {problem.name!r} twice, the second time at line {problem.line}; say it once"
        ) from None
    except OddValue as problem:
        raise BadInput(f"{what} says {problem.told}") from None
    except yaml.reader.ReaderError as problem:
        line = text.count("\n", 0, problem.position) + 1
        raise BadInput(f"{what} is not valid YAML at line {line}: it holds a character that no text has") from None
    except yaml.YAMLError as problem:
        mark = getattr(problem, "problem_mark", None)
        where = f" at line {mark.line + 1}" if mark else ""
        raise BadInput(f"{what} is not valid YAML{where}; check indentation (blanks, no tabs) and colons") from None
    except RecursionError:
        raise _too_deep(what) from None
    _refuse_depth(content, what)
    return content


def line_in_yaml(text: str, path: Sequence[object]) -> int:
    """The line on which the entry at this path of names and numbers stands; 0 if there is no such entry."""
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    line = 0
    for part in path:
        if isinstance(node, yaml.SequenceNode) and str(part).isdecimal() and int(str(part)) < len(node.value):
            node = node.value[int(str(part))]
            line = node.start_mark.line + 1
            continue
        pairs = node.value if isinstance(node, yaml.MappingNode) else []
        found = next(((key, value) for key, value in pairs if key.value == str(part)), None)
        if found is None:
            return line
        line, node = found[0].start_mark.line + 1, found[1]
    return line


def _refuse_depth(content: Any, what: str) -> None:
    """Level by level, each list or mapping once: an anchor may stand in many places, even inside itself."""
    level, seen = [content], set()
    for _ in range(DEEPEST):
        inner = [
            part
            for one in level
            if isinstance(one, dict | list)
            for part in (one.values() if isinstance(one, dict) else one)
        ]
        level = [one for one in {id(one): one for one in inner}.values() if id(one) not in seen]
        seen |= {id(one) for one in level}
        if not level:
            return
    raise _too_deep(what)


def _too_deep(what: str) -> BadInput:
    return BadInput(f"{what} is nested more than {DEEPEST} levels deep; write it flatter")
