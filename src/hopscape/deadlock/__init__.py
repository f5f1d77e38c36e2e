"""Deadlock: channel dependencies, classes of virtual channels, certificates.

judgement            can this routing deadlock? the answer of ``hopscape deadlock``
classes              single class, datelines, layers, rising classes; the certificate
layers, layer_kernels     LASH and DFSSSP, and layers that are alike in both directions
sources              classes that rise; routes that their sources choose
one_lane, one_lane_kernels   routes for one virtual channel: up*/down* and orders grown
lane_search, lane_search_kernels   routes and layers annealed together, for few lanes
routes, layout       routing tables and the arrays that the kernels share
shifts, shift_kernels     routes that look alike from every node: one row of the table
leaves, leaf_kernels      endpoints with one line: the table of the switches
dependency_kernels   the dependency graph and its cycles
"""

from hopscape.deadlock.classes import (
    Certificate,
    Classes,
    certify,
    find_classes,
    find_source_classes,
    single_class,
)
from hopscape.deadlock.judgement import Judgement, judge, required_vcs
from hopscape.deadlock.one_lane import UpDownRouter
from hopscape.deadlock.routes import RoutingTable, port_rings, routing_table
from hopscape.deadlock.sources import SourceRoutes, source_routes

__all__ = [
    "Certificate",
    "Classes",
    "Judgement",
    "RoutingTable",
    "SourceRoutes",
    "UpDownRouter",
    "certify",
    "find_classes",
    "find_source_classes",
    "judge",
    "port_rings",
    "required_vcs",
    "routing_table",
    "single_class",
    "source_routes",
]
