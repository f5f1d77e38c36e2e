"""Exhaustive search for difference covers (numba): the plain search, compiled."""

from __future__ import annotations

from hopscape.core.kernel import kernel
from hopscape.papers.blockdesign import cover_search

search_cover = kernel(cover_search.search_cover)
