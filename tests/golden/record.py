"""The golden list: names and keys that users' scripts depend on.

Families, commands with their options, formats, collective algorithms, and the keys of what commands
print as JSON, one file each beside this one. ``python tests/golden/record.py`` adds what is new;
what is missing it names and leaves in the list, unless ``--forget`` says that it was taken away on
purpose. It also writes ``src/hopscape/constructors.pyi``, the families as functions with types.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable
from contextlib import chdir
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from commands import Done, run

HERE = Path(__file__).resolve().parent
PRINTED = {"basic-printed", "axes-printed", "node-local-printed"}
"""Algorithms that a paper prints wrongly: the ledger judges them, no contest runs them."""


def families() -> list[str]:
    """Names of families, aliases too."""
    from hopscape.core.plugins import plugin_entries

    return sorted(plugin_entries("families"))


STUB = HERE.parents[1] / "src/hopscape/constructors.pyi"


def stub() -> str:
    """The families as functions, for type checkers and editors."""
    from hopscape.registry import family, signature

    lines = [
        '"""Every family as a function; python tests/golden/record.py writes this file."""',
        "",
        "from collections.abc import Sequence",
        "",
        "from hopscape.core.network import Network",
        "",
    ]
    kinds = {"int": "int", "network": "Network", "text": "str", "flag": "bool",
             "ints": "Sequence[int]"}  # fmt: skip
    for name in families():
        about = {one.name: one for one in family(name).parameters}
        parts = []
        for one in signature(family(name)).parameters.values():
            kind = kinds[about[one.name].kind]
            star = "*" * (one.kind is one.VAR_POSITIONAL)
            optional = one.default is not one.empty
            none = " | None" * (optional and one.default is None)
            parts.append(f"{star}{one.name}: {kind}{none}{' = ...' * optional}")
        lines.append(f"def {name}({', '.join(parts)}) -> Network: ...")
    return "\n".join(lines) + "\n"


def _walk(command: Any, words: tuple[str, ...] = ()) -> Iterable[tuple[str, Any]]:
    if not hasattr(command, "list_commands"):
        yield " ".join(words), command
        return
    for name in command.list_commands(None):
        yield from _walk(command.get_command(None, name), (*words, name))


def commands() -> dict[str, list[str]]:
    """Arguments and options of all commands, those too that help does not show."""
    import typer

    from hopscape.cli.app import app

    out = {}
    for words, command in _walk(typer.main.get_command(app)):
        names = {name for one in command.params for name in (*one.opts, *one.secondary_opts)}
        out[words] = sorted(names - {"--help"})
    return dict(sorted(out.items()))


def is_accepted(words: str, option: str) -> bool:
    """Does a command know an option that it does not list? An alias for one release, say."""
    return "no such option" not in run(*words.split(), option).stderr


def formats() -> dict[str, list[str]]:
    """Formats of graph files, of tables, and of routers as code."""
    import typer

    from hopscape.cli.app import app
    from hopscape.core.plugins import plugin_entries

    known = dict(_walk(typer.main.get_command(app)))

    def choices(words: str, option: str) -> list[str]:
        kind = next(one.type for one in known[words].params if option in one.opts)
        return sorted(str(one) for one in kind.choices)

    return {
        "graphs": sorted(plugin_entries("exporters")),
        "tables": choices("show", "--format"),
        "code": choices("emit", "--to"),
    }


COLLECTIVES = {
    "broadcast": (), "reduce": (), "scatter": (), "gather": (), "multicast": ("--to", "1"),
    "allgather": (), "reduce-scatter": (), "allreduce": (), "alltoall": (),
    "permute": ("--permutation", "random:1"),
}  # fmt: skip
MACHINES = (
    "torus(5, 5)", "torus(3, 3, 3)", "mesh(3, 3)", "ring(8)", "hypercube(4)", "heawood",
    "circulant(13, 1, 5)", "circulant(15, 1, 4)", "folded(heawood, 2)", "expanded(heawood, 1)",
    "multiring(9, 1, 2)", "rpc(3)", "distributed_switch(7, 3, 1)", "quasicomplete_digraph(3)",
    "two_level(complete(4), complete(9))", "fat_tree(4)", "product(ring(4), ring(3))",
    "kautz(2, 3)",
)  # fmt: skip


def algorithms() -> dict[str, list[str]]:
    """Algorithms that each collective offers on some machine."""
    out = {}
    for kind, more in COLLECTIVES.items():
        names: set[str] = set()
        for machine in MACHINES:
            done = run(kind, machine, *more, "--algorithm", "list", "--format", "json")
            if done.returncode == 0:
                names |= {one["algorithm"] for one in json.loads(done.stdout)}
        out[kind] = sorted(names - PRINTED)
    return out


_DESIGN = ("--nodes", "12", "--ports", "4", "--families", "torus,circulant", "--matters", "latency")
_SWITCHED = ("--endpoints", "16", "--radix", "8", "--families", "fat_tree,leaf_spine")
ANSWERS: tuple[tuple[str, ...], ...] = (
    ("design", *_DESIGN),
    ("design", *_SWITCHED),
    ("prices",),
    ("compare", "torus(4, 4)", "hypercube(4)"),
    ("show", "torus(4, 4)"),
    ("show", "fat_tree(4)"),
    ("families", "torus"),
    ("explain", "girth"),
    ("distances", "torus(4, 4)"),
    ("distances", "torus(4, 4)", "--from", "0", "--each"),
    ("bisection", "torus(4, 4)"),
    ("structure", "petersen", "--generators"),
    ("embed", "hypercube(3)", "torus(4, 4)"),
    ("route", "torus(4, 4)", "0", "10"),
    ("route", "torus(4, 4)", "0", "10", "--disjoint"),
    ("route", "torus(4, 4)", "0", "10", "--dead", "1", "--dead-link", "0-4"),
    ("deadlock", "ring(8)"),
    ("deadlock", "torus(4, 4)", "--vcs", "2"),
    ("broadcast", "torus(4, 4)", "--save", "plan.json"),
    ("broadcast", "torus(4, 4)", "--list"),
    ("broadcast", "torus(4, 4)", "--bytes", "1KB"),
    ("reduce", "mesh(3, 3)"),
    ("scatter", "mesh(3, 3)"),
    ("gather", "mesh(3, 3)"),
    ("multicast", "mesh(3, 3)", "--to", "5"),
    ("allgather", "mesh(3, 3)"),
    ("reduce-scatter", "mesh(3, 3)"),
    ("allreduce", "ring(4)", "--bytes", "1KB:10KB"),
    ("alltoall", "mesh(3, 3)"),
    ("permute", "mesh(3, 3)", "--permutation", "random:1"),
    ("verify", "plan.json"),
    ("load", "torus(4, 4)", "--each"),
    ("simulate", "mesh(3, 3)", "--load", "0.1", "--cycles", "500", "--warmup", "200"),
    ("search", "graph", "--nodes", "10", "--degree", "3", "--target", "1.7"),
    ("search", "circulant", "--nodes", "20", "--degree", "4"),
    ("search", "bases", "--degree", "3", "--bits", "4"),
    ("atlas", "circulant", "--nodes", "105"),
    ("atlas", "largest", "--diameter", "5"),
    ("handover", "ring(4)", "--out", "folder"),
    ("emit", "torus(4, 4)", "--to", "c", "-o", "router.c"),
    ("ledger", "--list"),
    ("ledger", "--claim", "circulant-ball"),
    ("docs",),
    ("groups", "rpc(3)", "--size", "4"),
    ("blockdesign", "list", "--max-m", "4"),
    ("blockdesign", "blocks", "7", "3", "1"),
    ("blockdesign", "cover", "7", "3"),
    ("blockdesign", "digraph", "3"),
    ("blockdesign", "permutation", "distributed_switch(7, 3, 1)", "--permutation", "random:1"),
    ("blockdesign", "routes", "distributed_switch(7, 3, 1)", "0", "1"),
    ("blockdesign", "machines", "--local", "complete(4)", "--links", "1"),
    ("circulant", "show", "circulant(13, 1, 5)"),
    ("circulant", "show", "circulant(13, 1, 5)", "--from", "0", "--to", "6", "--dead", "1"),
    ("multiring", "capacity", "multiring(9, 1, 2)"),
    ("multiring", "simulate", "multiring(9, 1, 2)", "--slots", "500"),
    ("multiring", "table", "sparse_multiring(2, 10)"),
    ("multiring", "routes", "multiring(9, 1, 2)"),
    ("multiring", "search", "--nodes", "9", "--rings", "2"),
    ("multiring", "order", "sparse_multiring(2, 10)"),
)
"""Commands that scripts call, with requests that take a moment."""


def shape(value: Any) -> Any:
    """Keys and kinds of a JSON value: what its rows have in common is told once."""
    if isinstance(value, dict):
        return {key: shape(one) for key, one in sorted(value.items())}
    if isinstance(value, list):
        out: Any = []
        for one in value:
            out = [join(out[0], shape(one))] if out else [shape(one)]
        return out
    if isinstance(value, bool) or value is None:
        return "null" if value is None else "bool"
    return "number" if isinstance(value, int | float) else "string"


def join(a: Any, b: Any) -> Any:
    """Both shapes in one: keys of either, kinds of either (``number|null``)."""
    if isinstance(a, dict) and isinstance(b, dict):
        both = {key: join(a[key], b[key]) if key in a and key in b else a.get(key, b.get(key))
                for key in {*a, *b}}  # fmt: skip
        return dict(sorted(both.items()))
    if isinstance(a, list) and isinstance(b, list):
        return [join(a[0], b[0])] if a and b else a or b
    if isinstance(a, str) and isinstance(b, str):
        return "|".join(sorted({*a.split("|"), *b.split("|")}))
    return b if isinstance(a, str) else a  # a value or nothing


def answer(request: tuple[str, ...]) -> Done:
    """Run a command with JSON as its output."""
    return run(*request, "--format", "json")


def answers() -> dict[str, Any]:
    """Shapes of what the commands print."""
    out = {}
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for request in ANSWERS:
            done = answer(request)
            if done.returncode != 0:
                raise SystemExit(f"{' '.join(request)}: {done.stderr}")
            out[" ".join(request)] = shape(json.loads(done.stdout))
    return out


LISTS: dict[str, Callable[[], Any]] = {
    "families": families, "commands": commands, "formats": formats, "algorithms": algorithms,
    "answers": answers,
}  # fmt: skip


def recorded(name: str) -> Any:
    """A list as it was recorded."""
    return json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))


def missing(before: Any, now: Any, place: str = "") -> list[str]:
    """What stands in the first and not in the second; swap them to see what was added."""
    if isinstance(before, dict) and isinstance(now, dict):
        gone = [f"{place}{key}" for key in before if key not in now]
        inner = (missing(before[key], now[key], f"{place}{key} > ") for key in before if key in now)
        return [*gone, *(one for more in inner for one in more)]
    if isinstance(before, list) and isinstance(now, list):
        if all(isinstance(one, str) for one in (*before, *now)):
            return [f"{place}{one}" for one in before if one not in now]
        return missing(before[0], now[0], place) if before and now else []
    if isinstance(before, str) and isinstance(now, str):
        return []
    return [f"{place}{before} became {now}"] if type(before) is not type(now) else []


def kinds_changed(before: Any, now: Any, place: str = "") -> list[str]:
    """Values that are of a kind today that they were not of before."""
    if isinstance(before, dict) and isinstance(now, dict):
        pairs = ((key, before[key], now[key]) for key in before if key in now)
        return [one for key, a, b in pairs for one in kinds_changed(a, b, f"{place}{key} > ")]
    if isinstance(before, list) and isinstance(now, list):
        return kinds_changed(before[0], now[0], place) if before and now else []
    if isinstance(before, str) and isinstance(now, str):
        new = {*now.split("|")} - {*before.split("|")}
        return [f"{place}{before} became {now}"] if new else []
    return []


def main() -> None:
    """Add what is new to the lists, and name what is missing."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--forget", action="store_true", help="take out what is missing today")
    parser.add_argument("lists", nargs="*", choices=[[], *LISTS], help="only these lists")
    asked = parser.parse_args()
    os.environ["HOPSCAPE_INTERPRET"] = "0"
    for name in asked.lists or LISTS:
        now, place = LISTS[name](), HERE / f"{name}.json"
        if place.exists() and not asked.forget:
            before = recorded(name)
            for one in missing(before, now):
                print(f"{name}: {one} is missing; it stays in the list")
            now = joined(before, now)
        text = json.dumps(now, ensure_ascii=False, indent=1 if name != "answers" else None)
        if name == "answers":  # one line each
            rows = (f"{json.dumps(key)}: {json.dumps(now[key])}" for key in now)
            text = "{\n" + ",\n".join(rows) + "\n}"
        place.write_text(text + "\n", encoding="utf-8")
    STUB.write_text(stub(), encoding="utf-8")


def joined(before: Any, now: Any) -> Any:
    """Two lists in one."""
    if isinstance(before, dict) and isinstance(now, dict):
        keys = [*before, *(key for key in now if key not in before)]
        both = {key for key in before if key in now}
        whole = before | now
        return {key: joined(before[key], now[key]) if key in both else whole[key] for key in keys}
    if isinstance(before, list) and all(isinstance(one, str) for one in (*before, *now)):
        return sorted({*before, *now})
    return join(before, now)


if __name__ == "__main__":
    main()
