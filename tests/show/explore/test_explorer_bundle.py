"""The bundle in the package is the one that the sources under web/ make."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import hopscape

ROOT = Path(__file__).parents[3]
WEB = ROOT / "web"
ASSETS = Path(hopscape.__file__).parent / "show" / "explore" / "assets"
FILES = ("explorer.js", "explorer.css", "workbench.js", "workbench.css", "sources.sha256")


def test_the_bundle_was_built_from_these_sources() -> None:
    """Quick: whoever changes a source must build again (npm run build in web/)."""
    others = ("package-lock.json", "package.json", "tsconfig.json", "vite.config.ts")
    names = [path.relative_to(WEB).as_posix() for path in (WEB / "src").rglob("*.*")]
    digest = hashlib.sha256()
    for name in sorted([*names, *others]):
        digest.update(f"{name}\n".encode() + (WEB / name).read_bytes())
    assert (ASSETS / "sources.sha256").read_text().strip() == digest.hexdigest()


def test_the_lock_names_no_registry_and_all_versions_are_exact() -> None:
    lock = (WEB / "package-lock.json").read_text()
    assert '"resolved"' not in lock
    assert "registry" not in lock
    package = (WEB / "package.json").read_text()
    assert re.findall(r'"[\^~][\d.]+"', package) == []


def test_the_bundle_reaches_for_nothing_outside() -> None:
    script = "".join(
        (ASSETS / name).read_text(encoding="utf-8") for name in FILES if name.endswith(".js")
    )
    known = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml"}
    known |= {"http://www.w3.org/1999/xlink", "http://www.w3.org/XML/1998/namespace"}
    known |= {"http://www.w3.org/2000/xmlns/"}
    assert set(re.findall(r"https?://[^\"'`\s)]+", script)) <= known
    assert not re.search(r"\beval\(|new Function\(", script)
    own = "".join(path.read_text(encoding="utf-8") for path in (WEB / "src").rglob("*.ts"))
    assert not re.search(r"innerHTML|insertAdjacentHTML|outerHTML|document\.write", own)


@pytest.mark.slow
def test_the_bundle_is_what_the_sources_make(tmp_path: Path) -> None:
    """npm ci and npm run build in a copy of web/, lint and unit tests too."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed")
    copy = tmp_path / "web"
    shutil.copytree(WEB, copy, ignore=shutil.ignore_patterns("node_modules"))
    (tmp_path / "src/hopscape/show/explore").mkdir(parents=True)
    for command in (["ci", "--no-audit", "--no-fund"], ["run", "lint"], ["test"], ["run", "build"]):
        done = subprocess.run([npm, *command], cwd=copy, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    for name in FILES:
        built = (tmp_path / "src/hopscape/show/explore/assets" / name).read_text(encoding="utf-8")
        assert built == (ASSETS / name).read_text(encoding="utf-8"), name
