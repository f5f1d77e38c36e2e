"""Files that other software reads: cable lists, routing tables, InfiniBand.

BookSim's files are written by :mod:`hopscape.simulate.booksim`.
"""

from hopscape.export.cables import read_cables, write_cables
from hopscape.export.infiniband import read_netlist, write_infiniband
from hopscape.export.tables import read_routing_table, write_routing_table

__all__ = [
    "read_cables",
    "read_netlist",
    "read_routing_table",
    "write_cables",
    "write_infiniband",
    "write_routing_table",
]
