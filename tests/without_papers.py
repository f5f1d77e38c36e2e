"""Run the toolkit's own tests where the papers are not installed.

    python tests/without_papers.py [PYTEST ARGUMENTS]

A copy of the package without ``hopscape.papers``, and of its metadata without their entry points,
comes first on the path of this process and of all that it starts. Left out are the tests that are
about papers, the manual and the golden list (``tests/conftest.py``), and members of families that
the papers register.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import distribution
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAPERS = "hopscape.papers"


def make_overlay(place: Path) -> Path:
    """Copy package and metadata without the papers; compiled kernels are taken along.

    Args:
        place: An empty folder; it becomes a checkout in small.

    Returns:
        The folder to put on ``PYTHONPATH``.
    """
    source = place / "src"
    leave_out = shutil.ignore_patterns("papers")
    shutil.copytree(ROOT / "src/hopscape", source / "hopscape", ignore=leave_out)
    for name in ("docs", "pyproject.toml", "README.md"):
        (place / name).symlink_to(ROOT / name)
    known = distribution("hopscape")
    metadata = source / f"hopscape-{known.version}.dist-info"
    metadata.mkdir()
    for name in ("METADATA", "entry_points.txt"):
        text = known.read_text(name) or ""
        lines = (line for line in text.splitlines() if PAPERS not in line.partition("=")[2])
        (metadata / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return source


def environment(source: Path) -> dict[str, str]:
    """The variables with which a process sees the toolkit alone."""
    places = os.pathsep.join([str(source), *filter(None, [os.environ.get("PYTHONPATH")])])
    return os.environ | {"PYTHONPATH": places, "PYTHONSAFEPATH": "1"}


def main(arguments: list[str]) -> int:
    """Make the overlay, see that it hides the papers, and run pytest there."""
    with tempfile.TemporaryDirectory(prefix="hopscape-toolkit-") as folder:
        source = make_overlay(Path(folder))
        seen = environment(source)
        look = "from importlib.util import find_spec as find; import hopscape.families as families"
        tell = f"print(families.__file__, find('{PAPERS}'))"
        told = subprocess.run(
            [sys.executable, "-c", f"{look}; {tell}"],
            env=seen,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        if not (told.startswith(str(source)) and told.endswith(" None\n")):
            raise SystemExit(f"the papers are not hidden: {told}")
        places = f"testpaths=tests {source / 'hopscape'}"
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-o", places]
        return subprocess.run([*command, *arguments], cwd=ROOT, env=seen, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
