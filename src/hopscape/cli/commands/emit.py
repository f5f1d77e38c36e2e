"""The command emit: a router as C, Verilog, P4 or Python."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from hopscape.cli.options import (
    DeadLinkOption,
    DeadOption,
    SpecArgument,
    option,
    read_dead_links,
    refuse,
)
from hopscape.cli.output import Format, FormatOption
from hopscape.cli.output import emit as show
from hopscape.core.channels import ATTRIBUTES
from hopscape.core.errors import ArgumentError
from hopscape.core.files import write_atomically
from hopscape.core.network import Network
from hopscape.core.router import Router
from hopscape.core.verdict import Verdict
from hopscape.registry import build

__all__ = ["emit"]


class Language(StrEnum):
    """What a router is written in."""

    c = "c"
    verilog = "verilog"
    systemverilog = "systemverilog"
    p4 = "p4"
    python = "python"


def emit(
    spec: SpecArgument,
    to: Annotated[Language, option("The language.")],
    output: Annotated[
        Path | None, option("The file of the code; else it is printed.", "--output", "-o")
    ] = None,
    router: Annotated[str, option("auto, closed, table, search, or one by name.")] = "auto",
    name: Annotated[str | None, option("Prefix of all names in the code.")] = None,
    stages: Annotated[int | None, option("Verilog: pipeline stages; 0 for plain logic.")] = None,
    with_router: Annotated[
        bool, option("Verilog: the whole network of routers and a testbench.")
    ] = False,
    vcs: Annotated[
        int | None, option("SystemVerilog: virtual channels per link; as few as are needed.")
    ] = None,
    buffer: Annotated[int, option("SystemVerilog: flits per virtual channel.")] = 4,
    packet: Annotated[int, option("SystemVerilog: flits per packet of the testbench.")] = 4,
    width: Annotated[int, option("SystemVerilog: bits per flit.")] = 32,
    check: Annotated[bool, option("Compile or simulate it and compare with the router.")] = False,
    prove: Annotated[
        bool, option("Verilog, SystemVerilog: prove the ports of all pairs (Yosys and z3).")
    ] = False,
    packets: Annotated[int | None, option("Random packets for --check of networks (1000).")] = None,
    dead: DeadOption = None,
    dead_link: DeadLinkOption = None,
    style: FormatOption = Format.table,
) -> None:
    """Write the router of a network as code that needs nothing else.

    Closed forms become arithmetic, routers with tables read-only memories. The code is compared
    with the router before it is written; --check runs the real compiler or simulator as well.
    With dead parts the routes are shortest ones around them, from a table. SystemVerilog is the
    whole network, of wormhole routers with virtual channels, and a testbench; --check compares each
    packet with the flit simulator.
    """
    if to is Language.systemverilog:
        _emit_noc(spec, output, router, name, (vcs, buffer, packet, width), check, prove, packets)
        return
    refuse(("vcs", "buffer", "packet", "width"), "is for --to systemverilog")
    if with_router:
        refuse(("prove",), "is for the router alone and for --to systemverilog")
        refuse(("dead", "dead_link"), "is not for --with-router: its lanes are of whole networks")
        _emit_fabric(spec, to, output, router, name, stages, check, packets)
        return
    refuse(("packets",), "is for --check of networks: --with-router or --to systemverilog")
    if prove and (to is not Language.verilog or stages):
        raise ArgumentError("--prove is for Verilog without stages, and for SystemVerilog")
    from hopscape.formats.code import cell_count, check_code, emit_code, prove_route

    network = build(spec)
    way: str | Router = router
    if dead or dead_link:
        way = _around(network, dead or [], dead_link or [])
    depth = 0 if stages is None else stages
    language: Any = to.value
    code = emit_code(network, language, router=way, name=name, stages=depth)
    if output is None:
        if check or prove:
            word = "check" if check else "prove"
            raise ArgumentError(f"--{word} reports on a file; name it with -o")
        refuse(("style",), "is for the report on a file; name it with -o")
        print(code.text, end="")
        return
    record: dict[str, Any] = {
        "file": str(output),
        "language": to.value,
        "network": network.spec,
        "nodes": network.order,
        "ports": network.ports,
        "router": code.router,
        "operations": code.operations,
        "table_entries": code.entries,
        "compared": code.compared.words(),
    }
    if to is Language.verilog:
        record["latency_cycles"] = depth
        record["cells"] = cell_count(code.text, f"{code.name}_route")
    verdict = check_code(code, network, router=way, stages=depth) if check else None
    proof = prove_route(code.text, code.name, network, router=way) if prove else None
    write_atomically(output, lambda out: out.write(code.text.encode()))
    _report(record, verdict, proof)


def _around(network: Network, dead: Sequence[str], dead_links: Sequence[str]) -> Router:
    """The router around dead parts."""
    from hopscape.core.detours import TableDetours

    refuse(("router",), "does not go with dead parts: routes around them are searched")
    return TableDetours(network, dead, read_dead_links(network, dead_links))


def _emit_fabric(
    spec: str,
    to: Language,
    output: Path | None,
    router: str,
    name: str | None,
    stages: int | None,
    check: bool,
    packets: int | None,
) -> None:
    from hopscape.formats.code import check_fabric, emit_fabric

    if to is not Language.verilog:
        raise ArgumentError(f"--with-router is for Verilog, not for {to.value}")
    refuse(("stages",), "is not for --with-router: a hop takes one cycle")
    if not check:
        refuse(("packets",), "is for --with-router --check")
    output, bench = _two_files(output, "--with-router")
    fabric = emit_fabric(build(spec), router=router, name=name)
    record = {
        "file": str(output),
        "testbench": str(bench),
        "network": fabric.network.spec,
        "nodes": fabric.network.order,
        "router": fabric.router,
        "virtual_channels": fabric.classes,
        "certificate": fabric.certificate.words(),
        "latency_cycles": 1,
    }
    if note := fabric.network.unheeded("links are wires, all alike", *ATTRIBUTES):
        record["note"] = note
    verdict = check_fabric(fabric, packets=packets or 1000) if check else None
    write_atomically(output, lambda out: out.write(fabric.design.encode()))
    write_atomically(bench, lambda out: out.write(fabric.testbench.encode()))
    _report(record, verdict)


def _two_files(output: Path | None, who: str) -> tuple[Path, Path]:
    """The file of the design and that of its testbench, which is nobody else's."""
    from hopscape.formats.code import WRITTEN

    if output is None:
        raise ArgumentError(f"{who} writes two files; name the first with -o")
    bench = output.with_name(f"{output.stem}_test{output.suffix}")
    if bench.is_file() and WRITTEN.encode() not in bench.read_bytes():
        raise ArgumentError(
            f"the testbench would be {bench}, which hopscape did not write; name another file"
        )
    return output, bench


def _emit_noc(
    spec: str,
    output: Path | None,
    router: str,
    name: str | None,
    sizes: tuple[int | None, int, int, int],
    check: bool,
    prove: bool,
    packets: int | None,
) -> None:
    from hopscape.formats.code import check_noc, emit_code, emit_noc, noc_cells, prove_route

    refuse(("dead", "dead_link"), "is not for --to systemverilog: its lanes are of whole networks")
    refuse(("stages",), "is not for --to systemverilog: a hop takes five cycles")
    refuse(("with_router",), "is for Verilog; --to systemverilog is the whole network anyway")
    if not check:
        refuse(("packets",), "is for --check")
    output, bench = _two_files(output, "--to systemverilog")
    vcs, buffer, packet, width = sizes
    network = build(spec)
    noc = emit_noc(
        network, router=router, name=name, vcs=vcs, buffer=buffer, packet=packet, width=width
    )
    record: dict[str, Any] = {
        "file": str(output),
        "testbench": str(bench),
        "network": network.spec,
        "nodes": network.order,
        "router": noc.router,
        "virtual_channels": noc.settings.vcs,
        "certificate": noc.certificate.words(),
        "cycles_per_hop": noc.settings.router_delay + noc.settings.link_delay,
    }
    if note := network.unheeded("links are wires, all alike", *ATTRIBUTES):
        record["note"] = note
    verdict = check_noc(noc, packets=packets or 1000) if check else None
    if check:
        record |= noc_cells(noc) or {}
    routes = emit_code(network, "verilog", router=router, name=name) if prove else None
    proof = prove_route(routes.text, routes.name, network, router=router) if routes else None
    write_atomically(output, lambda out: out.write(noc.design.encode()))
    write_atomically(bench, lambda out: out.write(noc.testbench.encode()))
    _report(record, verdict, proof)


def _report(record: dict[str, Any], verdict: Verdict | None, proof: Verdict | None = None) -> None:
    """Show what was written; a check that failed ends with 1."""
    if verdict is not None:
        record["check"] = verdict.reason
    if proof is not None:
        record["proof"] = proof.reason
    show(record)
    if not all(one is None or one for one in (verdict, proof)):
        raise typer.Exit(1)
