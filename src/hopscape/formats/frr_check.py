"""The Ethernet side of a hand-over under real FRR: routers in network namespaces of its own.

Every configuration is loaded by vtysh, the equal next hops of every router in the kernel are those
of ``ecmp.csv``, pairs ping each other, then a link is cut, and again. Nothing outside of namespaces
that end with the check is touched.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.distances import distances_from
from hopscape.core.errors import TooLargeError
from hopscape.core.network import Network
from hopscape.core.numbers import signed_json
from hopscape.core.reading import TextFile, load_json
from hopscape.core.verdict import Verdict
from hopscape.formats.frr import EthernetFabric
from hopscape.formats.graphs.libraries import link_ends
from hopscape.formats.programs import ProgramError, read_back, run_program, which_all

__all__ = ["PACKAGES", "check_frr", "missing_frr"]

PACKAGES = "Debian: frr iproute2 iputils-ping; as root, where namespaces may be made"
_MOST_NODES = 200  # of one machine; each router has two processes
_RUNNER = Path(__file__).with_name("runners") / "run_frr.py"
_APART = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]


def missing_frr() -> list[str]:
    """What is not there: programs, or the right to make namespaces."""
    absent = which_all(("vtysh", "ip", "ping", "unshare", "sysctl"))
    absent += [x for x in ("zebra", "bgpd") if not Path("/usr/lib/frr", x).is_file()]
    if not absent:
        try:
            run_program([*_APART, "sh", "-c", 'test "$(id -u)" = 0'], Path.cwd(), seconds=10)
        except ProgramError:
            absent = ["root's right to make network namespaces is"]
    return absent


def check_frr(folder: Path, *, pairs: int = 48, seconds: float = 300) -> Verdict:
    """Run the fabric of ``ethernet/``.

    Args:
        folder: A hand-over.
        pairs: Pairs of nodes that ping each other; all where there are no more.
        seconds: Until it has to be over.
    """
    network = read_back(folder)
    fabric = EthernetFabric.of(network)
    if network.order > _MOST_NODES:
        raise TooLargeError(
            f"{network.spec} has {network.order} nodes; up to {_MOST_NODES} are run on one machine"
        )
    counts = _read_counts(folder / "ethernet" / "ecmp.csv", fabric)
    cut = _spare_link(fabric)
    with tempfile.TemporaryDirectory(prefix="hopscape-frr-") as name:
        work = Path(name)
        shutil.copytree(folder / "ethernet", work / "ethernet")
        plan = _plan(fabric, counts, cut, pairs, seconds / 4)
        plan["routers"] = {
            fabric.name(v): str(work / "ethernet" / fabric.name(v) / "frr.conf")
            for v in fabric.routers.tolist()
        }
        (work / "plan.json").write_text(signed_json(plan), encoding="utf-8")
        run_program(
            [*_APART, sys.executable, str(_RUNNER), "plan.json", "report.json"],
            work,
            seconds=seconds,
        )
        report = load_json(work / "report.json")
    return _judge(fabric, report, plan)


def _plan(
    fabric: EthernetFabric, counts: IntArray, cut: int | None, pairs: int, seconds: float
) -> dict[str, Any]:
    ends = fabric.hosts or tuple(fabric.routers.tolist())
    every = [(a, b) for a in ends for b in ends if a != b]
    if len(every) > pairs:
        chosen = np.random.default_rng(0).choice(len(every), pairs, replace=False)
        every = [every[i] for i in sorted(chosen.tolist())]
    hosts = {}
    for host in fabric.hosts:
        [(port, _)] = fabric.lines(host)
        address = fabric.address(host)
        hosts[fabric.name(host)] = [f"eth{port}", str(address), str(address - 1)]
    return {
        "links": fabric.links(),
        "hosts": hosts,
        "pings": [
            [fabric.name(a), str(fabric.address(a)), str(fabric.address(b))] for a, b in every
        ],
        "before": _expected(fabric, counts),
        "cut": cut,
        "after": None if cut is None else _expected(fabric, fabric.next_hops(cut)),
        "seconds": seconds,
    }


def _expected(fabric: EthernetFabric, counts: IntArray) -> dict[str, dict[str, int]]:
    """Next hops that each router has to each prefix of the others."""
    place = {v: i for i, v in enumerate(fabric.routers.tolist())}
    behind = [(fabric.prefix(v), place[fabric.leaf(v)]) for v in range(fabric.network.order)]
    return {
        fabric.name(v): {prefix: int(counts[i, at]) for prefix, at in behind if counts[i, at]}
        for v, i in place.items()
    }


def _spare_link(fabric: EthernetFabric) -> int | None:
    """A link between routers without which all hang together."""
    tails, heads, _ = link_ends(fabric.network)
    hosts = set(fabric.hosts)
    for i, (u, v) in enumerate(zip(tails.tolist(), heads.tolist(), strict=True)):
        rest = Network.from_links(fabric.network.order, np.delete(tails, i), np.delete(heads, i))
        if not {u, v} & hosts and distances_from(rest, 0).min() >= 0:
            return i
    return None


def _read_counts(path: Path, fabric: EthernetFabric) -> IntArray:
    """The table of equal next hops."""
    file = TextFile(path)
    rows = list(file.lines("#"))[1:]
    names = [fabric.name(v) for v in fabric.routers.tolist()]
    table = [row.cells() for row in rows]
    if [row[0].text for row in table] != names or any(len(r) != len(names) + 1 for r in table):
        raise file.error("this is not a table of the routers' equal next hops")
    return np.asarray([[x.integer("next hops", 0, 10**6) for x in row[1:]] for row in table])


def _judge(fabric: EthernetFabric, report: Any, plan: dict[str, Any]) -> Verdict:
    pings, routers = len(plan["pings"]), len(fabric.routers)
    details: dict[str, Any] = {"routers": routers, "hosts": len(fabric.hosts), "pings": pings}
    for when, counts, lost in (
        ("", "before", "lost"),
        (" without the cut link", "after", "lost_after"),
    ):
        for pair, (want, found) in sorted(report.get(counts, {}).items()):
            text = f"{pair}{when}: {found} equal next hops in the kernel, {want} were promised"
            where = {"pair": pair, "found": found, "expected": want}
            return Verdict(False, text, where, details)
        for at, to in report.get(lost, ()):
            where = {"at": at, "to": to}
            return Verdict(False, f"{at} gets no answer from {to}{when}", where, details)
    text = (
        f"{routers} routers of FRR converge, equal next hops are those of ecmp.csv, {pings} pairs"
        " ping each other"
    )
    if plan["cut"] is not None:
        a, p, b, q = plan["links"][plan["cut"]]
        details["cut"] = f"{a} {p} - {b} {q}"
        text += f"; and again without the link {details['cut']}"
    return Verdict(True, text, details=details)
