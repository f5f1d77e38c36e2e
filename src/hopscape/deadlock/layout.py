"""What the kernels work on: tuples of arrays."""

from __future__ import annotations

from typing import NamedTuple

from hopscape.core.arrays import Incoming, IntArray

__all__ = ["Dependencies", "Incoming", "LeafTable", "PortTable", "RingEntries", "Wiring"]


class Wiring(NamedTuple):
    """The channels of a network, by the node that they leave."""

    indptr: IntArray
    """int64[order + 1]: the channels of node v are ``indptr[v]:indptr[v + 1]``."""
    heads: IntArray
    """int[channels]: the node that each channel leads to."""


class PortTable(NamedTuple):
    """A routing table, or its columns for some goals, with its network."""

    indptr: IntArray
    """int64[order + 1]"""
    heads: IntArray
    """int[channels]"""
    port: IntArray
    """uint16[order, columns]: the port at a node (first) to a goal (second), or NO_PORT."""
    other: IntArray
    """uint16[order, columns]: the other port of a tie; equal to `port` where there is none."""
    goals: IntArray
    """int64[columns]: the goal of each column."""


class LeafTable(NamedTuple):
    """Ports of switches towards leaves, leaves by what tells them apart."""

    nodes: IntArray
    """int64[switches]: their nodes."""
    base: IntArray
    """int64[switches]: their first channels."""
    then: IntArray
    """int32[channels]: the number of the switch that each leads to, less than 0 for none."""
    number: IntArray
    """int32[order]: the number of a switch; -1 less that of its switch for a leaf."""
    port: IntArray
    """uint16[switches, columns]: channel towards a goal at another switch, or NO_PORT."""
    column: IntArray
    """int32[2, order]: column of a goal."""
    aside: IntArray
    """uint8[switches]: which of the two a switch goes by."""
    exit: IntArray
    """uint16[order]: channel of its switch that leads to a leaf."""
    sources: IntArray
    """int32[switches, 2]: leaves at each switch, by whether their channel goes down."""


class RingEntries(NamedTuple):
    """The classes in which packets enter rings."""

    rings: IntArray
    """int[channels]: the ring of each channel, or -1."""
    entry: IntArray
    """uint8[order, columns]: number of the set of classes of a packet that leaves by `port`."""
    entry_other: IntArray
    """uint8[order, columns]: the same for `other`."""
    sets: IntArray
    """int64[sets]: classes as bits."""


class Dependencies(NamedTuple):
    """The dependencies of a layer, and what leads to what because of them."""

    graph: IntArray
    """uint8[channels, ports]: 1 where a channel is followed by that port of its head."""
    leads: IntArray
    """uint64[channels, words]: the channels that each channel leads to, as bits."""
    comes: IntArray
    """uint64[channels, words]: the channels that it comes from."""
