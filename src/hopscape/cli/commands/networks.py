"""Commands about networks: families, show, compare, distances, draw, export, explain."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from hopscape.cli.output import Format, FormatOption, OutputOption, emit, emit_rows
from hopscape.core.errors import ArgumentError
from hopscape.core.family import REQUIRED, Family
from hopscape.registry import aliases, all_families, build, family

__all__ = ["register"]

SpecArgument = Annotated[
    str, typer.Argument(metavar="SPEC", help="A spec such as 'torus(8, 8)', or a graph file.")
]
ExactOption = Annotated[
    bool, typer.Option("--exact", help="Compute in full; no closed form, symmetry or sample.")
]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    for command in (families, show, compare, distances, draw, export, explain):
        app.command()(command)


def families(
    name: Annotated[str | None, typer.Argument(help="Show one family with its parameters.")] = None,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """List the families of networks, their parameters and ranges."""
    if name is None:
        rows = [_family_record(found) for found in all_families().values()]
        columns = {"usage": "family", "summary": "what it is", "example": "example"}
        emit_rows(rows, style, output, columns=columns)
        return
    record = _family_record(family(name))
    table = {"family": record["usage"], "what it is": record["summary"]}
    for parameter in record["parameters"]:
        default = "" if parameter["required"] else f" (default {parameter['default']})"
        table[parameter["name"]] = f"{parameter['help']}: {parameter['range']}{default}"
    if record["aliases"]:
        table["also called"] = ", ".join(record["aliases"])
    table["example"] = record["example"]
    emit(record, style, output, table=table)


def _family_record(found: type[Family]) -> dict[str, Any]:
    parameters = [
        {
            "name": p.name,
            "kind": p.kind,
            "range": p.range_text,
            "required": p.default is REQUIRED,
            "default": None if p.default is REQUIRED else p.default,
            "many": p.variadic,
            "help": p.help,
        }
        for p in found.parameters
    ]
    return {
        "name": found.name,
        "usage": found.usage(),
        "summary": found.summary,
        "parameters": parameters,
        "aliases": list(aliases(found.name)),
        "example": found.example,
    }


def show(
    spec: SpecArgument,
    exact: ExactOption = False,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Show what a network is: size, degree, diameter, mean distance, symmetry."""
    from hopscape.metrics.summary import summarise

    record = summarise(build(spec), exact=exact)
    how = record["how"]
    table = {
        "nodes": f"{record['nodes']:,}",
        "links": f"{record['links']:,}" if record["links"] is not None else "-",
        "degree": _range(record["degree"]),
        "connected": _with_how(record["connected"], how["connected"]),
        "diameter": _with_how(record["diameter"], how["diameter"]),
        "mean distance": _with_how(
            None if record["mean_distance"] is None else f"{record['mean_distance']:.6g}",
            how["mean_distance"],
        ),
        "vertex-transitive": _with_how(record["vertex_transitive"], how["vertex_transitive"]),
        "memory": record["memory"],
    }
    if record["endpoints"] != record["nodes"]:
        table["endpoints"] = f"{record['endpoints']:,}"
    for kind in record.get("classes", ()):
        many = "-" if kind["at_node_0"] is None else kind["at_node_0"]
        where = f"{many} at node 0, speed {kind['speed']}, reach: {kind['reach']}"
        table[f"{kind['name']} channels"] = where
    emit(record, style, output, title=record["spec"], table=table)


def _range(degree: dict[str, int | None]) -> str:
    if degree["min"] is None:
        return "-"
    low, high = degree["min"], degree["max"]
    return str(low) if low == high else f"{low} to {high}"


def _with_how(value: Any, how: str) -> str:
    shown = value  # a diameter of 1 equals True, so that identity decides
    if value is None or isinstance(value, bool):
        shown = {True: "yes", False: "no", None: "not known"}[value]
    return f"{shown}  ({how})" if how else str(shown)


def compare(
    specs: Annotated[list[str], typer.Argument(metavar="SPEC...", help="Two or more networks.")],
    columns: Annotated[
        str, typer.Option("--columns", "-c", help="Columns, apart by commas (see 'explain').")
    ] = "",
    exact: ExactOption = False,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Compare networks in one table."""
    from hopscape.core.progress import track
    from hopscape.design.columns import ALL_COLUMNS
    from hopscape.design.table import cells, figure_record, heads, legend
    from hopscape.metrics.columns import DEFAULT_COLUMNS, measure_columns

    names = [c.strip() for c in columns.split(",") if c.strip()] or list(DEFAULT_COLUMNS)
    unknown = [name for name in names if name not in ALL_COLUMNS]
    if unknown:
        raise ArgumentError(f"column {unknown[0]!r} is unknown; there are {', '.join(ALL_COLUMNS)}")
    networks = [build(spec) for spec in specs]
    rows = []
    for network in track(networks, "comparing"):
        found = measure_columns(network, names, exact=exact, columns=ALL_COLUMNS)
        rows.append((network.spec, found))
    if style is not Format.table:
        emit_rows([figure_record(*row) for row in rows], style, output)
        return
    emit_rows([cells(*row) for row in rows], style, output, columns=heads(names))
    notes = legend(found for _, found in rows)
    if notes and output is None:
        print(notes)


def distances(
    spec: SpecArgument,
    source: Annotated[
        str | None, typer.Option("--from", help="Only from this node: a number or an address.")
    ] = None,
    each: Annotated[
        bool, typer.Option("--each", help="With --from: the distance of every node.")
    ] = False,
    exact: ExactOption = False,
    sample: Annotated[
        int | None, typer.Option("--sample", help="Search from this many random nodes only.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Which sample.")] = 0,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Count the nodes at every distance, from one node or over all pairs."""
    from hopscape.metrics.summary import distances_from_node, distances_overall

    network = build(spec)
    if source is None:
        if each:
            raise ArgumentError("--each needs --from")
        record = distances_overall(network, exact=exact, sample=sample, seed=seed)
    else:
        record = distances_from_node(network, network.node(source), each=each)
    if style is Format.table:
        where = f" from {network.addresses.text(record['source'])}" if source is not None else ""
        title = f"{network.spec}: nodes at each distance{where}"
        total = sum(record["histogram"])
        rows = [
            {"distance": d, "count": count, "share": f"{100 * count / total:.2f} %"}
            for d, count in enumerate(record["histogram"])
        ]
        emit_rows(rows, style, output, title=title)
        if each:
            listed = [{"node": v, "distance": d} for v, d in enumerate(record["distances"])]
            emit_rows(listed, style, output)
        return
    emit(record, style, output)


def draw(
    spec: SpecArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The picture: .svg, .png or .pdf.")
    ],
    labels: Annotated[
        bool | None, typer.Option("--labels/--no-labels", help="Write node names (if they fit).")
    ] = None,
) -> None:
    """Draw a network, as its family is usually drawn."""
    from hopscape.draw import draw_network

    draw_network(build(spec), output, labels=labels)
    print(f"wrote {output}")


def export(
    spec: SpecArgument,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="The file: .edges, .csv, .graphml, .mtx or .npz."),
    ],
) -> None:
    """Write a network as a graph file for other software."""
    from hopscape.interchange import write_network

    network = build(spec)
    write_network(network, output)
    print(f"wrote {output}: {network.order} nodes, {network.links} links")


def explain(
    column: Annotated[str | None, typer.Argument(help="Name of a column; all without.")] = None,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Explain the columns of 'compare' and 'design' in one line each."""
    from hopscape.design.columns import ALL_COLUMNS

    if column is not None and column not in ALL_COLUMNS:
        raise ArgumentError(f"column {column!r} is unknown; there are {', '.join(ALL_COLUMNS)}")
    chosen = ALL_COLUMNS.values() if column is None else [ALL_COLUMNS[column]]
    rows = [{"column": c.name, "title": c.title, "explanation": c.explanation} for c in chosen]
    emit_rows(rows, style, output)
