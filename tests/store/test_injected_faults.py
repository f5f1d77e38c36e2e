"""Commands killed at their writes, syncs and renames: the same result as undisturbed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("injected_faults.py")
PLANTED = (
    "import os, runpy, sys\n"
    "from hopscape.store.records import Store\n"
    "kept = Store._read\n"
    "def forgetful(self, path):\n"
    "    kept(self, path)\n"
    "    return path.stat().st_size\n"  # a torn line stays, and the next one is glued to it
    "Store._read = forgetful\n"
    "sys.argv = sys.argv[1:]\n"
    "runpy.run_path(sys.argv[0], run_name='__main__')\n"
)


def attack(*words, planted=False):
    start = [sys.executable, *(("-c", PLANTED) if planted else ()), str(SCRIPT)]
    done = subprocess.run([*start, *words], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_a_search_goes_on_after_each_moment():
    [found] = attack("search circulant").values()
    assert found["wrong"] == []
    assert found["kills"] == 2 * found["calls"] > 20


def test_the_attack_notices_a_store_that_keeps_torn_lines():
    [found] = attack("search circulant", "--every", "3", planted=True).values()
    assert found["wrong"]


def test_a_folder_is_whole_or_as_before():
    [found] = attack("handover", "--every", "60").values()
    assert found["wrong"] == []
    assert found["kills"] >= 6  # every sixtieth call; new files are new calls


@pytest.mark.slow
def test_all_commands_go_on_after_each_moment():
    everything = attack()
    for name, found in everything.items():
        assert found["wrong"] == [], name
        assert found["kills"] == 2 * found["calls"] > 10, name
    assert sum(found["kills"] for found in everything.values()) >= 500
