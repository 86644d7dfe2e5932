"""The words of this door: messages name arguments as Python does, and pages have forms and a project.

The process of a job needs them before it has loaded anything else: no method or measure is loaded for them.
"""

from __future__ import annotations

import re

from microveil.core.rewording import IN_QUOTES, rewording, unescaped

# what a step does with records that have missing values
GAPS = {
    "error": "refuse: say so if there are any",
    "drop": "leave out records that have some",
    "mask": "protect the others, and leave gaps",
}
_READ = "under «How the file is read»"


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
    return _reworded(message)


def _choose(found: re.Match[str]) -> str:
    ways = [GAPS["drop"], *([GAPS["mask"]] if found[1] else [])]
    return f"open the step on the page Methods and choose for missing values: {', or '.join(ways)}"


_reworded = rewording(
    [
        (
            "inspect it again, or take the hash out of the project",
            "begin with it anew on the page Data, or take the hash (sha256) out on the page Project as text",
        ),
        (
            rf"say missing=\[(?:{IN_QUOTES}|[^\]'\"])*\]",
            f"begin with the file anew on the page Data and write them {_READ}",
        ),
        (rf"say kinds=\{{(?:{IN_QUOTES}|[^}}'\"])*: 'nominal'\}}", "name the column there too"),
        (r"use missing='drop' to leave those records out(, or missing='mask' to [^;.]*)?", _choose),
        (r" \(line \d+ of the project\)", ""),  # forms have no lines
        (
            r"missing='(drop|mask)'",
            lambda found: f"«{GAPS[found[1]]}» for missing values in the step (page Methods)",
        ),
        (r"\bthe edit (?=['\"])", "the rule "),  # as the page Rules calls it
        (r"(?<![\w.'\"-])([a-z_]+)='((?:[^'\\\n]|\\.)*)'", lambda found: f"{found[1]}: {unescaped(found[2])}"),
    ]
)
