"""topology.conf as Slurm itself reads it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from hopscape.core.errors import ArgumentError
from hopscape.formats.programs import run_program, which_all
from hopscape.formats.slurm import write_slurm
from hopscape.registry import build

CONF = """\
ClusterName=test
SlurmctldHost=localhost
AuthType=auth/none
CredType=cred/none
SlurmUser=root
StateSaveLocation={folder}
SlurmctldPidFile={folder}/pid
TopologyPlugin=topology/tree
AccountingStorageType=accounting_storage/none
{nodes}
PartitionName=all Nodes=ALL Default=YES
"""
RUN = """
import subprocess, sys, time
for words in ("link set lo up", "link add d0 type veth peer name d1", "link set d0 up",
              "address add 10.9.9.9/24 dev d0", "link set d1 up"):
    subprocess.run(["ip", *words.split()], check=True)
daemon = subprocess.Popen(["slurmctld", "-D", "-c"], stderr=open("log", "w"))
for _ in range(30):
    told = subprocess.run(["scontrol", "show", "topology"], capture_output=True, text=True)
    if "SwitchName" in told.stdout:
        break
    time.sleep(1)
print(told.stdout + told.stderr)
daemon.terminate()
"""
APART = ["unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]


def _may_run() -> bool:
    if which_all(("slurmctld", "scontrol", "unshare", "ip")):
        return False
    return subprocess.run([*APART, "true"], capture_output=True).returncode == 0


def below(spec: str) -> dict[str, set[str]]:
    """The hosts below each switch, by descending from it level by level."""
    net = build(spec)
    ends = set(net.endpoints.tolist())
    near = {v: [w for w in net.neighbours(v) if w >= 0] for v in range(net.order)}
    level = {v: 0 if set(near[v]) & ends else -1 for v in range(net.order)}
    for hops in range(net.order):
        for v in [v for v in level if level[v] == hops and v not in ends]:
            for w in near[v]:
                if level[w] < 0 and w not in ends:
                    level[w] = hops + 1
    found: dict[int, set[str]] = {}
    for v in sorted(set(level) - ends, key=level.__getitem__):
        found[v] = {f"H{w}" for w in near[v] if w in ends}
        for w in near[v]:
            if w not in ends and level[w] < level[v]:
                found[v] |= found[w]
    return {f"S{v}": hosts for v, hosts in found.items()}


def _hosts(text: str) -> set[str]:
    """The nodes that Slurm's brackets mean."""
    found = set()
    for name, inside in re.findall(r"([A-Z]+)(\d+|\[[\d,-]+\])", text):
        for part in inside.strip("[]").split(","):
            low, _, high = part.partition("-")
            found |= {f"{name}{i}" for i in range(int(low), int(high or low) + 1)}
    return found


@pytest.mark.parametrize("spec", ["leaf_spine(4, 2, 3)", "fat_tree(4)"])
def test_each_switch_lists_the_level_below(spec: str, tmp_path: Path) -> None:
    write_slurm(build(spec), tmp_path / "topology.conf")
    lines = (tmp_path / "topology.conf").read_text().splitlines()[1:]
    found: dict[str, set[str]] = {}
    for line in lines:
        name, kind, members = re.fullmatch(r"SwitchName=(\w+) (\w+)=(\S+)", line).groups()  # type: ignore[union-attr]
        words = members.split(",")
        found[name] = set(words) if kind == "Nodes" else set().union(*(found[x] for x in words))
    assert found == below(spec)


def test_others_have_one_switch_above(tmp_path: Path) -> None:
    told = write_slurm(build("dragonfly(2, 1, p=1)"), tmp_path / "t")
    assert "one switch 'fabric'" in told
    assert (tmp_path / "t").read_text().splitlines()[-1].startswith("SwitchName=fabric Switches=S")
    for spec in ("torus(3, 3)", "rail_optimized(2, 4)"):
        with pytest.raises(ArgumentError, match="do not hang on one switch each"):
            write_slurm(build(spec), tmp_path / "none")


@pytest.mark.acceptance
@pytest.mark.skipif(not _may_run(), reason="needs slurmctld, scontrol, ip and namespaces")
@pytest.mark.parametrize("spec", ["leaf_spine(4, 2, 3)", "fat_tree(4)"])
def test_slurm_reads_it(spec: str, tmp_path: Path) -> None:
    net = build(spec)
    write_slurm(net, tmp_path / "topology.conf")
    nodes = "\n".join(f"NodeName=H{v} NodeAddr=localhost Port={20000 + v}" for v in net.endpoints)
    (tmp_path / "slurm.conf").write_text(CONF.format(folder=tmp_path, nodes=nodes))
    extra = {"SLURM_CONF": str(tmp_path / "slurm.conf")}
    words = [*APART, sys.executable, "-c", RUN]
    told = run_program(words, tmp_path, seconds=120, extra=extra)
    found = re.findall(r"SwitchName=(\w+) .*?Nodes=(\S+)", told)
    assert {name: _hosts(text) for name, text in found} == below(spec), told
