"""Work one step ahead."""

from __future__ import annotations

import threading

import pytest

from hopscape.core.processes import one_ahead


@pytest.mark.parametrize("count", [0, 1, 2, 9])
def test_the_items_of_map_in_their_order(count):
    assert list(one_ahead(str, range(count))) == list(map(str, range(count)))


def test_the_next_item_is_made_while_one_is_worked_on():
    begun = [threading.Event() for _ in range(3)]

    def make(step):
        begun[step].set()
        return step

    for item in one_ahead(make, range(2)):
        assert begun[min(item + 1, 1)].wait(10)


def test_an_exception_comes_where_its_item_would():
    items = one_ahead(lambda x: 1 // x, [1, 0, 1])
    assert next(items) == 1
    with pytest.raises(ZeroDivisionError):
        next(items)
