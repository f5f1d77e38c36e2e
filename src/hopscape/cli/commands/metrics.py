"""Commands about single figures: bisection and channel load."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from hopscape.cli.options import ExactOption, RouterOption, SpecArgument, option
from hopscape.cli.output import KINDS_SHOWN, Format, emit, emit_rows, look
from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network
from hopscape.core.numbers import number
from hopscape.registry import build

__all__ = ["bisection", "load"]


def bisection(
    spec: SpecArgument,
    exact: ExactOption = False,
    seed: Annotated[int | None, option("For the local search.", min=0)] = None,
) -> None:
    """Find the fewest links between two halves, with a partition."""
    from hopscape.metrics import bisection as measure

    network = build(spec)
    found = measure(network, exact=exact, seed=seed or 0)
    if seed is not None and found.how == "closed form":
        raise ArgumentError(
            f"--seed is for the search; the bisection of {network.spec} is known in closed form"
            " (--exact searches)"
        )
    record: dict[str, Any] = {
        "spec": network.spec,
        "bisection": found.value,
        "lower": found.lower,
        "upper": found.upper,
        "how": found.how,
        "side": None if found.side is None else found.side.tolist(),
    }
    width = str(found.value) if found.value is not None else f"{found.lower} to {found.upper}"
    table = {"bisection": f"{width}  ({found.how})"}
    note = network.unheeded("links are counted", "capacity")
    if note:
        record["note"] = table["note"] = note
    if found.side is not None:
        table["one half"] = ", ".join(str(v) for v in _half(record["side"]))
    emit(record, title=network.spec, table=table)


def _half(side: list[int], most: int = 40) -> list[int | str]:
    nodes: list[int | str] = [v for v, s in enumerate(side) if s == 0]
    return nodes if len(nodes) <= most else [*nodes[:most], "…"]


def load(
    spec: SpecArgument,
    traffic: Annotated[str, option("uniform, or a file with a matrix (.csv, .npy).")] = "uniform",
    router: RouterOption = "auto",
    each: Annotated[bool, option("Also the load of every channel.")] = False,
    seed: Annotated[int | None, option("For the sample of a large network.", min=0)] = None,
) -> None:
    """Add up what a router puts on the channels, and what throughput that allows."""
    from hopscape.metrics import channel_load

    network = build(spec)
    kind: Any = router
    routing = network.router(kind)
    flows: Any = "uniform" if traffic == "uniform" else _matrix(Path(traffic))
    found = channel_load(network, routing, flows, seed=seed or 0)
    if seed is not None and found.how != "sampled":
        raise ArgumentError(
            f"--seed is for a sample; the loads of {network.spec} are added up in full"
        )
    record: dict[str, Any] = {
        "spec": network.spec,
        "router": routing.name,
        "traffic": traffic,
        "largest": found.largest,
        "mean": found.mean,
        "throughput": found.throughput,
        "hops": found.hops,
        "how": found.how,
    }
    if found.classes:
        record["classes"] = [asdict(kind) for kind in found.classes]
    if each:
        record["loads"] = found.loads
        if look.style is not Format.json:
            emit_rows(_channels(network, found.loads), title=_loaded(record))
            return
    table = {
        "largest load": f"{number(found.largest)}  ({found.how})",
        "mean load": number(found.mean),
        "throughput": f"{number(found.throughput)} per node, {_unit(found.classes)}",
        "mean hops": number(found.hops),
        "router": routing.name,
    }
    for kind in found.classes[:KINDS_SHOWN]:
        table[f"{kind.name} channels"] = (
            f"{kind.channels:,} of speed {kind.speed}: largest load {number(kind.largest)},"
            f" throughput {number(kind.throughput)}"
        )
    if len(found.classes) > KINDS_SHOWN:
        table["other kinds"] = f"{len(found.classes) - KINDS_SHOWN} (JSON has all)"
    emit(record, title=_loaded(record), table=table)


def _loaded(record: dict[str, Any]) -> str:
    return f"{record['spec']}: load under {record['traffic']}, largest {number(record['largest'])}"


def _channels(network: Network, loads: Any) -> list[dict[str, Any]]:
    ends = zip(network.tails.tolist(), network.heads.tolist(), loads.tolist(), strict=True)
    return [{"channel": i, "from": u, "to": v, "load": x} for i, (u, v, x) in enumerate(ends)]


def _unit(classes: tuple[Any, ...]) -> str:
    """What the throughput is counted in."""
    if len({kind.speed for kind in classes}) > 1:
        return "in the unit of the speeds"
    return f"if a channel carries {classes[0].speed if classes else 1}"


def _matrix(path: Path) -> Any:
    from hopscape.core.reading import load_array, read_matrix

    if not path.exists():
        raise ArgumentError(f"traffic {str(path)!r} is neither 'uniform' nor a file with a matrix")
    return load_array(path) if path.suffix == ".npy" else read_matrix(path, "a share")
