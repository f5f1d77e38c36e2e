"""No route table leaves unchecked: every way arrives, and is shortest where that is said."""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import IntArray, NoWay
from hopscape.core.distances import distance_rows
from hopscape.core.errors import CheckFailedError
from hopscape.core.network import Network

__all__ = ["check_ways"]

_ENTRIES = 1 << 20  # entries looked at together: some arrays of 8 MiB


def check_ways(
    network: Network,
    name: str,
    goals: IntArray,
    rows: IntArray,
    others: IntArray | None = None,
    *,
    exact: bool,
) -> None:
    """Follow the ways of a table from all endpoints.

    Where every entry leads one hop nearer to its goal, all ways are shortest; only where one does
    not, ways are followed to their end, twice as far in each pass: O(nodes · log nodes) a goal.

    Args:
        name: The router, for the message.
        goals: The nodes that the rows lead to.
        rows (int[goals, order]): Which of the channels of a node leads on; the largest number of
            the type where none does.
        others: The other ways of ties, which must come nearer as well.
        exact: Ways have to be shortest, and to be there wherever the network has one.

    Raises:
        CheckFailedError: With the first way that does not arrive, is missing or too long.
    """
    step = max(1, _ENTRIES // max(1, network.order))
    for low in range(0, len(goals), step):
        part = slice(low, low + step)
        other = None if others is None else others[part]
        _check_part(network, name, goals[part], (rows[part], other), exact)


def _check_part(
    network: Network,
    name: str,
    goals: IntArray,
    tables: tuple[IntArray, IntArray | None],
    exact: bool,
) -> None:
    order = network.order
    rows, others = tables
    given = distance_rows(network, goals, towards=True)
    hops = NoWay(given.dtype).signed(given).astype(np.int64)
    following = _following(network, rows, goals)
    ends = network.endpoints.astype(np.int64)
    lengths = hops if _nearer(hops, following) else _followed(following, goals)
    begins = following[:, ends] < order
    wrong = (begins & (lengths[:, ends] < 0)) | (lengths[:, ends] < hops[:, ends]) & begins
    if exact:
        wrong |= lengths[:, ends] != hops[:, ends]
    if wrong.any():
        row, column = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
        at, to = int(ends[column]), int(goals[row])
        found, true = int(lengths[row, at]), int(hops[row, at])
        said = f"takes {found} hops, and {true} are enough" if found >= 0 else "does not arrive"
        raise CheckFailedError(
            f"the {name} routes of {network.spec} fail their check: the way from node {at} to node"
            f" {to} {said}"
        )
    if others is not None:
        beyond = _following(network, others, goals)[:, :order]
        longer = (beyond < order) & (_at(lengths, beyond) >= lengths) & (lengths > 0)
        if longer.any():
            row, column = np.unravel_index(int(np.argmax(longer)), longer.shape)
            raise CheckFailedError(
                f"the {name} routes of {network.spec} fail their check: the other way from node"
                f" {int(column)} to node {int(goals[row])} comes no nearer"
            )


def _following(network: Network, rows: IntArray, goals: IntArray) -> IntArray:
    """int32[goals, order + 1]: the next node; the goal from itself, `order` where there is none."""
    order, channels = network.order, len(network.heads)
    out = np.full((len(goals), order + 1), order, dtype=np.int32)
    wired = rows != NoWay(rows.dtype).value
    wired &= rows < network.degrees[None, :]
    if channels:
        place = network.indptr[:-1][None, :] + np.where(wired, rows, 0).astype(np.int64)
        out[:, :order] = np.where(wired, network.heads[np.minimum(place, channels - 1)], order)
    out[np.arange(len(goals)), goals] = goals
    return out


def _at(lengths: IntArray, nodes: IntArray) -> IntArray:
    """Lengths at the nodes of each row; -1 beyond them."""
    padded = np.concatenate([lengths, np.full((len(lengths), 1), -1)], axis=1)
    return np.take_along_axis(padded, nodes[:, : lengths.shape[1]], axis=1)


def _nearer(hops: IntArray, following: IntArray) -> bool:
    """Does every entry lead one hop nearer, and is there one wherever there is a way?"""
    return bool(((_at(hops, following) + 1 == hops) | (hops <= 0)).all())


def _followed(following: IntArray, goals: IntArray) -> IntArray:
    """Lengths of all ways; -1 where one ends elsewhere or goes round."""
    order = following.shape[1] - 1
    there = goals[:, None].astype(following.dtype)
    length = (following != np.arange(order + 1)[None, :]).astype(np.int64)
    far, hops = following, 1
    while hops < order and not ((far == there) | (far == order)).all():
        length = length + np.take_along_axis(length, far, axis=1)
        far = np.take_along_axis(far, far, axis=1)
        hops *= 2
    return np.where(far == there, length, -1)[:, :order]
