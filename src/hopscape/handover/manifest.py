"""The list of a hand-over's files with their digests: what was changed by hand is named."""

from __future__ import annotations

import hashlib
from pathlib import Path

from hopscape.core.errors import FileFormatError
from hopscape.core.files import write_text
from hopscape.core.plain import signed_json
from hopscape.core.reading import load_json
from hopscape.export.infiniband import PORT_WORDS

__all__ = ["MANIFEST", "changed_files", "files_in", "remove_listed", "write_manifest"]

MANIFEST = "manifest.json"


def files_in(folder: Path) -> dict[Path, int]:
    """The files of a folder, with what changes when one is written anew."""
    return {path: path.stat().st_ino for path in folder.rglob("*") if path.is_file()}


def write_manifest(spec: str, folder: Path, before: dict[Path, int]) -> None:
    """Write the digests of the files of a folder, but for those that were there before."""
    now = files_in(folder)
    files = sorted(x for x in now if x.name != MANIFEST and before.get(x) != now[x])
    record = {
        "spec": spec,
        "numbering": PORT_WORDS,
        "files": {path.relative_to(folder).as_posix(): _digest(path) for path in files},
    }
    write_text(folder / MANIFEST, signed_json(record))


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def changed_files(folder: Path) -> list[str]:
    """Files that are not as they were handed over, each with what happened to it.

    Raises:
        FileFormatError: When the folder is not a hand-over.
    """
    if not folder.is_dir():
        raise FileFormatError(f"{folder} is not a folder")
    if not (folder / MANIFEST).is_file():
        raise FileFormatError(
            f"{folder} is not a hand-over: it has no {MANIFEST}; write one with 'hopscape handover'"
        )
    found = []
    for name, digest in _listed(folder).items():
        path = folder / name
        if not path.is_file():
            found.append(f"{name} is missing")
        elif _digest(path) != digest:
            found.append(f"{name} was changed")
    return found


def _listed(folder: Path) -> dict[str, str]:
    """Digests by the names of files inside the folder."""
    record = load_json(folder / MANIFEST)
    files = record.get("files") if isinstance(record, dict) else None
    if not isinstance(files, dict):
        raise FileFormatError(f"{folder / MANIFEST} lists no files")
    for name in files:
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise FileFormatError(f"{folder / MANIFEST} names {name!r:.60}, which is outside")
    return files


def remove_listed(folder: Path) -> None:
    """Remove the files of an earlier hand-over, so that none of them is left among the new ones."""
    if (folder / MANIFEST).is_file():
        for name in _listed(folder):
            (folder / name).unlink(missing_ok=True)
        below = sorted((path for path in folder.rglob("*") if path.is_dir()), reverse=True)
        for path in below:
            if not any(path.iterdir()):
                path.rmdir()
