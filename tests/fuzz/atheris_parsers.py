"""Parsers driven by coverage: ``python -m tests.fuzz.atheris_parsers [libFuzzer options]``.

Needs the package atheris; the seeded campaigns do not.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path


def main() -> None:
    """Feed bytes to the parser of specs and to the reader of every text format in turn."""
    import atheris

    with atheris.instrument_imports(include=["hopscape"]):
        from hopscape.core.errors import HopscapeError
        from hopscape.core.spec import parse

        from .formats import FORMATS
    folder = Path(tempfile.mkdtemp(prefix="atheris"))

    def try_one(data: bytes) -> None:
        if not data:
            return
        kind = data[0] % (len(FORMATS) + 1)
        try:
            if kind == len(FORMATS):
                parse(data[1:].decode("utf-8", "replace"))
                return
            path = folder / f"case{FORMATS[kind].ending}"
            path.write_bytes(data[1:])
            FORMATS[kind].read(path)
        except HopscapeError:
            pass

    atheris.Setup(sys.argv, try_one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
