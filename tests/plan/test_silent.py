"""Measures that say nothing are told once for each reason."""

from __future__ import annotations

from microveil.core.measured import NotApplicable
from microveil.plan.silent import silent_lines
from microveil.risk.base import NO_KEY


def test_one_line_for_each_reason_and_keys_with_what_to_do():
    said = [
        ("PIL", NotApplicable("pil", "there is one column")),
        ("SSE", NotApplicable("sse", "there is one column")),
        ("k-map", NotApplicable("k-map", f"{NO_KEY}; give it to some")),
        ("SUDA", NotApplicable("suda", f"{NO_KEY}; name them")),
        ("entropy", 0.5),
    ]
    assert silent_lines(said, "say --role age=key") == [
        "PIL, SSE: there is one column",
        f"{NO_KEY}: say --role age=key (2 measures need one)",
    ]
    assert silent_lines(said[2:3], "say so") == [f"{NO_KEY}: say so (k-map needs one)"]
