"""Files that other software reads: cable lists, routing tables, InfiniBand.

BookSim's files are written by :mod:`hopscape.formats.booksim`.
"""

from hopscape.formats.infiniband import read_netlist, write_infiniband
from hopscape.formats.tables import (
    read_cables,
    read_routing_table,
    write_cables,
    write_routing_table,
)

__all__ = [
    "read_cables",
    "read_netlist",
    "read_routing_table",
    "write_cables",
    "write_infiniband",
    "write_routing_table",
]
