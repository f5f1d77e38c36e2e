"""Exhaustive search for difference covers (numba): the plain search, compiled."""

from __future__ import annotations

from hopscape.algebra.designs import cover_search
from hopscape.core.kernel import kernel

search_cover = kernel(cover_search.search_cover)
