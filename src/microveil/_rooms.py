"""The rooms that define methods or measures; a new one is a line here.

Nothing else is in this file, since it is read before a command answers Ctrl-C in its own words.
"""

ROOMS = (
    "hierarchy",
    "partition",
    "mask",
    "synth",
    "hybrid",
    "loss",
    "risk",
    "attack",
    "score",
)
