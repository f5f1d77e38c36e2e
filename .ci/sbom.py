"""What a wheel is made to run with: a bill of materials in CycloneDX JSON.

    python .ci/sbom.py [FILE]

From the pins and hashes of .ci/constraints.txt, which CI installs; nothing is looked up. As a build
hook of hatchling it puts the same file into every wheel: hopscape/sbom.cdx.json.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # the script alone needs no hatchling
    BuildHookInterface = object  # type: ignore[assignment, misc]

ROOT = Path(__file__).resolve().parents[1]


def bill(root: Path = ROOT) -> dict[str, Any]:
    """The bill: hopscape itself, and every pinned package with the hashes of its files."""
    version = re.search(r'__version__ = "([^"]+)"', (root / "src/hopscape/_version.py").read_text())
    assert version is not None
    text = (root / ".ci/constraints.txt").read_text(encoding="utf-8")
    parts = []
    for block in re.split(r"^(?=[A-Za-z0-9._-]+==)", text, flags=re.MULTILINE)[1:]:
        pin = re.match(r"([A-Za-z0-9._-]+)==([^\s;\\]+)", block)
        assert pin is not None
        name, number = pin[1].lower(), pin[2]
        hashes = re.findall(r"--hash=sha256:([0-9a-f]{64})", block)
        address = f"pkg:pypi/{name}@{number}"
        parts.append(
            {
                "type": "library",
                "bom-ref": f"{address}#{len(parts)}",
                "name": name,
                "version": number,
                "purl": address,
                "hashes": [{"alg": "SHA-256", "content": one} for one in hashes],
            }
        )
    own = {
        "type": "library",
        "bom-ref": "hopscape",
        "name": "hopscape",
        "version": version[1],
        "purl": f"pkg:pypi/hopscape@{version[1]}",
        "licenses": [{"license": {"id": "Apache-2.0"}}],
    }
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": own},
        "components": parts,
    }


class CustomBuildHook(BuildHookInterface):
    """Puts the bill into a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the file before the wheel is put together."""
        if version == "editable":
            return
        place = Path(self.directory) / "sbom.cdx.json"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps(bill(Path(self.root)), indent=1) + "\n", encoding="utf-8")
        build_data["force_include"][str(place)] = "hopscape/sbom.cdx.json"


if __name__ == "__main__":
    written = json.dumps(bill(), indent=1) + "\n"
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(written, encoding="utf-8")
    else:
        sys.stdout.write(written)
