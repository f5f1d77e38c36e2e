"""Load and latency of the project's families side by side, as one generated page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from hopscape.core.files import write_atomically
from hopscape.core.progress import track
from hopscape.registry import build
from hopscape.simulate.fabric import build_plant
from hopscape.simulate.figures import draw_curves
from hopscape.simulate.measurement import run_point, saturation
from hopscape.simulate.settings import Settings
from hopscape.simulate.traffic import make_traffic

__all__ = ["SIZES", "load_rows", "write_page"]

SIZES: dict[int, tuple[str, ...]] = {
    64: (
        "rpc(2)",
        "rp(6)",
        "torus(8, 8)",
        "torus(4, 4, 4)",
        "double_loop(64)",
        "optimal_circulant(3)",
        "folded(petersen, 2)",
        "switched_multiring(9, r=2, duplex=true)",
    ),
    256: (
        "rpc(9)",
        "rp(26)",
        "torus(16, 16)",
        "torus(6, 6, 7)",
        "double_loop(256)",
        "optimal_circulant(5)",
        "folded(heawood, 2)",
        "expanded(heawood, 1)",
        "switched_multiring(15, r=2, duplex=true)",
    ),
    1024: (
        "rpc(34)",
        "rp(102)",
        "torus(32, 32)",
        "torus(10, 10, 10)",
        "double_loop(1024)",
        "optimal_circulant(9)",
        "folded(petersen, 3)",
    ),
    4096: (
        "rpc(137)",
        "rp(410)",
        "torus(64, 64)",
        "torus(16, 16, 16)",
        "double_loop(4096)",
        "optimal_circulant(14)",
        "folded(heawood, 3)",
    ),
}
SETTINGS = Settings(vcs=8, buffer=8, routing_delay=0, credit_delay=2, speedup=2)
_SHARES = (0.1, 0.3, 0.5, 0.7, 0.85, 0.95)


def load_rows(
    sizes: Sequence[int] = (64, 256),
    traffics: Sequence[str] = ("uniform", "permutation"),
    *,
    cycles: int = 3000,
    precision: float = 0.01,
    seed: int = 1,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Saturation of every network and traffic, and points of the curves below it.

    Returns
    -------
    list of dict
        One row per network and traffic.
    list of dict
        Points, with the network's spec, size and traffic.
    """
    rows, points = [], []
    tasks = [(size, spec) for size in sizes for spec in SIZES[size]]
    for size, spec in track(tasks, "load study"):
        for row, curve in _measure(size, spec, traffics, cycles, precision, seed):
            rows.append(row)
            points += curve
    return rows, points


def _measure(
    size: int, spec: str, traffics: Sequence[str], cycles: int, precision: float, seed: int
) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    network = build(spec)
    plant = build_plant(network, SETTINGS)
    degree = len(network.heads) / network.order
    for name in traffics:
        traffic = make_traffic(name, plant.endpoints, None, seed)
        knee, _ = saturation(plant, traffic, seed=seed, cycles=cycles, precision=precision)
        curve = []
        for share in _SHARES:
            load = round(share * knee, 6)
            point = run_point(plant, traffic, load, seed=seed, cycles=cycles).to_dict()
            curve.append(point | {"spec": network.spec, "size": size, "traffic": name})
        yield (
            {
                "size": size,
                "spec": network.spec,
                "nodes": plant.endpoints,
                "degree": degree,
                "vcs_needed": plant.classes.count,
                "method": plant.classes.method,
                "traffic": name,
                "saturation": knee,
                "per_channel": knee / degree,
                "base_latency": curve[0]["latency"],
                "hops": curve[0]["hops"],
                "busiest_share": curve[-1]["mean_use"] / max(curve[-1]["busiest"], 1e-9),
            },
            curve,
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
    parts = [_head(cycles, precision, seed)]
    for size in dict.fromkeys(row["size"] for row in rows):
        mine = [row for row in rows if row["size"] == size]
        figure = f"load-latency-{size}.svg"
        drawn = [p for p in points if p["size"] == size and p["traffic"] == mine[0]["traffic"]]
        draw_curves(drawn, place / figure, title=f"{mine[0]['traffic']}, about {size} nodes")
        parts += [f"## About {size} nodes\n", f"![curves]({figure})\n", _table(mine)]
        parts.append(_reading(mine))
    text = "\n".join(parts)
    page = place / "load-latency.md"
    write_atomically(page, lambda out: out.write(text.encode()))
    return page


def _head(cycles: int, precision: float, seed: int) -> str:
    return f"""# Load and latency of the families side by side

Written by `hopscape study load` (cycles {cycles}, precision {precision}, seed {seed}); do not edit.

Every router has {SETTINGS.vcs} virtual channels of {SETTINGS.buffer} flits, a pipeline of
{SETTINGS.router_delay} cycles and links of one cycle, whatever their length; packets are one flit;
every network uses its own router with the classes of virtual channels that certify it free of
deadlock. Saturation is in flits per endpoint and cycle, found by bisection (within the precision
above). *Per channel* divides it by the channels of a node: what equal wiring at every node would
carry. *Evenness* is the mean over the largest use of a channel just below saturation: 1 when all
channels work alike. *Latency* and *routers* (hops + 1) are those at a tenth of saturation. The
numbers of nodes differ by construction, so compare small differences with care. Equal bisection is
not normalised here.
"""


def _table(rows: list[dict[str, Any]]) -> str:
    lines = [
        "| network | nodes | degree | classes | traffic | saturation | per channel | latency"
        " | routers | evenness |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for r in rows:
        lines.append(
            f"| `{r['spec']}` | {r['nodes']} | {r['degree']:.3g} | {r['vcs_needed']}"
            f" ({r['method']}) | {r['traffic']} | {r['saturation']:.3f} | {r['per_channel']:.3f}"
            f" | {r['base_latency']:.1f} | {r['hops']:.2f} | {r['busiest_share']:.2f} |"
        )
    return "\n".join(lines) + "\n"


def _reading(rows: list[dict[str, Any]]) -> str:
    """Who is ahead, in words made from the numbers."""
    said = []
    for name in dict.fromkeys(r["traffic"] for r in rows):
        mine = [r for r in rows if r["traffic"] == name]
        most = sorted(mine, key=lambda r: -r["saturation"])
        wired = max(mine, key=lambda r: r["per_channel"])
        quick = min(mine, key=lambda r: r["base_latency"])
        said.append(
            f"- **{name}**: `{most[0]['spec']}` carries most per endpoint"
            f" ({most[0]['saturation']:.3f}), then `{most[1]['spec']}`"
            f" ({most[1]['saturation']:.3f}); `{most[-1]['spec']}` least"
            f" ({most[-1]['saturation']:.3f}). Per channel `{wired['spec']}` does best"
            f" ({wired['per_channel']:.3f}). The lowest latency at little load is that of"
            f" `{quick['spec']}` ({quick['base_latency']:.1f} cycles)."
        )
    return "\n".join(said) + "\n"
