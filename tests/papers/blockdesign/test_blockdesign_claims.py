"""The paper on multirings, chapters 1, 4, 5 and 6: its checks against others of the same."""

from __future__ import annotations

import numpy as np

import hopscape
from hopscape.papers.blockdesign import reference
from hopscape.papers.blockdesign.designs import bruck_ryser_chowla, make_design, table


def test_residues_exclude_what_hilbert_symbols_exclude():
    excluded = 0
    for sigma in range(1, 7):
        for row in table(sigma, 11):
            reason = bruck_ryser_chowla(row.n, row.m, sigma)
            assert (reference.obstruction(row.n, row.m, sigma) is None) == (reason is None), row
            excluded += reason is not None
    assert excluded == 4


def test_wires_see_what_is_wrong():
    blocks = make_design(13, 4, 1).blocks
    assert reference.is_symmetric(blocks, 13, 4, 1)
    assert not reference.is_symmetric(blocks, 13, 4, 2)
    other = blocks.copy()
    other[[0, 1], [0, 1]] = blocks[[1, 0], [1, 0]]
    assert not reference.is_symmetric(other, 13, 4, 1)
    network = hopscape.build("distributed_switch(7, 3, 1)")
    chosen, astray = reference.two_hops(network)
    assert not astray
    turned = np.roll(np.arange(7), 1)[None, :]
    assert reference.clashes(network, chosen, turned)[0] == 0
    all_to_one = np.array([[1, 2, 1, 1, 1, 1, 1]])  # no permutation: ports of node 1 are shared
    assert reference.clashes(network, chosen, all_to_one)[0] > 0
