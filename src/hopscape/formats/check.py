"""Real programs on a hand-over: run them, read back what they did, compare."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from hopscape.core.errors import (
    ArgumentError,
    FileFormatError,
    HopscapeError,
    MissingPackageError,
    TooLargeError,
)
from hopscape.core.verdict import Verdict
from hopscape.formats import (
    astra_check as astra,
)
from hopscape.formats import (
    booksim_check as booksim,
)
from hopscape.formats import (
    frr_check as frr,
)
from hopscape.formats import (
    mpi_check as mpi,
)
from hopscape.formats import (
    msccl_check as msccl,
)
from hopscape.formats import (
    opensm_check as opensm,
)
from hopscape.formats import (
    simgrid_check as simgrid,
)
from hopscape.formats import (
    smpi_check as smpi,
)
from hopscape.formats import (
    verilog_check as verilog,
)
from hopscape.formats import (
    weights_check as weights,
)
from hopscape.formats.programs import changed_files, read_back, which_all

__all__ = ["COMPONENTS", "CheckSettings", "Checked", "check_folder"]


@dataclass(frozen=True)
class Component:
    """Software that takes a part of the folder.

    Attributes:
        files: What of the folder is its part; a pattern.
        missing: What of it is not installed.
        packages: How it is installed.
        sampled: Does it take a number of pairs to ask about?
    """

    files: str
    missing: Callable[[], list[str]]
    packages: str
    check: Callable[..., Verdict]
    sampled: bool = False


COMPONENTS: dict[str, Component] = {
    "opensm": Component(
        "opensm/**/routes.lfts",
        partial(which_all, opensm.PROGRAMS),
        opensm.PACKAGES,
        opensm.check_opensm,
        sampled=True,
    ),
    "simgrid": Component(
        "simgrid/platform.xml",
        simgrid.missing_simgrid,
        simgrid.PACKAGES,
        simgrid.check_simgrid,
        sampled=True,
    ),
    "smpi": Component("smpi/step.json", smpi.missing_smpi, smpi.PACKAGES, smpi.check_smpi),
    "mpi": Component("[abr]*.json", mpi.missing_mpi, mpi.PACKAGES, mpi.check_mpi),
    "iverilog": Component(
        "verilog/router.v",
        partial(which_all, ("iverilog", "vvp")),
        "Debian: iverilog",
        verilog.check_verilog,
    ),
    "yosys": Component(
        "verilog/router.v",
        partial(which_all, ("yosys", "yosys-smtbmc", "z3")),
        "Debian: yosys z3",
        verilog.prove_verilog,
    ),
    "booksim": Component(
        "booksim/network.cfg",
        partial(which_all, ("booksim",)),
        "build BookSim 2 from source and put 'booksim' on the PATH",
        booksim.check_booksim,
    ),
    "astra": Component("astra/times.json", astra.missing_astra, astra.PACKAGES, astra.check_astra),
    "frr": Component(
        "ethernet/ecmp.csv", frr.missing_frr, frr.PACKAGES, frr.check_frr, sampled=True
    ),
    "msccl": Component("msccl/*", list, "nothing to install", msccl.check_msccl),
    "weights": Component("weighted_paths.csv", list, "nothing to install", weights.check_weights),
}


@dataclass(frozen=True)
class Checked:
    """What a component made of a hand-over.

    Attributes:
        verdict: None where it was not run.
        aside: Why it was not run.
    """

    component: str
    verdict: Verdict | None
    aside: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain values: component, holds, reason, where and details."""
        if self.verdict is None:
            return {"component": self.component, "holds": None, "reason": self.aside}
        one = self.verdict
        record = {"component": self.component, "holds": one.holds, "reason": one.reason}
        return record | {"where": dict(one.where), "details": dict(one.details)}


@dataclass(frozen=True)
class CheckSettings:
    """How much is asked of the programs.

    Attributes:
        pairs: Pairs of hosts about which programs are asked one by one.
        seconds: For each program.
        changed: Check even what is not as it was handed over.
    """

    pairs: int = 48
    seconds: float = 300.0
    changed: bool = False


USUAL = CheckSettings()


def check_folder(
    folder: str | Path, components: Sequence[str] = ("all",), settings: CheckSettings = USUAL
) -> list[Checked]:
    """Run real programs on a hand-over and compare what they did with what it says.

    Args:
        folder: Written by :func:`hopscape.design.handover.hand_over`.
        components: Names of :data:`COMPONENTS`; ``all`` is what is installed and has files there.

    Raises:
        FileFormatError: When a file is missing, was changed by hand, or two of them tell different
            networks.
        MissingPackageError: When a component that is named is not installed.
    """
    top = Path(folder)
    everything = list(components) == ["all"]
    names = list(COMPONENTS) if everything else list(dict.fromkeys(components))
    for name in names:
        if name not in COMPONENTS:
            raise ArgumentError(
                f"component {name!r} is unknown; choose all or some of {', '.join(COMPONENTS)}"
            )
    changed = changed_files(top)
    if changed and not settings.changed:
        raise FileFormatError(
            f"{top}: {changed[0]} since it was handed over"
            + (f", and {len(changed) - 1} more" if len(changed) > 1 else "")
        )
    if not changed:
        read_back(top)
    return [_checked(top, name, settings, everything) for name in names]


def _checked(top: Path, name: str, settings: CheckSettings, everything: bool) -> Checked:
    one = COMPONENTS[name]
    absent = one.missing()
    if absent:
        words = f"{' and '.join(absent)} not installed; {one.packages}"
        if everything:
            return Checked(name, None, words)
        raise MissingPackageError(f"{name}: {words}")
    if not any(top.glob(one.files)):
        words = "this hand-over has no files for it; its README says why"
        if everything:
            return Checked(name, None, words)
        raise FileFormatError(f"{name}: {words}")
    more: dict[str, Any] = {"pairs": settings.pairs} if one.sampled else {}
    try:
        return Checked(name, one.check(top, seconds=settings.seconds, **more))
    except HopscapeError as error:
        if everything and isinstance(error, TooLargeError):
            return Checked(name, None, str(error))
        return Checked(name, Verdict(False, str(error)))
