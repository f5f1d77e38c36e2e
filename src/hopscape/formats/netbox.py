"""NetBox: a network as the CSV files of its bulk import, from the site to the cables.

The files are imported in the order of their numbers, each in its own form; columns are called as
there. Devices are H and S with the number of the node, as in OpenSM's and Slurm's files, interfaces
p and the number of the port; racks and positions are those of the cable list.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from hopscape.core.errors import ArgumentError
from hopscape.core.files import make_folder, write_text
from hopscape.core.network import Network
from hopscape.formats.graphs.libraries import link_ends

__all__ = ["FILES", "write_netbox"]

_MAKER = "hopscape"
_UNITS = 100  # of the highest rack that NetBox takes
_MOST_LINKS = 100_000  # its import makes objects one by one, some hundred a second

FILES = {
    "1-sites.csv": ("name", "slug", "status"),
    "2-manufacturers.csv": ("name", "slug"),
    "3-device-types.csv": ("manufacturer", "model", "slug", "u_height"),
    "4-device-roles.csv": ("name", "slug", "color"),
    "5-racks.csv": ("site", "name", "status", "width", "u_height"),
    "6-devices.csv": (
        "name", "role", "manufacturer", "device_type", "status", "site", "rack", "position", "face",
    ),
    "7-interfaces.csv": ("device", "name", "type"),
    "8-cables.csv": (
        "side_a_device", "side_a_type", "side_a_name", "side_b_device", "side_b_type",
        "side_b_name", "status", "label", "length", "length_unit",
    ),
}  # fmt: skip
"""The files, in the order of their import, and their columns."""


def write_netbox(
    network: Network,
    folder: str | Path,
    places: Sequence[tuple[int, int, int]],
    lengths: Sequence[float],
    slots: int,
) -> str:
    """Write the files; what they are.

    Args:
        places (sequence of (row, rack, slot)): Where each node stands.
        lengths: Metres, in the order of the links.
        slots: Of a rack.

    Raises:
        ArgumentError: For one-way links, racks higher than NetBox's, and too many cables.
    """
    if not network.duplex:
        raise ArgumentError(f"{network.spec} has one-way links; cables of NetBox go both ways")
    if slots > _UNITS:
        raise ArgumentError(f"racks have {slots} slots; NetBox's have up to {_UNITS} units")
    if network.links > _MOST_LINKS:
        raise ArgumentError(
            f"{network.spec} has {network.links:,} cables; written for NetBox up to {_MOST_LINKS:,}"
        )
    site = re.sub(r"[^A-Za-z0-9]+", "-", network.spec).strip("-").lower()[:90]
    names = _names(network)
    kinds = _kinds(network)
    racks = sorted({place[:2] for place in places})
    rows: dict[str, Iterator[Sequence[object]] | list[tuple[object, ...]]] = {
        "1-sites.csv": [(site, site, "planned")],
        "2-manufacturers.csv": [(_MAKER, _MAKER)],
        "3-device-types.csv": [(_MAKER, one, f"{_MAKER}-{one}", 1) for one in sorted(set(kinds))],
        "4-device-roles.csv": [("endpoint", "endpoint", "2196f3"), ("switch", "switch", "4caf50")],
        "5-racks.csv": [(site, _rack(one), "planned", 19, slots) for one in racks],
        "6-devices.csv": [
            (name, _role(name), _MAKER, kind, "planned", site, _rack(place[:2]), place[2], "front")
            for name, kind, place in zip(names, kinds, places, strict=True)
        ],
        "7-interfaces.csv": _interfaces(network, names),
        "8-cables.csv": _cables(network, names, lengths),
    }
    top = make_folder(Path(folder))
    for file, columns in FILES.items():
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows[file])
        write_text(top / file, text.getvalue())
    return (
        f"CSV files for NetBox's bulk import, in the order of their numbers: {network.order}"
        f" devices in {len(racks)} racks, {network.links} cables"
    )


def _names(network: Network) -> list[str]:
    switch = np.ones(network.order, dtype=bool)
    switch[network.endpoints] = False
    return [f"{'S' if inner else 'H'}{v}" for v, inner in enumerate(switch.tolist())]


def _role(name: str) -> str:
    return "switch" if name[0] == "S" else "endpoint"


def _kinds(network: Network) -> list[str]:
    """Model of each device: its role and how many ports it has wired."""
    ports = network.degrees.tolist()
    return [f"{_role(n)}-{p}" for n, p in zip(_names(network), ports, strict=True)]


def _rack(place: tuple[int, ...]) -> str:
    return f"row {place[0]} rack {place[1]}"


def _interfaces(network: Network, names: Sequence[str]) -> Iterator[Sequence[object]]:
    tails, heads, channels = link_ends(network)
    ports = network.port_of(channels), network.port_of(network.reverse[channels])
    nodes = np.concatenate([tails, heads])
    numbers = np.concatenate(ports) + 1
    for v, p in sorted(zip(nodes.tolist(), numbers.tolist(), strict=True)):
        yield names[v], f"p{p}", "other"


def _cables(
    network: Network, names: Sequence[str], lengths: Sequence[float]
) -> Iterator[Sequence[object]]:
    tails, heads, channels = link_ends(network)
    out, into = network.port_of(channels), network.port_of(network.reverse[channels])
    ends = (tails.tolist(), heads.tolist(), (out + 1).tolist(), (into + 1).tolist())
    kind = "dcim.interface"
    for i, (u, v, p, q, metres) in enumerate(zip(*ends, lengths, strict=True), 1):
        a, b = (names[u], kind, f"p{p}"), (names[v], kind, f"p{q}")
        yield (*a, *b, "planned", i, f"{metres:.2f}", "m")
