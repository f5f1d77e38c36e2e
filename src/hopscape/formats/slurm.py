"""Slurm: the switches of a machine as ``topology.conf`` for the plugin topology/tree.

``topology.yaml`` beside it says the same to Slurm 25.05 and later, which look for it first.

Nodes are called H and their number, switches S and theirs, as in OpenSM's netlist. Where switches
stand in levels, each lists those of the level below; elsewhere (dragonflies) the switches of
endpoints are children of one switch that stands for the rest.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.files import write_text
from hopscape.core.network import Network

__all__ = ["write_slurm"]


def write_slurm(network: Network, path: str | Path) -> str:
    """Write ``topology.conf`` and ``topology.yaml``; what they are.

    Raises:
        ArgumentError: Where endpoints are no leaves of a tree of switches.
    """
    ends = network.endpoints.tolist()
    if not network.has_switches or int(network.degrees[ends].max(initial=0)) > 1:
        raise ArgumentError(
            f"endpoints of {network.spec} do not hang on one switch each, as Slurm's topology/tree"
            " wants it"
        )
    level = _levels(network)
    own = level >= 0
    tails, heads = network.tails, network.heads
    inner = own[tails] & own[heads]
    levelled = bool((np.abs(level[tails] - level[heads])[inner] == 1).all()) and (level > 0).any()
    lines, leaves = [], []
    for v in np.flatnonzero(own)[np.argsort(level[own], kind="stable")].tolist():
        beside = _beside(network, v)
        if level[v] == 0:
            hosts = ",".join(f"H{w}" for w in beside if not own[w])
            lines.append(f"SwitchName=S{v} Nodes={hosts}")
            leaves.append(f"S{v}")
        elif levelled:
            below = ",".join(f"S{w}" for w in beside if own[w] and level[w] < level[v])
            lines.append(f"SwitchName=S{v} Switches={below}")
    if not levelled and len(leaves) > 1:
        lines.append(f"SwitchName=fabric Switches={','.join(leaves)}")
    write_text(path, f"# hopscape {network.spec}\n" + "\n".join(lines) + "\n")
    write_text(Path(path).with_suffix(".yaml"), _yaml(network.spec, lines))
    rest = (
        f"{int(level.max()) + 1} levels of switches"
        if levelled or len(leaves) == 1
        else "the other links are one switch 'fabric', as its switches stand in no levels"
    )
    return f"for Slurm's TopologyPlugin=topology/tree: {len(ends)} nodes H..., {rest}"


_YAML_HEAD = """\
---
# hopscape {spec}
- topology: hopscape
  cluster_default: true
  tree:
    switches:
"""
_YAML_KEYS = {"SwitchName": "switch", "Switches": "children", "Nodes": "nodes"}


def _yaml(spec: str, lines: list[str]) -> str:
    """The lines of topology.conf as a list of mappings."""
    out = [_YAML_HEAD.format(spec=spec)]
    for line in lines:
        pairs = [one.split("=", 1) for one in line.split(" ")]
        keys = [f"{_YAML_KEYS[key]}: {value}" for key, value in pairs]
        out.append(f"      - {keys[0]}\n        {keys[1]}\n")
    return "".join(out)


def _beside(network: Network, node: int) -> list[int]:
    return sorted(set(network.heads[network.indptr[node] : network.indptr[node + 1]].tolist()))


def _levels(network: Network) -> IntArray:
    """Hops of a switch from the nearest one with endpoints; -1 for endpoints."""
    level = np.full(network.order, -1)
    at = sorted({w for v in network.endpoints.tolist() for w in _beside(network, v)})
    ends = set(network.endpoints.tolist())
    reached, hops = set(at), 0
    while at:
        level[at] = hops
        at = sorted({w for v in at for w in _beside(network, v)} - reached - ends)
        reached |= set(at)
        hops += 1
    return level
