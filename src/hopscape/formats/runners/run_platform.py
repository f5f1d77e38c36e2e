# mypy: ignore-errors
"""Run a platform in SimGrid: routes, single messages, a broadcast and an all-to-all.

Run by ``python3 run_platform.py platform.xml question.json report.json`` under the Python that has
the module simgrid (Debian's own). It reads nothing of hopscape.
"""

import json
import sys

PLAIN = ["network/model:CM02", "network/TCP-gamma:0", "network/crosstraffic:0"]
PLAIN += ["network/optim:Full"]  # lazy updates end an all-to-all too early


def ask(engine, question, report):
    """One message after the other, then a broadcast, then everybody to everybody at once."""
    from simgrid import Comm, Engine

    size = question["bytes"]
    hosts = [engine.host_by_name(name) for name in question["hosts"]]
    for a, b in question["pairs"]:
        start = Engine.clock
        Comm.sendto(engine.host_by_name(a), engine.host_by_name(b), size)
        report["seconds"].append(Engine.clock - start)
    start = Engine.clock
    Comm.wait_all([Comm.sendto_async(hosts[0], host, size) for host in hosts[1:]])
    report["broadcast"] = Engine.clock - start
    start = Engine.clock
    flows = [Comm.sendto_async(a, b, size) for a in hosts for b in hosts if a is not b]
    Comm.wait_all(flows)
    report["all_to_all"] = Engine.clock - start


def replay(engine, question, report):
    """Schedules, path by path; a round begins when all messages of the last one have arrived."""
    from simgrid import Comm, Engine

    ends = [(engine.host_by_name(f"a{i}"), engine.host_by_name(f"b{i}"))
            for i in range(question["paths"])]  # fmt: skip
    for name, rounds in question["schedules"].items():
        start = Engine.clock
        for messages in rounds:
            Comm.wait_all([Comm.sendto_async(*ends[i], question["bytes"]) for i in messages])
        report["schedules"][name] = Engine.clock - start


def main(platform, question, report):
    from simgrid import Actor, Engine

    engine = Engine(["hopscape", *(f"--cfg={one}" for one in PLAIN), "--log=root.thres:warning"])
    engine.load_platform(platform)
    with open(question, encoding="utf-8") as text:
        request = json.load(text)
    measured = {"seconds": [], "hosts": len(engine.all_hosts), "links": len(engine.all_links)}
    measured["schedules"] = {}
    measured["routes"] = [
        [link.name for link in engine.host_by_name(a).route_to(engine.host_by_name(b))[0]]
        for a, b in request["routes"]
    ]
    if request["hosts"]:
        Actor.create("asker", engine.all_hosts[0], ask, engine, request, measured)
        engine.run()
    elif "schedules" in request:
        Actor.create("asker", engine.all_hosts[0], replay, engine, request, measured)
        engine.run()
    with open(report, "w", encoding="utf-8") as out:
        json.dump(measured, out)


if __name__ == "__main__":
    main(*sys.argv[1:4])
