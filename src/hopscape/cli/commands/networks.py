"""Commands about networks: families, show, compare, distances, draw, export, explain."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from hopscape.cli.collective_output import end_if_wrong
from hopscape.cli.ended import ended_code, ended_word
from hopscape.cli.options import (
    ExactOption,
    ProofOption,
    SpecArgument,
    option,
    refuse,
    time_limit_option,
)
from hopscape.cli.output import (
    KINDS_SHOWN,
    Format,
    emit,
    emit_rows,
    output_settings,
    say,
    write_proofs,
)
from hopscape.core.errors import ArgumentError
from hopscape.core.family import REQUIRED, Family
from hopscape.core.numbers import number
from hopscape.core.tables import in_table
from hopscape.registry import aliases, all_families, build, build_within, family

__all__ = ["compare", "distances", "draw", "explain", "export", "families", "show"]

LimitOption = Annotated[
    float | None,
    time_limit_option("Time limit (default: 60 s; none with --exact)."),
]
_SECONDS = 60.0  # without --limit; --exact has none


def families(
    name: Annotated[str | None, typer.Argument(help="Show one family with its parameters.")] = None,
    word: Annotated[
        str, option("Only families whose name or description contains this.", "--search")
    ] = "",
) -> None:
    """List the families of networks, their parameters and ranges."""
    if name is not None:
        refuse(("word",), "looks through all families; leave out the name")
    if name is None:
        rows = [_family_record(kind) for kind in all_families().values()]
        wanted = word.lower()
        rows = [r for r in rows if wanted in f"{r['name']} {r['summary']} {r['aliases']}".lower()]
        if not rows:
            raise ArgumentError(f"no family has {word!r} in its name or description")
        columns = {"name": "family", "summary": "what it is", "example": "example"}
        columns["usage"] = "parameters"
        emit_rows(rows, columns=columns)
        return
    record = _family_record(family(name))
    table = {"family": record["usage"], "what it is": record["summary"]}
    for parameter in record["parameters"]:
        default = "" if parameter["required"] else f" (default {parameter['default']})"
        table[parameter["name"]] = f"{parameter['help']}: {parameter['range']}{default}"
    if record["aliases"]:
        table["also called"] = ", ".join(record["aliases"])
    table["example"] = record["example"]
    emit(record, table=table)


def _family_record(kind: type[Family]) -> dict[str, Any]:
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
        for p in kind.parameters
    ]
    return {
        "name": kind.name,
        "usage": kind.usage(),
        "summary": kind.summary,
        "parameters": parameters,
        "aliases": list(aliases(kind.name)),
        "example": kind.example,
    }


def show(
    spec: SpecArgument,
    exact: ExactOption = False,
    limit: LimitOption = None,
    proof: ProofOption = None,
) -> None:
    """Show what a network is: size, degree, diameter, mean distance, symmetry."""
    from hopscape.core.progress import time_limit
    from hopscape.metrics.summary import summarise

    record: dict[str, Any] = {}
    whole = False
    with time_limit(_seconds(limit, exact)), _keep_what_is_known():
        summarise(build(spec), exact=exact, record=record)
        whole = True
    proofs = []
    if whole and proof is not None:
        from hopscape.proofs import prove_figures

        names = ("diameter", "mean_distance")
        figures = {name: record[name] if record["how"][name] in _SURE else None for name in names}
        proofs = prove_figures(build(spec), figures)
    if record:
        _show_record(record)
    if proof is not None and proofs:
        write_proofs(proof, proofs)
    _say_if_cut_short(whole)


def _seconds(limit: float | None, exact: bool) -> float | None:
    """The time limit asked for, or the usual one."""
    if limit is not None and not limit > 0:
        raise ArgumentError(f"--time-limit is {limit:g} s; it must be above 0 (inf for no limit)")
    return limit if limit is not None or exact else _SECONDS


@contextmanager
def _keep_what_is_known() -> Iterator[None]:
    """Ctrl-C ends the measuring, not the command."""
    with suppress(KeyboardInterrupt):
        yield


def _say_if_cut_short(whole: bool) -> None:
    if not whole:
        print(f"hopscape: {ended_word()}; this is what is known so far", file=sys.stderr)
        raise typer.Exit(ended_code())


def _show_record(record: dict[str, Any]) -> None:
    how = {name: "interrupted" for name in record if name in _SHOWN} | record["how"]
    record["how"] = how
    table = {
        "nodes": f"{record['nodes']:,}",
        "links": _count(record["links"], how["links"]),
        "degree": _range(record["degree"], how["degree"]),
        "connected": _with_how(record["connected"], how["connected"]),
        "diameter": _with_how(record["diameter"], how["diameter"]),
        "mean distance": _with_how(
            None if record["mean_distance"] is None else number(record["mean_distance"]),
            how["mean_distance"],
        ),
        "vertex-transitive": _with_how(record["vertex_transitive"], how["vertex_transitive"]),
        "memory": record["memory"],
    }
    if record["endpoints"] != record["nodes"]:
        table["endpoints"] = f"{record['endpoints']:,}"
    table |= _best_known(record)
    kinds = record.get("classes", ())
    for kind in kinds[:KINDS_SHOWN]:
        many = "-" if kind["at_node_0"] is None else kind["at_node_0"]
        where = f"{many} at node 0, speed {kind['speed']}"
        attributes = {
            "reach": kind["reach"] or None,
            "delay": kind["delay"],
            "length": kind["length"],
        }
        where += "".join(f", {name}: {x}" for name, x in attributes.items() if x is not None)
        table[f"{kind['name']} channels"] = where
    if len(kinds) > KINDS_SHOWN:
        table["other kinds"] = f"{len(kinds) - KINDS_SHOWN} (JSON has all)"
    if "note" in record:
        table["note"] = record["note"]
    emit(record, title=record["spec"], table=table)


def _best_known(record: dict[str, Any]) -> dict[str, str]:
    """The largest known graph of the degree and diameter, and the record of the size."""
    known = record.get("best_known", {})
    degree = record["degree"]["max"]
    table = {}
    if known.get("moore") is not None:
        sort = f"degree {degree} and diameter {record['diameter']}"
        most = number(known["moore"], grouped=True)
        text = f"no graph of {sort} has more than {most} nodes (Moore bound)"
        if known["largest"] is not None and known["source"]:
            text += f"; the largest known has {known['largest']:,} ({known['source']})"
        table["best known"] = text
    if known.get("golf_diameter") is not None:
        table["record"] = (
            f"diameter {known['golf_diameter']}, mean distance {known['golf_mean']:.3f} for"
            f" {record['nodes']:,} nodes of degree {degree} ({known['golf_source']})"
        )
    return table


_SHOWN = ("links", "degree", "connected", "diameter", "mean_distance", "vertex_transitive")
_SURE = ("closed form", "exact")
_NONE = ("not connected", "one node", "no cycle")


def _count(value: int | None, how: str) -> str:
    return f"{value:,}" if value is not None and how in _SURE else _with_how(value, how)


def _range(degree: dict[str, int | None], how: str) -> str:
    low, high = degree["min"], degree["max"]
    if low is None or high is None:
        return _with_how(high, how)
    return str(low) if low == high else f"{low} to {high}"


def _with_how(value: Any, how: str) -> str:
    shown = in_table(value) if isinstance(value, bool) else value
    if value is None:
        shown = "none" if how in _NONE else "not known"
    return f"{shown}  ({how})" if how else str(shown)


_RANK = {
    name: place
    for place, name in enumerate(
        ("spec", "nodes", "degree", "diameter", "mean_distance", "bisection", "links", "mean_gap",
         "node_connectivity", "girth", "vertex_transitive", "cost", "moore_mean")
    )
}  # fmt: skip
"""Columns of 'compare', the last one dropped first."""


def compare(
    specs: Annotated[list[str], typer.Argument(metavar="SPEC...", help="Two or more networks.")],
    columns: Annotated[
        str, option("Columns, separated by commas (see 'explain').", "--columns", "-c")
    ] = "",
    exact: ExactOption = False,
    limit: LimitOption = None,
    proof: ProofOption = None,
) -> None:
    """Compare networks in one table."""
    from hopscape.design.columns import column_names, columns_of, measure
    from hopscape.design.table import SIGNS, cells, figure_record, heads, reasons

    names = column_names(columns) or columns_of("compare")
    rows: list[tuple[str, dict[str, Any]]] = []
    whole = False
    with _keep_what_is_known():
        measure([build(spec) for spec in specs], names, _seconds(limit, exact), rows, exact=exact)
        whole = True
    proofs = []
    if whole and proof is not None:
        from hopscape.proofs import prove_figures

        proofs = [one for row in rows for one in prove_figures(build(row[0]), row[1])]
    if output_settings.style is not Format.table:
        emit_rows([figure_record(*row) for row in rows])
    elif rows:
        emit_rows(
            [cells(*row) for row in rows],
            columns=heads(names),
            priority=_RANK,
            legend=SIGNS,
        )
        if output_settings.output is None:
            say(*reasons(rows))
    if proof is not None and proofs:
        write_proofs(proof, proofs)
    _say_if_cut_short(whole)


def distances(
    spec: SpecArgument,
    source: Annotated[
        str | None, option("Only from this node: a number or an address.", "--from")
    ] = None,
    each: Annotated[bool, option("With --from: list the distance of every node.")] = False,
    exact: ExactOption = False,
    sample: Annotated[int | None, option("Search from this many random nodes only.")] = None,
    seed: Annotated[int | None, option("Random seed of the sample.", min=0)] = None,
) -> None:
    """Count the nodes at every distance, from one node or over all pairs."""
    from hopscape.metrics.summary import distances_from_node, distances_overall

    if source is None and each:
        raise ArgumentError("--each needs --from")
    if source is not None and (exact or sample is not None or seed is not None):
        raise ArgumentError("--from searches from one node in full; leave out --exact and --sample")
    if exact and sample is not None:
        raise ArgumentError("--exact and --sample contradict each other; give one of them")
    if seed is not None and sample is None:
        raise ArgumentError("--seed says which sample; it needs --sample")
    network = build(spec)
    if source is None:
        record = distances_overall(network, exact=exact, sample=sample, seed=seed or 0)
    else:
        record = distances_from_node(network, network.node(source), each=each)
    if output_settings.style is not Format.table:
        emit(record)
        return
    where = f" from {network.addresses.text(record['source'])}" if source is not None else ""
    if each:
        rows = [{"node": v, "distance": d} for v, d in enumerate(record["distances"])]
        emit_rows(rows, title=f"{network.spec}: distances{where}")
        _say_note(record)
        return
    total = sum(record["histogram"])
    rows = [
        {"distance": d, "count": count, "share": f"{100 * count / total:.2f} %"}
        for d, count in enumerate(record["histogram"])
    ]
    emit_rows(rows, title=f"{network.spec}: nodes at each distance{where}")
    _say_note(record)


def _say_note(record: dict[str, Any]) -> None:
    if output_settings.output is None and "note" in record:
        say(record["note"])


class Colouring(StrEnum):
    """What the colours of links mean."""

    none = "none"
    port = "port"
    klass = "class"


class LayoutName(StrEnum):
    """Where nodes stand."""

    auto = "auto"
    circle = "circle"
    levels = "levels"
    force = "force"


def draw(
    spec: SpecArgument,
    output: Annotated[
        Path,
        option("The picture: .svg, .png or .pdf; of rounds also .gif or .html.", "--output", "-o"),
    ],
    labels: Annotated[
        bool | None, option("Write node names (if they fit).", "--labels/--no-labels")
    ] = None,
    colour: Annotated[
        Colouring, option("Colour links by port (generator) or class.")
    ] = Colouring.none,
    layout: Annotated[LayoutName, option("The family's own layout, or another.")] = LayoutName.auto,
    route: Annotated[
        tuple[str, str] | None,
        option("Draw the route from node A to node B on top.", metavar="A B"),
    ] = None,
    highlight: Annotated[
        list[str] | None, option("Put a ring around this node (repeatable).", metavar="NODE")
    ] = None,
    broadcast: Annotated[
        str | None, option("Draw the rounds of a broadcast instead.", metavar="ROOT")
    ] = None,
) -> None:
    """Draw a network, as its family is usually drawn; beyond 2,000 nodes by density.

    The name of a saved schedule draws its rounds.
    """
    from hopscape.core.schedule import Schedule
    from hopscape.show.draw import draw_network, draw_rounds

    network = build(spec)
    saved = None
    styles = ("route", "highlight", "labels", "colour", "layout")
    if Schedule.spec_in(spec) is not None:
        refuse((*styles, "broadcast"), "does not go with a schedule, whose rounds are drawn")
        saved = Schedule.load(spec, build_within(spec))
        draw_rounds(saved, output)
    elif broadcast is not None:
        refuse(styles, "does not go with --broadcast, which draws rounds")
        from hopscape.collectives import broadcast as schedule

        draw_rounds(schedule(network, broadcast), output)
    else:
        draw_network(
            network,
            output,
            labels=labels,
            colour=colour.value,
            layout=layout.value,
            route=route,
            highlight=highlight or (),
        )
    print(f"wrote {output}")
    if saved is not None:
        end_if_wrong(saved, spec)


def export(
    spec: SpecArgument,
    output: Annotated[
        Path,
        option(
            "The file: .edges, .csv, .golf, .adjlist, .graphml, .gexf, .gml, .dot, .json, .g6, .s6,"
            " .mtx or .npz.",
            "--output",
            "-o",
        ),
    ],
) -> None:
    """Write a network as a graph file for other software."""
    from hopscape.formats.graphs import write_network

    network = build(spec)
    write_network(network, output)
    print(f"wrote {output}: {network.order} nodes, {network.links} links")


def explain(
    column: Annotated[
        str | None, typer.Argument(help="A column or heading, as tables print it (default: all).")
    ] = None,
) -> None:
    """Explain what tables print: columns, criteria and other headings, in one line each."""
    from hopscape.cli.glossary import glossary, look_up

    words = list(glossary()) if column is None else look_up(column)
    rows = [
        {"column": w.name, "title": w.title, "explanation": w.explanation, "where": w.where}
        for w in words
    ]
    emit_rows(rows, priority={"explanation": 0, "title": 1, "where": 2})
