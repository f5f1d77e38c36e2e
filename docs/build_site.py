"""Build the documentation site into build/site: ``python docs/build_site.py``.

Pages of this folder are taken as they are. Generated beside them: the home page, a page for each
command with its help and real output, a gallery of all families with live pages, the notebooks with
what they are stored with, how to cite, and the API from the docstrings. Broken links, failing
examples and failing commands are errors.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGES, SITE = ROOT / "build" / "docs", ROOT / "build" / "site"
ROOMS = (
    "algebra", "collectives", "deadlock", "design", "formats", "formats.graphs", "ledger",
    "metrics", "search.graph", "show.draw", "show.explore", "simulate", "store", "workloads",
)  # fmt: skip
EXAMPLES = (
    'families torus',
    'show "torus(8, 8)"',
    'structure petersen',
    'compare "torus(8, 8)" "hypercube(6)"',
    'distances "ccc(5)" --from 0',
    'route "torus(8, 8)" 0 "(3, 4)" --disjoint',
    'route "expanded(heawood, 2)" 0 100 --dead 14',
    'deadlock "ring(16)"',
    'broadcast "torus(25, 25)" --from 0 --ports 1',
    'allgather heawood --duplex half',
    'step examples/jobs/small.toml --on "xgft([8], [1])" --on "torus(2, 4)"',
    'multiring capacity "multiring(32, 1, 2, 3, 7)"',
    'blockdesign list --sigma 1 --max-m 12',
    'explain latency',
)  # fmt: skip


def main(pages: Path = PAGES, site: Path = SITE) -> None:
    """Make all pages, then the site."""
    shutil.rmtree(pages, ignore_errors=True)
    shutil.copytree(ROOT / "docs", pages, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    for name in ("CHANGELOG.md", "CONTRIBUTING.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        (pages / name.lower()).write_text(text.replace("](docs/", "]("), encoding="utf-8")
    write_home(pages / "index.md")
    write_citation(pages / "cite.md")
    write_commands(pages)
    write_gallery(pages)
    write_notebooks(pages / "tutorials")
    write_reference(pages / "api")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "--site-dir", str(site)]
    subprocess.run(command, cwd=ROOT, env=os.environ | {"PAGES": str(pages)}, check=True)
    print(f"built {site / 'index.html'}")


def hopscape(*words: str) -> str:
    """What a command prints on a terminal of 100 columns."""
    width = {"COLUMNS": "100", "TTY_COMPATIBLE": "1"}
    environment = os.environ | {"NO_COLOR": "1", "TERM": "dumb"} | width
    command = [sys.executable, "-m", "hopscape", *words]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"hopscape {shlex.join(words)} failed: {done.stderr}")
    return done.stdout.rstrip()


QUESTION = "design --endpoints 64 --radix 16"
HOME = """---
hide: [navigation, toc]
---
# Which network should I build?

<div class="home" markdown>
<div markdown>
hopscape answers for people who wire machines together: which network for so many nodes and
ports, how to route and run collectives on it, whether it holds under load and faults, how long a
training step takes. Every figure says how it is known.

```sh
python3 -m venv .venv
.venv/bin/pip install .
```

[Ten minutes](start.md){{ .md-button .md-button--primary }}
[Gallery of families](gallery.md){{ .md-button }}
[Python](python.md){{ .md-button }}
</div>
<div markdown>
`hopscape {question}` answers:

{answer}
</div>
</div>

{sentence}

## Play with a network

Route on it, break links, compare: every family has such a page (`hopscape explore "torus(6, 6)"`).

<iframe class="live" src="live/home.html" title="a torus to route on and to break"
 loading="lazy"></iframe>

## Where to begin

{people}
"""


PEOPLE = {
    "an architect of machines": {
        "Choosing a network": "tutorials/choosing.md", "machines with switches": "switched.md",
        "one training step": "step.md",
    },
    "a fabric engineer": {
        "For fabric engineers": "fabric-engineer.md", "hand-over": "handover.md",
    },
    "a designer of networks on chip": {
        "A network on chip": "tutorials/noc.md", "from a network to hardware": "noc.md",
    },
    "a graph theorist": {
        "Bring your own graph": "tutorials/own-graph.md", "graph search": "graph-search.md",
    },
    "an engineer of collectives": {
        "Collectives": "tutorials/collectives.md", "MPI and MSCCL": "collective-engineer.md",
    },
    "a teacher": {"Teaching": "tutorials/teaching.md", "the explorer": "explorer.md"},
}  # fmt: skip
"""Where each kind of reader begins."""


def write_home(place: Path) -> None:
    """The home page: one question with its answer, and a network to play with."""
    from hopscape.design import SwitchedRequirements, design

    found = design(SwitchedRequirements(64, 16))
    answer = ["| machine | USD | guaranteed share of line rate |", "|---|--:|---|"]
    for one, _ in found.shortlist():
        share = 100 * float(one.value("guaranteed_throughput"))
        words = f"{share:.1f} % ({one.value('guaranteed_routing')})"
        answer.append(f"| {one.name} | {one.value('money'):,.0f} | {words} |")
    people = ["| I am | I begin with |", "|---|---|"]
    for who, links in PEOPLE.items():
        people.append(f"| {who} | {', '.join(f'[{a}]({b})' for a, b in links.items())} |")
    text = HOME.format(
        question=QUESTION,
        answer="\n".join(answer),
        sentence=found.presentation.answer[0],
        people="\n".join(people),
    )
    place.write_text(text, encoding="utf-8")
    write_live(place.parent / "live" / "home.html", "torus(6, 6)")


def write_live(place: Path, *specs: str) -> None:
    """A page of the explorer beside the others, to be shown in a frame."""
    from hopscape import build
    from hopscape.show.explore import page, payload

    place.parent.mkdir(exist_ok=True)
    bare: dict[str, Any] = {"schedules": (), "traffic": (), "bisection": False, "deadlock": False}
    place.write_text(page([payload(build(spec), **bare) for spec in specs]), encoding="utf-8")


def write_citation(place: Path) -> None:
    """How to cite hopscape, from CITATION.cff."""
    from hopscape import __version__

    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    said = dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)
    title = said["title"].strip('"')
    lines = [
        "# Cite this", "", said["message"], "", "```bibtex", "@software{hopscape,",
        f"  title   = {{{title}}},", "  author  = {{The hopscape authors}},",
        f"  version = {{{__version__}}},", "}", "```", "",
        "`CITATION.cff` in the repository says the same for tools that read it.", "",
    ]  # fmt: skip
    place.write_text("\n".join(lines), encoding="utf-8")


_WIDE = "---\nhide: [navigation]\n---\n"
"""Pages that stand in no navigation use its room."""


def write_commands(pages: Path) -> None:
    """A page for each command with its help, and examples with what they print."""
    from hopscape.cli.overview import contents

    folder = pages / "commands"
    folder.mkdir()
    groups = contents().groups
    out = [
        "# Commands",
        "",
        "`hopscape demo` is a tour; every command explains itself with `--help`.",
    ]
    for panel, members in contents().panels.items():
        out += ["", f"## {panel}", "", "| command | what it does |", "|---|---|"]
        for name in members:
            calls = [(name, member) for member in groups[name][1]] if name in groups else [(name,)]
            first = hopscape(*calls[0], "--help")
            about = _summary(hopscape(name, "--help") if name in groups else first)
            out.append(f"| [`{name}`](commands/{name}.md) | {about} |")
            page = [_WIDE, f"# hopscape {name}", "", f"{about}.", ""]
            for line in EXAMPLES:
                if line.split()[0] == name:
                    said = hopscape(*shlex.split(line))
                    page += ["```text", f"$ hopscape {line}", said, "```", ""]
            for call in calls:
                title = "Usage" if len(call) == 1 else f"hopscape {' '.join(call)}"
                page += [f"## {title}", "", *command_help(*call)]
            (folder / f"{name}.md").write_text("\n".join(page), encoding="utf-8")
    (pages / "commands.md").write_text("\n".join(out) + "\n", encoding="utf-8")


def command_help(*call: str) -> list[str]:
    """How a command is called, what it does, and its options: a table for each panel."""
    import typer

    from hopscape.cli.app import app

    command: Any = typer.main.get_command(app)
    context = command.context_class(command, info_name="hopscape")
    for word in call:
        command = command.get_command(context, word)
        context = command.context_class(command, info_name=word, parent=context)
    usage = re.sub("[{}]", "", " ".join(command.collect_usage_pieces(context)))
    out = ["```text", f"hopscape {' '.join(call)} {usage}", "```", ""]
    out += [escape(command.help or "", quote=False), ""]
    panels: dict[str, list[str]] = {}
    for one in command.get_params(context):
        if getattr(one, "hidden", False):
            continue
        own = "Options" if one.param_type_name == "option" else "Arguments"
        rows = panels.setdefault(getattr(one, "rich_help_panel", None) or own, [])
        rows.append(f"| {_written(one, context)} | {_said(one)} |")
    for title, rows in panels.items():
        out += [f"**{title}**", "", "| | |", "|---|---|", *rows, ""]
    return out


def _written(one: Any, context: Any) -> str:
    """An option or argument as it is typed."""
    value = one.make_metavar(context)
    if one.param_type_name != "option":
        return f"`{re.sub(r'[^A-Za-z_-]', '', value)}`"
    flag = one.is_flag or one.count
    value = re.sub(r" ?\[.*|[<>]", "", value)
    names = ", ".join(f"`{name}`" for name in (*one.opts, *one.secondary_opts))
    return names if flag else f"{names} {escape(value)}".replace("|", "\\|")


def _said(one: Any) -> str:
    """What an option is for; what holds without it."""
    text = escape(one.help or "", quote=False).replace("|", "\\|").replace("\n", " ")
    unused = one.default is None or one.default is False or one.default in ((), "", ...)
    if one.required:
        text += " (required)"
    elif not unused and not callable(one.default) and "default" not in text:
        text += f" (default: {getattr(one.default, 'value', one.default)})"
    return text


def _summary(text: str) -> str:
    """The first sentence of a help text, after the line of usage."""
    lines = [line.strip() for line in text.splitlines()]
    body = [line for line in lines if line and not line.startswith("Usage:")]
    start = " ".join(body[:3]).split("╭")[0].replace("|", "\\|")
    return start.partition(". ")[0].rstrip(".")


LIVE = (
    "torus", "mesh", "hypercube", "fat_tree", "leaf_spine", "dragonfly", "hyperx", "slim_fly",
    "petersen", "circulant", "ccc", "kautz", "product", "hammingmesh",
)  # fmt: skip
"""Families that can be played with on the site; hopscape explore shows all of them."""


def write_gallery(folder: Path) -> None:
    """All families in a grid of small pictures, and a page with the facts of an example of each."""
    from hopscape import all_families, build
    from hopscape.show.draw.thumbnail import thumbnail
    from hopscape.show.explore.workbench import families

    place = folder / "gallery"
    place.mkdir()
    known = all_families()
    out = ["# Families", "", "`hopscape explore` shows this gallery live, with a search box.", ""]
    groups: dict[str, list[str]] = {}
    for one in families():
        groups.setdefault(one["group"], []).append(one["name"])
    for title, members in groups.items():
        out += [f"## {title}", "", '<div class="cards">']
        for name in members:
            network = build(known[name].example)
            (place / f"{name}.svg").write_text(thumbnail(network), encoding="utf-8")
            out.append(
                f'<a href="gallery/{name}.html">'
                f'<img src="gallery/{name}.svg" alt="" loading="lazy">'
                f"<strong>{name}</strong><span>{escape(known[name].summary)}</span></a>"
            )
            _write_family(place, known[name], network)
        out += ["</div>", ""]
    (folder / "gallery.md").write_text("\n".join(out), encoding="utf-8")


def _write_family(place: Path, family: Any, network: Any) -> None:
    """One family: how it is written, an example drawn, its facts."""
    facts = network.summary()
    shown = ("nodes", "endpoints", "links", "degree", "diameter", "mean_distance")
    about = family.summary[0].upper() + family.summary[1:]
    out = [_WIDE, f"# {family.name}", "", f"{about}.", "", f"`{family.usage()}`", ""]
    if family.parameters:
        out += ["| parameter | what it is |", "|---|---|"]
        out += [f"| {one.name} | {one.help} ({one.range_text}) |" for one in family.parameters]
    out += ["", f"## {network.spec}", ""]
    if family.name in LIVE:
        write_live(place / "live" / f"{family.name}.html", network.spec)
        source = f'src="live/{family.name}.html" title="{family.name}"'
        out += [f'<iframe class="live" {source} loading="lazy"></iframe>']
    else:
        network.draw(place / f"{family.name}-large.svg")
        out += [f"![{network.spec}]({family.name}-large.svg)"]
    out += ["", "| figure | value |", "|---|---|"]
    out += [f"| {figure.replace('_', ' ')} | {_shown(facts[figure])} |" for figure in shown]
    (place / f"{family.name}.md").write_text("\n".join(out) + "\n", encoding="utf-8")


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        low, high = value["min"], value["max"]
        return str(low) if low == high else f"{low} to {high}"
    return f"{value:.4f}" if isinstance(value, float) else f"{value}"


def run_cells(notebook: Path) -> Iterator[tuple[dict[str, Any], str, Any]]:
    """The cells of a notebook one by one: the cell, what it printed, and its last value."""
    import ast
    import contextlib
    import io

    names: dict[str, Any] = {"__name__": "notebook"}
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            yield cell, "", None
            continue
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        printed, value = io.StringIO(), None
        with contextlib.redirect_stdout(printed):
            exec(compile(tree, notebook.name, "exec"), names)
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), notebook.name, "eval"), names)
        yield cell, printed.getvalue(), value


def write_notebooks(folder: Path) -> None:
    """The notebooks as pages, with what they are stored with (docs/run_notebooks.py)."""
    folder.mkdir()
    for notebook in sorted((ROOT / "examples" / "notebooks").glob("*.ipynb")):
        out: list[str] = []
        for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
            source = "".join(cell["source"])
            if cell["cell_type"] == "markdown":
                out += [source, ""]
                continue
            out += ["```python", source, "```", ""]
            for output in cell["outputs"]:
                out += _output(output)
        (folder / f"{notebook.stem}.md").write_text("\n".join(out), encoding="utf-8")


def _output(output: dict[str, Any]) -> list[str]:
    """What a cell showed: HTML or a picture as such, everything else as text."""
    data = output.get("data", {})
    for kind in ("text/html", "image/svg+xml"):
        if kind in data:
            whole = "".join(data[kind])
            shown = whole[whole.find("<svg") :] if kind.startswith("image") else whole
            kept = [line for line in shown.splitlines() if line.strip()]
            return ['<div class="output">', *kept, "</div>", ""]
    text = "".join(output.get("text") or data.get("text/plain", ""))
    return ["```text", text.rstrip(), "```", ""]


def write_reference(folder: Path) -> None:
    """The API, a page for each sub-package: what people call comes first."""
    folder.mkdir()
    for room in ("", *ROOMS):
        name = f"hopscape.{room}".rstrip(".")
        members = callables_first(importlib.import_module(name))
        listed = ", ".join(members)
        text = f"# {name}\n\n::: {name}\n    options:\n      group_by_category: false\n"
        text += f"      members: [{listed}]\n"
        (folder / f"{room or 'hopscape'}.md").write_text(text, encoding="utf-8")


def callables_first(room: Any) -> list[str]:
    """The public names of a room: functions that networks and schedules have, others, classes."""
    from hopscape.core.methods import registered

    names = [name for name in room.__all__ if not name.startswith("__")]
    own = registered()

    def rank(name: str) -> int:
        value = getattr(room, name)
        if isinstance(value, type):
            return 2
        return (0 if name in own else 1) if callable(value) else 3

    return sorted(names, key=rank)  # as they stand in __all__, within each


if __name__ == "__main__":
    main()
