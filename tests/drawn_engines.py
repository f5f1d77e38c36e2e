"""Small networks with settings and traffic by lot, and what two engines must agree in."""

from __future__ import annotations

import numpy as np

import hopscape
from conftest import connected_graph
from hopscape.simulate import Settings, layout
from hopscape.simulate.parts import packets_under_way

PACKET = (layout.SRC, layout.DST, layout.BORN, layout.SENT, layout.SIZE, layout.HOPS, layout.LINE)
SCALARS = (
    layout.NOW, layout.IN_FLIGHT, layout.FLIT_HOPS, layout.DELIVERED, layout.CREATED,
    layout.DELIVERED_FLITS, layout.MEASURED, layout.FREE, layout.FRESH, layout.LAST_MOVE,
)  # fmt: skip
CHANNEL = (layout.HEAD, layout.COUNT, layout.CREDIT, layout.STATE, layout.V_TAKE)


def alive(state):
    """Every packet under way: whence, whither, born, sent, and how far it is."""
    return sorted(map(tuple, state.packets[packets_under_way(state)][:, PACKET].tolist()))


def drawn(seed):
    """A small network, settings and traffic by lot."""
    rng = np.random.default_rng(seed)

    def of(*choices):
        return choices[rng.integers(len(choices))]

    spec = of("ring(6)", "torus(4, 4)", "mesh(3, 4)", "petersen", "dragonfly(2, 1, p=1)",
              "fat_tree(4)", "complete(5)", "circulant(13, 1, 5)", "tree")  # fmt: skip
    graph = connected_graph(seed, int(rng.integers(4, 9)), 0) if spec == "tree" else None
    network = graph if graph is not None else hopscape.build(spec)
    switching = of("wormhole", "wormhole", "cut-through", "store-and-forward", "circuit")
    how = Settings(
        vcs=int(rng.integers(6, 9)),
        buffer=int(rng.integers(3, 7)),
        packet=of((1,), (3,), (1, 3)),
        routing_delay=int(rng.integers(0, 3)),
        vc_delay=int(rng.integers(1, 3)),
        switch_delay=int(rng.integers(1, 3)),
        traversal_delay=int(rng.integers(1, 3)),
        credit_delay=int(rng.integers(0, 3)),
        link_delay=int(rng.integers(0, 4)),
        speedup=int(rng.integers(1, 3)),
        tail_credit=bool(rng.integers(2)),
        routing=of("fixed", "fixed", "adaptive", "valiant", "ugal"),
        switching=switching,
        concentration=int(rng.integers(1, 3)),
        injectors=int(rng.integers(1, 3)),
        ejectors=int(rng.integers(1, 3)),
        priority=of("auto", "none", "transit", "age"),
        injection_limit=of(0.0, 0.3),
        window=of("none", "delay"),
        spread=of("none", "pairs"),
    )
    loads = [float(rng.uniform(0.05, 1)) for _ in range(int(rng.integers(1, 4)))]
    bursts = of(None, None, (0.05, 0.2))
    if bursts is not None:
        loads = [load * 0.15 for load in loads]
    return network, how, of("uniform", "permutation", "hotspot({0,1},{3,1})"), loads, bursts
