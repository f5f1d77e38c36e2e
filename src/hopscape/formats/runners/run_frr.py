# mypy: ignore-errors
"""Run a fabric of FRR routers in network namespaces, and say what they know and who answers.

Run by ``unshare --net --mount --pid --fork --kill-child --mount-proc python3 run_frr.py plan.json
report.json``: names, interfaces and processes are in namespaces of their own, and end with it. It
reads nothing of hopscape.
"""

import json
import os
import shutil
import subprocess
import sys
import time

DAEMONS = "/usr/lib/frr"
PLACE = "/run/frr"


def run(*words, **more):
    return subprocess.run(words, check=True, capture_output=True, text=True, **more).stdout


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
    failed = []
    for start in range(0, len(pings), 40):
        some = [
            (
                at,
                to,
                subprocess.Popen(
                    [
                        "ip",
                        "netns",
                        "exec",
                        at,
                        "ping",
                        "-n",
                        "-q",
                        "-c",
                        "2",
                        "-i",
                        "0.2",
                        "-W",
                        "2",
                        "-I",
                        source,
                        to,
                    ],
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                ),
            )
            for at, source, to in pings[start : start + 40]
        ]
        failed += [[at, to] for at, to, one in some if one.wait() != 0]
    return failed


def build(plan):
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
    return [daemon for name, conf in plan["routers"].items() for daemon in start(name, conf)]


def start(name, conf):
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
        with open(f"{own}/{daemon}.log", "w") as log:
            started.append(subprocess.Popen(words, stdout=log, stderr=log))
        end = time.monotonic() + 30
        while not os.path.exists(f"{own}/{daemon}.vty"):
            if started[-1].poll() is not None or time.monotonic() > end:
                with open(f"{own}/{daemon}.log") as log:
                    sys.exit(f"{daemon} of {name} did not start: {log.read()[-300:]}")
            time.sleep(0.02)
    done = subprocess.run(
        [*inside, "vtysh", "--vty_socket", own, "-f", conf], capture_output=True, text=True
    )
    if done.returncode or "%" in done.stdout:
        sys.exit(f"vtysh takes no {conf}: {(done.stdout + done.stderr).strip()[-300:]}")
    return started


def main(plan_file, report_file):
    with open(plan_file) as text:
        plan = json.load(text)
    started = build(plan)
    report = {"before": settled(plan["before"], plan["seconds"]), "lost": lost(plan["pings"])}
    if plan["cut"] is not None:
        a, port, *_ = plan["links"][plan["cut"]]
        run("ip", "-n", a, "link", "set", port, "down")
        report["after"] = settled(plan["after"], plan["seconds"])
        report["lost_after"] = lost(plan["pings"])
    with open(report_file, "w") as out:
        json.dump(report, out)
    for one in started:
        one.terminate()


if __name__ == "__main__":
    main(*sys.argv[1:3])
