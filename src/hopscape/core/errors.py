"""Every error that a user can cause, in one tree.

A message is one sentence that names the argument, its value and what is allowed. The command line
prints it and exits with 2; a traceback is always a bug of hopscape.
"""

from __future__ import annotations

__all__ = [
    "AddressError",
    "ArgumentError",
    "CheckFailedError",
    "DisconnectedError",
    "FileFormatError",
    "HopscapeError",
    "MissingPackageError",
    "OutOfTimeError",
    "ScheduleError",
    "SpecError",
    "TooLargeError",
]


class HopscapeError(Exception):
    """Root of all errors that come from what a user asked for."""


class ArgumentError(HopscapeError, ValueError):
    """An argument has a value that is not allowed."""


class CheckFailedError(HopscapeError):
    """What an algorithm made does not pass its check; the message has the first violation.

    Nobody gets the wrong result, and no file is written. The command line exits with 1.
    """


class AddressError(ArgumentError):
    """A node number or address that the network does not have."""


class SpecError(ArgumentError):
    """The text of a spec cannot be read, or a family refuses its arguments.

    Args:
        message: One sentence.
        text: The whole spec.
        position: Where in `text` the trouble is, from 0.

    Examples:
        >>> print(SpecError("unknown family 'tours'", "tours(8)", 0))
        unknown family 'tours', at column 1:
          tours(8)
          ^
    """

    def __init__(self, message: str, text: str = "", position: int | None = None) -> None:
        self.reason = message
        self.text = text
        self.position = position
        if position is not None and text:
            shown, at = _window(text, position)
            message = f"{message}, at column {position + 1}:\n  {shown}\n  {' ' * at}^"
        super().__init__(message)


def _window(text: str, position: int, width: int = 72) -> tuple[str, int]:
    """The part of a long text round `position`, and where the position is in it."""
    flat = text.replace("\n", " ").replace("\t", " ")
    if len(flat) <= width:
        return flat, position
    start = max(0, min(position - width // 2, len(flat) - width))
    return flat[start : start + width], position - start


class TooLargeError(HopscapeError, MemoryError):
    """What was asked for would not fit in memory; the message says how large it is."""


class OutOfTimeError(HopscapeError, TimeoutError):
    """What was asked for would take longer than allowed; the message says how long."""


class FileFormatError(HopscapeError, ValueError):
    """A file that is not what its name or its first bytes promise."""


class ScheduleError(ArgumentError):
    """A schedule whose columns do not fit together, or that does not belong to the network."""


class DisconnectedError(HopscapeError, ValueError):
    """There is no path between two nodes, so what was asked for does not exist."""


class MissingPackageError(HopscapeError, ImportError):
    """An optional package is needed for this; the message says how to install it."""
