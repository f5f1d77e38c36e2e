"""Projective planes and permutation checks, with peers in the same run.

    python benchmarks/blockdesign.py [--order 64] [--large 127] [--packets 10000000] [--repeats 3]

Peers: the verifier against a product of incidence matrices (numpy), the permutation check against
sorting the ports (numpy), multiplication in GF(q) against galois (when it is installed).
"""

from __future__ import annotations

import argparse
import time
from functools import partial

import numpy as np

import hopscape
from hopscape.algebra.fields import galois_field
from hopscape.papers.blockdesign.contention import check_permutation
from hopscape.papers.blockdesign.designs import SymmetricDesign, check_design
from hopscape.papers.blockdesign.difference_sets import singer
from timing import best

least = partial(best, clock=time.process_time)


def by_matrix(blocks: np.ndarray) -> bool:
    """The verifier's peer: A·Aᵀ must be (m - σ) I + σ J."""
    n = len(blocks)
    incidence = np.zeros((n, n), dtype=np.float32)
    np.put_along_axis(incidence, blocks, 1, axis=1)
    product = incidence @ incidence.T
    np.fill_diagonal(product, product[0, 1])
    return bool((product == product[0, 1]).all())


def by_sorting(rows: np.ndarray, base: np.ndarray, n: int) -> bool:
    """The permutation check's peer: ports of all packets, sorted, must differ."""
    m = len(base)
    leave = np.full(n, -1)
    arrive = np.full(n, -1)
    first, second = np.nonzero(~np.eye(m, dtype=bool))
    delta = (base[second] - base[first]) % n
    leave[delta], arrive[delta] = first, second
    sources = np.arange(n)
    for row in rows:
        gap = (row - sources) % n
        moving = gap > 0
        for keys in (sources * m + leave[gap], row * m + arrive[gap]):
            ordered = np.sort(keys[moving])
            if (ordered[1:] == ordered[:-1]).any():
                return False
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--order", type=int, default=64)
    parser.add_argument("--large", type=int, default=127)
    parser.add_argument("--packets", type=int, default=10_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    requirement = parser.parse_args()

    q = requirement.order
    n = q * q + q + 1
    design = SymmetricDesign.of(singer(q))
    build = least(lambda: SymmetricDesign.of(singer(q)), requirement.repeats)
    verify = least(lambda: check_design(design.blocks, n, 1), requirement.repeats)
    peer = least(lambda: by_matrix(design.blocks), requirement.repeats)
    print(f"plane of order {q} ({n} points): built {build:.2f} s, verified {verify:.2f} s")
    print(f"  verifier against A·Aᵀ: {peer:.2f} s, ratio {peer / verify:.1f}")

    large = least(lambda: SymmetricDesign.of(singer(requirement.large)), requirement.repeats)
    size = requirement.large**2 + requirement.large + 1
    print(f"plane of order {requirement.large} ({size} points): built {large:.2f} s")

    network = hopscape.build(f"distributed_switch({n}, {q + 1}, 1)")
    generator = np.random.default_rng(0)
    rows = np.array([generator.permutation(n) for _ in range(max(1, requirement.packets // n))])
    check_permutation(network, rows[:2])
    packets = rows.size
    ours = least(lambda: check_permutation(network, rows), requirement.repeats)
    assert design.base is not None
    base = design.base.base
    other = least(lambda: by_sorting(rows, base, n), 1)
    print(f"permutations on {n} endpoints: {packets / ours / 1e6:.1f} million packets a second")
    print(f"  against sorting ports: {packets / other / 1e6:.1f} million, ratio {other / ours:.1f}")

    field = galois_field(q)
    a, b = generator.integers(0, q, size=(2, 1_000_000))
    ours = least(lambda: field.multiply(a, b), requirement.repeats)
    print(f"multiplication in GF({q}): {1 / ours:.1f} million a second")
    try:
        import galois
    except ImportError:
        print("  galois is not installed")
        return
    peer_field = galois.GF(q)
    x, y = peer_field(a), peer_field(b)
    _ = x * y
    theirs = least(lambda: x * y, requirement.repeats)
    print(f"  galois: {1 / theirs:.1f} million a second, ratio {theirs / ours:.2f}")


if __name__ == "__main__":
    main()
