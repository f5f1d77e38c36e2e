"""Values with bounds: signs, exactness and functions of them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopscape.core.errors import CheckFailedError
from hopscape.core.measured import Measured

numbers = st.integers(-50, 50)


@pytest.mark.parametrize(
    ("measured", "sign", "exact"),
    [
        (Measured(3, "exact"), "", True),
        (Measured(Fraction(1, 3), "closed form"), "", True),
        (Measured(True, "symmetry"), "", True),
        (Measured(None, "exact", "a tree"), "", True),
        (Measured(None, "unknown"), "", False),
        (Measured(3, "sampled"), "~", False),
        (Measured(3, "sampled", low=1, high=5), "~", False),
        (Measured.at_least(3, how="sampled"), "≥", False),
        (Measured.at_most(3), "≤", False),
        (Measured(3, "bound", low=2, high=3), "≤", False),
        (Measured(2, "bound", low=2, high=3), "≥", False),
        (Measured(3, "bound", low=3, high=3), "", True),
    ],
)
def test_signs_follow_from_numbers(measured: Measured[object], sign: str, exact: bool) -> None:
    assert (measured.sign, measured.exact) == (sign, exact)


@given(numbers, numbers, numbers, st.booleans())
def test_functions_keep_the_value_between_its_bounds(a: int, b: int, c: int, falling: bool) -> None:
    low, value, high = sorted((a, b, c))
    scale = -3 if falling else 3
    found = Measured(value, "bound", low=low, high=high).mapped(
        lambda x: scale * x, falling=falling
    )
    assert found.low <= found.value <= found.high
    assert found.exact == (low == high)


def test_records_name_the_bounds_of_what_is_not_exact() -> None:
    assert Measured(3, "exact").to_dict() == {"value": 3, "how": "exact"}
    found = Measured.at_most(3, "by a search").to_dict()
    assert found == {"value": 3, "how": "bound", "low": None, "high": 3, "note": "by a search"}


def test_whole_numbers_beyond_any_float() -> None:
    """Networks of 10**959 nodes have links, too."""
    huge = 3 * 10**959
    assert Measured(huge, "closed form").exact
    assert Measured(huge, "bound", low=1.5, high=huge).value == huge
    with pytest.raises(CheckFailedError, match="fails its check"):
        Measured(huge, "bound", low=huge, high=huge - 1)
