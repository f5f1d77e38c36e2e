"""BookSim 2: the network as an anynet file, and a configuration that uses it."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

from hopscape.core.errors import ArgumentError
from hopscape.core.files import write_atomically
from hopscape.core.network import Network

__all__ = ["write_booksim"]


def write_booksim(network: Network, folder: str | Path, *, vcs: int = 8) -> None:
    """Write ``network.anynet`` and ``booksim.cfg`` into a folder.

    One line per router with its nodes and the routers that it is wired to. BookSim reads links as
    duplex, keeps one of parallel links, and its own minimal routing knows no virtual-channel
    classes: where the dependency graph has cycles it may deadlock near saturation.

    Parameters
    ----------
    network : Network
    folder : path
    vcs : int
        Virtual channels of a channel.

    Raises
    ------
    ArgumentError
        For simplex channels.
    """
    if not network.duplex:
        raise ArgumentError(f"{network.spec} has simplex channels; anynet links go both ways")
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ArgumentError(f"{place} cannot be made: {error.strerror}") from error
    anynet, config = anynet_text(network).encode(), _config(network, vcs).encode()
    write_atomically(place / "network.anynet", lambda out: out.write(anynet))
    write_atomically(place / "booksim.cfg", lambda out: out.write(config))


def anynet_text(network: Network) -> str:
    """The lines of an anynet file.

    Examples
    --------
    >>> import hopscape
    >>> print(anynet_text(hopscape.build("path(3)")), end="")
    router 0 node 0 router 1
    router 1 node 1 router 0 router 2
    router 2 node 2 router 1
    """
    is_end = np.zeros(network.order, dtype=bool)
    is_end[network.endpoints] = True
    number = np.cumsum(is_end) - 1
    # endpoints of degree 1 at a switch are BookSim's nodes; every other endpoint has a router
    first = network.heads[np.minimum(network.indptr[:-1], len(network.heads) - 1)]
    alone = is_end & (network.degrees == 1) & ~is_end[first]
    routers = np.flatnonzero(~alone)
    name = np.full(network.order, -1)
    name[routers] = np.arange(len(routers))
    text = io.StringIO()
    for v in routers.tolist():
        words = [f"router {name[v]}"]
        if is_end[v]:
            words.append(f"node {number[v]}")
        around = network.heads[network.indptr[v] : network.indptr[v + 1]].tolist()
        words += [f"node {number[u]}" for u in around if alone[u]]
        words += [f"router {name[u]}" for u in dict.fromkeys(around) if not alone[u] and u != v]
        text.write(" ".join(words) + "\n")
    return text.getvalue()


def _config(network: Network, vcs: int) -> str:
    return f"""// {network.spec}, written by hopscape
topology = anynet;
routing_function = min;
network_file = network.anynet;
num_vcs = {vcs};
vc_buf_size = 8;
packet_size = 1;
traffic = uniform;
injection_rate = 0.1;
sim_type = latency;
seed = 0;
"""
