"""Build the documentation site into build/site: ``python docs/build_site.py``.

Pages of this folder are taken as they are. Generated beside them: every command with its help and
real output, a gallery of all families, the notebooks with what they print, and the API from the
docstrings. Broken links, failing examples and failing commands are errors.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
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
    write_commands(pages / "commands.md")
    write_gallery(pages)
    write_notebooks(pages / "tutorials")
    write_reference(pages / "api")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    readme = readme.replace("](docs/", "](").replace("(CONTRIBUTING.md", "(contributing.md")
    (pages / "index.md").write_text(readme.replace("(CHANGELOG.md", "(changelog.md"))
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "--site-dir", str(site)]
    subprocess.run(command, cwd=ROOT, env=os.environ | {"PAGES": str(pages)}, check=True)
    print(f"built {site / 'index.html'}")


def hopscape(*words: str) -> str:
    """What a command prints, at 100 columns."""
    environment = os.environ | {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}
    command = [sys.executable, "-m", "hopscape", *words]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"hopscape {shlex.join(words)} failed: {done.stderr}")
    return done.stdout.rstrip()


def write_commands(place: Path) -> None:
    """Every command with its help, and examples with what they print."""
    from hopscape.cli.overview import contents

    out = ["# Commands", "", "```text", hopscape("--help"), "```", "", "## Examples", ""]
    for line in EXAMPLES:
        out += ["```text", f"$ hopscape {line}", hopscape(*shlex.split(line)), "```", ""]
    groups = contents().groups
    for panel, members in contents().panels.items():
        out += [f"## {panel}", ""]
        for name in members:
            calls = [(name, member) for member in groups[name][1]] if name in groups else [(name,)]
            for call in calls:
                text = hopscape(*call, "--help")
                out += [f"### hopscape {' '.join(call)}", "", "```text", text, "```", ""]
    place.write_text("\n".join(out), encoding="utf-8")


def write_gallery(folder: Path) -> None:
    """A drawing and the facts of an example of every family."""
    from hopscape import HopscapeError, all_families, build

    pictures = folder / "gallery"
    pictures.mkdir()
    out = ["# Families", ""]
    for name, family in all_families().items():
        out += [f"## {name}", "", f"`{family.usage()}`: {family.summary}.", ""]
        if name == "file":
            continue
        network = build(family.example)
        facts = network.summary()
        shown = ("nodes", "endpoints", "links", "degree", "diameter", "mean_distance")
        out += [f"`{family.example}`", "", "| figure | value |", "|---|---|"]
        out += [f"| {figure.replace('_', ' ')} | {_shown(facts[figure])} |" for figure in shown]
        out.append("")
        try:
            network.draw(pictures / f"{name}.svg")
            out += [f"![{family.example}](gallery/{name}.svg)", ""]
        except HopscapeError as error:
            out += [f"Not drawn: {error}.", ""]
    (folder / "gallery.md").write_text("\n".join(out), encoding="utf-8")


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
    """The notebooks as pages, run afresh."""
    folder.mkdir()
    for notebook in sorted((ROOT / "examples" / "notebooks").glob("*.ipynb")):
        out: list[str] = []
        for i, (cell, printed, value) in enumerate(run_cells(notebook)):
            source = "".join(cell["source"])
            if cell["cell_type"] == "markdown":
                out += [source, ""]
                continue
            out += ["```python", source, "```", ""]
            if printed:
                out += ["```text", printed.rstrip(), "```", ""]
            drawn = getattr(value, "_repr_svg_", lambda: None)()
            if drawn:
                picture = folder / f"{notebook.stem}-{i}.svg"
                picture.write_text(drawn, encoding="utf-8")
                out += [f"![result]({picture.name})", ""]
            elif value is not None:
                out += ["```text", repr(value), "```", ""]
        (folder / f"{notebook.stem}.md").write_text("\n".join(out), encoding="utf-8")


def write_reference(folder: Path) -> None:
    """The API, a page for each sub-package."""
    folder.mkdir()
    (folder / "hopscape.md").write_text("# hopscape\n\n::: hopscape\n", encoding="utf-8")
    for room in ROOMS:
        text = f"# hopscape.{room}\n\n::: hopscape.{room}\n"
        (folder / f"{room}.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
