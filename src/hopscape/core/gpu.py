"""The graphics processor, where there is one: CuPy, its compiler and its memory."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from hopscape.core.errors import ArgumentError, MissingPackageError, TooLargeError
from hopscape.core.numbers import byte_count

__all__ = ["compiled", "cupy", "require_device_memory"]


@cache
def cupy() -> Any:
    """The module CuPy, with a device that answers.

    Raises:
        MissingPackageError: When CuPy is not installed.
        ArgumentError: When there is no device, or the driver does not fit.
    """
    try:
        import cupy as module
    except ImportError as error:
        raise MissingPackageError(
            "device 'gpu' needs the package cupy: pip install 'hopscape[gpu]'"
        ) from error
    try:
        count = int(module.cuda.runtime.getDeviceCount())
        module.zeros(1).sum()  # the driver, the runtime and the compiler work together
    except Exception as error:  # CuPy raises errors of many kinds, one for each library below it
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise ArgumentError(f"device is 'gpu', but CUDA does not work here: {reason}") from error
    if count < 1:
        raise ArgumentError("device is 'gpu', but this machine has none; leave it out for the CPU")
    return module


@cache
def compiled(package: str, name: str, **macros: int) -> Any:
    """The kernels of a CUDA source beside the modules of a package, for constants as macros."""
    source = files(package).joinpath(name).read_text(encoding="utf-8")
    options = ("-std=c++17", *(f"-D{key}={value}" for key, value in macros.items()))
    return cupy().RawModule(code=source, options=options)


def require_device_memory(size: int, what: str) -> None:
    """Refuse, with the number, what would not fit on the device."""
    free, _ = cupy().cuda.runtime.memGetInfo()
    if size > free:
        raise TooLargeError(
            f"{what} would need {byte_count(size)} on the GPU, which has {byte_count(free)} free"
        )
