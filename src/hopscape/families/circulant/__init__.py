"""Circulant networks: node v is wired to v ± s for every generator s, mod N."""

from hopscape.families.circulant.wiring import Circulant

__all__ = ["Circulant"]
