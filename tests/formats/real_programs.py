"""Marks of the tests that run real programs."""

from __future__ import annotations

import pytest

from hopscape.formats.check import COMPONENTS


def needs(component: str) -> list[pytest.MarkDecorator]:
    """Marks of a test that runs a real program."""
    absent = COMPONENTS[component].missing()
    reason = f"needs {' and '.join(absent)} ({COMPONENTS[component].packages})"
    return [pytest.mark.acceptance, pytest.mark.skipif(bool(absent), reason=reason)]
