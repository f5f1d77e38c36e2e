"""What a transfer does at its target: copy, add to what is there, or nothing."""

from __future__ import annotations

__all__ = ["ADD", "COPY", "NOTHING", "OPERATIONS"]

OPERATIONS = ("copy", "add", "none")
COPY, ADD, NOTHING = range(3)
