"""Types of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["Floats", "IntArray"]

IntArray = np.ndarray[Any, np.dtype[Any]]
"""Integers (node numbers, ports, channels, distances), or truth values."""

Floats = np.ndarray[Any, np.dtype[np.float64]]
"""Real numbers: loads, shares, places on a page."""
