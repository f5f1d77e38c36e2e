"""Members of every family, shared by the tests of facts, wiring and routers."""

from __future__ import annotations

import inspect
import os
import re
import signal
import tomllib
from collections.abc import Callable, Generator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st

import hopscape
import kernels
import tiers
from hopscape.core.plugins import plugin_entries
from hopscape.reference.graphs import distances, rows_of
from optional import skip_without_its_package

# Tests of the papers and of the whole product: not where the toolkit stands alone
# (tests/without_papers.py).
PAPERS = find_spec("hopscape.papers") is not None
collect_ignore = [] if PAPERS else ["papers", "golden", "docs"]


def registered_by_papers(group: str) -> list[str]:
    """What the papers register in a group of entry points, whether they are installed or not."""
    text = (Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8")
    entries = tomllib.loads(text)["project"]["entry-points"][f"hopscape.{group}"]
    return [name for name, place in entries.items() if place.startswith("hopscape.papers.")]


def families_of_papers() -> list[str]:
    """Names of families that the papers register, whether they are installed or not."""
    return registered_by_papers("families")


def _commands_of_papers() -> list[tuple[str, ...]]:
    """The words of each command that is missing without the papers."""
    commands = [tuple(name.split(".")) for name in registered_by_papers("commands")]
    return [*commands, *(("study", name) for name in registered_by_papers("studies"))]


_ABSENT = [name for name in families_of_papers() if name not in plugin_entries("families")]
_NO_COMMANDS = [] if PAPERS else _commands_of_papers()
_NAMED = re.compile(rf"(?:^|[^\w.])(?:{'|'.join(_ABSENT)})(?:\(|$|[,)'] ?)")
_LITERAL = re.compile(r"""(["'])((?:(?!\1)[^\n])*)\1""")


def is_known(*specs: Any) -> bool:
    """Are all families that specs name registered? Those of papers may not be installed."""
    return not _ABSENT or not any(_NAMED.search(str(spec)) for spec in specs)


def _needs_a_paper(item: pytest.Item) -> bool:
    """Does a test name a family or a command that is not installed?

    In a parameter or in a text of its own; else it is marked so.
    """
    if _ABSENT and isinstance(item, pytest.DoctestItem):
        return not is_known(*(literal for _, literal in _LITERAL.findall(item.dtest.docstring)))
    if not _ABSENT or not isinstance(item, pytest.Function):
        return False
    values = [str(v) for v in item.callspec.params.values()] if hasattr(item, "callspec") else []
    source = inspect.getsource(item.function)
    texts = [literal for _, literal in _LITERAL.findall(source)]
    calls = re.findall(
        r"""\(\s*["']([\w-]+)["'](?:,\s*["']([\w-]+)["'])?""", " ".join([source, *values])
    )
    called = any(call[: len(one)] == one for call in calls for one in _NO_COMMANDS)
    marked = item.get_closest_marker("papers") is not None
    return called or marked or not is_known(*values, *texts)


# The same examples every time: a run must not depend on luck. New ones are found by
# ``pytest --hypothesis-profile=search``.
settings.register_profile("fixed", derandomize=True, deadline=None, max_examples=60)
settings.register_profile("search", deadline=None, max_examples=300)
settings.load_profile("fixed")


# A shell starts background jobs with Ctrl-C ignored, and children inherit that: the tests that
# interrupt a command would wait for ever.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--interpreted",
        action="store_true",
        help="run the tests marked 'interpreted' with kernels as plain Python: indices are checked"
        " and lines counted",
    )
    parser.addoption("--all", action="store_true", help="run both tiers of tests (tests/tiers.py)")
    parser.addoption("--record-times", help="add the processor time of every test to this file")
    parser.addoption("--record-kernels", help="add every kernel that is compiled to this file")
    parser.addini("usual_tier", "the marker expression of a run that asks for nothing else")


def pytest_configure(config: pytest.Config) -> None:
    tiers.choose_tier(config)
    config.pluginmanager.register(tiers.Clock())
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(tiers.TimeRecord(config.getoption("--record-times")))
    if config.getoption("--record-kernels"):
        kernels.record_kernels(config.getoption("--record-kernels"))
    os.environ["HOPSCAPE_INTERPRET"] = "0"  # kernels are tested as they run in the long run
    os.environ["HOPSCAPE_MEMORY"] = "8G"  # what is refused must not depend on the machine
    if config.getoption("--interpreted"):
        os.environ["NUMBA_DISABLE_JIT"] = "1"  # read when numba is imported, which is later
        overflow = "overflow encountered in scalar:RuntimeWarning"
        config.addinivalue_line("filterwarnings", f"error:{overflow}")
        for module in WRAP_AROUND:
            config.addinivalue_line("filterwarnings", f"ignore:{overflow}:{module}")


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    kernels.compile_kernels(session.config)


# Kernels whose whole numbers are meant to wrap around; elsewhere a small type was forgotten.
WRAP_AROUND = (
    "hopscape.core.grid_kernels",
    "hopscape.simulate.packet_kernels",
    "hopscape.families.circulant.ball_kernels",
    "hopscape.papers.multiring.slots_kernels",
    "hopscape.papers.torusbcast.numeration_kernels",
    "hopscape.papers.blockdesign.two_level_kernels",
)
# Rooms whose tests are small: all of them can do without a compiler unless marked 'compiled'.
SMALL_ROOMS = {"core", "metrics", "deadlock", "collectives", "flows", "forest", "classics"}


def _skip_without_its_package() -> Generator[None, Any, Any]:
    """Skip a test that needs an optional package which is not installed."""
    try:
        return (yield)
    except ImportError as error:
        skip_without_its_package(error)
        raise


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Generator[None, Any, Any]:
    return (yield from _skip_without_its_package())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, Any, Any]:
    return (yield from _skip_without_its_package())


def can_do_without_a_compiler(item: pytest.Item) -> bool:
    """Is it marked so, and none of its parameters otherwise?"""
    return bool(item.get_closest_marker("interpreted") and not item.get_closest_marker("compiled"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    tiers.mark_slower(items)
    leave_out(config, items, _needs_a_paper)
    for item in items:
        small = item.path.parent.name in SMALL_ROOMS and item.path.name.startswith("test_")
        if small and not any(map(item.get_closest_marker, ("compiled", "slow"))):
            item.add_marker("interpreted")
    if config.getoption("--interpreted"):
        leave_out(config, items, lambda item: not can_do_without_a_compiler(item))


def leave_out(
    config: pytest.Config, items: list[pytest.Item], unwanted: Callable[[pytest.Item], bool]
) -> None:
    """Take tests out of a run, and count them as deselected."""
    out = {item.nodeid for item in items if unwanted(item)}
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in out])
    items[:] = [item for item in items if item.nodeid not in out]


MEMBERS = [
    *(f"ring({n})" for n in (1, 2, 3, 4, 7, 12)),
    *(f"path({n})" for n in (1, 2, 3, 6, 9)),
    *(f"complete({n})" for n in (1, 2, 3, 6, 9)),
    *(f"hypercube({d})" for d in range(6)),
    *(f"ccc({d})" for d in range(1, 6)),
    "petersen",
    "heawood",
    *(f"generalized_petersen({n}, {k})" for n, k in ((3, 1), (4, 1), (7, 2), (8, 3), (10, 2))),
    "generalized_petersen(12, 5)",
    "generalized_petersen(13, 4)",
    *(f"debruijn({d}, {n})" for d, n in ((2, 1), (2, 2), (2, 4), (3, 1), (3, 3), (4, 2))),
    *(f"debruijn({d}, {n}, duplex=true)" for d, n in ((2, 1), (2, 4), (3, 2))),
    *(f"kautz({d}, {n})" for d, n in ((2, 1), (2, 2), (2, 3), (2, 4), (3, 2), (3, 3), (4, 1))),
    *(f"kautz({d}, {n}, duplex=true)" for d, n in ((2, 1), (2, 3), (3, 2))),
    *(f"torus({s})" for s in ("1", "2, 2", "2, 3", "3, 3", "4, 4", "1, 5", "2, 2, 2", "5, 4, 3")),
    *(f"mesh({s})" for s in ("1", "1, 1", "2, 2", "2, 3", "4, 4", "3, 1, 4", "2, 2, 2", "3, 4, 5")),
    "circulant(1)",
    "circulant(5)",
    "circulant(2, 1)",
    "circulant(8, 1, 4)",
    "circulant(9, 3)",
    "circulant(7, 1, 1, 6)",
    "circulant(12, 2, 4, 6)",
    "circulant(21, 1, 3, 8)",
    "random_regular(1, 0)",
    "random_regular(12, 3)",
    "random_regular(15, 4, seed=3)",
    "lcf([5, -5], 7)",
    "lcf([3, -3], 4)",
    "product(petersen, ring(4))",
    "product(ring(1), path(2), ring(3))",
    "product(complete(3), mesh(2, 3))",
    "product(kautz(2, 2), debruijn(2, 2))",
    "product(kautz(2, 1), kautz(2, 2))",
    "product(kautz(2, 2), ring(1))",
    "product(circulant(6, 2), path(3))",
    "product(random_regular(6, 3), ring(2))",
    "product(product(ring(3), ring(2)), path(2))",
]
"""Small and medium, odd and even, with sides of 1 and 2, loops, parallel links and islands."""

EXAMPLES = [f.example for f in hopscape.all_families().values() if f.name != "file"]

ALL = sorted({*MEMBERS, *EXAMPLES})


def fresh_graph(seed: int, order: int, links: int, duplex: bool = True) -> hopscape.Network:
    """A random multigraph with loops, parallel links and maybe islands."""
    import numpy as np

    ends = np.random.default_rng(seed).integers(0, order, size=(2, links))
    return hopscape.Network.from_links(order, *ends, duplex=duplex, spec=f"random {seed}")


def connected_graph(seed: int, order: int, more: int, duplex: bool = True) -> hopscape.Network:
    """A random tree (a cycle, if not duplex) with more random links, loops and parallel ones."""
    import numpy as np

    rng = np.random.default_rng(seed)
    nodes = rng.permutation(order)
    if duplex:
        links = [(nodes[rng.integers(0, i)], nodes[i]) for i in range(1, order)]
    else:
        links = [(nodes[i - 1], nodes[i]) for i in range(order if order > 1 else 0)]
    links += rng.integers(0, order, size=(more, 2)).tolist()
    ends = np.array(links, dtype=np.int64).reshape(-1, 2).T
    return hopscape.Network.from_links(order, *ends, duplex=duplex, spec=f"random {seed}")


def connected_graphs(least: int, most: int, more: int) -> st.SearchStrategy[hopscape.Network]:
    """Connected graphs of so many nodes, with up to so many links more than they need."""
    return st.builds(
        connected_graph, st.integers(0, 10**6), st.integers(least, most), st.integers(0, more)
    )


def simple_graph(seed: int, order: int, more: int) -> hopscape.Network:
    """A random connected graph without loops and parallel links."""
    drawn = connected_graph(seed, order, more)
    links = {(u, v) for u, v in zip(drawn.tails.tolist(), drawn.heads.tolist()) if u < v}
    return hopscape.Network.from_links(order, *zip(*sorted(links)))


def bfs(net: hopscape.Network) -> np.ndarray:
    """All distances by plain search: truth[a, b], -1 where there is no path."""
    return distances(rows_of(net))


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A hand-over of a network, written once."""
    from hopscape.design.handover import hand_over

    written: dict[str, Path] = {}

    def folder(spec: str) -> Path:
        if spec not in written:
            written[spec] = tmp_path_factory.mktemp("handover")
            hand_over(spec, written[spec])
        return written[spec]

    return folder
