"""How the command line is ended from outside."""

from __future__ import annotations

__all__ = ["EndedError", "TerminatedError"]


class EndedError(Exception):
    """Carries an interrupt or a broken pipe past typer, which would leave with codes of its own."""


class TerminatedError(KeyboardInterrupt):
    """SIGTERM: whatever a Ctrl-C would end, in the same way, with what is known so far."""
