"""The plan of the house holds: imports point down, light commands import nothing heavy."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import networkx as nx
import pytest

import hopscape
from hopscape.core.plugins import plugin_entries

SOURCE = Path(hopscape.__file__).parent
FLOORS = [
    {"_version", "core"},
    {"algebra", "reference"},
    {"formats.graphs", "store"},
    {"metrics"},
    {"collectives", "deadlock"},
    {"families"},
    {"registry"},
    {"proofs", "search", "simulate"},
    {"formats"},
    {"workloads"},
    {"show"},
    {"ledger"},
    {"design"},
    {"cli"},
    {"papers"},
]
"""Rooms from the ground up: a module imports from its own floor and those below."""

_COMMAND = "from hopscape.cli import main\ntry: main({})\nexcept SystemExit: pass"


def _floor(module: str) -> int:
    """The floor of a module, by its name below ``hopscape``."""
    words = module.split(".")
    names = {".".join(words[:2]), words[0]}
    return next(i for i, rooms in enumerate(FLOORS) if rooms & names)


def _is_module(name: str) -> bool:
    place = SOURCE.joinpath(*name.split(".")[1:])
    return place.is_dir() or place.with_suffix(".py").is_file()


@cache
def _imports(path: Path) -> set[str]:
    """Modules of the project that a module imports."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= {name if _is_module(name) else node.module for name in whole}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return {name for name in names if name.startswith("hopscape.")}


def _room(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def _modules() -> list[Path]:
    return sorted(p for p in SOURCE.rglob("*.py") if _room(p) not in ("__init__", "__main__"))


def _below(path: Path) -> str:
    """Name of a module below ``hopscape``."""
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


def test_imports_point_down() -> None:
    wrong = []
    for path in _modules():
        for name in _imports(path):
            if _floor(name.removeprefix("hopscape.")) > _floor(_below(path)):
                wrong.append(f"{path.relative_to(SOURCE)} imports {name}")
    assert wrong == []


_JUDGES = re.compile(r"ledger|papers\.\w+\.(claims|checks|reference)")


def test_slow_twins_only_judge() -> None:
    """Nothing but the ledger and checks of papers uses them, and they use nothing that is judged.

    A reference may ask core for a network and its own room for a structure, never for kernels.
    """
    used, wrong = 0, []
    for path in _modules():
        name = _below(path)
        slow = {one for one in _imports(path) if re.search(r"\breference\b", one)}
        used += len(slow)
        if slow and not (_JUDGES.match(name) or name.startswith("reference")):
            wrong.append(f"{name} imports {slow}")
        if re.search(r"\breference\b", name):
            wrong += [
                f"{name} imports {one}"
                for one in _imports(path)
                if one.endswith("_kernels") or not re.match(r"hopscape\.(core|reference)\b", one)
            ]
    assert wrong == []
    assert used > 10


def _texts(path: Path) -> Iterator[str]:
    """What stands in quotes in a module, docstrings left out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    prose = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            yield node.value


def test_the_toolkit_knows_no_paper() -> None:
    """Neither by import nor by text: papers register by entry points."""
    rooms = {p.parent.name for p in (SOURCE / "papers").glob("*/__init__.py")}
    modules = {
        f"{_below(p).removeprefix('papers.')}" for p in (SOURCE / "papers").glob("*/*.py")
    } - rooms
    wrong = []
    for path in _modules():
        if _room(path) == "papers":
            continue
        named = {text for text in _texts(path) if re.match(r"(hopscape\.)?papers[.:]", text)}
        named |= {text for text in _texts(path) if text.partition(":")[0] in modules}
        named |= {name for name in _imports(path) if name.startswith("hopscape.papers")}
        wrong += [f"{path.relative_to(SOURCE)}: {name}" for name in sorted(named)]
    assert wrong == []


def _named_modules(path: Path, root: Path) -> set[str]:
    """Modules that a text of a module names: ``hopscape.show.draw``, ``show.draw:make_figure``.

    A text is the name of a module if there is a file of that name; a single word is a word.
    """
    named = set()
    for text in _texts(path):
        name = text.partition(":")[0].removeprefix(f"{root.name}.")
        whole = text.startswith(f"{root.name}.") or "." in name or ":" in text
        if whole and re.fullmatch(r"\w+(\.\w+)*", name):
            place = root.joinpath(*name.split("."))
            if place.is_dir() or place.with_suffix(".py").is_file():
                named.add(name)
    return named


def test_no_text_names_a_module_above() -> None:
    """An import by text would be a stair that no import shows."""
    wrong = []
    for path in _modules():
        for name in _named_modules(path, SOURCE):
            if _floor(name) > _floor(_below(path)):
                wrong.append(f"{path.relative_to(SOURCE)} names {name}")
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('import_module("house.attic.trunk")', {"attic.trunk"}),
        ('load("attic.trunk:open")', {"attic.trunk"}),
        ('load("attic:open")', {"attic"}),
        ('"""See house.attic.trunk."""', set()),
        ('print("attic")', set()),
        ('print("the attic.trunk is open")', set()),
        ('load("attic.nothing:open")', set()),
    ],
)
def test_texts_that_name_modules_are_found(text: str, named: set[str], tmp_path: Path) -> None:
    root = tmp_path / "house"
    (root / "attic").mkdir(parents=True)
    (root / "attic/trunk.py").write_text("")
    (root / "cellar.py").write_text(text)
    assert _named_modules(root / "cellar.py", root) == named


def test_every_method_is_made_somewhere() -> None:
    """The front page registers just what is asked for, and all of it is there."""
    from hopscape.core import methods

    asked = set()
    for path in _modules():
        asked |= set(re.findall(r'\b(?:method|_known)\("(\w+)"\)', path.read_text("utf-8")))
    assert asked == set(methods._PLACES)
    assert all(callable(methods.method(name)) for name in sorted(asked))


_EVERYDAY = {"Path", "file", "path", "planes", "product"}
"""Names of families that mean something else as well: they may be variables and words."""


def test_core_names_no_family() -> None:
    """Neither as text nor as a name in the code; docstrings show examples."""
    entries = plugin_entries("families").values()
    families = {e.name for e in entries} | {e.value.partition(":")[2] for e in entries}
    words = re.compile(r"\b(\w+)\b(\()?")
    wrong = []
    for path in sorted((SOURCE / "core").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        prose = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
        for node in ast.walk(tree):
            found = {getattr(node, key, None) for key in ("id", "attr", "name", "arg")} - _EVERYDAY
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                said = words.findall(node.value) if id(node) not in prose else []
                found = {name for name, call in said if call or name not in _EVERYDAY}
            wrong += [f"{path.name}:{node.lineno}: {name}" for name in found & families]  # type: ignore[attr-defined]
    assert wrong == []


_CHOICES = {
    "cli/commands/networks.py:_SHOWN",
    "cli/ranking.py:_FEW_COLUMNS",
    "cli/ranking.py:_STEP_COLUMNS",
    "cli/ranking.py:_DEMANDED",
    "design/names.py:_ALIKE",
    "design/ranking.py:_COMPARED_MACHINES",
    "design/saturations.py:_TELLING",
    "design/switched_columns.py:_PRICED",
    "design/switched_columns.py:GROWTH",
    "design/handover.py:_FIGURES",
}
"""Figures that something is judged or spoken of by; what a table shows, its columns say."""


def test_tables_ask_the_columns_for_their_places() -> None:
    from hopscape.design.columns import ALL_COLUMNS

    found = set()
    for path in _modules():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            listed = node.value.elts if isinstance(getattr(node, "value", None), ast.Tuple) else []
            names = [one.value for one in listed if isinstance(one, ast.Constant)]
            if len(names) == len(listed) > 2 and all(name in ALL_COLUMNS for name in names):
                name = ast.unparse(node.targets[0])
                found.add(f"{path.relative_to(SOURCE).as_posix()}:{name}")
    assert found == _CHOICES


def test_families_do_not_import_insides_of_others() -> None:
    """Another room's front page (hopscape.families.classic) is open to all."""
    wrong = []
    for path in (SOURCE / "families").rglob("*.py"):
        parts = path.relative_to(SOURCE / "families").parts
        own = parts[0].removesuffix(".py")
        for name in _imports(path):
            words = name.split(".")
            if words[1] == "families" and len(words) > 3 and words[2] != own:
                wrong.append(f"{path.relative_to(SOURCE)} imports {name}")
    assert wrong == []


def test_types_of_arrays_stand_in_one_place() -> None:
    pattern = re.compile(r"np\.ndarray\[|\bNDArray\b")
    own = {p.relative_to(SOURCE).as_posix() for p in SOURCE.rglob("*.py")}
    assert {name for name in own if pattern.search((SOURCE / name).read_text("utf-8"))} == {
        "core/arrays.py"
    }


def test_no_way_is_said_in_one_place() -> None:
    """The largest number of a table's dtype; kernels ask for it where they are compiled."""
    pattern = re.compile(r"iinfo\([\w.]*dtype\)\.max|(==|!=) 255\b|(==|!=) 0xFFFF\b")
    found = {
        path.relative_to(SOURCE).as_posix()
        for path in _modules()
        if pattern.search(path.read_text("utf-8")) and not path.stem.endswith("_kernels")
    }
    assert found == {"core/arrays.py"}


def _module(path: Path, root: Path) -> str:
    parts = (root.name, *path.relative_to(root).with_suffix("").parts)
    return ".".join(parts).removesuffix(".__init__")


def _targets(node: ast.AST, package: str) -> Iterator[tuple[str, ...]]:
    """What a statement imports: for each name the module that it may be, and the one it is in."""
    if isinstance(node, ast.Import):
        yield from ((alias.name,) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        above = package.split(".")[: len(package.split(".")) - node.level + 1]
        source = ".".join([*(above if node.level else []), *filter(None, [node.module])])
        yield from ((f"{source}.{alias.name}", source) for alias in node.names)


def _circles(root: Path) -> list[list[str]]:
    """Modules that import each other, however indirectly.

    Imports inside functions and under TYPE_CHECKING count as well. A package is imported by those
    who name it, not by all who name a module in it: a front page may show what is behind it.
    """
    modules = {_module(path, root): path for path in root.rglob("*.py")}
    graph = nx.DiGraph()
    for name, path in modules.items():
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for places in _targets(node, package):
                found = next((place for place in places if place in modules), None)
                if found is not None:
                    graph.add_edge(name, found)
    rings = [sorted(ring) for ring in nx.strongly_connected_components(graph) if len(ring) > 1]
    return sorted(rings + [[name] for name in nx.nodes_with_selfloops(graph)])


def test_no_module_imports_itself_by_way_of_others() -> None:
    assert _circles(SOURCE) == []


_FORMS = {
    "at the top": "from house.room.b import thing",
    "a module": "from house.room import b",
    "by its whole name": "import house.room.b as b",
    "relative": "from .b import thing",
    "relative, a module": "from . import b",
    "relative, from above": "from ..room.b import thing",
    "in a function": "def late():\n    from house.room.b import thing",
    "in a method": "class A:\n    def late(self):\n        import house.room.b",
    "for types only": "if TYPE_CHECKING:\n    from house.room.b import thing",
}


@pytest.mark.parametrize("form", _FORMS)
def test_circles_are_found(form: str, tmp_path: Path) -> None:
    files = {
        "__init__.py": "from house.room import thing",
        "room/__init__.py": "from house.room.b import thing",
        "room/a.py": _FORMS[form],
        "room/b.py": "from house.room.c import other",
        "room/c.py": "",
    }
    for name, text in files.items():
        place = tmp_path / "house" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    assert _circles(tmp_path / "house") == []
    (tmp_path / "house/room/c.py").write_text("def f():\n    from house.room.a import g")
    assert _circles(tmp_path / "house") == [["house.room.a", "house.room.b", "house.room.c"]]


def test_front_pages_are_part_of_circles(tmp_path: Path) -> None:
    """A module that imports its own room's front page, and one that imports itself."""
    room = tmp_path / "house"
    room.mkdir()
    (room / "__init__.py").write_text("from house.a import x")
    (room / "a.py").write_text("from house import x")
    (room / "b.py").write_text("import house.b")
    assert _circles(room) == [["house", "house.a"], ["house.b"]]


@pytest.mark.parametrize(
    "code",
    [
        "import hopscape",
        "import hopscape.cli.app",
        _COMMAND.format(["show", "torus(8, 8)"]),
        _COMMAND.format(["route", "torus(8, 8)", "0", "9"]),
        _COMMAND.format(["families"]),
        _COMMAND.format(["compare", "torus(8, 8)", "hypercube(6)"]),
    ],
)
def test_light_ways_import_nothing_heavy(code: str) -> None:
    heavy = {"numba", "scipy", "matplotlib", "networkx"}
    if "families" not in code and "compare" not in code:  # which load them all, or all columns
        heavy |= {"hopscape.core.formula", "hopscape.metrics.load"}
    if "route" in code:
        heavy |= {"hopscape.deadlock.one_lane"}
    check = f"import sys; print(sorted({heavy} & set(sys.modules)))"
    run = subprocess.run(
        [sys.executable, "-c", f"{code}\n{check}"], capture_output=True, text=True, check=True
    )
    assert run.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("package", ["hopscape.metrics", "hopscape.families.torus"])
def test_names_loaded_later_are_there(package: str) -> None:
    """In a fresh process, where no other test has loaded them."""
    names = {"hopscape.metrics": ["spectrum", "best_known", "channel_load", "disjoint_paths"]}
    wanted = names.get(package, ["Tofu", "ExpressMesh", "TwistedTorus", "best_twist"])
    code = f"import {package} as room; print([callable(getattr(room, n)) for n in {wanted}])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == str([True] * 4)
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'nothing'"):
        importlib.import_module(package).nothing  # noqa: B018


ALONE = "proofs/check.py"  # handed out by itself: it may not import, so it has names of its own


def test_a_class_name_means_one_thing() -> None:
    """A reader who searches for a class finds one."""
    places: dict[str, list[str]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        where = path.relative_to(SOURCE).as_posix()
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and node.name[0] != "_" and where != ALONE:
                places.setdefault(node.name, []).append(where)
    twice = {name: where for name, where in places.items() if len(where) > 1}
    assert twice == {}
