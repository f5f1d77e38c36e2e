"""The named collective algorithms of RPC(k) and PC."""

from __future__ import annotations

from functools import partial

from hopscape.core.family import Collective
from hopscape.families.petersen_cycles.balanced import balanced_permutation, packed_permutation
from hopscape.families.petersen_cycles.broadcasts import (
    slice_first_broadcast,
    tree_broadcast,
    turn_round,
)
from hopscape.families.petersen_cycles.exchanges import split_exchange
from hopscape.families.petersen_cycles.gathers import (
    bandwidth_all_gather,
    bandwidth_all_reduce,
    packed_all_gather,
    paper_all_gather,
)
from hopscape.families.petersen_cycles.permutations import (
    cycle_permutation,
    general_permutation,
    simple_permutation,
    slice_permutation,
    two_way_permutation,
)

__all__ = ["COLLECTIVES"]

COLLECTIVES = (
    Collective(
        "tree",
        "broadcast",
        "the root's ring, then all slices: ⌊k/2⌋ + 5 rounds",
        tree_broadcast,
    ),
    Collective(
        "slice-first",
        "broadcast",
        "the root's slice, then all 30 rings both ways: ⌊k/2⌋ + 5 rounds",
        slice_first_broadcast,
    ),
    Collective("slice-first", "reduce", "the slice-first broadcast backwards", turn_round),
    Collective(
        "cycle",
        "permutation",
        "within cycles, every datum straight to its target: 1 round full, 2 half duplex",
        cycle_permutation,
    ),
    Collective(
        "slice",
        "permutation",
        "within slices, the paper's five steps: at most 14 rounds half duplex, cross links packed",
        slice_permutation,
    ),
    Collective(
        "slice-detour",
        "permutation",
        "the same with detours in the third step: at most 11",
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
        "general",
        "permutation",
        "the paper's: clockwise, then canonical paths, farthest first: k + 9 full duplex",
        general_permutation,
    ),
    Collective(
        "two-way",
        "permutation",
        "both ways round the rings, then the same: ⌊k/2⌋ + 10 full duplex",
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
        "both ways, then along the packed all-gather of a slice: 7 rounds half duplex, 5 full",
        packed_permutation,
    ),
    Collective(
        "paper",
        "all-gather",
        "the paper's: five steps in every slice, then clockwise: k + 9 packed, 30k + 8 unit",
        paper_all_gather,
    ),
    Collective(
        "packed",
        "all-gather",
        "packed messages: ⌊k/2⌋ + 5 full duplex, ⌈k/2⌉ + 8 half duplex",
        packed_all_gather,
    ),
    Collective(
        "bandwidth",
        "all-gather",
        "unit messages, something new by every channel: 6k full duplex, 12k half duplex",
        bandwidth_all_gather,
    ),
    Collective(
        "bandwidth",
        "all-reduce",
        "sliced: the bandwidth all-gather backwards, then forwards",
        bandwidth_all_reduce,
    ),
    Collective(
        "split",
        "all-to-all",
        "shortest paths, rings first, the two ways half round a ring shared out evenly",
        split_exchange,
    ),
)
