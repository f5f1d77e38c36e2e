"""Deadlock: channel dependencies, classes of virtual channels, certificates."""

from hopscape.deadlock.classes import Certificate, Classes, certify, find_classes, single_class
from hopscape.deadlock.tables import RoutingTable, port_rings, routing_table
from hopscape.deadlock.updown import UpDownRouter

__all__ = [
    "Certificate",
    "Classes",
    "RoutingTable",
    "UpDownRouter",
    "certify",
    "find_classes",
    "port_rings",
    "routing_table",
    "single_class",
]
