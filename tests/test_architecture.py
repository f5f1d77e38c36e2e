"""The plan of the house holds: imports point down, light commands import nothing heavy."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import hopscape

SOURCE = Path(hopscape.__file__).parent
FLOORS = [
    {"core"},
    {"algebra"},
    {"interchange", "store"},
    {"metrics"},
    {"collectives", "deadlock"},
    {"families"},
    {"registry"},
    {"draw", "search", "simulate", "export"},
    {"ledger"},
    {"design"},
    {"web", "cli"},
]

_COMMAND = "from hopscape.cli import main\ntry: main({})\nexcept SystemExit: pass"


def _floor(name: str) -> int:
    return next(i for i, rooms in enumerate(FLOORS) if name in rooms)


def _imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found.add(node.module)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {name for name in found if name.startswith("hopscape.")}


def _room(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def _modules() -> list[Path]:
    return sorted(p for p in SOURCE.rglob("*.py") if _room(p) not in ("__init__", "__main__"))


def test_imports_point_down() -> None:
    wrong = []
    for path in _modules():
        if _room(path) == "_version":
            continue
        for name in _imports(path):
            target = name.split(".")[1]
            if target != "_version" and _floor(target) > _floor(_room(path)):
                wrong.append(f"{path.relative_to(SOURCE)} imports {name}")
    assert wrong == []


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


@pytest.mark.parametrize(
    "code",
    [
        "import hopscape",
        "import hopscape.cli.app",
        _COMMAND.format(["show", "torus(8, 8)"]),
        _COMMAND.format(["families"]),
    ],
)
def test_light_ways_import_nothing_heavy(code: str) -> None:
    check = (
        "import sys; print(sorted({'numba', 'scipy', 'matplotlib', 'networkx'} & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", f"{code}\n{check}"], capture_output=True, text=True, check=True
    )
    assert run.stdout.splitlines()[-1] == "[]"
