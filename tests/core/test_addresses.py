"""Numbers and addresses, both ways."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from conftest import ALL
from hopscape.core.addresses import Labels, MixedRadix, Numbers, node_dtype
from hopscape.core.errors import AddressError
from hopscape.families.classic.words import KautzWords


@pytest.mark.parametrize("spec", ALL)
def test_both_ways_for_every_family(spec):
    net = hopscape.build(spec)
    nodes = np.arange(net.order)
    tuples = net.addresses.tuples(nodes)
    assert tuples.shape == (net.order, net.addresses.width)
    assert np.array_equal(net.addresses.numbers(tuples), nodes)
    assert len(set(map(tuple, tuples.tolist()))) == net.order
    for v in range(net.order):
        assert net.address(v) == tuple(tuples[v].tolist())
        assert net.node(net.address(v)) == net.node(list(net.address(v))) == v
        assert net.node(net.addresses.text(v)) == v


@given(st.lists(st.integers(1, 10**20), max_size=4), st.data())
@settings(deadline=None)
def test_mixed_radix(sides, data):
    box = MixedRadix(sides)
    assert box.order == math.prod(sides)
    node = data.draw(st.integers(0, box.order - 1))
    address = box.tuple(node)
    assert all(0 <= x < side for x, side in zip(address, sides, strict=True))
    total = 0
    for x, side in zip(address, sides):
        total = total * side + x
    assert total == node == box.number(address) == box.parse(box.text(node))
    grid = np.asarray([[node, 0], [0, node]], dtype=node_dtype(box.order))
    assert box.numbers(box.tuples(grid)).tolist() == grid.tolist()


@pytest.mark.parametrize(("d", "n"), [(2, 1), (2, 4), (3, 3)])
def test_kautz_words_are_all_words_without_repeats(d, n):
    words = KautzWords(d, n)
    found = {words.tuple(v) for v in range(words.order)}
    letters = itertools.product(range(d + 1), repeat=n)
    assert found == {w for w in letters if all(a != b for a, b in itertools.pairwise(w))}


def test_dtype_changes_where_int64_would_overflow():
    assert node_dtype(2**62) == np.int64
    assert node_dtype(2**62 + 1).kind == "O"
    assert MixedRadix((2,) * 62).tuple(2**62 - 1) == (1,) * 62
    assert MixedRadix((2,) * 63).number((1,) * 63) == 2**63 - 1


@pytest.mark.parametrize(
    ("name", "says"),
    [
        (12, r"node 12 is out of range; torus\(4, 3\) has nodes 0..11"),
        (-1, "node -1 is out of range"),
        (10**40, "out of range"),
        ("12", "node 12 is out of range"),
        ("9" * 5000, "neither a number nor an address; expected a number from 0 to 11"),
        ((4, 0), r"address \(4, 0\) is out of range; expected an address \(0..3, 0..2\)"),
        ((0, -1), r"address \(0, -1\) is out of range"),
        ((10**40, 0), "out of range"),
        ((1,), r"address \(1\) has 1 entries; expected an address \(0..3, 0..2\)"),
        ((1, 2, 3), "has 3 entries"),
        ((1.5, 0), "must hold integers"),
        (("a", 0), "must hold integers"),
        ("(1, 2", "neither a number nor an address"),
        ("(1; 2)", "neither a number nor an address"),
        ("(1, )", "has 1 entries"),
        ("()", "has 0 entries"),
        ("", "neither"),
        (1.0, "neither a number nor an address"),
        (None, "neither a number nor an address"),
    ],
)
def test_no_such_node(name, says):
    with pytest.raises(AddressError, match=says):
        hopscape.build("torus(4, 3)").node(name)


@pytest.mark.parametrize(
    ("nodes", "says"),
    [
        ([0, 12], "node 12 is out of range"),
        (np.array([-3]), "node -3 is out of range"),
        ([2**70], "out of range"),
        (np.array([2**63], dtype=np.uint64), "out of range"),
        ([0.5], "must be integers"),
        ([None], "must be integers"),
        (np.array([True]), "must be integers"),
        ([[0, 1], [2]], "one list or array"),
        ([(0, 0), (9, 9)], r"address \(9, 9\) is out of range"),
    ],
)
def test_no_such_nodes(nodes, says):
    with pytest.raises(AddressError, match=says):
        hopscape.build("torus(4, 3)").neighbours(nodes)


@pytest.mark.parametrize(
    "addresses", [[[1]], [[0, 1, 2]], [[0.5, 1.0]], 3, [["a", "b"]], [[4, 0]], [[0, 2**64]]]
)
@pytest.mark.parametrize("book", [MixedRadix((4, 3)), KautzWords(3, 2)])
def test_arrays_of_wrong_addresses(book, addresses):
    with pytest.raises(AddressError):
        book.numbers(np.asarray(addresses))


def test_kautz_words_that_are_none():
    net = hopscape.build("kautz(2, 3)")
    with pytest.raises(
        AddressError, match=r"\(0, 0, 1\) is not a Kautz word; expected a word of 3"
    ):
        net.node((0, 0, 1))
    with pytest.raises(AddressError, match="not a Kautz word"):
        net.node((0, 1, 3))


def test_many_forms_of_many_nodes():
    net = hopscape.build("torus(4, 3)")
    want = net.neighbours(np.array([7, 2])).tolist()
    for form in ([7, 2], [(2, 1), (0, 2)], ["(2, 1)", "2"], [np.int32(7), 2], (x for x in (7, 2))):
        assert net.neighbours(form).tolist() == want
    assert net.neighbours(np.array([[7], [2]])).shape == (2, 1, 4)
    assert net.neighbours([]).shape == (0, 4)
    assert net.node(" ( 2 ,1, ) ") == net.node("+7") == net.node(np.uint8(7)) == 7


def test_huge_nodes_in_lists_are_exact():
    net = hopscape.build("hypercube(100)")
    nodes = [2**63, np.int64(5), 2**64 - 1]
    assert net.neighbours(nodes)[:, 0].tolist() == [2**63 + 1, 4, 2**64 - 2]


def test_the_empty_address():
    net = hopscape.build("hypercube(0)")
    assert net.address(0) == ()
    assert net.node(()) == net.node("()") == 0


def test_descriptions():
    assert MixedRadix((2,) * 7).describe() == "an address of 7 entries, each 0..1"
    assert Numbers(5).text(3) == "3"


def test_labels():
    names = Labels(["b", "a", "0"])
    assert [names.text(v) for v in range(3)] == ["b", "a", "0"]
    assert names.parse("a") == 1
    assert names.parse(" 0 ") == 2  # a name before a number
    assert names.parse("1") == 1
    with pytest.raises(AddressError, match=r"one of the 3 names in the file \(b, a, 0\)"):
        names.parse("c")
