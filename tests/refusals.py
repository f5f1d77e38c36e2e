"""What cannot be built is refused, with words that say why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import hopscape

__all__ = ["refusals"]


def refusals(
    error: type[Exception],
    *cases: tuple[Any, str],
    make: Callable[[Any], object] = hopscape.build,
) -> Callable[[Any, str], None]:
    """A test of every case: a spec that is refused, and a pattern that the error matches."""

    @pytest.mark.parametrize(("spec", "words"), cases)
    def test(spec: Any, words: str) -> None:
        with pytest.raises(error, match=words):
            make(spec)

    return test
