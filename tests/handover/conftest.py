"""What the tests of hand-overs share: skipping where a program is missing, and small folders."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hopscape.handover import hand_over
from hopscape.handover.check import COMPONENTS


def needs(component: str) -> list[pytest.MarkDecorator]:
    """Marks of a test that runs a real program."""
    absent = COMPONENTS[component].missing()
    reason = f"needs {' and '.join(absent)} ({COMPONENTS[component].packages})"
    return [pytest.mark.acceptance, pytest.mark.skipif(bool(absent), reason=reason)]


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A hand-over of a network, written once."""
    written: dict[str, Path] = {}

    def folder(spec: str) -> Path:
        if spec not in written:
            written[spec] = tmp_path_factory.mktemp("handover")
            hand_over(spec, written[spec])
        return written[spec]

    return folder
