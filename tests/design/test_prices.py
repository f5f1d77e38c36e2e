"""Price lists: what is wrong in one is named with its line."""

from __future__ import annotations

import numpy as np
import pytest

from commands import ask, refused, shown
from hopscape.core.errors import ArgumentError, FileFormatError
from hopscape.design.prices import load_prices, price_lists, read_prices, remarks

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


LIT = """currency = "EUR"
rate = 800
[nic]
price = 10
source = "quote"
[[switch]]
radix = 32
part = "S-32"
price = 90
watts = 5
source = "quote"
[[transceiver]]
name = "module"
price = 100
watts = 17
source = "assumption"
[[optical]]
name = "fibre"
transceiver = "module"
price = 20
per_metre = 2
source = "quote"
year = 2019
"""


def test_transceivers_are_part_of_a_cable(tmp_path):
    prices = read_prices(written(tmp_path, LIT))
    (cable,) = prices.cables
    assert (cable.price, cable.watts, cable.called) == (220, 34, "fibre")
    assert cable.ends is not None
    assert cable.ends.called == "module"
    assert prices.switch(8).part == "S-32"


@pytest.mark.parametrize(
    ("old", "new", "line", "word"),
    [
        ('transceiver = "module"', 'transceiver = "other"', 19, "'other' is unknown"),
        ('name = "module"\n', "", 12, "no name"),
        ('part = "S-32"', "part = 32", 8, "must be a text"),
        ("year = 2019", '[[optical]]\nname = "fibre"\nprice = 1', 23, "there twice"),
    ],
)
def test_what_is_wrong_with_parts_is_named(tmp_path, old, new, line, word):
    with pytest.raises(FileFormatError, match=rf"line {line}: .*{word}"):
        read_prices(written(tmp_path, LIT.replace(old, new)))


def test_remarks_of_a_list(tmp_path):
    found = remarks(read_prices(written(tmp_path, LIT)), 2026)
    assert found == ["older than 3 years: fibre", "assumptions, not quotes: module"]
    bare = "\n".join(remarks(read_prices(written(tmp_path, GOOD)), 2026))
    for words in (
        "no source: 8-port switch",
        "32-port switch is cheaper",
        "no watts",
        "interfaces",
    ):
        assert words in bare
    short = GOOD.replace("[[optical]]\n", "[[optical]]\nreach = 4\n")
    assert any(
        "longer than 4 m" in one for one in remarks(read_prices(written(tmp_path, short)), 1)
    )
    path = str(written(tmp_path, LIT))
    assert "assumptions, not quotes: module" in shown("prices", path, "--check")


def test_a_list_without_a_part_that_is_needed_is_named(tmp_path):
    text = GOOD.replace("[[optical]]\nprice = 20", "[[optical]]\nreach = 3\nprice = 20")
    path = str(written(tmp_path, text.replace("reach = 3", "reach = 0.1")))
    words = ("design", "--endpoints", "50", "--radix", "64", "--families", "complete,leaf_spine")
    complaint = refused(*words, "--prices", path)
    assert "no switch of more than 32 ports and no cable longer than 0.1 m" in complaint


def test_every_entry_of_the_lists_of_today_has_a_source():
    for name in ("400g", "800g"):
        prices = load_prices(name)
        assert all(item.source and item.year == 2025 for item in prices.items())
        assert not any("never bought" in one or "no source" in one for one in remarks(prices, 2025))


def test_switches_of_the_list_are_the_largest_that_are_looked_at(tmp_path):
    """A radix beyond the list's largest switch: machines of what can be bought."""
    path = tmp_path / "small.toml"
    path.write_text(
        'name = "x"\ncurrency = "USD"\nrate = 400\n[[switch]]\nradix = 8\nprice = 100\n'
        "[[copper]]\nprice = 5\n[nic]\nprice = 1\n"
    )
    found = ask(
        "design", "--endpoints", "20", "--radix", "16", "--prices", str(path),
        "--families", "leaf_spine,complete,torus",
    )  # fmt: skip
    assert all(one["radix_used"] <= 8 for one in found["candidates"])
    assert not found["candidates"][0]["trouble"]
