"""Texts of others stay in one line, with every sign shown."""

from __future__ import annotations

import pytest

from microveil.core.printable import has_halves, is_plain, one_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("données 2026.csv", "données 2026.csv"),
        ("a\u00a0b", "a\u00a0b"),
        ("中文.csv", "中文.csv"),
        ("a\nholds: b", "a\\nholds: b"),
        ("a\rb\tc\x1b[31m", "a\\rb\\tc\\x1b[31m"),
        ("\u202evsc.atad", "\\u202evsc.atad"),
        ("a\u2028b\u2029c\x85d", "a\\u2028b\\u2029c\\x85d"),
        ("da\u200dta.csv", "da\\u200dta.csv"),
        ("a\ud800b", "a\\ud800b"),
        ("tag\U000e0041", "tag\\U000e0041"),
    ],
)
def test_signs_that_are_not_shown_are_written_by_their_numbers(text: str, shown: str):
    assert one_line(text) == shown
    assert is_plain(text) is (text == shown)
    assert "\n" not in one_line(text)


def test_halves_of_characters_are_known():
    assert has_halves("a\udfff")
    assert not has_halves("a\U0001f600\n")
