"""The errors of the package: one base, each kind also a built-in type.

Every message says what came, what is allowed and what to do.
"""

from __future__ import annotations

from typing import Self


class MicroveilError(Exception):
    """Base of all errors raised on purpose by this package."""

    # where in a plan the parameter stands that is wrong: method, parameter, and further inside the same again; or where
    # in a project, or in a part of it, the field stands
    place: tuple[str, ...] = ()

    def at(self, *place: str) -> Self:
        """The same error with the place of the field that it is about."""
        self.place = place
        return self


class BadInput(MicroveilError, ValueError):
    """Data, a parameter or a file does not fit; nothing was done."""


class UnknownName(MicroveilError, KeyError):
    """A method, measure, column or field of that name does not exist."""

    def __str__(self) -> str:
        # KeyError would show the message in quotation marks
        return str(self.args[0]) if self.args else ""


class UnknownColumn(UnknownName):
    """The data have no column of that name."""

    def __init__(self, message: str, column: object = None) -> None:
        super().__init__(message)
        self.column = column


class UnknownParameter(UnknownName, TypeError):
    """A method or measure has no parameter of that name."""


class NoValue(BadInput, AttributeError):
    """What does not apply has no value; to `hasattr` and `getattr` it is an attribute that is not there."""


class NotEnoughRecords(BadInput):
    """The method needs more records than there are."""


class MissingValues(BadInput):
    """The method needs complete values and some are missing."""


class BrokenPromise(MicroveilError, RuntimeError):
    """A claim, threshold or constraint does not hold; nothing is released."""


class OverLimit(BrokenPromise):
    """A limit that somebody stated for a release is not kept; nothing is released.

    `lines` say more, each on a line of its own: further reasons, and what would help.
    """

    def __init__(self, message: str, lines: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.message, self.lines = message, lines

    def __str__(self) -> str:
        return "\n".join((self.message, *self.lines))


class FileProblem(MicroveilError, OSError):
    """A file cannot be read or written; nothing was written."""


class NothingHidden(UserWarning):
    """The parameters given leave the data as they were."""
