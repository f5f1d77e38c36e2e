# mypy: ignore-errors
"""Run a fabric of FRR routers in network namespaces, and say what they know and who answers.

Run by ``unshare --net --mount --pid --fork --kill-child --mount-proc python3 run_frr.py plan.json
report.json``: names, interfaces and processes are in namespaces of their own, and end with it. Of
hopscape it has only how programs are started.
"""

import json
import os
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from hopscape.core.processes import run_to_end
from hopscape.formats.programs import running

DAEMONS = "/usr/lib/frr"
PLACE = "/run/frr"


def run(*words):
    done = run_to_end(words, encoding="utf-8")
    if done.returncode:
        sys.exit(f"{' '.join(words)}: {(done.stdout + done.stderr).strip()[-300:]}")
    return done.stdout


def counts(router):
    """Next hops by prefix, of what BGP put into the kernel."""
    routes = json.loads(run("ip", "-j", "-n", router, "route", "show", "proto", "bgp") or "[]")
    return {one["dst"]: len(one.get("nexthops", [0])) for one in routes}


def settled(expected, seconds):
    """Wait for the counts; those that are other ones at the end."""
    end = time.monotonic() + seconds
    wrong = dict(expected)
    while wrong and time.monotonic() < end:
        wrong = {name: want for name, want in wrong.items() if counts(name) != want}
        if wrong:
            time.sleep(0.3)
    found = {name: counts(name) for name in expected}
    return {
        f"{name} to {to}": [want.get(to, 0), found[name].get(to, 0)]
        for name, want in expected.items()
        for to in {*want, *found[name]}
        if want.get(to, 0) != found[name].get(to, 0)
    }


def lost(pings):
    """Who gets no answer from whom."""

    def answers(ping):
        at, source, to = ping
        words = ["ip", "netns", "exec", at, "ping", "-n", "-q", "-c", "2", "-i", "0.2", "-W", "2"]
        return run_to_end([*words, "-I", source, to]).returncode == 0

    with ThreadPoolExecutor(40) as pool:
        heard = list(pool.map(answers, pings))
    return [[at, to] for (at, _, to), one in zip(pings, heard, strict=True) if not one]


def build(plan, stack):
    for place in ("/run/netns", PLACE):
        os.makedirs(place, exist_ok=True)
        run("mount", "-t", "tmpfs", "tmpfs", place)
    for name in [*plan["routers"], *plan["hosts"]]:
        run("ip", "netns", "add", name)
        run("ip", "-n", name, "link", "set", "lo", "up")
    for i, (a, p, b, q) in enumerate(plan["links"]):
        run("ip", "link", "add", f"a{i}", "type", "veth", "peer", "name", f"b{i}")
        for name, here, port in ((a, f"a{i}", p), (b, f"b{i}", q)):
            run("ip", "link", "set", here, "netns", name, "name", port)
            run("ip", "-n", name, "link", "set", port, "up")
    for name, (port, address, gateway) in plan["hosts"].items():
        run("ip", "-n", name, "address", "add", f"{address}/31", "dev", port)
        run("ip", "-n", name, "route", "add", "default", "via", gateway)
    return [daemon for name, conf in plan["routers"].items() for daemon in start(name, conf, stack)]


def start(name, conf, stack):
    """The daemons of a router, its configuration loaded; they run as FRR's own user."""
    inside = ["ip", "netns", "exec", name]
    run(
        *inside,
        "sysctl",
        "-qw",
        "net.ipv4.ip_forward=1",
        "net.ipv4.fib_multipath_hash_policy=1",
        "net.ipv4.conf.all.rp_filter=0",
    )
    own = os.path.join(PLACE, name)
    os.makedirs(own)
    shutil.chown(own, "frr", "frr")
    started = []
    for daemon in ("zebra", "bgpd"):
        words = [*inside, f"{DAEMONS}/{daemon}", "--vty_socket", own, "-z", f"{own}/zserv.api"]
        words += ["-i", f"{own}/{daemon}.pid", "-f", "/dev/null"]
        log = Path(own, f"{daemon}.log")
        started.append(stack.enter_context(running(words, Path.cwd(), log, {})))
        end = time.monotonic() + 30
        while not os.path.exists(f"{own}/{daemon}.vty"):
            if started[-1].poll() is not None or time.monotonic() > end:
                said = log.read_text(encoding="utf-8", errors="replace")[-300:]
                sys.exit(f"{daemon} of {name} did not start: {said}")
            time.sleep(0.02)
    load = [*inside, "vtysh", "--vty_socket", own, "-f", conf]
    done = run_to_end(load, encoding="utf-8")
    if done.returncode or "%" in done.stdout:
        sys.exit(f"vtysh takes no {conf}: {(done.stdout + done.stderr).strip()[-300:]}")
    return started


def main(plan_file, report_file):
    plan = json.loads(Path(plan_file).read_text(encoding="utf-8"))
    with ExitStack() as stack:
        started = build(plan, stack)
        report = {"before": settled(plan["before"], plan["seconds"]), "lost": lost(plan["pings"])}
        if plan["cut"] is not None:
            a, port, *_ = plan["links"][plan["cut"]]
            run("ip", "-n", a, "link", "set", port, "down")
            report["after"] = settled(plan["after"], plan["seconds"])
            report["lost_after"] = lost(plan["pings"])
        Path(report_file).write_text(json.dumps(report), encoding="utf-8")
        for one in started:  # all at once; each is waited for when the block is left
            one.terminate()


if __name__ == "__main__":
    main(*sys.argv[1:3])
