"""Where compiled kernels are kept when neither the package's folder nor the home can be written.

Numba refuses to define a cached kernel when it finds no folder to write to. Then a folder of this
process serves; nobody else can write to it, since what is in there is loaded and run.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

__all__ = [
    "allow_compiling_ahead",
    "cached_kernels",
    "kernel_folders",
    "may_compile_ahead",
    "prepare_kernel_cache",
]

_ahead = False


def allow_compiling_ahead() -> None:
    """Let :mod:`hopscape.core.compile_ahead` start processes; the command line says so."""
    global _ahead
    _ahead = True


def may_compile_ahead() -> bool:
    """Is this the command line, not a process that it started, and are kernels compiled at all?"""
    from multiprocessing import parent_process

    compiled = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")
    return _ahead and compiled and parent_process() is None


def prepare_kernel_cache() -> None:
    """See to it that numba finds a folder for compiled kernels; to be called before its import."""
    package = Path(__file__).resolve().parent.parent
    home = Path(os.path.expanduser(os.environ.get("XDG_CACHE_HOME") or "~/.cache"))
    setting = os.environ.get("NUMBA_CACHE_DIR")
    if any(_writable(place) for place in (package, home, *([Path(setting)] if setting else []))):
        return
    try:
        folder = tempfile.mkdtemp(prefix="hopscape-kernels-")
    except OSError:  # nowhere at all: the command line says so when a kernel is needed
        return
    os.environ["NUMBA_CACHE_DIR"] = folder
    atexit.register(shutil.rmtree, folder, ignore_errors=True)


def _writable(place: Path) -> bool:
    """May a folder be written, or made where it does not exist?"""
    while not place.exists() and place != place.parent:
        place = place.parent
    return place.is_dir() and os.access(place, os.W_OK | os.X_OK)


def kernel_folders() -> list[Path]:
    """Where compiled kernels lie, in the order in which numba looks.

    ``NUMBA_CACHE_DIR`` if it is set; else beside the sources where they can be written; else in the
    cache folder of the user.
    """
    setting = os.environ.get("NUMBA_CACHE_DIR")
    if setting:
        return [Path(setting)]
    package = Path(__file__).resolve().parent.parent
    if os.access(package, os.W_OK):
        return [package]
    home = Path(os.path.expanduser(os.environ.get("XDG_CACHE_HOME") or "~/.cache"))
    return [home / "numba"]


def cached_kernels() -> int:
    """How many compiled functions the cache holds."""
    return sum(
        name.endswith(".nbi")
        for folder in kernel_folders()
        for _, _, names in os.walk(folder)
        for name in names
    )
