"""Commands about single figures: bisection and channel load.

The command structure: what a graph theorist asks first.

Deadlock: can a routing deadlock, and what prevents it.
"""

from __future__ import annotations

import math
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from hopscape.cli.options import (
    ExactOption,
    ProofOption,
    RouterOption,
    RoutingOption,
    SpecArgument,
    option,
)
from hopscape.cli.output import KINDS_SHOWN, Format, emit, emit_rows, output_settings, write_proofs
from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network
from hopscape.core.numbers import number
from hopscape.core.tables import in_table
from hopscape.registry import build

if TYPE_CHECKING:
    from hopscape.core.router import Router
    from hopscape.deadlock.classes import Method
    from hopscape.deadlock.judgement import Routing

__all__ = ["bisection", "load", "structure"]


def bisection(
    spec: SpecArgument,
    exact: ExactOption = False,
    seed: Annotated[int | None, option("Random seed of the local search.", min=0)] = None,
    proof: ProofOption = None,
) -> None:
    """Find the fewest links between two halves, with a partition."""
    from hopscape.metrics import bisection as measure

    network = build(spec)
    cut = measure(network, exact=exact, seed=seed or 0)
    if seed is not None and cut.how == "closed form":
        raise ArgumentError(
            f"--seed is for the search; the bisection of {network.spec} is known in closed form"
            " (--exact searches)"
        )
    record: dict[str, Any] = {
        "spec": network.spec,
        "bisection": cut.value,
        "lower": cut.lower,
        "upper": cut.upper,
        "how": cut.how,
        "side": None if cut.side is None else cut.side.tolist(),
    }
    width = str(cut.value) if cut.value is not None else f"{cut.lower} to {cut.upper}"
    table = {"bisection": f"{width}  ({cut.how})"}
    note = network.unheeded("links are counted", "capacity")
    if note:
        record["note"] = table["note"] = note
    if cut.side is not None:
        table["one half"] = ", ".join(str(v) for v in _half(record["side"]))
    proofs = []
    if proof is not None:
        from hopscape.proofs import prove_figures

        proofs = prove_figures(network, {"bisection": cut.value}, side=cut.side)
    emit(record, title=network.spec, table=table)
    if proof is not None:
        write_proofs(proof, proofs)


def _half(side: list[int], most: int = 40) -> list[int | str]:
    nodes: list[int | str] = [v for v, s in enumerate(side) if s == 0]
    return nodes if len(nodes) <= most else [*nodes[:most], "…"]


def load(
    spec: SpecArgument,
    traffic: Annotated[
        str,
        option(
            "uniform, a pattern of 'simulate' such as tornado or worst, or a file with a matrix"
            " (.csv, .npy)."
        ),
    ] = "uniform",
    router: RouterOption = "auto",
    each: Annotated[bool, option("Also list the load of every channel.")] = False,
    seed: Annotated[
        int | None, option("Random seed of a sample, or of a random permutation.", min=0)
    ] = None,
) -> None:
    """Compute the channel loads of a router, and the throughput they allow."""
    from hopscape.metrics import channel_load

    network = build(spec)
    kind: Any = router
    routing = network.router(kind)
    flows, drawn = _flows(network, routing, traffic, seed or 0)
    loads = channel_load(network, routing, flows, seed=seed or 0)
    if seed is not None and not drawn and loads.how != "sampled":
        raise ArgumentError(
            f"--seed is for a sample; the loads of {network.spec} are added up in full"
        )
    record: dict[str, Any] = {
        "spec": network.spec,
        "router": routing.name,
        "traffic": traffic,
        "largest": loads.largest,
        "mean": loads.mean,
        "throughput": loads.throughput,
        "hops": loads.hops,
        "how": loads.how,
    }
    if loads.classes:
        record["classes"] = [asdict(kind) for kind in loads.classes]
    if each:
        record["loads"] = loads.loads
        if output_settings.style is not Format.json:
            emit_rows(_channels(network, loads.loads), title=_loaded(record))
            return
    table = {
        "largest load": f"{number(loads.largest)}  ({loads.how})",
        "mean load": number(loads.mean),
        "throughput": f"{number(loads.throughput)} per node, {_unit(loads.classes)}",
        "mean hops": number(loads.hops),
        "router": routing.name,
    }
    for kind in loads.classes[:KINDS_SHOWN]:
        table[f"{kind.name} channels"] = (
            f"{kind.channels:,} of speed {kind.speed}: largest load {number(kind.largest)},"
            f" throughput {number(kind.throughput)}"
        )
    if len(loads.classes) > KINDS_SHOWN:
        table["other kinds"] = f"{len(loads.classes) - KINDS_SHOWN} (JSON has all)"
    emit(record, title=_loaded(record), table=table)


def _loaded(record: dict[str, Any]) -> str:
    largest = number(record["largest"])
    name = record["traffic"]
    words = f"the traffic of {name}" if Path(name).is_file() else f"{name} traffic"
    return f"{record['spec']}: load under {words}, largest {largest}"


def _channels(network: Network, loads: Any) -> list[dict[str, Any]]:
    ends = zip(network.tails.tolist(), network.heads.tolist(), loads.tolist(), strict=True)
    return [{"channel": i, "from": u, "to": v, "load": x} for i, (u, v, x) in enumerate(ends)]


def _unit(classes: tuple[Any, ...]) -> str:
    """What the throughput is counted in."""
    if len({kind.speed for kind in classes}) > 1:
        return "in the unit of the speeds"
    return f"if a channel carries {classes[0].speed if classes else 1}"


def _flows(network: Network, router: Router, traffic: str, seed: int) -> tuple[Any, bool]:
    """Uniform, or a matrix of a file or pattern; and whether it was drawn at random."""
    from hopscape.simulate.traffic import ALIASES, parse_pattern, pattern_matrix

    path = Path(traffic)
    if path.suffix in (".csv", ".npy") or path.is_file():
        return _matrix(path), False
    name, arguments = parse_pattern(traffic)
    name = ALIASES.get(name, name)
    if name == "uniform":
        return "uniform", False
    drawn = name == "permutation" and not arguments
    return pattern_matrix(network, traffic, seed, router), drawn


def _matrix(path: Path) -> Any:
    from hopscape.core.reading import load_array, read_matrix

    if not path.exists():
        raise ArgumentError(f"traffic {str(path)!r}: there is no such file")
    return load_array(path) if path.suffix == ".npy" else read_matrix(path, "a share")


_VALUES = 12  # of a list in a table: one line; JSON has all
_PRINTED = 10**4000
"""Python writes integers of up to 4300 digits."""


def structure(
    spec: SpecArgument,
    generators: Annotated[bool, option("Also the generators of the automorphism group.")] = False,
) -> None:
    """Measure symmetry and spectrum: automorphisms, transitivity, expansion, regularity."""
    from hopscape.algebra import automorphism_group
    from hopscape.metrics import edge_transitive, intersection_array, spectrum

    network = build(spec)
    group = automorphism_group(network)
    graph = automorphism_group(network, kinds=False) if network.has_switches else group
    orbits = group.orbits()
    array = intersection_array(network)
    record: dict[str, Any] = {
        "spec": network.spec,
        "nodes": network.order,
        "automorphisms": group.order if group.order < _PRINTED else None,
        "automorphisms_log10": math.log10(group.order),
        "graph_automorphisms": graph.order if graph.order < _PRINTED else None,
        "graph_automorphisms_log10": math.log10(graph.order),
        "orbits": orbits,
        "vertex_transitive": len(orbits) == 1,
        "endpoint_transitive": any(
            len(one) == network.endpoint_count for one in orbits if one[0] in network.endpoints
        ),
        "edge_transitive": edge_transitive(network, group),
        "distance_regular": array is not None,
        "intersection_array": array,
    }
    if network.duplex:
        record |= spectrum(network).to_dict()
    table = _texts(record, network.has_switches)
    if generators:
        record["generators"] = [g.tolist() for g in group.generators]
        for i, g in enumerate(record["generators"], 1):
            table[f"generator {i}"] = _cycles(g)
    emit(record, title=network.spec, table=table)


def _texts(record: dict[str, Any], switched: bool) -> dict[str, str]:
    count = len(record["orbits"])
    sizes = sorted((len(orbit) for orbit in record["orbits"]), reverse=True)
    shown = ", ".join(map(str, sizes[:_VALUES])) + (", …" if count > _VALUES else "")
    graph = _count(record["graph_automorphisms"], record["graph_automorphisms_log10"])
    table = {
        "automorphisms": _count(record["automorphisms"], record["automorphisms_log10"]),
        **(
            {"as a graph": f"{graph}, if endpoints and switches may change places"}
            if switched
            else {}
        ),
        "orbits of nodes": f"{count} of {shown} nodes",
        "vertex-transitive": in_table(record["vertex_transitive"]),
        **({"endpoint-transitive": in_table(record["endpoint_transitive"])} if switched else {}),
        "edge-transitive": in_table(record["edge_transitive"]),
        "distance-regular": in_table(record["distance_regular"]),
    }
    if record["intersection_array"] is not None:
        further, nearer = record["intersection_array"]
        both = f"{', '.join(map(str, further))}; {', '.join(map(str, nearer))}"
        table["intersection array"] = f"{{{both}}}"
    if "eigenvalues" in record:
        pairs = list(zip(record["eigenvalues"], record["multiplicities"]))
        values = ", ".join(number(x) + (f" (×{m})" if m > 1 else "") for x, m in pairs[:_VALUES])
        table["eigenvalues"] = values + (f", … {len(pairs)} in all" if len(pairs) > _VALUES else "")
        table["spectral gap"] = number(record["spectral_gap"])
        low, high = record["cheeger"]
        table["conductance"] = f"from {number(low)} to {number(high)} (Cheeger)"
        table["Ramanujan"] = in_table(record["ramanujan"])
    return table


def _count(value: int | None, log: float) -> str:
    if value is not None and log < 15:
        return f"{value:,}"
    return f"about {10 ** (log % 1):.3f} × 10^{int(log)}"


def _cycles(g: list[int]) -> str:
    """A permutation in cycles, fixed nodes left out."""
    seen: set[int] = set()
    out = []
    for v in range(len(g)):
        cycle = []
        while v not in seen:
            seen.add(v)
            cycle.append(v)
            v = g[v]
        if len(cycle) > 1:
            out.append(f"({' '.join(map(str, cycle))})")
    return " ".join(out)


def deadlock(
    spec: SpecArgument,
    router: Annotated[
        str, option("auto, closed, table, search, updown, or a family's own.")
    ] = "auto",
    vcs: Annotated[int, option("Virtual-channel classes to check the routing with.")] = 1,
    method: Annotated[
        str, option("How classes are found: auto, dateline, layers, rising.")
    ] = "auto",
    routing: RoutingOption = "fixed",
    proof: ProofOption = None,
) -> None:
    """Can the routing deadlock? Show the cycle, and the virtual channels that prevent it."""
    from hopscape.deadlock import judge
    from hopscape.registry import build

    network = build(spec)
    chosen = None if router == "auto" else network.router(router)
    if proof is not None and routing != "fixed":
        raise ArgumentError(f"--proof is for fixed routing; {routing} routing has none")
    judgement = judge(
        network, chosen, vcs=vcs, method=cast("Method", method), routing=cast("Routing", routing)
    )
    record = judgement.to_dict()
    lines = {
        "routes": _ROUTES.get(judgement.router, judgement.router) + judgement.addition,
        f"with {vcs} virtual channel{'s' * (vcs > 1)}": "free of deadlock"
        if judgement
        else "can deadlock",
        "because": record["words"],
        "virtual channels needed": f"{judgement.needed} ({record['method']}; {judgement.least})",
        "certificate": judgement.cost(),
    }
    proofs = []
    if proof is not None:
        proofs = [network.proof("deadlock-freedom", router=chosen, method=method)]
    emit(record, title=network.spec, table=lines)
    if proof is not None:
        write_proofs(proof, proofs)


_ROUTES = {"table": "shortest routes by the lowest port"}


def embed(
    guest: Annotated[str, typer.Argument(metavar="GUEST", help="The network to place.")],
    host: Annotated[str, typer.Argument(metavar="HOST", help="The network in which it is placed.")],
    seed: Annotated[int, option("Random seed of the annealing.", min=0)] = 0,
    budget: Annotated[int, option("Steps of the exhaustive search.", min=1)] = 2_000_000,
    solver: Annotated[bool, option("Ask CP-SAT where the search gives up.")] = False,
) -> None:
    """Place one network in another: dilation and congestion, measured."""
    from hopscape.metrics.embedding import best_embedding

    embedding = best_embedding(build(guest), build(host), seed=seed, budget=budget, solver=solver)
    record: dict[str, Any] = {
        "guest": embedding.guest,
        "host": embedding.host,
        "dilation": embedding.dilation,
        "congestion": embedding.congestion,
        "mean_dilation": embedding.mean_dilation,
        "lower_bound": embedding.lower_bound,
        "exact": embedding.exact,
        "how": embedding.how,
        "places": list(embedding.places),
    }
    table = {
        "dilation": str(embedding.dilation),
        "exact": "yes" if embedding.exact else f"no: at least {embedding.lower_bound}",
        "because": embedding.how,
        "congestion": str(embedding.congestion),
        "mean dilation": number(embedding.mean_dilation),
        "places": ", ".join(map(str, embedding.places[:40]))
        + (" …" * (len(embedding.places) > 40)),
    }
    emit(record, title=f"{embedding.guest} in {embedding.host}", table=table)
