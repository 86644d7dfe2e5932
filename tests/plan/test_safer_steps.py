"""Methods changed by what they declare of their parameters."""

from __future__ import annotations

from microveil.core.registry import registered
from microveil.plan import example_of
from microveil.plan.safer_steps import safer_values
from microveil.run.method import Method


def test_every_declaration_gives_a_method_that_works():
    """Each change is another valid method of the same class, and all families of methods declare some."""
    examples = {cls: example_of(cls) for cls in registered(Method)}
    found = {
        (cls.name, one.parameter)
        for cls, example in examples.items()
        if example is not None
        for one in safer_values(example)
        if isinstance(one.value, cls) and one.value != example
    }
    assert {
        ("microaggregation", "k"),
        ("micro-hybrid", "k"),
        ("micro-hybrid", "jitter_moments"),
        ("k-anonymise", "k"),
        ("lattice", "k"),
        ("local-suppression", "k"),
        ("rank-swap", "p"),
        ("uncorrelated-noise", "p"),
        ("round", "base"),
        ("global-recode", "level"),
        ("pram", "stay"),
        ("cart", "min_leaf"),
    } <= found
