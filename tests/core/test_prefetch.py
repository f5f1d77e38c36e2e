"""Work one step ahead."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

import hopscape
from hopscape.core.processes import one_ahead


@pytest.mark.parametrize("count", [0, 1, 2, 9])
def test_the_items_of_map_in_their_order(count):
    assert list(one_ahead(str, range(count))) == list(map(str, range(count)))


def test_the_next_item_is_made_while_one_is_worked_on():
    begun = [threading.Event() for _ in range(3)]

    def make(step):
        begun[step].set()
        return step

    for item in one_ahead(make, range(2)):
        assert begun[min(item + 1, 1)].wait(10)


def test_an_exception_comes_where_its_item_would():
    items = one_ahead(lambda x: 1 // x, [1, 0, 1])
    assert next(items) == 1
    with pytest.raises(ZeroDivisionError):
        next(items)


THREADS = ("one_ahead(look, [0])", "(found for _, found in on_threads(look, [Task('', (0,))], 1))")


@pytest.mark.parametrize("started", THREADS)
def test_numba_is_there_before_threads(started: str) -> None:
    """Imported by two threads at a time, it can stop both for ever."""
    code = (
        "import sys\n"
        "from hopscape.core.processes import one_ahead\n"
        "from hopscape.store.tasks import Task, on_threads\n"
        "look = lambda _: 'numba.core.event' in sys.modules\n"
        f"print(look(0), list({started}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False [True]\n"


def test_threads_are_started_in_one_place() -> None:
    """Kernels of a module that is loaded have a compiler. Runners of programs call no kernels."""
    package = Path(hopscape.__file__).parent
    modules = (one for one in package.rglob("*.py") if one.parent.name != "runners")
    found = {
        one.relative_to(package).as_posix()
        for one in modules
        if "ThreadPoolExecutor(" in one.read_text("utf-8")
    }
    assert found == {"core/processes.py", "core/distance_kernels.py"}
