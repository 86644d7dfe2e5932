"""Messages in other words: forms such as `name=value` are replaced, and texts in quotes stay as they are.

A text in quotes is what a user owns, such as the name of a column, unless it is the value in a form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

Said = Callable[[re.Match[str]], str]

# as Python writes a text: a quote inside comes after a backslash
IN_QUOTES = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
_ESCAPED = re.compile(r"\\(['\"\\])")


def unescaped(text: str) -> str:
    r"""Return the inside of a text in quotes with its quotes and backslashes as they are.

    >>> unescaped(r"it\'s")
    "it's"
    """
    return _ESCAPED.sub(r"\1", text)


def rewording(forms: Sequence[tuple[str, str | Said]]) -> Callable[[str], str]:
    r"""Return a function that replaces every form in a message, from left to right, by the first that fits there.

    What has been replaced is not looked at again.

    >>> reword = rewording([(r"by='(\w+)'", r"--by \1")])
    >>> print(reword('''there is no column "by='b'"; use by='a'!'''))
    there is no column "by='b'"; use --by a!
    """
    compiled = [(re.compile(pattern, re.DOTALL), said) for pattern, said in forms]
    quoted = rf"(?<![\w'\"]){IN_QUOTES}"
    parts = [quoted, *(f"(?P<form{number}>{pattern})" for number, (pattern, _) in enumerate(forms))]
    any_form = re.compile("|".join(parts), re.DOTALL)

    def replaced(found: re.Match[str]) -> str:
        if found.lastgroup is None:
            return found[0]
        pattern, said = compiled[int(found.lastgroup.removeprefix("form"))]
        form = pattern.match(found.string, found.start())
        assert form is not None
        return form.expand(said) if isinstance(said, str) else said(form)

    return lambda message: any_form.sub(replaced, message)
