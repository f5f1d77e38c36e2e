"""Load and latency of the project's families side by side, as one generated page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hopscape.core.errors import ArgumentError
from hopscape.core.files import write_atomically
from hopscape.core.network import Network
from hopscape.core.plugins import plugin_entries
from hopscape.core.spec import parse
from hopscape.metrics.bisection import bisection
from hopscape.metrics.distances import distance_profile
from hopscape.registry import build
from hopscape.simulate.fabric import Setup, build_setup
from hopscape.simulate.figures import draw_panels
from hopscape.simulate.measurement import run_point, saturation
from hopscape.simulate.settings import Settings
from hopscape.simulate.traffic import make_traffic
from hopscape.store import Store, Task, run_tasks

__all__ = ["SIZES", "load_rows", "networks_of_size", "write_page"]

SIZES: dict[int, tuple[str, ...]] = {
    64: (
        "torus(8, 8)",
        "torus(4, 4, 4)",
        "rpc(2)",
        "rp(6)",
        "double_loop(64)",
        "optimal_circulant(3)",
        "folded(petersen, 2)",
        "expanded(petersen, 1)",
        "multiring(64, 1, 3, 5)",
        "sparse_multiring(3, 27)",
        "switched_multiring(9, r=2, duplex=true)",
    ),
    256: (
        "torus(16, 16)",
        "torus(6, 6, 7)",
        "rpc(9)",
        "rp(26)",
        "double_loop(256)",
        "optimal_circulant(5)",
        "folded(heawood, 2)",
        "expanded(heawood, 1)",
        "multiring(256, 1, 11, 75)",
        "sparse_multiring(3, 111)",
        "switched_multiring(15, r=2, duplex=true)",
    ),
    1024: (
        "torus(32, 32)",
        "torus(10, 10, 10)",
        "rpc(34)",
        "rp(102)",
        "double_loop(1024)",
        "optimal_circulant(9)",
        "folded(petersen, 3)",
        "expanded(petersen, 2)",
        "multiring(1024, 1, 79, 293)",
        "sparse_multiring(3, 438)",
    ),
    4096: (
        "torus(64, 64)",
        "torus(16, 16, 16)",
        "rpc(137)",
        "rp(410)",
        "double_loop(4096)",
        "optimal_circulant(14)",
        "folded(heawood, 3)",
        "expanded(heawood, 2)",
        "multiring(4096, 1, 431, 559)",
    ),
}
"""Networks of each size; the first one is what the others are scaled to."""
SETTINGS = Settings(vcs=8, buffer=8, routing_delay=0, credit_delay=2, speedup=2)
_SHARES = (0.1, 0.3, 0.5, 0.7, 0.85, 0.95)
_PINS = 4
_MORE_VCS = 16
_LARGE = 1024
_PROVED = 64
_SPARE = 1.5
_LEAST_WARM, _WARM = 1000, 4


def load_rows(
    sizes: Sequence[int] = (64, 256),
    traffics: Sequence[str] = ("uniform", "permutation"),
    *,
    cycles: int = 2000,
    precision: float = 0.02,
    seed: int = 1,
    workers: int = 2,
    resume: str | Path | None = None,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Saturation of every network and traffic, and points of the curves below it.

    Args:
        sizes: Keys of :data:`SIZES`.
        cycles: Cycles measured per point; half of them beyond 1,024 nodes.
        precision: Of the saturation, as a share of it.
        workers: Networks side by side.
        resume: File of finished networks (:class:`hopscape.store.Store`); it is read and added to.

    Returns:
        list of dict: One row per network and traffic.
        list of dict: Points, with the network's spec, size and traffic.
    """
    tasks = [
        Task.of(measure, (size, spec, list(traffics), cycles, precision, seed), about=spec)
        for size in sizes
        for spec in networks_of_size(size)
    ]
    with Store(resume) as kept:
        done = run_tasks(tasks, measure, kept, threads=workers, text="load study")
        done_by = {(task.arguments[0], task.arguments[1]): result for task, result in done}
    rows = [row for results in done_by.values() for row, _ in results]
    points = [point for results in done_by.values() for _, curve in results for point in curve]
    _scale(rows, points)
    return rows, points


def networks_of_size(size: int) -> list[str]:
    """The study's networks of about a size whose families are installed: some are of papers."""
    known = plugin_entries("families")
    return [spec for spec in SIZES[size] if parse(spec).name in known]


def _build(network: Network) -> Setup:
    """The network with the usual virtual channels, or with more where its routing needs them."""
    try:
        return build_setup(network, SETTINGS)
    except ArgumentError:
        return build_setup(network, replace(SETTINGS, vcs=_MORE_VCS))


def measure(
    size: int, spec: str, traffics: Sequence[str], cycles: int, precision: float, seed: int
) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """One network: for each traffic a row, and the points of its curve."""
    network = build(spec)
    setup = _build(network)
    degree = len(network.heads) / network.order
    width = bisection(network, prove=network.order <= _PROVED)
    mean = float(distance_profile(network, endpoints=True).mean or 1)
    most = _SPARE * len(network.heads) / (setup.endpoints * mean)  # capacity, and a little more
    warmup = max(_LEAST_WARM, round(_WARM * setup.settings.zero_load(mean + 1)))
    cycles = cycles // 2 if size > _LARGE else cycles
    out = []
    for name in traffics:
        traffic = make_traffic(name, setup.endpoints, None, seed)
        knee, _ = saturation(
            setup,
            traffic,
            seed=seed,
            warmup=warmup,
            cycles=cycles,
            precision=precision,
            most=min(1.0, most),
        )
        curve = []
        for share in _SHARES:
            load = round(share * knee, 6)
            point = run_point(setup, traffic, load, seed=seed, warmup=warmup, cycles=cycles)
            curve.append(point.to_dict() | {"spec": network.spec, "size": size, "traffic": name})
        row = {
            "size": size,
            "spec": network.spec,
            "nodes": setup.endpoints,
            "degree": degree,
            "bisection_lower": width.lower,
            "bisection_upper": width.upper,
            "vcs_needed": setup.classes.count,
            "vcs": setup.settings.vcs,
            "method": setup.classes.method,
            "traffic": name,
            "saturation": knee,
            "base_latency": curve[0]["latency"],
            "hops": curve[0]["hops"],
            "busiest_share": curve[-1]["mean_use"] / max(curve[-1]["busiest"], 1e-9),
        }
        out.append((row, curve))
    return out


def _scale(rows: list[dict[str, Any]], points: list[dict[str, Any]]) -> None:
    """Add what networks carry when their links are made equal in pins, or in bisection."""
    reference: dict[int, dict[str, Any]] = {}
    factors: dict[tuple[int, str], tuple[float, float]] = {}
    for row in rows:
        first = reference.setdefault(row["size"], row)
        wide = first["bisection_upper"] / first["nodes"]
        pins = _PINS / row["degree"]
        cut = wide * row["nodes"] / max(row["bisection_upper"], 1)
        factors[row["size"], row["spec"]] = pins, cut
        row["equal_pins"] = row["saturation"] * pins
        row["equal_bisection"] = row["saturation"] * cut
    for point in points:
        pins, cut = factors[point["size"], point["spec"]]
        point["offered_pins"], point["offered_bisection"] = (
            point["offered"] * pins,
            point["offered"] * cut,
        )


def write_page(
    folder: str | Path,
    rows: list[dict[str, Any]],
    points: list[dict[str, Any]],
    *,
    cycles: int,
    precision: float,
    seed: int,
) -> Path:
    """Write ``load-latency.md`` and one figure per size into a folder."""
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    sizes = list(dict.fromkeys(row["size"] for row in rows))
    parts = [_head(sizes, cycles, precision, seed), _summary(rows), _scaling(rows)]
    for size in sizes:
        mine = [row for row in rows if row["size"] == size]
        figure = f"load-latency-{size}.svg"
        drawn = [p for p in points if p["size"] == size and p["traffic"] == mine[0]["traffic"]]
        draw_panels(drawn, place / figure, title=f"{mine[0]['traffic']}, about {size} nodes")
        parts += [f"## About {size} nodes\n", f"![curves]({figure})\n", _table(mine)]
        parts.append(_reading(mine))
    text = "\n".join(parts)
    page = place / "load-latency.md"
    write_atomically(page, lambda out: out.write(text.encode()))
    return page


def _head(sizes: Sequence[int], cycles: int, precision: float, seed: int) -> str:
    which = ",".join(map(str, sizes))
    return f"""# Load and latency of the families side by side

Written by `hopscape study load --sizes {which} --cycles {cycles} --precision {precision}
--seed {seed} --out docs/studies`; do not edit.

Every router has {SETTINGS.vcs} virtual channels of {SETTINGS.buffer} flits ({_MORE_VCS} where the
routing needs more than {SETTINGS.vcs} classes to be free of deadlock), a pipeline of
{SETTINGS.router_delay} cycles and links of one cycle, whatever their length; packets are one flit.
Every network uses its own router with the classes of virtual channels that certify it.
*Saturation* is in flits per endpoint and cycle, found by bisection to a share of {precision}: the
largest load whose mean latency stays below three times that of an empty network.

Networks of other degrees and other cuts cost other amounts of wire, so two columns scale the links.
*Equal pins*: all links of a node together are as fast as {_PINS} links are (saturation ×
{_PINS} / degree). *Equal bisection*: links are made faster or slower until the smallest cut known
between two halves carries, per endpoint, what that of the first network carries. Where the
bisection is known only within bounds, the cut is the best one found, so that the true figure may be
larger. Both scale bandwidth only; the latencies are those of equal clocks.

*Latency* and *routers* (hops + 1) are those at a tenth of saturation. *Evenness* is the mean over
the largest use of a channel just below saturation: 1 when all channels work alike. The numbers of
nodes differ by construction, so compare small differences with care. A point is measured after
{_LEAST_WARM} cycles or {_WARM} times the latency of an empty network. Beyond {_LARGE} nodes, where
every cycle sees more packets, half as many cycles are measured.
"""


def _table(rows: list[dict[str, Any]]) -> str:
    lines = [
        "| network | nodes | degree | bisection | classes | traffic | saturation | equal pins"
        " | equal bisection | latency | routers | evenness |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for r in rows:
        low, high = r["bisection_lower"], r["bisection_upper"]
        cut = str(high) if low == high else f"{low} to {high}"
        lines.append(
            f"| `{r['spec']}` | {r['nodes']} | {r['degree']:.3g} | {cut} | {r['vcs_needed']}"
            f" ({r['method']}) | {r['traffic']} | {r['saturation']:.3g} | {r['equal_pins']:.3g}"
            f" | {r['equal_bisection']:.3g} | {r['base_latency']:.1f} | {r['hops']:.2f}"
            f" | {r['busiest_share']:.2f} |"
        )
    return "\n".join(lines) + "\n"


def _best(rows: list[dict[str, Any]], column: str) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda r: -r[column])


def _reading(rows: list[dict[str, Any]]) -> str:
    """Who is ahead, in words made from the numbers."""
    said = []
    for name in dict.fromkeys(r["traffic"] for r in rows):
        mine = [r for r in rows if r["traffic"] == name]
        most, pins, cut = (_best(mine, c) for c in ("saturation", "equal_pins", "equal_bisection"))
        quick = min(mine, key=lambda r: r["base_latency"])
        said.append(
            f"- **{name}**: `{most[0]['spec']}` carries most per endpoint"
            f" ({most[0]['saturation']:.3g}), then `{most[1]['spec']}`"
            f" ({most[1]['saturation']:.3g}); `{most[-1]['spec']}` least"
            f" ({most[-1]['saturation']:.3g}). At equal pins `{pins[0]['spec']}`"
            f" ({pins[0]['equal_pins']:.3g}) before `{pins[1]['spec']}`"
            f" ({pins[1]['equal_pins']:.3g}); at equal bisection `{cut[0]['spec']}`"
            f" ({cut[0]['equal_bisection']:.3g}) before `{cut[1]['spec']}`"
            f" ({cut[1]['equal_bisection']:.3g}). The lowest latency at little load is that of"
            f" `{quick['spec']}` ({quick['base_latency']:.1f} cycles)."
        )
    return "\n".join(said) + "\n"


def _summary(rows: list[dict[str, Any]]) -> str:
    """Who wins where, over all sizes."""
    lines = [
        "## Who wins where\n",
        "| about | traffic | per endpoint | equal pins | equal bisection | lowest latency |",
        "|---|---|---|---|---|---|",
    ]
    for size in dict.fromkeys(r["size"] for r in rows):
        for name in dict.fromkeys(r["traffic"] for r in rows):
            mine = [r for r in rows if r["size"] == size and r["traffic"] == name]
            if mine:
                firsts = [
                    f"`{_best(mine, column)[0]['spec']}`"
                    for column in ("saturation", "equal_pins", "equal_bisection")
                ]
                quick = min(mine, key=lambda r: r["base_latency"])["spec"]
                lines.append(f"| {size} | {name} | {' | '.join(firsts)} | `{quick}` |")
    return "\n".join(lines) + "\n"


def _scaling(rows: list[dict[str, Any]]) -> str:
    """What is left of the saturation as networks grow, kind by kind."""
    first = rows[0]["traffic"]
    sizes = list(dict.fromkeys(r["size"] for r in rows))
    kinds: dict[str, dict[int, float]] = {}
    for r in rows:
        if r["traffic"] == first:
            kinds.setdefault(_kind(r["spec"]), {})[r["size"]] = r["saturation"]
    lines = [
        f"## As they grow\n\nSaturation under {first} traffic, per endpoint. A network that keeps"
        " its\ndegree must lose here: the longer the ways, the less is left for everybody.\n",
        "| kind | " + " | ".join(f"about {size}" for size in sizes) + " | last / first |",
        "|---|" + "---|" * (len(sizes) + 1),
    ]
    for kind, by_size in sorted(kinds.items(), key=lambda item: -_kept(item[1])):
        cells = [f"{by_size[size]:.3g}" if size in by_size else "–" for size in sizes]
        kept = f"{_kept(by_size):.3f}" if len(by_size) > 1 else "–"
        lines.append(f"| {kind} | {' | '.join(cells)} | {kept} |")
    return "\n".join(lines) + "\n"


def _kept(found: dict[int, float]) -> float:
    known = list(found.values())
    return known[-1] / max(known[0], 1e-9) if len(known) > 1 else 0.0


def _kind(spec: str) -> str:
    """Family and, for tori, dimension."""
    call = parse(spec)
    return f"{call.name}, {len(call.arguments)}-D" if call.name == "torus" else call.name
