"""The main command: from requirements to a chosen, checked, documented network.

Price lists.
"""

from __future__ import annotations

import math
import shlex
import sys
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from hopscape.cli.ended import ended_code, ended_word
from hopscape.cli.options import (
    DaskOption,
    FloorOption,
    ForceOption,
    OptionGroup,
    ProofOption,
    ResumeOption,
    WorkersOption,
    given,
    option,
    read_folder,
    refuse,
    time_limit_option,
)
from hopscape.cli.output import (
    Format,
    emit,
    emit_rows,
    output_settings,
    say,
    write_proofs,
)
from hopscape.cli.ranking import show_ranking, show_sweep, sweep_sizes
from hopscape.core.errors import ArgumentError
from hopscape.core.files import require_room

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hopscape.design import (
        Design,
        FloorPlan,
        Question,
        Requirements,
        Survival,
        SwitchedRequirements,
    )
    from hopscape.design.candidates import Candidate
    from hopscape.design.improve import Improvement
    from hopscape.store import Store

__all__ = ["design", "prices", "which_network"]


def which_network(
    output: Annotated[Path, option("The page, in Markdown.", "--output", "-o")],
    sizes: Annotated[
        str | None, option("Nodes x ports, separated by semicolons: '64x4;1024x6'.")
    ] = None,
    switched: Annotated[
        str | None, option("Endpoints x radix of switched machines: '256x32'.")
    ] = None,
    resume: ResumeOption = None,
    workers: WorkersOption = None,
) -> None:
    """Show which family wins at what, size by size, and where the papers' families do not."""
    from hopscape.core.files import write_atomically
    from hopscape.design.which import SIZES, SWITCHED_SIZES
    from hopscape.design.which import which_network as make_page
    from hopscape.store import Store

    direct = SIZES if sizes is None else _sizes(sizes)
    machines = SWITCHED_SIZES if switched is None else _sizes(switched)
    with Store(resume) as store:
        page = make_page(direct, machines, workers=workers, resume=store)
    write_atomically(output, lambda out: out.write(page.encode()))
    print(f"wrote {output}")


def _sizes(text: str) -> list[tuple[int, int]]:
    out = []
    for part in filter(None, (piece.strip() for piece in text.split(";"))):
        words = part.lower().split("x")
        if len(words) != 2 or not all(word.strip().isdigit() for word in words):
            raise ArgumentError(f"size {part!r} must be nodes x ports, such as 1024x6")
        out.append((int(words[0]), int(words[1])))
    return out


@dataclass(frozen=True)
class _Direct(OptionGroup):
    """Options of machines whose nodes are routers, each with its own endpoint."""

    title = "Direct machines (--nodes, --ports)"
    keys = ("nodes", "ports")

    nodes: Annotated[
        int | None, option("Nodes, each a router and an endpoint.", "--nodes", "-n")
    ] = None
    ports: Annotated[int | None, option("Maximum network ports of a node.", "--ports", "-p")] = None
    at_least: Annotated[bool, option("At least this many nodes (up to a quarter more).")] = False
    endpoints_per_router: Annotated[
        int, option("Deprecated: use --endpoints and --radix.", hidden=True)
    ] = 1
    regular: Annotated[bool, option("Every router must use all its ports.")] = False
    faults: Annotated[int | None, option("Node failures that must not disconnect the rest.")] = None
    bandwidth: Annotated[float, option("Bytes per second of a channel.")] = 25e9
    finalists: Annotated[int, option("Number of finalists measured in full.")] = 8
    search: Annotated[str | None, option("Improve the finalists by graph search: 60s, 5m.")] = None
    seed: Annotated[int, option("Random seed of the faults.", min=0)] = 0


@dataclass(frozen=True)
class _Switched(OptionGroup):
    """Options of machines whose endpoints hang on switches."""

    title = "Switched machines (--endpoints, --radix)"
    keys = ("endpoints", "radix", "sweep")

    endpoints: Annotated[int | None, option("Endpoints to connect, at least.")] = None
    radix: Annotated[int | None, option("Ports of a switch, those to endpoints included.")] = None
    sweep: Annotated[
        str | None, option("Instead of --endpoints: several sizes, such as 256,1024,4096.")
    ] = None
    nics: Annotated[int | None, option("Network lines of an endpoint (default: 1).")] = None
    planes: Annotated[int | None, option("Separate networks that the lines are spread over.")] = (
        None
    )
    island: Annotated[
        int | None, option("Endpoints that share a fast switch of their own (a server).")
    ] = None
    island_speed: Annotated[
        int | None, option("Capacity of that switch's channels, in lines (default: 9).")
    ] = None
    throughput: Annotated[
        float | None, option("Share of line rate under uniform traffic (default: 1).")
    ] = None
    taper: Annotated[
        str | None, option("The same as a ratio of endpoints to uplinks, such as 2:1.")
    ] = None
    worst: Annotated[float | None, option("Share of line rate under every permutation.")] = None
    routing: Annotated[
        str | None,
        option("Routing that must deliver it: minimal, valiant, adaptive, optimal."),
    ] = None
    budget: Annotated[float | None, option("Maximum cost.")] = None
    watts_per_rack: Annotated[
        float | None, option("Maximum power of a rack's network parts, in watts.")
    ] = None
    prices: Annotated[str | None, option("Price list, a name or a .toml file.")] = None
    job: Annotated[
        str | None,
        option("Judge by one step of this job: a .toml file or a folder of traces.", metavar="JOB"),
    ] = None
    figure: Annotated[Path | None, option("Draw the sweep: cost per endpoint by size.")] = None
    proof: ProofOption = None


@dataclass(frozen=True)
class _Request(OptionGroup):
    """What machines of both kinds are asked for."""

    title = "Both kinds"

    exact: Annotated[bool, option("Exactly this many nodes or endpoints.")] = False
    within: Annotated[
        float | None,
        option("Relative amount by which the number may differ.", "--within", "--tolerance"),
    ] = None
    cables: Annotated[int | None, option("Maximum number of cables.")] = None
    cable_length: Annotated[float | None, option("Maximum length of all cables, in meters.")] = None
    max_hops: Annotated[
        int | None, option("Maximum hops between two nodes, or the switches of two endpoints.")
    ] = None
    vcs: Annotated[int | None, option("Available virtual channels.")] = None
    survive: Annotated[
        str | None,
        option("Failures to survive: 'switches=1', 'links=2', or 'switches=1,links=2' (either)."),
    ] = None
    remaining: Annotated[
        float | None,
        option("Share of line rate that must remain then (0: connected is enough)."),
    ] = None
    grow: Annotated[
        int | None,
        option("Plan growth to so many nodes or endpoints: what is bought and moved."),
    ] = None
    message: Annotated[float, option("Bytes of an all-gather or all-reduce.")] = 1e6
    alpha: Annotated[float, option("Seconds to start a message.")] = 1e-6
    floor: FloorOption = None
    matters: Annotated[str, option("Criteria and weights: 'latency=2,cost' (see the manual).")] = ""
    families: Annotated[str, option("Only these families, separated by commas.")] = ""

    @property
    def plan(self) -> FloorPlan | None:
        """The floor."""
        from hopscape.design import FloorPlan

        return None if self.floor is None else FloorPlan.parse(self.floor)

    @property
    def survival(self) -> Survival | None:
        """What must be survived."""
        from hopscape.design import Survival

        if self.survive is None:
            refuse(("remaining",), "is what must remain after failures; it needs --survive")
            return None
        return Survival.parse(self.survive, self.remaining)


@dataclass(frozen=True)
class _View(OptionGroup):
    """What to show of the result, and what to write of it."""

    title = "Both kinds"

    pareto: Annotated[bool, option("Only non-dominated candidates.")] = False
    top: Annotated[int | None, option("Number of rows to show.", min=1)] = None
    columns: Annotated[
        str,
        option(
            "Columns to show and measure, separated by commas (see 'explain').", "--columns", "-c"
        ),
    ] = ""
    out: Annotated[
        Path | None,
        option("Folder for the report and the hand-over.", metavar="DIR", parser=read_folder),
    ] = None
    force: ForceOption = False
    choose: Annotated[
        str | None, option("Hand over this candidate (its spec or place), not the first.")
    ] = None

    @property
    def names(self) -> list[str]:
        """The columns asked for."""
        from hopscape.design.columns import column_names

        return column_names(self.columns)


@dataclass(frozen=True)
class _Work(OptionGroup):
    """How to measure: how long, by whom, where results are stored, and whether to simulate."""

    title = "Both kinds"

    simulate: Annotated[
        bool, option("Simulate the first three: load-latency curves; saturation if switched.")
    ] = False
    limit: Annotated[float, time_limit_option("Time limit of the measurements.")] = 900.0
    workers: WorkersOption = None
    resume: ResumeOption = None
    dask: DaskOption = None

    @property
    def seconds(self) -> float | None:
        """The time limit; None without one."""
        if not self.limit > 0:
            raise ArgumentError(
                f"--time-limit is {self.limit:g} s; it must be above 0 (inf for no limit)"
            )
        return None if self.limit == math.inf else self.limit

    def keywords(self, store: Store) -> dict[str, Any]:
        """The same for the designer."""
        return {
            "workers": self.workers,
            "resume": store,
            "dask": self.dask,
            "seconds": self.seconds,
        }


def design(
    context: typer.Context,
    direct: _Direct,
    switched: _Switched,
    request: _Request,
    view: _View,
    work: _Work,
) -> None:
    """Find the network to build: a ranking, the reasons in words, a report, and all its files.

    A direct machine has nodes that are routers, each with its own endpoint: --nodes and --ports,
    the ports that lead to other nodes. A switched machine has endpoints at switches: --endpoints
    and --radix, all ports of a switch, those to endpoints included.
    """
    if request.exact and direct.at_least:
        raise ArgumentError("--exact and --at-least contradict each other; give one of them")
    if view.out is None:
        refuse(("choose",), "says what is handed over; it needs --out")
        refuse(("force",), "is about the files of a folder; it needs --out")
    else:
        from hopscape.design.handover import REPORTED

        require_room(view.out, REPORTED, force=view.force)
    command = _command_given(context)
    if given("endpoints", "sweep"):
        names = [one.name for one in fields(_Direct)]
        refuse(names, "belongs to direct machines (--nodes, --ports), not to --endpoints")
        machine = _switched_question(switched, request)
        if switched.sweep is not None:
            refuse(("job",), "does not go with --sweep")
            _sweep(machine, switched, work)
            return
        refuse(("figure",), "draws the sweep; it needs --sweep")
        _run(machine, view, work, command, proof=switched.proof)
        return
    names = [one.name for one in fields(_Switched)]
    refuse(names, "belongs to switched machines; give --endpoints N --radix R")
    question = _direct_question(direct, request)
    search: Improvement | None = None
    if direct.search is not None:
        from hopscape.design import improve

        search = improve.Improvement(improve.parse_duration(direct.search), view.out)
    _run(question, view, work, command, finalists=direct.finalists, search=search)


def _run(
    question: Question,
    view: _View,
    work: _Work,
    command: _CommandGiven,
    proof: Path | None = None,
    **more: Any,
) -> None:
    """Ask the designer, simulate if that is wanted, show the ranking and write the folder."""
    from hopscape.design.designer import design as run
    from hopscape.store import Store

    if proof is not None:
        from hopscape.design.proof import require_provable

        require_provable(question)
    with Store(work.resume) as store:
        try:
            more |= {"on_stage": _say_first(question)} | work.keywords(store)
            result = run(question, columns=view.names, show=view.top, **more)
        except KeyboardInterrupt:
            kept = _kept(work)
            words = "no machine that meets the demands is known yet"
            print(f"hopscape: {ended_word()}; {words}{kept}", file=sys.stderr)
            raise typer.Exit(ended_code()) from None
        if work.simulate and result.complete:
            from hopscape.design.saturations import saturate_finalists, simulate_finalists

            simulate = saturate_finalists if result.kind == "switched" else simulate_finalists
            simulate(result, resume=store)
    show_ranking(result, view.names, view.pareto, view.top)
    if proof is not None and result.complete:
        write_proofs(proof, [result.proof()])
    _finish(result, view, command, _kept(work))


def _say_first(question: Question) -> Callable[[int, Sequence[Candidate]], None] | None:
    """Of switched machines, tell a person the first answer while others are looked at."""
    if question.kind != "switched" or not sys.stderr.isatty():
        return None

    def say_first(stage: int, ranked: Sequence[Candidate]) -> None:
        from hopscape.design.names import plain_name

        cost = f"{ranked[0].value('money'):,.0f}"
        print(f"first answer: {plain_name(ranked[0])}, {cost}; others follow", file=sys.stderr)

    return say_first


def _kept(work: _Work) -> str:
    """What is left of a run that was ended."""
    return "" if work.resume is None else f"; {work.resume} keeps what was measured"


def _direct_question(direct: _Direct, request: _Request) -> Requirements:
    """The question about a direct machine."""
    from hopscape.design import Conditions, Requirements
    from hopscape.design.question import DEFAULT_WEIGHTS, parse_weights

    if direct.nodes is None or direct.ports is None:
        raise ArgumentError(
            "give --nodes and --ports for a direct machine, or --endpoints and --radix for a"
            " switched one"
        )
    _warn_of_concentration(direct.endpoints_per_router)
    matters = request.matters
    return Requirements(
        nodes=direct.nodes,
        ports=direct.ports,
        size="exactly" if request.exact else "at least" if direct.at_least else "about",
        within=request.within,
        regular=direct.regular,
        cables=request.cables,
        cable_length=request.cable_length,
        max_hops=request.max_hops,
        vcs=request.vcs,
        faults=direct.faults,
        survive=request.survival,
        grow=request.grow,
        weights=parse_weights(matters) if matters else dict(DEFAULT_WEIGHTS),
        families=tuple(_names(request.families)),
        conditions=Conditions(
            endpoints=direct.endpoints_per_router,
            plan=request.plan,
            message=request.message,
            alpha=request.alpha,
            bandwidth=direct.bandwidth,
            seed=direct.seed,
        ),
    )


def _warn_of_concentration(endpoints: int) -> None:
    if endpoints > 1:
        print(
            "hopscape: --endpoints-per-router is deprecated; concentration belongs to switched"
            " machines: --endpoints N --radix R",
            file=sys.stderr,
        )


def _switched_question(switched: _Switched, request: _Request) -> SwitchedRequirements:
    """The question about a switched machine; what is left out has its default there."""
    from hopscape.design.demands import taper_share
    from hopscape.design.question import parse_weights
    from hopscape.design.switched_requirements import SwitchedRequirements

    if switched.radix is None:
        raise ArgumentError("--endpoints needs --radix: the ports of a switch")
    names = ("radix", "nics", "planes", "throughput", "worst", "routing", "budget", "prices",
             "watts_per_rack", "island", "island_speed")  # fmt: skip
    if switched.island is None:
        refuse(("island_speed",), "is the speed inside islands; it needs --island")
    options = {name: getattr(switched, name) for name in names if given(name)}
    limits = ("cables", "cable_length", "max_hops", "vcs", "grow", "message", "alpha")
    options |= {name: getattr(request, name) for name in limits if given(name)}
    if switched.taper is not None:
        refuse(("throughput",), "and --taper say the same; give one of them")
        share = options["throughput"] = taper_share(switched.taper)
        if switched.worst is not None and switched.worst > share:
            raise ArgumentError(
                f"--worst {switched.worst:g} is more than the {share:.4g} of the line rate that"
                f" --taper {switched.taper} leaves; take a smaller taper"
            )
    endpoints = switched.endpoints
    if switched.sweep is not None:
        refuse(("endpoints",), "does not go with --sweep, which names the sizes")
        endpoints = sweep_sizes(switched.sweep)[0]
    kind = SwitchedRequirements
    if switched.job is not None:
        from hopscape.design.steps import JobRequirements

        kind = JobRequirements
        options["job"] = switched.job
    options["weights"] = dict(kind.default_weights)
    if request.matters:
        options["weights"] = parse_weights(request.matters, kind.criteria)
    return kind(
        endpoints or 0,
        exact=request.exact,
        within=request.within,
        plan=request.plan,
        survive=request.survival,
        families=tuple(_names(request.families)),
        **options,
    )


def _sweep(question: SwitchedRequirements, switched: _Switched, work: _Work) -> None:
    from hopscape.design.which import sweep
    from hopscape.store import Store

    refuse(("columns", "pareto", "out", "top", "simulate", "proof"), "does not go with --sweep")
    with Store(work.resume) as store:
        points = sweep(question, sweep_sizes(str(switched.sweep)), **work.keywords(store))
    show_sweep(points, switched.figure)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


class _CommandGiven(NamedTuple):
    """The command as it was given, and all its options: name, value, given or not."""

    text: str
    options: list[tuple[str, str, bool]]


def _command_given(context: typer.Context) -> _CommandGiven:
    words, options = ["hopscape", "design"], []
    for one in context.command.params:
        value = context.params.get(one.name or "")
        if value is None or one.name == "context":
            continue
        typed = given(str(one.name))
        name, text = max(one.opts, key=len), str(getattr(value, "value", value))
        options.append((name, text, typed))
        if typed:
            words += [name] if value is True else [name, text]
    text = " ".join([*words[:2], *(shlex.quote(word) for word in words[2:])])
    return _CommandGiven(text, options)


def _finish(result: Design, view: _View, command: _CommandGiven, kept: str) -> None:
    """Write the folder; of a search that was cut short only say so, and what was kept."""
    if not result.complete:
        missing = "" if view.out is None else f"; {view.out} is not written"
        print(
            f"hopscape: {ended_word()}; this is what is known so far{missing}{kept}",
            file=sys.stderr,
        )
        raise typer.Exit(ended_code())
    if view.out is None:
        return
    from hopscape.design.handover import write_design

    for line in write_design(
        result,
        view.out,
        choose=view.choose,
        command=command.text,
        options=command.options,
        force=view.force,
    ):
        print(line, file=sys.stderr)


def prices(
    price_list: Annotated[
        str | None,
        typer.Argument(help="Name of a list, or a .toml file (default: the usual list)."),
    ] = None,
    check: Annotated[
        bool, option("Say what is wrong with it, missing or assumed, and nothing else.", "--check")
    ] = False,
) -> None:
    """Show a price list, entry by entry with its source, or check your own."""
    from hopscape.core.numbers import number
    from hopscape.design.prices import DEFAULT_PRICES, item_rows, load_prices, price_lists

    if check:
        _check_prices(price_list)
        return
    chosen = load_prices(price_list if price_list is not None else DEFAULT_PRICES)
    rows = list(item_rows(chosen))
    if output_settings.style is Format.json:
        whole = {"name": chosen.name, "currency": chosen.currency, "rate": chosen.rate}
        emit({**whole, "items": rows, "lists": price_lists()})
        return
    titles = {
        "item": "item",
        "part": "part",
        "size": "ports or m",
        "price": f"price ({chosen.currency})",
        "per_metre": "and per m",
        "watts": "W",
        "year": "year",
        "source": "source",
    }
    rate = f"{chosen.rate:g} Gb/s"
    title = f"price list {chosen.name}" + ("" if rate in chosen.name else f": lines of {rate}")
    if output_settings.style is Format.table:
        for row in rows:
            for key in ("price", "per_metre", "watts"):
                row[key] = number(row[key], grouped=True)
    emit_rows(rows, title=title, columns=titles)
    if output_settings.style is Format.table and output_settings.output is None:
        say(f"lists: {', '.join(price_lists())}; your own: --prices FILE.toml")


def _check_prices(price_list: str | None) -> None:
    """Print what there is to say of a price list; what cannot be read is an error."""
    from datetime import date

    from hopscape.design.prices import DEFAULT_PRICES, load_prices, remarks

    chosen = load_prices(price_list if price_list is not None else DEFAULT_PRICES)
    doubts = remarks(chosen, date.today().year)
    sizes = ", ".join(f"{item.size:g}" for item in chosen.switches)
    head = (
        f"{chosen.name}: {len(chosen.items())} entries in {chosen.currency}, lines of"
        f" {chosen.rate:g} Gb/s, switches of {sizes} ports"
    )
    if output_settings.style is Format.json:
        emit({"name": chosen.name, "entries": len(chosen.items()), "remarks": doubts})
        return
    if output_settings.style is Format.table and output_settings.output is None:
        say(head, *(doubts or ["nothing is missing"]))
        return
    emit_rows([{"remark": line} for line in doubts])
