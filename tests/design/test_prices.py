"""Price lists: what is wrong in one is named with its line."""

from __future__ import annotations

import numpy as np
import pytest

from commands import ask, shown
from hopscape.core.errors import ArgumentError, FileFormatError
from hopscape.design.prices import load_prices, price_lists, read_prices

GOOD = """currency = "EUR"
rate = 100
[[switch]]
radix = 8
price = 100
[[switch]]
radix = 32
price = 90
[[copper]]
reach = 3
price = 5
[[optical]]
price = 20
per_metre = 2
watts = 4
"""


def written(tmp_path, text: str):
    path = tmp_path / "my.toml"
    path.write_text(text)
    return path


def test_cheapest_that_is_large_or_long_enough(tmp_path):
    prices = read_prices(written(tmp_path, GOOD))
    assert prices.switch(8).size == 32  # cheaper than the small one
    chosen, paid = prices.pick_cables(np.array([1.0, 3.0, 3.5]))
    assert [prices.cables[i].kind for i in chosen] == ["copper", "copper", "optical"]
    assert paid.tolist() == [5, 5, 27]
    with pytest.raises(ArgumentError, match="no switch of 33 ports; its largest has 32"):
        prices.switch(33)


@pytest.mark.parametrize(
    ("old", "new", "line", "word"),
    [
        ("radix = 8\n", "", 3, "no radix"),
        ("price = 100", "price = -1", 5, "-1"),
        ("price = 100", "price = nan", 5, "nan"),
        ("price = 90", "price = 'x'", 8, "'x'"),
        ("price = 90", "price = true", 8, "True"),
        ("radix = 32", "radix = 8", 7, "twice"),
        ("radix = 32", "radix = 1.5", 7, "whole"),
        ("reach = 3", "reach = 0", 10, "above 0"),
        ("watts = 4", "wats = 4", 15, "wats"),
        ("watts = 4", "year = 'soon'", 15, "soon"),
        ("rate = 100", "", 1, "rate is missing"),
        ("rate = 100", "rate = 0", 2, "above 0"),
        ("rate = 100", "rate = 100\nfoo = 1", 3, "foo"),
        ('currency = "EUR"', "", 1, "currency"),
        ("[[copper]]", "[[copper]", 9, ""),
        ("[[optical]]\nprice = 20\n", "[[optical]]\n", 12, "no price"),
    ],
)
def test_the_line_is_named(tmp_path, old, new, line, word):
    assert old in GOOD
    with pytest.raises(FileFormatError) as caught:
        read_prices(written(tmp_path, GOOD.replace(old, new, 1)))
    assert f"line {line}" in str(caught.value)
    assert word in str(caught.value)


def test_lists_that_lack_everything(tmp_path):
    with pytest.raises(FileFormatError, match=r"no .*switch"):
        read_prices(written(tmp_path, 'currency = "EUR"\nrate = 1\n'))
    with pytest.raises(FileFormatError, match="cannot be read"):
        read_prices(tmp_path / "none.toml")
    with pytest.raises(ArgumentError, match="unknown"):
        load_prices("cheap")


@pytest.mark.parametrize("name", price_lists())
def test_every_number_that_comes_with_hopscape_has_a_source(name):
    for item in load_prices(name).items():
        assert item.price == 0 or (item.source and item.year)


def test_the_anchor():
    prices = load_prices("hammingmesh")
    found = {item.kind: item.price for item in prices.items()}
    assert (found["switch"], found["copper"], found["optical"]) == (14280, 272, 603)
    assert prices.rate == 400


def test_the_command(tmp_path):
    found = ask("prices", str(written(tmp_path, GOOD)))
    assert found["currency"] == "EUR"
    assert [item["item"] for item in found["items"]][:2] == ["switch", "switch"]
    assert "HammingMesh" in shown("prices")
