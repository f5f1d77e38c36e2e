"""Files of other programs, and these programs run on what was written.

graphs               networkx, igraph, rustworkx, scipy; edge lists, graph files (a floor below)
tables               cable lists and routing tables
infiniband           netlist, forwarding tables and service levels for OpenSM; opensm_check
booksim              configurations and anynet files, both ways; booksim_check
msccl, mscclpp        collectives for MSCCL, MSCCL++ (rank_moves: what they share); mscclpp_check
chakra               traces for ASTRA-sim (protobuf); msccl_check, mpi_check run schedules
frr                  BGP unnumbered for Ethernet fabrics, containerlab; frr_check runs it
slurm                topology.conf of machines with switches
nccl                 topology of servers and algorithms by size, for NCCL
simgrid, sst         platforms of other simulators; simgrid_check
code                 routers as C, Verilog, P4 and Python; verilog_check runs a fabric
check, programs, runners   which programs are there, how they are run and read
"""

from hopscape.formats.graphs.fabrics import read_netlist
from hopscape.formats.infiniband import write_infiniband
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
