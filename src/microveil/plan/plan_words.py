"""What plans and methods are called for people: the same in comparisons, advice, searches, runs and on every map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from microveil.core.registry import Value
from microveil.plan.plan import Plan
from microveil.run.contract import Step

_FEW = 3  # entries of a list that are told one by one


def words_of(plan: Plan) -> str:
    """A plan in one line for people, with the settings that are not those a method has anyway; long lists are counted.

    >>> import microveil as mv
    >>> words_of(mv.Plan([mv.mask.RankSwap(p=7), (mv.mask.Round(base=10), ["income"])]))
    'rank-swap (p: 7) then round (base: 10) on income'
    """
    return " then ".join(map(step_in_words, plan.steps))


def step_in_words(step: Step) -> str:
    """A step by its method and its columns, where it names them."""
    return f"{in_words(step.method)}{'' if step.columns is None else f' on {few(step.columns)}'}"


def in_words(value: Value) -> str:
    """A method by its name in plan files, with the settings that are not those it has anyway.

    >>> import microveil as mv
    >>> in_words(mv.mask.RankSwap(p=7)), in_words(mv.mask.LocalSuppression())
    ('rank-swap (p: 7)', 'local-suppression')
    """
    spec = value.to_spec()
    stated = [] if isinstance(spec, str) else [f"{name}: {_setting(getattr(value, name))}" for name in spec[value.name]]
    return f"{value.name} ({', '.join(stated)})" if stated else value.name


def few(names: Sequence[str], what: str = "columns") -> str:
    """Names one by one; of more than three how many there are.

    >>> few(["a", "b"]), few(["a", "b", "c", "d"])
    ('a, b', '4 columns')
    """
    return ", ".join(map(str, names)) if len(names) <= _FEW else f"{len(names)} {what}"


def _setting(value: Any) -> str:
    """The value of a setting in the words of a plan file."""
    if isinstance(value, Value):
        return in_words(value)
    if isinstance(value, Mapping):
        if len(value) > _FEW:
            return f"{len(value)} entries"
        return f"{{{', '.join(f'{name}: {_setting(one)}' for name, one in value.items())}}}"
    if isinstance(value, list | tuple):
        return few(value, "names") if all(isinstance(one, str) for one in value) else _listed(value)
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    return f"{value:g}" if isinstance(value, float) else str(value)


def _listed(values: Sequence[Any]) -> str:
    if len(values) > _FEW:
        return f"{len(values)} entries"
    return " | ".join(map(_setting, values))
