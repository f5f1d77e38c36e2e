"""Which host each rank runs on, as launchers read it: Open MPI, MPICH, Slurm.

Hosts are H and the number of their node, as in Slurm's topology, OpenSM's netlist and NetBox's
devices; one rank to each.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hopscape.core.files import require_room, whole_folder, write_text

__all__ = ["RANK_FILES", "write_rank_files"]

RANK_FILES = ("rankfile", "hostfile", "slurm_hostfile", "placement.txt")
"""``mpirun --map-by rankfile:file=rankfile`` (Open MPI 5; before, ``-rf``), ``mpiexec -f hostfile``
(MPICH), ``SLURM_HOSTFILE=slurm_hostfile srun --distribution=arbitrary``, and ``--place`` of
``hopscape step``. NCCL and others number their ranks as the launcher does."""


def write_rank_files(
    nodes: Sequence[int], folder: str | Path, spec: str = "", *, force: bool = False
) -> list[Path]:
    """Write all of them; the folder appears whole or not at all.

    Args:
        nodes: The node of each rank.
        spec: The network, for the head of the placement.
        force: Overwrite files that hopscape did not write.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     paths = write_rank_files([5, 2], folder + "/ranks")
        ...     print(paths[0].read_text(), end="")
        rank 0=H5 slot=0
        rank 1=H2 slot=0
    """
    require_room(folder, RANK_FILES, force=force)
    hosts = [f"H{v}" for v in nodes]
    lines = {
        "rankfile": [f"rank {i}={host} slot=0" for i, host in enumerate(hosts)],
        "hostfile": [f"{host}:1" for host in hosts],
        "slurm_hostfile": hosts,
        "placement.txt": [f"# node of each rank{' on ' if spec else ''}{spec}", *map(str, nodes)],
    }
    with whole_folder(folder, force=force) as top:
        for name in RANK_FILES:
            write_text(top / name, "\n".join(lines[name]) + "\n")
    return [Path(folder) / name for name in RANK_FILES]
