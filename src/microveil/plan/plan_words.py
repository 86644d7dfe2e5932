"""What a plan is called for people: the same in advice, in a search and on every map of theirs."""

from __future__ import annotations

from collections.abc import Sequence

from microveil.plan.plan import Plan

_FEW = 3  # entries of a list that are told one by one


def words_of(plan: Plan) -> str:
    """A plan in one line for people, as a plan file says it; long lists are counted.

    >>> import microveil as mv
    >>> words_of(mv.Plan([mv.mask.RankSwap(p=7), (mv.mask.Round(base=10), ["income"])]))
    'rank-swap {p: 7} then round {base: 10} on income'
    """
    return " then ".join(
        f"{_said(step.method.to_spec())}{'' if step.columns is None else f' on {_few(step.columns)}'}"
        for step in plan.steps
    )


def _said(spec: object) -> str:
    """A method or the value of a parameter in the words of a file."""
    if isinstance(spec, dict):
        named = list(spec.items())
        if len(named) == 1 and isinstance(named[0][1], dict):  # a method with its settings
            return f"{named[0][0]} {_said_settings(named[0][1])}".rstrip()
        return _said_settings(spec)
    if isinstance(spec, list | tuple):
        return f"[{', '.join(map(_said, spec))}]" if len(spec) <= _FEW else f"[{len(spec)} entries]"
    return f"{spec:g}" if isinstance(spec, float) else str(spec)


def _said_settings(settings: dict[str, object]) -> str:
    return f"{{{', '.join(f'{name}: {_said(value)}' for name, value in settings.items())}}}"


def _few(names: Sequence[str]) -> str:
    return ", ".join(map(str, names)) if len(names) <= _FEW else f"{names[0]} and {len(names) - 1} others"
