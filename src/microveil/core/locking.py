"""Locks by which a living process shows that a file is still being written."""

from __future__ import annotations


def knows_locks() -> bool:
    """Whether this system has the locks that end with their process."""
    try:
        import fcntl
    except ImportError:
        return False
    return hasattr(fcntl, "flock")


def lock(handle: int, wait: bool = False) -> bool:
    """Mark the file as being written for as long as this process lives; whether that could be done.

    `wait`: as soon as nobody else holds it.
    """
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except (ImportError, OSError):
        return False
    return True
