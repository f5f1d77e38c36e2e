"""Numbers are written alike everywhere."""

from fractions import Fraction

import numpy as np
import pytest

import hopscape
from hopscape.core.measured import Measured
from hopscape.core.numbers import byte_count, number
from hopscape.core.tables import in_table
from hopscape.design.table import cell
from hopscape.show.explore.payload import payload


@pytest.mark.parametrize(
    ("value", "plain", "grouped"),
    [
        (0, "0", "0"),
        (-0.0, "0", "0"),
        (1e-17, "0", "0"),
        (-1e-5, "-1e-05", "-1e-05"),
        (0.00005, "0.0001", "0.0001"),
        (26.0, "26", "26"),
        (24.462, "24.462", "24.462"),
        (Fraction(51, 22), "2.3182", "2.3182"),
        (12345.678, "12345.678", "12,345.678"),
        (1234567.8, "1234568", "1,234,568"),
        (2e15, "2e+15", "2e+15"),
        (float("inf"), "inf", "inf"),
        (10**20 - 1, "9" * 20, "99,999,999,999,999,999,999"),
        (-(10**20), "-100000… (21 digits)", "-100000… (21 digits)"),
    ],
)
def test_number(value, plain, grouped):
    assert number(value) == plain
    assert number(value, grouped=True) == grouped


def test_byte_count():
    assert byte_count(10**30) == "about 10^30 bytes"
    assert byte_count(12_345) == "12.35 kB"
    assert byte_count(999) == "999 bytes"


@pytest.mark.parametrize("value", [24.462, 26.0, Fraction(51, 22), 7])
def test_a_sign_does_not_change_the_number(value):
    found = cell("mean_distance", Measured.at_most(value))
    assert found == "≤" + number(value)
    assert in_table(cell("mean_distance", Measured(value, "exact"))) == number(value)


def test_numpy_numbers_are_numbers():
    assert [in_table(x) for x in (np.int64(7), np.float32(2.5), np.float64(1 / 3))] == [
        "7",
        "2.5",
        "0.3333",
    ]


def test_mean_distance_is_the_same_wherever_it_is_shown():
    net = hopscape.build("kautz(2, 3)")
    facts = {label: value for label, value, _ in payload(net)["facts"]}
    assert facts["mean distance"] == "2.3182"
    assert "<td>2.3182</td>" in net._repr_html_()
