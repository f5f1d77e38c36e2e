"""Checks of the claims about full rings in Gemini's torus (chapters 1 and 3)."""

from __future__ import annotations

from fractions import Fraction

from hopscape.core.network import Network
from hopscape.families.multiring.circuits import circuits
from hopscape.families.multiring.wiring import Multiring
from hopscape.ledger.claim import Outcome, judge
from hopscape.ledger.papers.multiring import printed, walks
from hopscape.ledger.papers.multiring.walks import Books, rings_of
from hopscape.metrics.rings.capacity import cable
from hopscape.search.multiring.cells import search_cell
from hopscape.search.multiring.torus import Line, torus_capacity


def gemini_size() -> Outcome:
    books, exceptions, nodes, ports = Books(), [], 1, 0
    for n, copies in printed.GEMINI.values():
        member = Multiring(n, (1,), copies)
        network = Network.of(member)
        arcs = sorted(zip(network.tails.tolist(), network.heads.tolist()))
        walked = sorted((v, (v + s) % n) for v in range(n) for s in rings_of(n, (1,), copies))
        books.same(f"arcs of {member.spec}", arcs, walked)
        books.same(f"ports of {member.spec}", member.ports, int(network.degrees.max()))
        books.same(f"nodes of {member.spec}", member.order, len(set(network.tails.tolist())))
        nodes *= len(set(network.tails.tolist()))
        ports += int(network.degrees.max())
    if nodes != printed.GEMINI_NODES:
        exceptions.append(f"{nodes} nodes, not {printed.GEMINI_NODES}")
    if ports != printed.GEMINI_PORTS:
        exceptions.append(f"{ports} ports, not {printed.GEMINI_PORTS}")
    text = f"{nodes} nodes with {ports} ports each, counted in the wiring"
    return books.judge(exceptions, text)


def gemini_z() -> Outcome:
    books = Books()
    n, copies = printed.GEMINI["z"]
    found = books.balanced(n, (1,), copies)
    wrong = [] if found == printed.GEMINI_Z else [f"C = {found}, printed {printed.GEMINI_Z}"]
    return books.judge(wrong, f"{found} packets per slot exactly")


def x_shortest() -> Outcome:
    books = Books()
    found = books.shortest(32, printed.X_STEPS)
    wrong = [] if int(found) == printed.X_SHORTEST else [f"C = {float(found):.2f}"]
    return books.judge(wrong, f"{found} = {float(found):.2f} packets per slot")


def x_balanced() -> Outcome:
    books, exceptions, parts = Books(), [], []
    for n, value in printed.X_BALANCED.items():
        found = books.balanced(n, printed.X_STEPS)
        more = 100 * float(found / value - 1)
        parts.append(f"{float(found):.2f}")
        if abs(found - value) > Fraction(1, 2):
            exceptions.append(f"N = {n}: {float(found):.2f}, {more:.0f} % more than {value}")
    return books.judge(exceptions, f"{', '.join(parts)} packets per slot, proved")


def mini_rings() -> Outcome:
    n = 32
    exceptions = []
    parts = [sorted(c.nodes.tolist()) for c in circuits(Multiring(n, printed.X_STEPS))
             if c.name in ("2", "-2")]  # fmt: skip
    even, odd = list(range(0, n, 2)), list(range(1, n, 2))
    if sorted(parts) != sorted([even, odd] * 2):
        exceptions.append(f"rings ±2 are {len(parts)} mini-rings")
    others = [c.name for c in circuits(Multiring(n, printed.X_STEPS)) if len(c.nodes) < n]
    if set(others) != {"2", "-2"}:
        exceptions.append(f"rings {', '.join(sorted(set(others)))} are split")
    return judge(exceptions, f"N = {n}: rings ±2 in {len(parts) // 2} parts, even and odd nodes")


def primes() -> Outcome:
    exceptions, rings = [], 0
    for n in printed.PRIMES:
        for c in circuits(Multiring(n, printed.X_STEPS)):
            rings += 1
            if len(set(c.nodes.tolist())) != n:
                exceptions.append(
                    f"N = {n}: ring {c.name} passes {len(set(c.nodes.tolist()))} nodes"
                )
    return judge(
        exceptions, f"all {rings} rings of N = {', '.join(map(str, printed.PRIMES))} are whole"
    )


def gains() -> Outcome:
    books = Books()
    z = books.balanced(*printed.EXAMPLE) / books.balanced(16, (1,), 2)
    x = books.balanced(32, printed.X_STEPS) / books.balanced(32, (1,), 4)
    exceptions = []
    if round(float(z), 1) != float(printed.GAIN_Z):
        exceptions.append(f"z gains {float(z):.3f} times")
    if x <= printed.GAIN_X:
        exceptions.append(f"x gains {float(x):.3f} times")
    return books.judge(exceptions, f"{float(z):.3f} times in z, {float(x):.3f} in x and y")


def times_of_best() -> Outcome:
    """Several times as much in each dimension, with the best rings there are."""
    books, exceptions, parts = Books(), [], []
    for name in ("z", "x"):
        n, copies = printed.GEMINI[name]
        cell = search_cell(n, 2 * copies)
        best = books.balanced(n, tuple(cell["sets"][0]))
        books.same(f"N = {n}: best capacity", Fraction(n * (n - 1)) / Fraction(cell["load"]), best)
        times = best / books.balanced(n, (1,), copies)
        parts.append(f"{float(times):.2f} times in {name}")
        if times < 2:
            exceptions.append(f"{float(times):.2f} times in {name}, with the best set of all")
    return books.judge(exceptions, ", ".join(parts))


def _line(books: Books, n: int, steps: tuple[int, ...], copies: int = 1) -> Line:
    member = Multiring(n, steps, copies)
    capacity = books.balanced(n, steps, copies)
    return Line(member.spec, n, member.ports, capacity, cable(n, member.rings))


def whole_torus() -> Outcome:
    books = Books()
    (nz, cz), (nx, cx) = printed.GEMINI["z"], printed.GEMINI["x"]
    old = [_line(books, nz, (1,), cz), *[_line(books, nx, (1,), cx)] * 2]
    new = [_line(books, *printed.EXAMPLE), *[_line(books, nx, printed.X_STEPS)] * 2]
    nodes = nz * nx * nx
    for lines in (old, new):
        walked = min(x.capacity / (x.nodes - 1) for x in lines) * (nodes - 1)
        books.same("packets per slot of the torus", torus_capacity(lines), walked)
    ratio = torus_capacity(new) / torus_capacity(old)
    slow = min(new, key=lambda x: x.capacity / (x.nodes - 1))
    wrong = [f"{float(ratio):.4f} times, since {slow.spec} limits"]
    even = {x.capacity / (x.nodes - 1) for x in old}
    text = f"{ratio} = {float(ratio):.4f} times; the lines of Gemini allow {len(even)} rate"
    return books.judge(wrong if ratio < Fraction(19, 10) else [], text)


def gain_formula() -> Outcome:
    more, less = printed.GAIN_CAPACITIES
    books, exceptions = Books(), []
    for s in range(less):
        gain = Fraction(more - s, less - s)
        if abs(gain - printed.gain_approximation(s)) > gain / 20:
            exceptions.append(
                f"s = {s}: {float(gain):.2f}, not {float(printed.gain_approximation(s)):.2f}"
            )
        books.same(f"s = {s}", gain, 1 + Fraction(more - less, less - s))
    text = f"it is 1 + {more - less}/({less} - s); {len(exceptions)} of {less} loads are off"
    return books.judge(exceptions, text)


def gain_numbers() -> Outcome:
    more, less = printed.GAIN_CAPACITIES
    exceptions, parts = [], []
    for share, times in printed.GAINS.items():
        s = share * less
        gain = (more - s) / (less - s)
        parts.append(f"{float(gain):.2f} at {float(share):g} C")
        if gain <= times:
            exceptions.append(f"{float(gain):.2f} at {float(share):g} C, not more than {times}")
    return judge(exceptions, f"by its own formula {', '.join(parts)}")


def cable_ratio() -> Outcome:
    n = 32
    books = Books()
    new, old = (
        cable(n, Multiring(n, steps, copies).rings)
        for steps, copies in ((printed.X_STEPS, 1), ((1,), 4))
    )
    for found, steps, copies in ((new, printed.X_STEPS, 1), (old, (1,), 4)):
        spans = sum(min(s, n - s) for s in rings_of(n, steps, copies))
        books.same(f"cable of steps {steps}", found, spans)
    ratio = Fraction(new, old)
    wrong = [] if ratio == printed.CABLE_RATIO else [f"{float(ratio):g} times"]
    return books.judge(wrong, f"{new} ring lengths against {old}: {float(ratio):g} times")


def chords() -> Outcome:
    n = 32
    spans = sum(printed.X_STEPS)
    straight = sum(walks.chord(n, s) for s in printed.X_STEPS)
    saved = 100 * (1 - straight / spans)
    wrong = [] if straight < spans else [f"{straight:.2f} straight, {spans} along the ring"]
    return judge(wrong, f"{saved:.1f} % less cable along chords of a circle, N = {n}")
