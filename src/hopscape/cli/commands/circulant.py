"""Commands about circulants: search, and what is known of one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from hopscape.cli.commands.networks import SpecArgument
from hopscape.cli.options import (
    DaskOption,
    DeadLinkOption,
    DeadOption,
    DeviceOption,
    FolderOption,
    ProcessesOption,
    TableOption,
)
from hopscape.cli.output import Format, FormatOption, OutputOption, emit, emit_rows
from hopscape.core.errors import ArgumentError
from hopscape.core.numbers import number
from hopscape.core.tables import in_table

__all__ = ["circulant", "orders_of", "search_circulant", "show_sets", "study_circulant"]

_MOST_ORDERS = 1_000_000
_SHOWN = 6


def search_circulant(
    nodes: Annotated[
        str | None, typer.Option("--nodes", help="An order, or a range such as 7..1000.")
    ] = None,
    diameter: Annotated[
        int | None, typer.Option("--diameter", help="Instead: the largest order of this diameter.")
    ] = None,
    generators: Annotated[
        int | None, typer.Option("--generators", help="How many generators; 3 without.")
    ] = None,
    degree: Annotated[
        int | None,
        typer.Option("--degree", help="Instead: links of a node; an odd degree takes N/2 as well."),
    ] = None,
    ring: Annotated[
        bool, typer.Option("--ring/--all", help="Only sets with a unit generator, or all.")
    ] = False,
    table: TableOption = None,
    processes: ProcessesOption = None,
    dask: DaskOption = None,
    device: DeviceOption = "cpu",
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Find the circulants of least diameter and mean distance, all of them up to multipliers."""
    from hopscape.search import best_circulants, largest_circulants
    from hopscape.store import Store

    if (nodes is None) == (diameter is None):
        raise ArgumentError("give either --nodes or --diameter")
    if generators is None and degree is None:
        generators = 3
    with Store(table) as kept:
        asked: dict[str, Any] = {
            "generators": generators,
            "degree": degree,
            "ring": ring,
            "table": kept,
            "processes": processes,
            "dask": dask,
            "device": device,
        }
        if diameter is not None:
            _emit_one(largest_circulants(diameter, **asked).to_dict(), style, output)
            return
        assert nodes is not None
        orders = orders_of(nodes)
        rows = [found.to_dict() for found in best_circulants(orders, **asked)]
    if len(orders) == 1 and ".." not in nodes:
        _emit_one(rows[0], style, output)
        return
    columns = {
        "nodes": "nodes",
        "diameter": "diameter",
        "lower_bound": "bound",
        "mean_distance": "mean distance",
        "best": "best sets",
    }
    if style is Format.table:
        rows = [row | {"best": show_sets(row["sets"])} for row in rows]
    emit_rows(rows, style, output, columns=columns)


def orders_of(text: str) -> list[int]:
    """The orders of an option such as 100 or 7..1000."""
    first, _, last = text.partition("..")
    if not first.isdecimal() or (".." in text and not last.isdecimal()):
        raise ArgumentError(f"nodes is {text!r}; it must be a number or a range such as 7..1000")
    low, high = int(first), int(last or first)
    if low > high:
        raise ArgumentError(f"nodes is {text!r}; the range is empty")
    if high - low >= _MOST_ORDERS:
        raise ArgumentError(f"nodes is {text!r}; a range may have at most {_MOST_ORDERS} orders")
    return list(range(low, high + 1))


def show_sets(sets: list[list[int]], count: int | None = None) -> str:
    """The first generator sets, and how many there are."""
    count = len(sets) if count is None else count
    shown = "  ".join("(" + ", ".join(map(str, s)) + ")" for s in sets[:_SHOWN])
    return shown + (f"  … {count} in all" if count > _SHOWN else "")


def _emit_one(record: dict[str, Any], style: Format, output: Path | None) -> None:
    table = {
        "diameter": f"{record['diameter']}  (no set can be below {record['lower_bound']})",
        "mean distance": f"{number(record['mean_distance'])}  ({record['mean_distance_exact']})",
        "best sets": show_sets(record["sets"]),
        "sets tested": f"{record['tested']:,}",
    }
    kind = "ring circulants" if record["ring"] else "circulants"
    size = f"{record['generators']} generators"
    if record["degree"] is not None:
        size = f"degree {record['degree']}"
    title = f"{kind} with {record['nodes']} nodes and {size}"
    emit(record, style, output, title=title, table=table)


def circulant(
    spec: SpecArgument,
    a: Annotated[str | None, typer.Option("--from", help="A node: path vectors from it.")] = None,
    b: Annotated[str | None, typer.Option("--to", help="A node: path vectors to it.")] = None,
    dead: DeadOption = None,
    dead_link: DeadLinkOption = None,
    like: Annotated[
        str | None, typer.Option("--like", help="Another circulant: is there a multiplier?")
    ] = None,
    within: Annotated[
        int | None, typer.Option("--within", help="Count the nodes at and within this distance.")
    ] = None,
    exact: Annotated[
        bool,
        typer.Option("--exact", help="Mean and counts of any circulant, even if it takes minutes."),
    ] = False,
    node: Annotated[
        str | None,
        typer.Option("--node", help="A node: what the memoryless broadcast makes it send."),
    ] = None,
    root: Annotated[
        str | None, typer.Option("--root", help="With --node: where the broadcast starts; 0.")
    ] = None,
    style: FormatOption = Format.table,
    output: OutputOption = None,
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
    emit(record, style, output, title=record["spec"], table=_in_words(record))


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
    d: Annotated[int, typer.Option("--diameter", help="Graph of the pictures.")] = 6,
) -> None:
    """The paper's table up to d = 18, its broadcast tree (still and moving), a map of distances."""
    from hopscape.draw import draw_cell, draw_rounds
    from hopscape.families.circulant.collectives import broadcast
    from hopscape.families.circulant.describe import cell_map, table_rows
    from hopscape.registry import build

    variant = "5+" if d % 3 == 1 else "5"
    network = build(f'optimal_circulant({d}, variant="{variant}")')
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ArgumentError(f"{out} cannot be made: {error.strerror}") from error
    emit_rows(table_rows(), Format.csv, out / "table.csv")
    tree = broadcast(network, 0)
    draw_rounds(tree, out / "broadcast.svg")
    draw_rounds(tree, out / "broadcast.gif")
    distances, title = cell_map(network)
    across, upwards = "remainder v mod s3", "i = v div s3"
    draw_cell(distances, out / "cell.svg", title=title, across=across, upwards=upwards)
    print(f"wrote table.csv, broadcast.svg, broadcast.gif and cell.svg to {out}")
