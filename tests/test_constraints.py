"""The constraints file: every dependency pinned, every pin with hashes, no address in it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / ".ci/constraints.txt").read_text(encoding="utf-8")
PINS = re.findall(r"^([A-Za-z0-9._-]+)==(\S+)", TEXT, re.MULTILINE)


def test_every_dependency_is_pinned():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = {re.match(r"[A-Za-z0-9._-]+", text)[0] for text in project["dependencies"]}
    assert names <= {name for name, _ in PINS}


def test_every_pin_has_hashes():
    blocks = re.split(r"^(?=[A-Za-z0-9._-]+==)", TEXT, flags=re.MULTILINE)[1:]
    assert len(blocks) == len(PINS) > 10
    for block in blocks:
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", block), block.splitlines()[0]


def test_no_registry_is_named():
    assert "://" not in TEXT
    assert "index-url" not in TEXT
