"""Commands about circulants: what is known of one, and the study."""

from __future__ import annotations

from typing import Annotated, Any

from hopscape.cli.options import DeadLinkOption, DeadOption, FolderOption, SpecArgument, option
from hopscape.cli.output import emit, emit_rows, write_tables
from hopscape.core.errors import ArgumentError
from hopscape.core.tables import in_table

__all__ = ["circulant", "study_circulant"]


def circulant(
    spec: SpecArgument,
    a: Annotated[str | None, option("A node: path vectors from it.", "--from")] = None,
    b: Annotated[str | None, option("A node: path vectors to it.", "--to")] = None,
    dead: DeadOption = None,
    dead_link: DeadLinkOption = None,
    like: Annotated[str | None, option("Another circulant: is there a multiplier?")] = None,
    within: Annotated[int | None, option("Count the nodes at and within this distance.")] = None,
    exact: Annotated[
        bool, option("Mean and counts of any circulant, even if it takes minutes.")
    ] = False,
    node: Annotated[
        str | None, option("A node: what the memoryless broadcast makes it send.")
    ] = None,
    root: Annotated[str | None, option("With --node: where the broadcast starts; 0.")] = None,
) -> None:
    """Tell what is known of a circulant: distances, canonical form, path vectors, broadcast."""
    from hopscape.families.circulant import Circulant, ForwardingRule
    from hopscape.families.circulant.describe import describe, describe_faults, describe_route
    from hopscape.registry import build

    network = build(spec)
    if not isinstance(network.family, Circulant):
        raise ArgumentError(f"{network.spec} is not a circulant")
    other = build(like).family if like is not None else None
    if like is not None and not isinstance(other, Circulant):
        raise ArgumentError(f"{like} is not a circulant")
    if root is not None and node is None:
        raise ArgumentError("--root needs --node")
    second = other if isinstance(other, Circulant) else None
    record = describe(network.family, second, within, exact=exact)
    if (a is None) != (b is None):
        raise ArgumentError("give both --from and --to")
    if a is not None and b is not None:
        start, end = network.node(a), network.node(b)
        record |= describe_route(network, start, end)
        if dead or dead_link:
            links = [_link(text) for text in dead_link or []]
            record |= describe_faults(network, start, end, dead or [], links)
    elif dead or dead_link:
        raise ArgumentError("--dead and --dead-link need --from and --to")
    if node is not None:
        record["broadcast"] = ForwardingRule(network).at(node, root or 0).to_dict()
    emit(record, title=record["spec"], table=_in_words(record))


def _in_words(record: dict[str, Any]) -> dict[str, str]:
    """What a person reads: figures, or why they are not known."""
    hidden = {"spec", "how", "mean_distance_exact"}
    table = {k: in_table(v) for k, v in record.items() if k not in hidden}
    for name, why in record["how"].items():
        none = record["components"] > 1 or record["nodes"] == 1
        table[name] = f"{'none' if none else 'not known'}  ({why})"
    exact = record["mean_distance_exact"]
    if exact is not None:
        table["mean_distance"] += f"  ({exact})"
    missing = {
        "canonical": "too many multipliers to compare",
        "multiplier": "none",
        "hops": "not delivered",
        "hops_if_known": "there is no route",
    }
    table |= {name: why for name, why in missing.items() if record.get(name, 0) is None}
    if "broadcast" in record:
        stop = record["broadcast"]
        sends = ", ".join(f"port {c['port']} to {c['to']}" for c in stop["sends"]) or "nothing"
        heard = "starts" if stop["sender"] is None else f"hears of {stop['sender']}"
        table["broadcast"] = (
            f"node {stop['node']} {heard} in round {stop['round']} and sends: {sends}"
        )
    return table


def _link(text: str) -> tuple[str, str]:
    u, dash, v = text.partition("-")
    if not (dash and u.isdecimal() and v.isdecimal()):
        raise ArgumentError(f"link {text!r} must be two node numbers such as 3-17")
    return u, v


def study_circulant(
    out: FolderOption,
    d: Annotated[int, option("Graph of the pictures.", "--diameter")] = 6,
) -> None:
    """The paper's table up to d = 18, its broadcast tree (still and moving), a map of distances."""
    from hopscape.draw import draw_cell, draw_rounds
    from hopscape.families.circulant.collectives import broadcast
    from hopscape.families.circulant.describe import cell_map, table_rows
    from hopscape.registry import build

    variant = "5+" if d % 3 == 1 else "5"
    network = build(f'optimal_circulant({d}, variant="{variant}")')
    write_tables([("table", table_rows())], out)
    tree = broadcast(network, 0)
    draw_rounds(tree, out / "broadcast.svg")
    draw_rounds(tree, out / "broadcast.gif")
    distances, title = cell_map(network)
    across, upwards = "remainder v mod s3", "i = v div s3"
    draw_cell(distances, out / "cell.svg", title=title, across=across, upwards=upwards)
    names = ("table.csv", "broadcast.svg", "broadcast.gif", "cell.svg")
    emit_rows([{"file": str(out / name)} for name in names])
