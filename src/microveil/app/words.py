"""The words of this door: messages name arguments as Python does, and pages have forms and a project.

The process of a job needs them before it has loaded anything else: nothing of the package is loaded for them.
"""

from __future__ import annotations

import re

# what a step does with records that have missing values
GAPS = {
    "error": "refuse: say so if there are any",
    "drop": "leave out records that have some",
    "mask": "protect the others, and leave gaps",
}
_READ = "under «How the file is read»"
_POLICY = re.compile(r"missing='(drop|mask)'")
_BOTH = re.compile(r"use missing='drop' to leave those records out(, or missing='mask' to [^;.]*)?")
_NO_ANSWER = re.compile(r"say missing=\[[^\]]*\]")
_CATEGORIES = re.compile(r"say kinds=\{[^}]*: 'nominal'\}")
_HASH = (
    "inspect it again, or take the hash out of the project",
    "begin with it anew on the page Data, or take the hash (sha256) out on the page Project as text",
)
_LINE = re.compile(r" \(line \d+ of the project\)")
_EDIT = re.compile(r"\bthe edit (?=['\"])")
_SETTING = re.compile(r"(?<![\w.'\"-])([a-z_]+)='([^'\n]*)'")


def in_form_words(message: str) -> str:
    """The message with pages and fields of the project for the arguments of Python.

    >>> in_form_words("values are missing in 'x'; use missing='drop'")
    "values are missing in 'x'; use «leave out records that have some» for missing values in the step (page Methods)"
    >>> in_form_words("use core='polar'")
    'use core: polar'
    >>> in_form_words("the edit 'a > 0' forbids the bound itself")
    "the rule 'a > 0' forbids the bound itself"
    >>> in_form_words("its hash differs; inspect it again, or take the hash out of the project")
    'its hash differs; begin with it anew on the page Data, or take the hash (sha256) out on the page Project as text'
    """
    message = message.replace(*_HASH)
    message = _NO_ANSWER.sub(f"begin with the file anew on the page Data and write them {_READ}", message)
    message = _CATEGORIES.sub("name the column there too", message)
    message = _BOTH.sub(_choose, _LINE.sub("", message))  # forms have no lines
    message = _POLICY.sub(lambda found: f"«{GAPS[found[1]]}» for missing values in the step (page Methods)", message)
    message = _EDIT.sub("the rule ", message)  # as the page Rules calls it
    return _SETTING.sub(r"\1: \2", message)


def _choose(found: re.Match[str]) -> str:
    ways = [GAPS["drop"], *([GAPS["mask"]] if found[1] else [])]
    return f"open the step on the page Methods and choose for missing values: {', or '.join(ways)}"
