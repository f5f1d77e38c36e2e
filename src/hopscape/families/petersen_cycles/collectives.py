"""The named collective algorithms of stacks: RPC(k), RP(k) and their relatives."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from hopscape.collectives.central import central_all_reduce
from hopscape.collectives.orbits import symmetric_all_to_all
from hopscape.core.family import Collective
from hopscape.families.petersen_cycles.balanced import balanced_permutation, packed_permutation
from hopscape.families.petersen_cycles.broadcasts import (
    slice_first_broadcast,
    tree_broadcast,
    turn_round,
)
from hopscape.families.petersen_cycles.gathers import (
    packed_all_gather,
    paper_all_gather,
    slices_first_all_gather,
)
from hopscape.families.petersen_cycles.permutations import (
    cycle_permutation,
    general_permutation,
    simple_permutation,
    slice_permutation,
    two_way_permutation,
)
from hopscape.families.petersen_cycles.wiring import Cycles

if TYPE_CHECKING:
    from hopscape.families.petersen_cycles.wiring import Stack

__all__ = ["stack_collectives"]

_ANY = (
    Collective(
        "tree",
        "broadcast",
        "the root's rings, then all slices: as many rounds as the diameter",
        tree_broadcast,
    ),
    Collective(
        "slice-first",
        "broadcast",
        "the root's slice, then all rings both ways: as many rounds as the diameter",
        slice_first_broadcast,
    ),
    Collective("slice-first", "reduce", "the slice-first broadcast backwards", turn_round),
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
    ),
    Collective("split", "all-to-all", "another name of 'bandwidth'", symmetric_all_to_all),
)


def stack_collectives(stack: Stack) -> tuple[Collective, ...]:
    """The algorithms that fit a stack: for all, for ordinary rings, for slices of cycles."""
    found: tuple[Collective, ...] = _ANY
    if all(loop.plain for loop in stack.loops):
        found += _RINGS
    return found + _CYCLES if isinstance(stack, Cycles) else found
