"""What the commands about collectives print and draw."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from hopscape.cli.output import emit, emit_rows
from hopscape.core.errors import ArgumentError
from hopscape.core.goal import Goal
from hopscape.core.network import Network
from hopscape.core.numbers import byte_count, number
from hopscape.core.tables import in_table

if TYPE_CHECKING:
    from hopscape.collectives.contest import Contest
    from hopscape.collectives.survivors import Survivors
    from hopscape.core.model import Model
    from hopscape.core.schedule import Schedule

__all__ = ["end_if_wrong", "finish", "list_transfers", "pick_algorithms", "save_pictures"]

_COMPETITORS = {
    "algorithm": "algorithm",
    "rounds": "rounds",
    "duration": "duration",
    "chunks": "chunks",
    "busiest_channel": "busiest channel",
    "time_us": "time (µs)",
    "gap": "gap",
}


_RULING = {"holds": "verified"}
"""How a person reads the verdict of the verifier."""


def pick_algorithms(
    network: Network,
    goal: Goal,
    asked: Mapping[str, Any],
    sizes: tuple[int, int] | None,
    left: Survivors | None = None,
) -> list[dict[str, str]]:
    """The algorithms for a goal, those that serve what is asked for."""
    from hopscape.collectives.contest import candidates, usual_rules

    usual_rules(network, asked, None if sizes is None else sizes[1])  # refuses what cannot be
    return [
        {"algorithm": one.name, "what": one.summary, "serves": one.serves.describe()}
        for one in candidates(network, goal, left)
        if one.serves.allows(one.serves.model(**asked))
    ]


def end_if_wrong(schedule: Schedule, file: str | Path) -> None:
    """Leave with 1 and the first violation after a schedule that does not hold was shown.

    Whoever made it by hand sees where it goes wrong; nobody takes it for a right one.
    """
    from hopscape.core.verify import verify

    if not (verdict := verify(schedule)):
        reason = f"the schedule in {file} is shown, but fails its check: {verdict.reason}"
        print(f"hopscape: {reason}", file=sys.stderr)
        raise typer.Exit(1)


def save_pictures(
    contest: Contest,
    schedule: Schedule,
    sizes: tuple[int, int] | None,
    figure: Path | None,
    animate: Path | None,
) -> None:
    """The rounds, or times over sizes, as a figure; the rounds as a film."""
    if animate is not None:
        from hopscape.show.draw.rounds import draw_rounds

        if animate.suffix.lower() not in (".gif", ".html"):
            raise ArgumentError(f"{animate} must end in .html or .gif")
        draw_rounds(schedule, animate)
    if figure is None:
        return
    if sizes is None or sizes[0] == sizes[1]:
        from hopscape.show.draw.rounds import draw_rounds

        if figure.suffix.lower() not in (".svg", ".png", ".pdf"):
            raise ArgumentError(f"{figure} must end in .svg, .png or .pdf")
        draw_rounds(schedule, figure)
        return
    _draw_times(contest, sizes, figure)


def _draw_times(contest: Contest, sizes: tuple[int, int], figure: Path) -> None:
    from hopscape.collectives.records import size_grid, winners_over
    from hopscape.show.draw.rounds import draw_times

    held = [contest.at(size) for size in size_grid(*sizes)]
    changes = winners_over(held)
    winners = [held[0].best, *(change.after for change in changes)]
    others = [entry for entry in contest.entries if all(entry is not one for one in winners)]
    lines = [
        (f"{entry.algorithm}, {entry.chunks} chunk{'s' * (entry.chunks > 1)}", *line)
        for entry in (*winners, *others)
        if (line := entry.line(contest.costs))
    ]
    draw_times(
        lines,
        sizes,
        [{"bytes": change.size} for change in changes],
        figure,
        title=f"{contest.network.spec}: {contest.goal.kind}",
        bound=[(size, contest.least_time(size)) for size in size_grid(*sizes)],
    )


def list_transfers(schedule: Schedule, record: Mapping[str, Any]) -> None:
    """The transfers, round by round."""
    from hopscape.collectives.records import transfer_rows

    title = f"{record['spec']}: {schedule.goal.describe()} by {record['algorithm']}"
    emit_rows(transfer_rows(schedule), title=title)
    if record["verdict"] != "holds":
        raise typer.Exit(1)


def finish(record: dict[str, Any]) -> None:
    """Print a record; exits with 1 where the schedule does not hold."""
    from hopscape.core.model import Model

    goal, model = Goal.from_dict(record["goal"]), Model.from_dict(record["model"])
    best = record["lower_bounds"][0]["why"] if record["lower_bounds"] else ""
    table = {
        "model": model.describe(),
        "algorithm": record["algorithm"],
        **_duration_lines(record, model),
        "lower bound": f"{record['lower_bound']}" + (f"  ({best})" if best else ""),
        **_optimum_line(record),
        "messages": f"{record['messages']:,}",
        "duplicates": _maybe(record["duplicates"]),
        "nodes reached": _maybe(record["reached"]),
        **_time_lines(record),
        **_size_lines(record),
        **_fault_lines(record),
        **_repair_lines(record),
        **_circuit_lines(record),
        "verdict": f"{_RULING.get(record['verdict'], record['verdict'])}: {record['reason']}",
    }
    if "note" in record:
        table["note"] = record["note"]
    title = f"{record['spec']}: {goal.describe()}"
    emit(record, title=title, table=table, below=_tables(record))
    if record["verdict"] != "holds":
        raise typer.Exit(1)


def _duration_lines(record: Mapping[str, Any], model: Model) -> dict[str, str]:
    """Rounds; where messages share channels, how long they last comes first."""
    rounds = str(record["rounds"])
    if model.switching != "cut-through" or record.get("bytes") is not None:
        return {"rounds": rounds}
    if record.get("duration", record["rounds"]) == record["rounds"]:
        return {"rounds": rounds}
    lasts = f"{record['duration']:g}  (rounds last as long as their busiest channels carry)"
    return {"duration": lasts, "rounds": rounds}


def _tables(record: Mapping[str, Any]) -> list[Any]:
    """Competitors, those left out, and sizes, where there are any."""
    out: list[Any] = []
    rows = record.get("competitors", ())
    columns = {k: v for k, v in _COMPETITORS.items() if any(r[k] is not None for r in rows)}
    if all(r["duration"] == r["rounds"] or r["time_us"] is not None for r in rows):
        columns.pop("duration", None)
    if len({r["chunks"] for r in rows}) == 1:
        columns.pop("chunks", None)
    best: dict[str, Any] = {}  # of one algorithm, its best
    for row in rows:
        best.setdefault(row["algorithm"], row)
    if len(best) > 1:
        out.append((list(best.values()), "Algorithms that apply, best first", columns))
    steps = record.get("pareto", ())
    if len(steps) > 1:
        heads = {"rounds": "rounds", "load": "load (buffers)", "algorithm": "algorithm"}
        title = "From the fewest rounds to the least load of the busiest channels"
        out.append((steps, title, heads))
    left = record.get("left_out", ())
    if left:
        out.append((left, "Left out", {"algorithm": "algorithm", "reason": "why"}))
    if "curve" in record:
        points = [{**row, "bytes": byte_count(row["bytes"])} for row in record["curve"]]
        heads = {
            "bytes": "size",
            "algorithm": "fastest",
            "rounds": "rounds",
            "chunks": "chunks",
            "time_us": "time (µs)",
            "bound_us": "bound (µs)",
            "gap": "gap",
        }
        out.append((points, "Over sizes", heads))
        turns = [{**row, "bytes": byte_count(row["bytes"])} for row in record["crossovers"]]
        if turns:
            heads = {"bytes": "from", "before": "instead of", "after": "fastest"}
            out.append((turns, "Where the fastest changes", heads))
    return out


def _size_lines(record: Mapping[str, Any]) -> dict[str, str]:
    """What is said of the busiest channel."""
    if "busiest_channel" not in record:
        return {}
    ends = record["busiest_ends"]
    where = f", node {ends[0]} → node {ends[1]}" if ends else ""
    chunks = record["busiest_channel"]
    return {"busiest channel": f"{chunks:,} chunk{'s' * (chunks != 1)}{where}"}


def _time_lines(record: Mapping[str, Any]) -> dict[str, str]:
    """Time in µs for bytes, or under costs per chunk."""
    if record.get("bytes") is None:
        return {"time": f"{record['time']:g}" if "time" in record else "-"}
    costs = ", ".join(f"{name} {value:g}" for name, value in record["costs_us"].items())
    many = f"{record['chunks']} chunk{'s' * (record['chunks'] > 1)}"
    bound = record["bound_us"]
    least = "" if bound is None else f"  (at least {number(bound)})"
    return {
        "bytes": f"{byte_count(record['bytes'])} in {many}",
        "time": f"{number(record['time_us'])} µs" + least,
        **_executed_line(record),
        "costs in µs": costs,
    }


def _executed_line(record: Mapping[str, Any]) -> dict[str, str]:
    """The time without barriers between rounds."""
    if record.get("executed_us") is None:
        return {}
    least = number(record["executed_bound_us"])
    return {"without barriers": f"{number(record['executed_us'])} µs  (at least {least})"}


def _fault_lines(record: Mapping[str, Any]) -> dict[str, str]:
    """What is said of faults only."""
    if "dead_nodes" not in record:
        return {}
    links = ", ".join(f"{u}-{v}" for u, v in record["dead_links"])
    out = {"dead nodes": in_table(record["dead_nodes"]) or "-", "dead links": links or "-"}
    if "healthy_rounds" in record:
        out["with nothing dead"] = f"{record['healthy_rounds']} rounds"
    if "healthy_time_us" in record:
        out["with nothing dead"] += f", {number(record['healthy_time_us'])} µs"
    return out


def _repair_lines(record: Mapping[str, Any]) -> dict[str, str]:
    """What died under way, what became of the plan, and the price."""
    if "repair" not in record:
        return {"dies": ", ".join(record["dying"])} if "dying" in record else {}
    names = [
        f"{one['node'] if 'node' in one else '-'.join(map(str, one['link']))}@{one['round']}"
        for one in record["dies"]
    ]
    plan = f"{record['planned_rounds']} rounds"
    if "planned_time_us" in record:
        plan += f", {number(record['planned_time_us'])} µs"
    elif record["planned_duration"] != record["planned_rounds"]:
        plan += f", duration {record['planned_duration']:g}"
    counts = ", ".join(f"{record[name]:,} {name}" for name in ("kept", "dropped", "added"))
    again = record["anew_rounds"]
    other = "" if again is None else f"; begun again: {again} rounds"
    how = "the living begin again" if record["repair"] == "anew" else "missing chunks sent again"
    return {
        "dies": ", ".join(names),
        "with nothing dead": plan,
        "repair": f"{how}{other if record['repair'] != 'anew' else ''}",
        "transfers since": counts,
    }


def _optimum_line(record: dict[str, Any]) -> dict[str, str]:
    """The best rate for long data."""
    if "optimum" not in record:
        return {}
    optimum = record["optimum"]
    least = "" if optimum["exact"] else "at least "
    return {"long data": f"{least}{optimum['rounds']} rounds per chunk  ({optimum['why']})"}


def _circuit_lines(record: Mapping[str, Any]) -> dict[str, str]:
    """What is said of circuits only."""
    if record.get("disjoint") is None:
        return {}
    bound = record.get("path_lower_bound")
    least = f"  (at least {bound})" if bound is not None else ""
    return {
        "circuits share no": {"vertex": "node", "edge": "link", "arc": "channel"}[
            record["disjoint"]
        ],
        "longest chain": f"{_maybe(record.get('max_path'))} hops{least}",
        "sum of longest calls": f"{record['sum_round_max']:,} hops",
    }


def _maybe(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"
