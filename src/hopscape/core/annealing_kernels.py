"""The annealing loop inside kernels (numba): the functions of :mod:`hopscape.core.annealing`."""

from __future__ import annotations

from hopscape.core.annealing import allowance as _allowance
from hopscape.core.annealing import geometric as _geometric
from hopscape.core.annealing import linear as _linear
from hopscape.core.kernel import copied, loop

__all__ = ["allowance", "geometric", "linear"]

allowance = copied(_allowance)
geometric = loop(_geometric)
linear = loop(_linear)
