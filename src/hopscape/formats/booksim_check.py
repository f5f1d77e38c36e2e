"""A hand-over in BookSim 2: does it run, and by routes of the right length?"""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path

import numpy as np

from hopscape.core.distances import distance_rows
from hopscape.core.network import Network
from hopscape.core.verdict import Verdict
from hopscape.formats.programs import ProgramError, last_words, read_back, run_program

__all__ = ["check_booksim"]

# flits a node and cycle: low, so that every topology converges and hops are those of zero load
_LOAD = 0.02
_CLOSE = 0.03  # the sample of hops is finite; a wrong router is off by a tenth and more
_FIGURES = {
    "hops": r"^Hops average = ([\d.]+)",
    "latency": r"^Packet latency average = ([\d.]+)",
    "accepted": r"^Accepted flit rate average = ([\d.]+)",
}


def check_booksim(folder: Path, *, seconds: float = 300) -> Verdict:
    """Run the configuration at a low load and compare the mean number of routers on a route.

    BookSim exits with 255 when it converged and with 0 when it did not, so its words count.
    """
    network = read_back(folder)
    with tempfile.TemporaryDirectory(prefix="hopscape-booksim-") as name:
        work = Path(name)
        for path in (folder / "booksim").iterdir():
            shutil.copy(path, work)
        words = ["booksim", "network.cfg", f"injection_rate={_LOAD}", "sample_period=4000"]
        output = run_program(words, work, seconds=seconds, codes=None)
    overall = output.partition("====== Overall Traffic Statistics ======")[2]
    matches = {key: re.search(form, overall, re.MULTILINE) for key, form in _FIGURES.items()}
    if not overall or any(match is None for match in matches.values()):
        raise ProgramError(f"booksim came to no end; its last words: {last_words(output)}")
    figures = {key: float(match[1]) for key, match in matches.items() if match is not None}
    own = "topology = anynet" not in (folder / "booksim" / "network.cfg").read_text("utf-8")
    mean = _routers(network, inside=own and network.has_switches)
    details = {"load": _LOAD, **figures, "expected_hops": round(mean, 4)}
    if abs(figures["hops"] - mean) > _CLOSE * mean:
        text = f"packets pass {figures['hops']:.4g} routers on average, by distances {mean:.4g}"
        return Verdict(False, text, {"hops": figures["hops"], "expected": mean}, details)
    text = (
        f"converged at load {_LOAD}: {figures['hops']:.4g} routers a packet (by distances"
        f" {mean:.4g}), latency {figures['latency']:.4g} cycles"
    )
    return Verdict(True, text, details=details)


def _routers(network: Network, *, inside: bool) -> float:
    """Routers on a shortest route under BookSim's uniform traffic, which includes oneself.

    With `inside` endpoints hang on routers and are none themselves.
    """
    ends = network.endpoints
    hops = distance_rows(network, ends)[:, ends].astype(np.int64)
    passed = np.maximum(hops - 1, 1) if inside else hops + 1
    return float(passed.mean())
