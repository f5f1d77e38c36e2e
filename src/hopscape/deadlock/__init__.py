"""Deadlock: channel dependencies, classes of virtual channels, certificates."""

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
