# mypy: ignore-errors
"""Execute a schedule file on MPI ranks and compare with MPI's own collective.

Run by ``mpiexec -n RANKS python execute_schedule.py schedule.json report.json``, one rank per
endpoint. It reads nothing but the file, so it also shows how anybody's program may execute one.
Needs mpi4py and numpy.
"""

import json
import sys

import numpy as np

WORDS = 16  # numbers of a chunk: enough that two chunks never look alike


def share(rank, chunk):
    """What a rank holds of a chunk: words that no sum contains twice unnoticed."""
    return np.random.default_rng([rank, chunk]).integers(-(2**62), 2**62, WORDS, dtype=np.int64)


def execute(file, me, ranks, comm):
    """Round by round: send what was there before, then apply what came, as the file lists it."""
    mine = file["endpoints"][me]
    combining, origins = file["combining"], file["origins"]
    held = {c: share(me, c) for c in range(file["chunks"]) if combining or origins[c] == mine}
    moves = file["transfers"]
    rows = list(zip(*(moves[key] for key in ("round", "source", "target", "chunk", "op"))))
    terms, came, own = moves.get("terms"), {}, dict(held)  # version 3: what each transfer carries
    at = 0
    for now in range(1, file["rounds"] + 1):
        coming, going, tags = [], [], {}
        while at < len(rows) and rows[at][0] == now:
            _, source, target, chunk, op = rows[at]
            tag = tags[source, target] = tags.get((source, target), -1) + 1
            if target == mine:
                room = np.empty(WORDS, dtype=np.int64)
                request = comm.Irecv(room, source=ranks[source], tag=tag)
                coming.append((request, room, chunk, op, at))
            if source == mine:
                if chunk not in held:
                    raise KeyError(f"round {now}: node {mine} does not hold chunk {chunk}")
                what = held[chunk].copy()
                if terms is not None:
                    what = sum(own[chunk] if j < 0 else came[j] for j in terms[at])
                going.append(comm.Isend(what, dest=ranks[target], tag=tag))
            at += 1
        for request, room, chunk, op, which in coming:
            request.Wait()
            came[which] = room
            if op == "add":
                held[chunk] = held.get(chunk, 0) + room
            elif op == "copy":
                held[chunk] = room
        for request in going:
            request.Wait()
    return held


def collective(file, me, comm):
    """The same by MPI's own collective: chunks that this rank must hold afterwards."""
    ends, chunks, goal = file["endpoints"], file["chunks"], file["goal"]
    rank = {node: i for i, node in enumerate(ends)}
    kind, size = goal["kind"], len(ends)
    pieces = max(1, chunks // {"all-to-all": size * size}.get(kind, size))
    wanted = []
    for c, to in enumerate(file["destinations"]):
        whom = file["receivers"] if to == -1 else to if isinstance(to, list) else [to]
        if ends[me] in whom:
            wanted.append(c)
    if kind in ("broadcast", "reduce", "all-reduce", "scatter", "gather"):
        root = rank[goal["root"]] if "root" in goal else 0
    every = np.array([share(me, c) for c in range(chunks)])
    if kind == "broadcast":
        comm.Bcast(every, root)
        return {c: every[c] for c in wanted}
    if kind == "reduce":
        total = np.empty_like(every)
        comm.Reduce(every, total, root=root)
        return {c: total[c] for c in wanted}
    if kind == "all-reduce":
        total = np.empty_like(every)
        comm.Allreduce(every, total)
        return {c: total[c] for c in wanted}
    if kind == "reduce-scatter":
        part = np.empty((pieces, WORDS), dtype=np.int64)
        comm.Reduce_scatter_block(every, part)
        return {me * pieces + p: part[p] for p in range(pieces)}
    if kind == "scatter":
        part = np.empty(WORDS, dtype=np.int64)
        comm.Scatter(every, part, root)
        return {me: part}
    if kind == "gather":
        received = np.empty((size, WORDS), dtype=np.int64)
        comm.Gather(every[me], received, root)
        return {c: received[c] for c in wanted}
    if kind == "all-gather":
        received = np.empty((chunks, WORDS), dtype=np.int64)
        comm.Allgather(every[me * pieces : (me + 1) * pieces], received)
        return {c: received[c] for c in wanted}
    if kind == "all-to-all":
        received = np.empty((size * pieces, WORDS), dtype=np.int64)
        comm.Alltoall(every[me * size * pieces : (me + 1) * size * pieces], received)
        return {
            (i * size + me) * pieces + p: received[i * pieces + p]
            for i in range(size)
            for p in range(pieces)
        }
    return {c: share(rank[file["origins"][c]], c) for c in wanted}


def main(path, report):
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    me = comm.Get_rank()
    with open(path, encoding="utf-8") as text:
        file = json.load(text)
    ranks = {node: i for i, node in enumerate(file["endpoints"])}
    held, trouble = {}, None
    try:
        held = execute(file, me, ranks, comm)
    except Exception as error:
        trouble = f"{type(error).__name__}: {error}"
        print(trouble, file=sys.stderr, flush=True)
        comm.Abort(3)
    right = collective(file, me, comm)
    wrong = [c for c in sorted(right) if c not in held or not np.array_equal(held[c], right[c])]
    reports = comm.gather((len(right), wrong[:1]), root=0)
    if me == 0:
        first = next(((i, one[1][0]) for i, one in enumerate(reports) if one[1]), None)
        summary = {
            "ranks": len(reports),
            "compared": sum(one[0] for one in reports),
            "wrong": first,
        }
        summary["library"] = MPI.Get_library_version().splitlines()[0].strip()
        with open(report, "w", encoding="utf-8") as out:
            json.dump(summary, out)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
