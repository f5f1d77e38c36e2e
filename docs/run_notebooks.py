"""Run the notebooks in a Jupyter kernel and keep what they show: ``python docs/run_notebooks.py``.

What is folded away for exploring is left out of the files: it is most of their size, and appears
when somebody runs them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent.parent / "examples" / "notebooks"
_FOLDED = re.compile(r"<details><summary>explore</summary>.*?</iframe></details>", re.DOTALL)
_SECONDS = 300  # that a cell may take


def run(path: Path) -> Any:
    """The notebook with the outputs of a fresh kernel.

    Raises:
        CellExecutionError: Of nbclient, when a cell fails.
    """
    import nbformat
    from nbclient import NotebookClient

    notebook: Any = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=_SECONDS,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,  # else what one cell prints comes in pieces, as the kernel likes
        resources={"metadata": {"path": str(path.parent)}},
    )
    client.execute()
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            _slim(output.get("data", {}))
    notebook.metadata.pop("language_info", None)  # of the machine that ran it
    return notebook


def _slim(data: dict[str, Any]) -> None:
    if "text/html" in data:
        data["text/html"] = _FOLDED.sub("", data["text/html"])
        data.pop("image/svg+xml", None)  # the same picture again


def said(notebook: Any) -> list[list[str]]:
    """What each cell of code said in plain text, without pictures."""
    out = []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            texts = [one.get("text") or one.get("data", {}).get("text/plain", "")
                     for one in cell.outputs]  # fmt: skip
            out.append(texts)
    return out


def main(names: Sequence[str]) -> None:
    import nbformat

    for path in sorted(FOLDER.glob("*.ipynb")):
        if not names or path.stem in names:
            nbformat.write(run(path), path)
            print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
