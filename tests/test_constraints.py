"""The constraints file: every dependency pinned, every pin with hashes, no address in it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import hopscape

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


def test_the_bill_of_materials_names_every_pin(tmp_path):
    """CycloneDX, beside the wheel and in it (the build hook of pyproject.toml)."""
    done = subprocess.run(
        [sys.executable, ROOT / ".ci/sbom.py", tmp_path / "bill.json"], check=True
    )
    assert done.returncode == 0
    bill = json.loads((tmp_path / "bill.json").read_text(encoding="utf-8"))
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.5")
    assert bill["metadata"]["component"]["version"] == hopscape.__version__
    assert [(one["name"], one["version"]) for one in bill["components"]] == [
        (name.lower(), version.rstrip("\\")) for name, version in PINS
    ]
    references = [one["bom-ref"] for one in bill["components"]]
    assert len(set(references)) == len(references)
    assert all(one["hashes"] for one in bill["components"])
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["hooks"]["custom"]["path"] == ".ci/sbom.py"
