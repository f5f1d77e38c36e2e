"""BookSim 2: read a configuration and run it here; write one with its network file.

Topologies that BookSim has itself (mesh, torus, flattened butterfly, fat tree, dragonfly) are
configured by name; all others are written as *anynet* files, one line per router.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hopscape.core.errors import ArgumentError, FileFormatError, HopscapeError
from hopscape.core.files import whole_folder, write_atomically
from hopscape.core.network import Network
from hopscape.core.numbers import shortened
from hopscape.core.reading import TextFile, TextLine
from hopscape.deadlock.classes import Method, certify, single_class
from hopscape.deadlock.layers import find_layers
from hopscape.deadlock.routes import routing_table
from hopscape.formats.booksim_native import NATIVE, NativeTopology, native_setup
from hopscape.registry import build
from hopscape.simulate.fabric import Setup, build_setup
from hopscape.simulate.jobs import Job
from hopscape.simulate.measurement import Sampling, run_samples
from hopscape.simulate.settings import Settings
from hopscape.simulate.sweep import require_whole
from hopscape.simulate.traffic import (
    ALIASES,
    PATTERNS,
    Traffic,
    make_traffic,
    parse_pattern,
)

__all__ = [
    "BookSimJob",
    "Written",
    "booksim",
    "native_topology",
    "read_anynet",
    "read_booksim",
    "write_anynet",
    "write_booksim",
    "write_booksims",
]

_LAYERS = 8  # layers that are tried; beyond, classes that rise along a route
# nodes: a table of all pairs (32 MB) and its dependencies are made for one note
_CERTIFIED_ORDER = 4000
DEFAULTS: dict[str, Any] = {
    "topology": "torus",
    "k": 8,
    "n": 2,
    "c": 1,
    "routing_function": "none",
    "num_vcs": 16,
    "vc_buf_size": 8,
    "packet_size": 1,
    "injection_rate": 0.1,
    "injection_rate_uses_flits": 0,
    "traffic": "uniform",
    "routing_delay": 1,
    "vc_alloc_delay": 1,
    "sw_alloc_delay": 1,
    "st_final_delay": 1,
    "credit_delay": 0,
    "input_speedup": 1,
    "output_speedup": 1,
    "internal_speedup": 1.0,
    "wait_for_tail_credit": 0,
    "speculative": 0,
    "use_noc_latency": 1,
    "router": "iq",
    "sim_type": "latency",
    "injection_process": "bernoulli",
    "burst_alpha": 0.5,
    "burst_beta": 0.5,
    "burst_r1": -1.0,
    "seed": 0,
    "warmup_periods": 3,
    "sample_period": 1000,
    "max_samples": 10,
    "latency_thres": 500.0,
    "network_file": "",
    "packet_size_rate": 1,
    "vc_allocator": "islip",
    "sw_allocator": "islip",
    "alloc_iters": 1,
    "output_delay": 0,
    "include_queuing": 1,
    "noq": 0,
    "hold_switch_for_packet": 0,
    "vc_busy_when_full": 0,
    "buf_size": -1,
    "output_buffer_size": -1,
    "x": 8,
    "y": 8,
    "xr": 1,
    "yr": 1,
}
_SAME_HERE = {  # keys whose other values the engine does not have: allowed value, why
    "router": ("iq", "only the input-queued router is simulated"),
    "output_speedup": (1, "the switch has one output line per port"),
    "internal_speedup": (1, "routers run at the speed of the links"),
    "speculative": (0, "switch allocation is never speculative"),
    "noq": (0, "queues are not split by next output"),
    "hold_switch_for_packet": (0, "the switch is allocated flit by flit"),
    "vc_busy_when_full": (0, "a full virtual channel may be allocated"),
    "output_delay": (0, "there is no output queue"),
    "alloc_iters": (1, "allocators run one iteration"),
    "include_queuing": (1, "latency includes the source queue"),
    "output_buffer_size": (-1, "there is no output queue"),
    "buf_size": (-1, "buffers are private to virtual channels"),
}
_CLIENTS = ("x", "y", "xr", "yr")
"""Keys of flatfly alone: routers and endpoints by direction."""
_MOST_BITS = 24  # of the number of routers: 16 million, far above what BookSim holds in memory
_IGNORED = (
    r"(print_|watch|stats_out|viewer_|sim_power|tech_file|channel_(width|sweep)|sim_count|"
    r"max_outstanding|deadlock_|perm_seed|subnets|classes|class_priority|priority|pair_stats|"
    r"use_read_write|read_|write_|reply_|arb_type|.*_arb_type|acc_|warmup_thres|stopping_thres|"
    r"measure_stats|latency_thres|x$|y$|xr$|yr$|buf_|link_failures|fail_seed|out_queue|plot_|"
    r"batch_|spec_|.*_spec_.*|vc_shuffle|vc_prioritize|routing_.*_bias|in_queue|st_prepare_delay)"
)


@dataclass(frozen=True, kw_only=True)
class BookSimJob(Job):
    """A BookSim configuration as a job.

    Attributes:
        network: The network of an anynet file, whose `spec` is ``anynet``, or of BookSim's routers.
        native: Of a topology that is built as BookSim does, with its ways.
        sampling: When BookSim has measured enough.
        channel_delays: Cycles of each channel (anynet).
        notes: Keys that were left aside, in words.
        values: All keys with their values.
    """

    network: Network | None
    native: NativeTopology | None
    sampling: Sampling
    channel_delays: list[int] | None
    notes: tuple[str, ...]
    values: dict[str, Any]

    def setup(self) -> Setup:
        """The network, ready to run: routes of an anynet file go by the lowest port, as there."""
        if self.network is None:
            return build_setup(build(self.spec), self.settings, unsafe=self.unsafe)
        if self.native is not None:
            cycles = self.native.delays.astype(np.int32)
            return build_setup(
                self.network,
                self.settings,
                self.native.router,
                link_delays=cycles,
                home=self.native.home,
            )
        table = routing_table(self.network, self.network.router("table"))
        single = certify(table, single_class(table)).deadlock_free
        few = single or find_layers(table, _LAYERS) is not None
        method: Method = "single" if single else "layers" if few else "rising"
        given = self.channel_delays
        delays = None if given is None else np.asarray(given, dtype=np.int32)
        return build_setup(
            self.network, self.settings, table,
            unsafe=self.unsafe, method=method, link_delays=delays,
        )  # fmt: skip

    def pattern(self) -> Traffic:
        """Who sends to whom, counted as BookSim does."""
        endpoints = self.setup().endpoints
        sides = _axes(self, endpoints)
        if sides is None:
            return super().pattern()
        traffic = make_traffic(self.traffic, endpoints, sides, self.seed)
        return traffic if self.on_off is None else traffic.bursty(*self.on_off)


def parse_booksim(text: str, overrides: Sequence[str] = ()) -> dict[str, Any]:
    """Keys and values of a configuration: ``key = value;``, ``//`` comments, ``{a,b}`` lists.

    Examples:
        >>> parse_booksim("k = 8; // side\\ntraffic = hotspot({0,9},{3,1});", ["k=4"])
        {'k': 4, 'traffic': 'hotspot({0,9},{3,1})'}
    """
    plain = re.sub(r"/\*.*?\*/", " ", re.sub(r"//[^\n]*", " ", text), flags=re.DOTALL)
    values: dict[str, Any] = {}
    rest = plain
    for match in re.finditer(r"([A-Za-z_]\w*)\s*=\s*([^;]*);", plain):
        values[match[1]] = _value(match[2])
        rest = rest.replace(match[0], " ", 1)
    if rest.strip():
        raise FileFormatError(
            f"the configuration has {shortened(rest.strip(), 40)!r}, which is not 'key = value;'"
        )
    for item in overrides:
        key, sign, value = item.partition("=")
        if not sign or not re.fullmatch(r"[A-Za-z_]\w*", key.strip()):
            raise ArgumentError(f"{item!r} is not key=value")
        values[key.strip()] = _value(value)
    return values


def _value(text: str) -> Any:
    shown = text.strip().strip('"')
    if re.fullmatch(r"\{[^{}]*\}", shown):
        return [_value(x) for x in shown[1:-1].split(",") if x.strip()]
    for kind in (int, float):
        try:
            return kind(shown)
        except ValueError:
            continue
    return shown


def _checked(path: str | Path, key: str, value: Any) -> Any:
    """A value of the kind that its key has; numbers are finite, and whole where they must be."""
    if key in ("packet_size", "packet_size_rate") and isinstance(value, list) and value:
        return [_checked(path, key, one) for one in value]
    usual = DEFAULTS.get(key, "")
    if isinstance(usual, str) or (key == "seed" and value == "time"):
        return value
    number = isinstance(value, int | float) and abs(value) < 2**53
    if number and (isinstance(usual, float) or value == int(value) or key == "packet_size_rate"):
        return value if isinstance(usual, float) or isinstance(value, int) else _whole(value)
    kind = "a number" if isinstance(usual, float) else "a whole number"
    raise ArgumentError(f"{path}: {key} is {value!r}; it must be {kind}")


def _whole(value: float) -> float:
    return int(value) if value == int(value) else value


def split_list(text: str) -> list[str]:
    """The elements of a list as BookSim splits it: one pair of braces goes, the inner ones stay.

    A text without a brace in front is one element; what follows the list is left out.

    Examples:
        >>> split_list("{{0,9},{3,1}}"), split_list("{0,9},{3,1}"), split_list("0,9")
        (['{0,9}', '{3,1}'], ['0', '9'], ['0,9'])
    """
    if not text.startswith("{"):
        return [text] if text else []
    elements, start, nested = [], 1, 0
    for at in range(1, len(text)):
        if text[at] == "{":
            nested += 1
        elif text[at] == "}" and nested:
            nested -= 1
        elif text[at] in ",}" and not nested:
            if at > start:
                elements.append(text[start:at])
            start = at + 1
    return elements


def _traffic(text: str, notes: list[str]) -> str:
    """The traffic that BookSim reads in a text, as it is written here."""
    match = re.fullmatch(r"\s*hotspot\((.*)\)\s*", text)
    if match is None:
        return text
    lists = split_list(re.sub(r"\s", "", match[1]))
    targets = [_leading(x) for x in split_list(lists[0])] if lists else []
    if not targets or min(targets) < 0:
        raise ArgumentError(f"traffic = {text}: name the hotspots; BookSim would draw them")
    rates = [_leading(x) for x in split_list(lists[1])] if len(lists) > 1 else []
    rates = (rates + [rates[-1] if rates else 1] * len(targets))[: len(targets)]
    rates = rates if len(targets) > 1 else [1]
    read = _hotspot_text(targets, rates)
    named, meant = sorted(set(targets)), parse_pattern(text)[1][:1]
    if meant and sorted(set(meant[0])) != named:
        notes.append(
            f"traffic = {text}: BookSim reads {read}; lists need two pairs of braces, as in"
            f" {_hotspot_text(meant[0], [1] * len(meant[0]))}"
        )
    return read


def _leading(text: str) -> int:
    """The number at the beginning of a text, as C reads it; 0 without one."""
    match = re.match(r"[+-]?[0-9]{1,18}", text)
    return int(match[0]) if match else 0


def _hotspot_text(targets: Sequence[int], rates: Sequence[int]) -> str:
    inner = ",".join("{" + ",".join(map(str, one)) + "}" for one in (targets, rates))
    return "hotspot({" + inner + "})"


def _written_traffic(text: str) -> str:
    """A traffic of this project as BookSim reads it."""
    name, arguments = parse_pattern(text)
    name = ALIASES.get(name, name)
    if name not in PATTERNS or name in ("uniform-others", "shift", "worst"):
        raise ArgumentError(f"traffic is {text!r}; BookSim has no such pattern")
    if name == "hotspot":
        targets = arguments[0] if arguments else []
        if not targets:
            raise ArgumentError("hotspot needs targets, as in hotspot({0,9},{3,1})")
        return _hotspot_text(targets, (arguments[1:] or [[1] * len(targets)])[0])
    theirs = {
        "bit-complement": "bitcomp",
        "bit-reverse": "bitrev",
        "neighbour": "neighbor",
        "permutation": "randperm",
    }
    shown = ",".join(str(one[0]) for one in arguments if one)
    return theirs.get(name, name) + (f"({shown})" if shown else "")


def read_booksim(path: str | Path, overrides: Sequence[str] = ()) -> BookSimJob:
    """Read a configuration file; `overrides` are ``key=value`` texts that win.

    Raises:
        FileFormatError, ArgumentError: For what cannot be read, and for keys whose value has no
            counterpart here.
    """
    given = parse_booksim(TextFile(path).text, overrides)
    values = {key: _checked(path, key, value) for key, value in (DEFAULTS | given).items()}
    notes = []
    for key in given:
        idle = key in _CLIENTS and values["topology"] != "flatfly"
        if key not in DEFAULTS or idle:
            if not re.match(_IGNORED, key):
                raise ArgumentError(f"{path}: key {key!r} is not known here")
            notes.append(f"{key} has no effect here")
    for key, (allowed, why) in _SAME_HERE.items():
        if values[key] != allowed:
            raise ArgumentError(f"{path}: {key} = {values[key]} is not supported: {why}")
    for key in ("vc_allocator", "sw_allocator"):
        if values[key] != "islip":
            notes.append(f"{key} = {values[key]}: islip is used")
    return _job(values, Path(path), notes)


def _job(values: dict[str, Any], path: Path, notes: list[str]) -> BookSimJob:
    native = native_setup(values) if values["topology"] in NATIVE else None
    if native is None:
        spec, network, delays, link_delay, unsafe = _topology(values, path)
        routing, _ = _routing(values)
    else:
        spec, network, delays = native.network.spec, native.network, native.delays.tolist()
        link_delay, unsafe, routing = 1, False, "fixed"
    if native is None:
        vcs, concentration = values["num_vcs"], values["c"] if network is None else 1
    else:
        vcs, concentration = native.vcs_of(values), native.concentration
    size = values["packet_size"]
    sizes = tuple(size) if isinstance(size, list) else (size,)
    rates = values["packet_size_rate"]
    shares = tuple(float(r) for r in rates) if isinstance(rates, list) else ()
    settings = Settings(
        vcs=vcs,
        buffer=values["vc_buf_size"],
        packet=sizes,
        packet_shares=shares,
        routing_delay=values["routing_delay"],
        vc_delay=values["vc_alloc_delay"],
        switch_delay=values["sw_alloc_delay"],
        traversal_delay=values["st_final_delay"],
        credit_delay=values["credit_delay"],
        link_delay=link_delay,
        speedup=values["input_speedup"],
        tail_credit=bool(values["wait_for_tail_credit"]),
        routing=routing,
        concentration=concentration,
        spread="none",
        priority="none",
        injection_limit=0.0,
        window="none",
        shared_buffers=True,
    )
    rate = float(values["injection_rate"])
    load = rate if values["injection_rate_uses_flits"] else rate * settings.mean_packet
    on_off = None
    if values["injection_process"] == "on_off":
        on_off = (float(values["burst_alpha"]), float(values["burst_beta"]))
    elif values["injection_process"] != "bernoulli":
        raise ArgumentError(
            f"{path}: injection_process = {values['injection_process']};"
            " bernoulli and on_off are known here"
        )
    sampling = Sampling(
        period=int(values["sample_period"]),
        warm=int(values["warmup_periods"]),
        most=int(values["max_samples"]),
        limit=float(values["latency_thres"]),
    )
    return BookSimJob(
        spec=spec,
        network=network,
        native=native,
        settings=settings,
        traffic=_traffic(str(values["traffic"]), notes),
        load=load,
        seed=int(values["seed"]) if isinstance(values["seed"], int) else 0,
        sampling=sampling,
        channel_delays=delays,
        on_off=on_off,
        unsafe=unsafe,
        notes=tuple(notes),
        values=values,
    )


def _topology(
    values: dict[str, Any], path: Path
) -> tuple[str, Network | None, list[int] | None, int, bool]:
    topology = values["topology"]
    if topology == "anynet":
        name = str(values["network_file"])
        if not name:
            raise ArgumentError(f"{path}: topology = anynet needs network_file")
        network, delays = read_anynet(path.parent / name)
        return "anynet", network, delays, 1, values["routing_function"] == "min_unsafe"
    k, n = int(values["k"]), int(values["n"])
    if k > 1 and n * math.log2(k) > _MOST_BITS:
        raise ArgumentError(f"{path}: k = {k}, n = {n}; more than 2^{_MOST_BITS} routers")
    if topology not in ("torus", "mesh") or k < 2 or n < 1:
        raise ArgumentError(
            f"{path}: topology = {topology} with k = {k}, n = {n};"
            f" torus, mesh (k from 2, n from 1), {', '.join(NATIVE)} and anynet are known here"
        )
    link = 2 if topology == "torus" and values["use_noc_latency"] else 1
    return f"{topology}({', '.join([str(k)] * n)})", None, None, link, False


def _routing(values: dict[str, Any]) -> tuple[Any, str]:
    name = str(values["routing_function"])
    known = {
        "dor": "fixed",
        "dim_order": "fixed",
        "min": "fixed",
        "none": "fixed",
        "min_adapt": "adaptive",
        "valiant": "valiant",
        "ugal": "ugal",
    }
    if name not in known:
        raise ArgumentError(
            f"routing_function = {name} is not known here; choose {', '.join(known)}"
        )
    return known[name], name


_BY_AXES = ("tornado", "neighbour")


def _axes(job: BookSimJob, endpoints: int) -> tuple[int, ...] | None:
    """Sides of the grid of endpoints that BookSim counts in for patterns that go axis by axis."""
    name, arguments = parse_pattern(job.traffic)
    if job.native is None or ALIASES.get(name, name) not in _BY_AXES or arguments:
        return None
    sides = (int(job.values["k"]) * int(job.values["xr"]),) * int(job.values["n"])
    if math.prod(sides) != endpoints:
        raise ArgumentError(
            f"traffic = {job.traffic}: BookSim counts in a grid of {' x '.join(map(str, sides))}"
            f" endpoints, by k, n and xr, and there are {endpoints}"
        )
    return sides


class Written(NamedTuple):
    """What was written for BookSim.

    Attributes:
        routes: By which routes BookSim runs it, and whether they can deadlock.
        wiring: The network file; None where BookSim has the network itself.
    """

    routes: str
    wiring: Path | None


def write_booksim(
    network: Network,
    settings: Settings,
    path: str | Path,
    *,
    traffic: str = "uniform",
    load: float = 0.1,
    seed: int = 0,
) -> Written:
    """Write a BookSim configuration, for its own topology or with a network file ``<name>.anynet``.

    Where BookSim has the network itself (and all links are alike), its own topology and routing
    are asked for. Other networks become an anynet, for which BookSim finds minimal routes of its
    own without avoiding deadlock; the header says whether these can deadlock.
    """
    place = Path(path)
    wiring = place.with_suffix(".anynet")
    native = native_topology(network) if settings.link_delay == 1 and settings.vcs > 1 else None
    if native is not None:
        note = f"BookSim builds this {native['topology']} itself, with its own routing and lanes"
        topology = [f"{key} = {value};" for key, value in native.items()]
    else:
        write_anynet(network, wiring, settings.link_delay)
        note = "anynet brings its own minimal routes, without deadlock avoidance: "
        note += _certified(network)
        topology = [
            "topology = anynet;",
            "routing_function = min;",
            f"network_file = {wiring.name};",
        ]
    said_lines = [f"// {line}" for line in (network.spec, *textwrap.wrap(note, 96))]
    run = [
        f"traffic = {_written_traffic(traffic)};",
        "injection_rate_uses_flits = 1;",
        f"injection_rate = {load};",
        f"seed = {seed};",
    ]
    text = "\n".join([*said_lines, *topology, *_setting_lines(settings), *run]) + "\n"
    write_atomically(place, lambda out: out.write(text.encode()))
    return Written(note, wiring if native is None else None)


def _setting_lines(settings: Settings) -> list[str]:
    """The router as BookSim's keys say it."""
    lines = [
        f"num_vcs = {settings.vcs};",
        f"vc_buf_size = {settings.buffer};",
        f"packet_size = {_list(settings.packet)};",
        f"routing_delay = {settings.routing_delay};",
        f"vc_alloc_delay = {settings.vc_delay};",
        f"sw_alloc_delay = {settings.switch_delay};",
        f"st_final_delay = {settings.traversal_delay};",
        f"credit_delay = {settings.credit_delay};",
        f"input_speedup = {settings.speedup};",
        f"wait_for_tail_credit = {int(settings.tail_credit)};",
    ]
    if settings.packet_shares:
        lines.append(f"packet_size_rate = {_list(settings.packet_shares)};")
    return lines


def _certified(network: Network) -> str:
    """Can BookSim's minimal routes on an anynet deadlock? They go by the lowest port."""
    if network.order > _CERTIFIED_ORDER:
        return f"whether they can deadlock is not looked into beyond {_CERTIFIED_ORDER} nodes"
    table = routing_table(network, network.router("table"), ties=False)
    proof = certify(table, single_class(table))
    if proof.deadlock_free:
        return "they cannot deadlock (no cycle among their channel dependencies)"
    steps = [f"{a}→{b}" for a, b, _ in proof.cycle]
    shown = ", ".join(steps if len(steps) < 7 else [*steps[:5], "..."])
    return f"they CAN deadlock: {len(steps)} channels can wait for each other in a circle ({shown})"


def _list(values: Sequence[float]) -> str:
    return str(values[0]) if len(values) == 1 else "{" + ",".join(map(str, values)) + "}"


_MOST_LEVELS = 20  # exponents n of k^n endpoints that are tried, from 2^1 to 2^19


def native_topology(network: Network) -> dict[str, str | int] | None:
    """The keys with which BookSim builds a network itself, or None when it has no such topology.

    Networks are compared by their canonical specs.

    Examples:
        >>> import hopscape
        >>> native_topology(hopscape.build("torus(4, 4)"))
        {'topology': 'torus', 'k': 4, 'n': 2, 'routing_function': 'dim_order', 'use_noc_latency': 0}
        >>> native_topology(hopscape.build("petersen")) is None
        True
    """
    for text, keys in _candidates(network):
        try:
            same = text == network.spec or build(text).spec == network.spec
        except HopscapeError:
            continue  # no such family, or no such member
        if same:
            return {**keys, "use_noc_latency": 0}
    return None


def _candidates(network: Network) -> Iterator[tuple[str, dict[str, str | int]]]:
    """Specs that this network might have, with BookSim's keys for them."""
    ends, switches = network.endpoint_count, network.order - network.endpoint_count
    for n in range(1, _MOST_LEVELS):
        k = round(ends ** (1 / n))
        if k >= 2 and k**n == ends:
            sides = ", ".join([str(k)] * n)
            torus: dict[str, str | int] = {"topology": "torus", "k": k, "n": n}
            mesh: dict[str, str | int] = {"topology": "mesh", "k": k, "n": n}
            if k > 2:  # a ring of two would be a double link
                yield f"torus({sides})", torus | {"routing_function": "dim_order"}
            if k == 2:
                yield f"hypercube({n})", mesh | {"routing_function": "dim_order"}
            yield f"mesh({sides})", mesh | {"routing_function": "dim_order"}
            tree: dict[str, str | int] = {"topology": "fattree", "k": k, "n": n}
            yield f"kary_ntree({k}, {n})", tree | {"routing_function": "nca"}
    side = math.isqrt(switches)
    if switches and side * side == switches and ends % switches == 0:
        c = ends // switches
        if math.isqrt(c) ** 2 == c and side >= 2:
            fly: dict[str, str | int] = {"topology": "flatfly", "k": side, "n": 2, "c": c}
            fly |= {"x": side, "y": side, "xr": math.isqrt(c), "yr": math.isqrt(c)}
            fly["routing_function"] = "ran_min"
            yield f"hyperx([{side}, {side}], p={c})", fly
    for p in range(1, 40):
        if 2 * p * p * (2 * p * p + 1) == ends:
            dragonfly: dict[str, str | int] = {"topology": "dragonflynew", "k": p, "n": 1}
            yield f"dragonfly({2 * p}, {p}, p={p})", dragonfly | {"routing_function": "min"}


_MOST_ROUTERS = 2**31 - 1  # BookSim counts in 32-bit integers
_LONGEST = 1000  # cycles of a link, as in core/channels.py


def read_anynet(path: str | Path) -> tuple[Network, list[int]]:
    """The network of a file, and the cycles of its channels.

    A line is ``router 0 node 0 router 1 router 8 5``, latencies after targets. Endpoint i must sit
    at router i, one each, as this project's networks number them.
    """
    file = TextFile(path)
    wires: dict[tuple[int, int], int] = {}
    nodes: dict[int, int] = {}
    for line in file.lines():
        _read_router(line, wires, nodes)
    named = {router for pair in wires for router in pair}
    order = len(named)
    missing = next((i for i in range(order) if i not in named), None)
    if missing is not None:
        raise file.error(f"routers are numbered from 0; router {missing} has no link")
    if not wires or sorted(nodes) != list(range(len(nodes))):
        raise file.error("it needs links, and nodes numbered from 0")
    wrong = next((i for i in nodes if nodes[i] != i), None)
    if wrong is not None:
        raise file.error(f"node i must be at router i; node {wrong} is at router {nodes[wrong]}")
    links = sorted(pair for pair in wires if pair[0] < pair[1])
    switches = np.arange(len(nodes), order)
    network = Network.from_links(
        order,
        [a for a, _ in links],
        [b for _, b in links],
        spec="anynet",
        switches=switches if len(switches) else None,
    )
    delays = [wires[(int(a), int(b))] for a, b in zip(network.tails, network.heads, strict=True)]
    return network, delays


def _read_router(line: TextLine, wires: dict[tuple[int, int], int], nodes: dict[int, int]) -> None:
    """A line such as ``router 0 node 0 router 1 router 8 5``."""
    words = line.words()
    if len(words) < 2 or words[0].text != "router":
        raise line.error("it must begin with 'router NUMBER'")
    here, at = words[1].integer("a router", 0, _MOST_ROUTERS), 2
    while at < len(words):
        kind = words[at]
        if kind.text not in ("router", "node") or at + 1 == len(words):
            raise kind.error(f"'router' or 'node' and a number, not {kind.text!r:.40}")
        other = words[at + 1].integer(f"a {kind.text}", 0, _MOST_ROUTERS)
        at += 2
        delay = 1
        if at < len(words) and words[at].text not in ("router", "node"):
            delay = words[at].integer("a latency", 0, _LONGEST)
            at += 1
        if kind.text == "node":
            nodes[other] = here
        else:
            wires[(here, other)] = delay
            wires.setdefault((other, here), 1)


def write_anynet(network: Network, path: str | Path, link_delay: int = 1) -> None:
    """Write a network file for BookSim's anynet; one endpoint per node that is no switch.

    Parallel links collapse in BookSim, so they are refused here.
    """
    if not network.duplex:
        raise ArgumentError(f"{network.spec} has simplex channels; anynet has duplex links only")
    if network.has_switches and not np.array_equal(
        network.endpoints, np.arange(network.endpoint_count)
    ):
        raise ArgumentError(f"the endpoints of {network.spec} are not numbered before its switches")
    ends = set(network.endpoints.tolist())
    lines = []
    for v in range(network.order):
        heads = network.heads[network.indptr[v] : network.indptr[v + 1]].tolist()
        if len(set(heads)) != len(heads) or v in heads:
            raise ArgumentError(f"{network.spec} has parallel links or loops; anynet has neither")
        node = f" node {v}" if v in ends else ""
        delay = "" if link_delay == 1 else f" {link_delay}"
        lines.append(f"router {v}{node}" + "".join(f" router {w}{delay}" for w in heads))
    text = "\n".join(lines) + "\n"
    write_atomically(path, lambda out: out.write(text.encode()))


def booksim(job: BookSimJob | str | Path) -> dict[str, Any]:
    """Run a BookSim configuration; ``unstable`` in the record is BookSim's own verdict.

    Args:
        job: What :func:`hopscape.formats.booksim.read_booksim` makes of a file, or the file.

    Examples:
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder) / "mesh.cfg"
        ...     _ = path.write_text("topology = mesh; k = 4; routing_function = dor;")
        ...     record = booksim(path)
        >>> record["spec"], record["unstable"]
        ('mesh(4, 4)', False)
    """
    wanted = job if isinstance(job, BookSimJob) else read_booksim(job)
    setup = wanted.setup()
    point, unstable = run_samples(
        setup, wanted.pattern(), wanted.load, wanted.sampling, seed=wanted.seed
    )
    return point.to_dict() | {"spec": setup.network.spec, "unstable": unstable}


def write_booksims(
    jobs: Sequence[Job], folder: str | Path, *, force: bool = False
) -> list[dict[str, str]]:
    """Write a BookSim configuration and its network file for each job, named after the network.

    The folder appears whole or not at all.

    Args:
        force: Overwrite files that hopscape did not write.

    Returns:
        list of dict: ``spec``, ``configuration``, ``network_file`` (empty where BookSim has the
            topology itself) and ``routes``, by which BookSim runs it, of each.
    """
    with whole_folder(folder, force=force) as top:
        return _write_all(jobs, top, Path(folder))


def _write_all(jobs: Sequence[Job], top: Path, place: Path) -> list[dict[str, str]]:
    """Write into one folder what will stand in another."""
    rows = []
    written: dict[str, str] = {}
    for job in jobs:
        _require_plain(job)
        network = build(job.spec)
        if network.unheeded("", "capacity", "delay"):
            raise ArgumentError(
                f"{network.spec} has channels of several kinds; a BookSim configuration is written"
                " for channels that are all alike"
            )
        name = re.sub(r"[^A-Za-z0-9]+", "-", network.spec).strip("-")
        if written.setdefault(name, network.spec) != network.spec:
            raise ArgumentError(f"{written[name]} and {network.spec} would both be {name}.cfg")
        files = write_booksim(
            network,
            job.settings,
            top / f"{name}.cfg",
            traffic=job.traffic,
            load=job.load,
            seed=job.seed,
        )
        rows.append(
            {
                "spec": network.spec,
                "configuration": str(place / f"{name}.cfg"),
                "network_file": str(place / files.wiring.name) if files.wiring else "",
                "routes": files.routes,
            }
        )
    return rows


def _require_plain(job: Job) -> None:
    """Refuse what a BookSim configuration of a network file cannot say."""
    require_whole(job, "a BookSim configuration")
    if job.link_delays:
        raise ArgumentError("a BookSim configuration has one link delay for all links")
    plain = {"routing": "fixed", "switching": "wormhole", "concentration": 1}
    plain |= {"injectors": 1, "ejectors": 1}
    given = {name: getattr(job.settings, name) for name in plain} | {"router": job.router}
    for name, usual in (plain | {"router": "auto"}).items():
        if given[name] != usual:
            raise ArgumentError(
                f"{name} is {given[name]}; a BookSim configuration is written for {usual} only"
            )
    if job.on_off is not None:
        raise ArgumentError("a BookSim configuration is written without bursts")
