"""The claims of the torus paper, section by section, and what lies beyond it."""

from __future__ import annotations

from hopscape.ledger.papers.torusbcast import beyond, definition, numbers, plane, space

__all__ = ["CLAIMS"]

CLAIMS = (*definition.CLAIMS, *numbers.CLAIMS, *plane.CLAIMS, *space.CLAIMS, *beyond.CLAIMS)
