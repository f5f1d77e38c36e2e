"""Exhaustive search for difference covers (numba): the plain search, compiled."""

from __future__ import annotations

from numba import njit

from hopscape.families.blockdesign import cover_search

search_cover = njit(cache=True, nogil=True)(cover_search.search_cover)
