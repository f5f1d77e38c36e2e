"""The named collective algorithms of stacks: RPC(k), RP(k) and their relatives.

Lower bounds that the structure of a stack gives: kinds of links, and cuts between cycles.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from hopscape.collectives.symmetric_plans import symmetric_all_to_all
from hopscape.collectives.trees import central_all_reduce
from hopscape.core.arrays import IntArray
from hopscape.core.family import Collective
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.papers.rpc.gathers import (
    packed_all_gather,
    paper_all_gather,
    slice_first_broadcast,
    slices_first_all_gather,
    tree_broadcast,
    turn_round,
)
from hopscape.papers.rpc.permutations import (
    balanced_permutation,
    cycle_permutation,
    general_permutation,
    packed_permutation,
    simple_permutation,
    slice_permutation,
    two_way_permutation,
)
from hopscape.papers.rpc.wiring import Cycles, Stack, digits_of

__all__ = ["stack_collectives", "structure_bounds"]

_ANY = (
    Collective(
        "tree",
        "broadcast",
        "the root's rings, then all slices: as many rounds as the diameter",
        tree_broadcast,
        one_piece=True,
    ),
    Collective(
        "slice-first",
        "broadcast",
        "the root's slice, then all rings both ways: as many rounds as the diameter",
        slice_first_broadcast,
        one_piece=True,
    ),
    Collective(
        "slice-first",
        "reduce",
        "the slice-first broadcast backwards",
        turn_round,
        one_piece=True,
    ),
    Collective(
        "two-way",
        "permutation",
        "both ways round the rings, then canonical paths, farthest first",
        two_way_permutation,
    ),
    Collective(
        "balanced",
        "permutation",
        "both ways, then paths chosen for even load: never worse than 'two-way'",
        balanced_permutation,
    ),
    Collective(
        "packed",
        "permutation",
        "both ways, then along the packed all-gather of a slice",
        packed_permutation,
    ),
    Collective(
        "central", "all-reduce", "both ways over a tree of least diameter", central_all_reduce
    ),
    Collective(
        "packed",
        "all-gather",
        "packed messages: the diameter in full duplex, few rounds in half duplex",
        packed_all_gather,
        one_piece=True,
    ),
)
_RINGS = (
    Collective(
        "general",
        "permutation",
        "clockwise, then canonical paths, farthest first: k + 9 full duplex on RPC(k)",
        general_permutation,
    ),
    Collective(
        "slice-first",
        "all-gather",
        "every slice floods, then clockwise round the rings",
        slices_first_all_gather,
        one_piece=True,
    ),
)
_CYCLES = (
    Collective(
        "cycle",
        "permutation",
        "within cycles, every datum straight to its target",
        cycle_permutation,
    ),
    Collective(
        "slice",
        "permutation",
        "within slices, the paper's steps: on RPC(k) at most 14 rounds half duplex, cross packed",
        slice_permutation,
    ),
    Collective(
        "slice-detour",
        "permutation",
        "the same with detours round triangles from the third step on: at most 11",
        partial(slice_permutation, detours=True),
    ),
    Collective(
        "simple",
        "permutation",
        "clockwise, then 'slice'; the data of a ring must go to different slices",
        simple_permutation,
    ),
    Collective(
        "simple-detour",
        "permutation",
        "clockwise, then 'slice-detour'",
        partial(simple_permutation, detours=True),
    ),
    Collective(
        "paper",
        "all-gather",
        "the paper's: steps in every slice, then clockwise: on RPC(k) k + 9 packed, 30k + 8 unit",
        paper_all_gather,
        one_piece=True,
    ),
    Collective(
        "split",
        "all-to-all",
        "another name of 'bandwidth'",
        symmetric_all_to_all,
        one_piece=True,
    ),
)


def stack_collectives(stack: Stack) -> tuple[Collective, ...]:
    """The algorithms that fit a stack: for all, for ordinary rings, for slices of cycles."""
    collectives: tuple[Collective, ...] = _ANY
    if all(loop.plain for loop in stack.loops):
        collectives += _RINGS
    return collectives + _CYCLES if isinstance(stack, Cycles) else collectives


_MANY = 4000  # nodes up to which all cuts of a permutation are added up
_CUT_VERTICES = 12  # of the base: 2^11 sets of them


def structure_bounds(
    stack: Stack, network: Network, goal: Goal, model: Model
) -> tuple[tuple[int, str], ...]:
    """Bounds for permutations and total exchange with unit messages.

    Links of the slices, of each loop and, where slices are made of cycles, the cross links each
    have their own share of the hops to make.
    """
    if model.packing != "unit" or model.switching != "store-and-forward":
        return ()
    if goal.kind not in ("all-to-all", "permutation"):
        return ()
    lanes = 1 if model.duplex == "half" else 2
    bounds = [
        (-(-hops // (links * lanes)), f"{hops} hops over {kind} links share {links} of them")
        for kind, hops, links in _shares(stack, network, goal)
        if hops and links
    ]
    if goal.kind == "permutation" and isinstance(stack, Cycles):
        small = len(stack.neighbours_of_base) <= _CUT_VERTICES
        if small and network.order <= _MANY:
            bounds.append(_best_cut(stack, network, goal, lanes))
    return tuple(bounds)


def _shares(stack: Stack, network: Network, goal: Goal) -> list[tuple[str, int, int]]:
    """For each kind of links: the hops that must be made over them, and how many there are."""
    size, copies = stack.slice.size, stack.positions
    kinds = [("ring" if len(stack.loops) == 1 else f"axis {i}") for i in range(len(stack.loops))]
    rings = [copies * size * loop.degree // 2 for loop in stack.loops]
    slices = copies * size * stack.slice.ports // 2
    cross = copies * size // 2
    if goal.kind == "all-to-all":
        pairs = network.order**2
        shares = [
            (kind, pairs * loop.total // loop.size, links)
            for kind, loop, links in zip(kinds, stack.loops, rings, strict=True)
        ]
        inner = int(stack.slice.distances.sum(dtype=np.int64)) * copies**2
        shares.append(("slice", inner, slices))
        if isinstance(stack, Cycles):
            hops = int(stack.base_distances.sum()) * stack.cycle**2 * copies**2
            shares.append(("cross", hops, cross))
        return shares
    promise = goal.on(network)
    here, place = digits_of(stack, promise.origins)
    there, aim = digits_of(stack, promise.destinations)
    shares = [
        (kind, int(loop.distances((b - a) % loop.size).sum()), links)
        for kind, loop, links, a, b in zip(kinds, stack.loops, rings, here, there, strict=True)
    ]
    shares.append(("slice", int(stack.slice.distances[place, aim].sum(dtype=np.int64)), slices))
    if isinstance(stack, Cycles):
        far = stack.base_distances[place // stack.cycle, aim // stack.cycle]
        shares.append(("cross", int(far.sum()), cross))
    return shares


def _best_cut(stack: Cycles, network: Network, goal: Goal, lanes: int) -> tuple[int, str]:
    """Packets that must leave or enter a set of cycles, over its cross links."""
    promise = goal.on(network)
    size, count = stack.slice.size, len(stack.neighbours_of_base)
    here = promise.origins % size // stack.cycle
    there = promise.destinations % size // stack.cycle
    inside, links = _cuts(stack)
    traffic = np.zeros((count, count), dtype=np.int64)
    np.add.at(traffic, (here, there), 1)
    out = np.einsum("ci,ij,cj->c", inside, traffic, ~inside)
    into = np.einsum("ci,ij,cj->c", ~inside, traffic, inside)
    need = out + into if lanes == 1 else np.maximum(out, into)
    rounds = -(-need // (links * stack.positions))
    i = int(rounds.argmax())
    wide, cycles = int(links[i]) * stack.positions, int(inside[i].sum())
    return (
        int(rounds[i]),
        f"{int(need[i])} packets must cross {wide} links between {cycles} cycles and the others",
    )


def _cuts(stack: Cycles) -> tuple[IntArray, IntArray]:
    """Every set of cycles (half of them) as rows of booleans, and its links to the others."""
    count = len(stack.neighbours_of_base)
    members = (np.arange(1, 1 << (count - 1))[:, None] >> np.arange(count)) & 1
    inside = members.astype(bool)
    adjacency = np.zeros((count, count), dtype=np.int64)
    adjacency[np.arange(count)[:, None], np.asarray(stack.neighbours_of_base)] = 1
    links: IntArray = np.einsum("ci,ij,cj->c", inside, adjacency, ~inside)
    return inside, links
