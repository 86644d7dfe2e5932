"""What is registered: methods, partitions and measures with their parameters, for people and programs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from microveil.claims import Claim
from microveil.core.cards import card, table
from microveil.core.errors import MicroveilError
from microveil.core.open_types import Json
from microveil.core.parameters import Parameter, to_json
from microveil.core.registry import Value, registered
from microveil.run.method import Method
from microveil.run.processor import depends_on_processor

_HEAD = ("name", "kind", "what it does", "parameters")


@dataclass(frozen=True)
class Entry:
    """One registered class: what it is, its parameters, claims, kinds of data and reference."""

    name: str
    kind: str
    cls: type[Value]

    @property
    def summary(self) -> str:
        """Its first sentence."""
        return self.cls.summary()

    @property
    def description(self) -> str:
        """Its whole docstring without examples."""
        lines = (self.cls.__doc__ or "").split("\n")
        text = [line.removeprefix("    ") for line in lines if not line.strip().startswith(("...",))]
        kept, example = [], False
        for line in text:
            example = line.startswith(">>>") or (example and bool(line.strip()))
            if not example:
                kept.append(line)
        return "\n".join(kept).strip()

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Its parameters with types, ranges, grids and help texts."""
        return self.cls.parameters()

    @property
    def data_kinds(self) -> tuple[str, ...]:
        """The kinds of columns it acts on; none of what acts on no columns of its own, as partitions."""
        return tuple(getattr(self.cls, "kinds", ()))

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What it promises exactly with its default parameters."""
        shown = self._shown
        return shown.claims(("its columns",)) if isinstance(shown, Method) else ()

    @property
    def _shown(self) -> Any:
        """A member with default parameters, or a working example where they alone make none."""
        try:
            return self.cls()
        except (MicroveilError, TypeError):
            return example_of(self.cls)

    @property
    def caution(self) -> str:
        """What to know before the same release is expected on another machine; empty: nothing."""
        if not depends_on_processor(self._shown):
            return ""
        return "What it gives may depend on the processor: the same key is sure to repeat a release on like ones only."

    @property
    def reference(self) -> str:
        """Where it was published."""
        return self.cls.reference

    @property
    def guidance(self) -> str:
        """When to use it and what it keeps: the docstring after its first sentence, in one paragraph."""
        rest = self.description.split("\n\n", 1)[1:]
        return " ".join(rest[0].split()) if rest else ""

    def __repr__(self) -> str:
        return self.text(lambda name, value: f"{name}={value!r}", repr)

    def text(self, setting: Callable[[str, object], str], written: Callable[[object], str]) -> str:
        """Everything about it; `setting` and `written` say how the reader sets a parameter and writes a value."""
        lines = [f"{self.name} ({self.kind}): {self.summary}"]
        lines += [f"  {self.guidance}"] if self.guidance else []
        for parameter in self.parameters:
            default = "required" if parameter.required else f"default {written(to_json(parameter.default))}"
            form = f"; for example {setting(parameter.name, parameter.sample)}" if parameter.sample is not None else ""
            lines.append(f"  {parameter.name}: {parameter.help} ({parameter.allowed}; {default}{form})")
        lines += [f"  promises: {claim}" for claim in self.claims]
        lines += [f"  {self.caution}"] if self.caution else []
        if self.reference:
            lines.append(f"  reference: {self.reference}")
        return "\n".join(lines)


def example_of(cls: type[Value]) -> Value | None:
    """A working member: defaults, its stated example, required parameters from their grid; None without either."""
    settings = example_settings(cls)
    return None if settings is None else cls(**settings)


def example_settings(cls: type[Value]) -> Json | None:
    """The parameters of a working member that differ from the defaults."""
    needed = [parameter for parameter in cls.parameters() if parameter.required and parameter.name not in cls.example]
    if any(not parameter.grid for parameter in needed):
        return None
    return {**{parameter.name: parameter.grid[0] for parameter in needed}, **cls.example}


class Entries(tuple[Entry, ...]):
    """Entries of the catalogue; printed with all their parameters, shown as a table in a notebook."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "\n\n".join(map(repr, self))

    def _repr_html_(self) -> str:
        rows = [
            (entry.name, entry.kind, entry.summary, ", ".join(parameter.name for parameter in entry.parameters))
            for entry in self
        ]
        return card("What is registered", table(_HEAD, rows))


def methods(name: str | None = None) -> Entries:
    """Everything registered, or the entries whose name or family is given."""
    entries = Entries(Entry(cls.name, cls.family, cls) for cls in registered())
    if name is None:
        return entries
    found = Entries(entry for entry in entries if name in (entry.name, entry.kind, entry.cls.__name__))
    if found:
        return found
    from microveil.core.registry import find

    cls = find(name, Value)
    return Entries((Entry(cls.name, cls.family, cls),))
