"""What ibnetdiscover and iblinkinfo print of a fabric that ibsim plays."""

from __future__ import annotations

import os
import time
from pathlib import Path

from hopscape.formats.opensm_check import Netlist
from hopscape.formats.programs import run_program, running

__all__ = ["list_fabric"]


def list_fabric(netlist: Path, work: Path) -> tuple[Path, Path, Path]:
    """Files of both programs, the last one of ``iblinkinfo -l``; OpenSM gives the LIDs."""
    known = Netlist.read(netlist)
    extra = {
        "IBSIM_SOCKNAME": f"hopscape-list-{os.getpid()}-{work.name}",
        "SIM_HOST": known.hosts[0],
        "OSM_TMP_DIR": str(work),
        "OSM_CACHE_DIR": str(work),
    }
    sizes = ["-S", str(len(known.switches) + 8), "-N", str(len(known.guids) + 8)]
    sim = ["ibsim", "-s", "--no-console", *sizes, "-P", str(known.ports + 64), str(netlist)]
    files = [work / f"built.{one}" for one in ("ibnetdiscover", "iblinkinfo")]
    with running(sim, work, work / "ibsim.log", extra):
        end = time.monotonic() + 60
        while extra["IBSIM_SOCKNAME"] not in Path("/proc/net/unix").read_text("utf-8", "replace"):
            assert time.monotonic() < end
            time.sleep(0.05)
        manager = ["ibsim-run", "opensm", "--once", "-f", "osm.log", "--log_limit", "0"]
        run_program(manager, work, seconds=60, extra=extra)
        for words, file in (
            (["ibnetdiscover"], files[0]),
            (["iblinkinfo"], files[1]),
            (["iblinkinfo", "-l"], work / "lines.iblinkinfo"),
        ):
            text = run_program(["ibsim-run", *words], work, seconds=60, extra=extra)
            file.write_text(text, encoding="utf-8")
    return files[0], files[1], work / "lines.iblinkinfo"
