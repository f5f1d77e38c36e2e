"""How a command is ended: by which signal, and interrupts by classes of their own.

Light to import: signals are listened to before anything else is loaded.
"""

from __future__ import annotations

import signal

__all__ = [
    "EndedError",
    "StoppedError",
    "TerminatedError",
    "ended_code",
    "ended_word",
    "note_ended",
]


class EndedError(Exception):
    """Carries an interrupt or a broken pipe past typer, which would leave with codes of its own."""


class StoppedError(KeyboardInterrupt):
    """Ctrl-C, by a class of its own.

    A plain KeyboardInterrupt that crosses the text of an ``exec`` (compilers have those) is
    remembered by Python, which ends itself by the signal at last, whatever exit code was asked for.
    """


class TerminatedError(KeyboardInterrupt):
    """SIGTERM: whatever a Ctrl-C would end, in the same way, with what is known so far."""


_ended_by = signal.SIGINT


def note_ended(number: signal.Signals) -> None:
    """Say which signal a KeyboardInterrupt stands for from now on."""
    global _ended_by
    _ended_by = number


def ended_code() -> int:
    """The exit code of a command that a signal has ended: 130 (Ctrl-C) or 143 (SIGTERM)."""
    return 128 + _ended_by


def ended_word() -> str:
    """What a signal has done to a command."""
    return "terminated" if _ended_by == signal.SIGTERM else "interrupted"
