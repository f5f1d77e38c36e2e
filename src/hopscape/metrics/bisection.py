"""Bisection: the fewest links between two halves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import count

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import CheckFailedError, OutOfTimeError
from hopscape.core.measured import How
from hopscape.core.network import Network
from hopscape.core.progress import check_time, track

__all__ = ["Bisection", "bisection", "find_half"]

_EXACT_ORDER = 64  # nodes up to which a proof is tried unasked
_VISITS_PER_SLICE = 20_000  # of the search between two looks at the clock and Ctrl-C
_VISITS = 400_000  # of the search where nobody asked for a proof
_STARTS = 20  # random halves that are refined; the best counts
_SPECTRAL_ORDER = 200_000  # nodes beyond which the eigenvalue of the bound is not computed
_LANCZOS = 2e10  # nanoseconds of restarts, about


@dataclass(frozen=True)
class Bisection:
    """Links (simplex: channels) that cross between two halves of the endpoints.

    Attributes:
        lower, upper: Equal when the width is known exactly.
        side (int8[order] or None): A partition that reaches `upper`: 0 or 1 for each node (None for
            a closed form).
    """

    lower: int
    upper: int
    side: IntArray | None
    how: How

    @property
    def value(self) -> int | None:
        """The width, if it is known exactly."""
        return self.upper if self.lower == self.upper else None


def bisection(
    network: Network,
    *,
    exact: bool = False,
    seed: int = 0,
    starts: int = _STARTS,
    prove: bool = True,
) -> Bisection:
    """The least number of links between two halves of the endpoints (sizes differ by at most 1).

    A closed form where the family has one; else a proof by branch and bound for up to 64 nodes;
    else a partition found by local search from seeded starts (upper bound) and the spectral lower
    bound, which for larger networks are what can be had.

    Args:
        exact: Do not take the closed form, and search until it is proved, however long that takes.
        seed, starts: For the local search.
        prove: Try to prove the least for up to 64 nodes.

    Examples:
        >>> import hopscape
        >>> bisection(hopscape.build("heawood"), exact=True).value
        7
    """
    known = None if exact else network.facts.bisection
    if known is not None:
        return Bisection(known, known, None, "closed form")
    from hopscape.metrics import bisection_kernels as exactly
    from hopscape.metrics import cut_kernels as cuts

    indptr, heads = _symmetric(network)
    counted = np.zeros(network.order, dtype=np.uint8)
    counted[network.endpoints] = 1
    upper, side = cuts.multistart(indptr, heads, counted, starts, seed)
    lower = _spectral_bound(indptr, heads, counted)
    if lower < upper and (exact or (prove and network.order <= _EXACT_ORDER)):
        search = exactly.start_bisection(indptr, heads, counted, side)
        finished = False
        try:
            for _ in track(count(), f"bisection of {network.spec}", total=0):
                finished = bool(exactly.run_bisection(search, _VISITS_PER_SLICE))
                if finished or (not exact and search.numbers[2] >= _VISITS):
                    break
        except OutOfTimeError:  # what is known so far are bounds
            finished = False
        upper, side = int(search.numbers[1]), search.best_side
        lower = upper if finished else lower
    how: How = "exact" if lower == upper else "bound"
    return _checked(network, Bisection(int(lower), int(upper), side, how))


def find_half(network: Network, *, starts: int = 64, seed: int = 0) -> IntArray:
    """A partition with few links across, where only the number of a best one is known.

    Returns:
        int8[order]: 0 or 1 for each node.
    """
    from hopscape.metrics import cut_kernels as cuts

    counted = np.zeros(network.order, dtype=np.uint8)
    counted[network.endpoints] = 1
    _, side = cuts.multistart(*_symmetric(network), counted, starts, seed)
    return side


def _checked(network: Network, found: Bisection) -> Bisection:
    """A width whose partition is counted again, and whose bounds are in order.

    Raises:
        CheckFailedError: When they are not.
    """
    assert found.side is not None
    inside = np.asarray(found.side).astype(bool)
    held, ends = int(inside[network.endpoints].sum()), network.endpoint_count
    crossing = int(np.count_nonzero(inside[network.tails] != inside[network.heads]))
    crossing //= 2 if network.duplex else 1
    if held not in (ends // 2, ends - ends // 2) or crossing != found.upper:
        raise CheckFailedError(
            f"the bisection of {network.spec} fails its check: its partition holds {held} of {ends}"
            f" endpoints and cuts {crossing} links, not {found.upper}"
        )
    if found.lower > found.upper:
        raise CheckFailedError(
            f"the bisection of {network.spec} fails its check: at least {found.lower} links is"
            f" above the {found.upper} of a partition"
        )
    return found


def _symmetric(network: Network) -> tuple[IntArray, IntArray]:
    """Each link both ways; simplex channels are made so."""
    if network.duplex:
        return network.indptr, network.heads
    tails = np.concatenate([network.tails, network.heads])
    heads = np.concatenate([network.heads, network.tails])
    order = np.argsort(tails, kind="stable")
    counts = np.bincount(tails, minlength=network.order)
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), heads[order]


def _spectral_bound(indptr: IntArray, heads: IntArray, counted: IntArray) -> int:
    """λ₂ · |A| · |B| / n from the Laplacian; 0 where switches are free or n is too large."""
    order = len(indptr) - 1
    if order < 2 or order > _SPECTRAL_ORDER or not counted.all():
        return 0
    second = _second_eigenvalue(indptr, heads)
    bound = second * (order // 2) * ((order + 1) // 2) / order
    return max(0, math.ceil(bound * (1 - 1e-7) - 1e-6))


def _second_eigenvalue(indptr: IntArray, heads: IntArray) -> float:
    from scipy.sparse import csr_array, diags_array

    order = len(indptr) - 1
    ones = np.ones(len(heads))
    adjacency = csr_array((ones, heads, indptr), shape=(order, order), copy=True)
    adjacency.setdiag(0)
    degrees = np.asarray(adjacency.sum(axis=1)).ravel()
    laplacian = csr_array(diags_array(degrees) - adjacency)
    if order <= 500:
        return float(np.linalg.eigvalsh(laplacian.toarray())[1])
    from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

    # the largest two of (c·I - L) are the smallest two of L, without factorising anything
    top = 2.0 * float(degrees.max())
    shifted = csr_array(diags_array(np.full(order, top)) - laplacian)
    start = np.random.default_rng(0).standard_normal(order)

    def product(vector: IntArray) -> IntArray:
        check_time("the spectral bound")
        product: IntArray = shifted @ vector
        return product

    try:
        values = eigsh(
            LinearOperator(shifted.shape, matvec=product, dtype=shifted.dtype),
            k=2,
            which="LA",
            return_eigenvectors=False,
            v0=start,
            tol=1e-9,
            maxiter=min(10 * order, max(50, int(_LANCZOS / (500 * order + 40 * len(heads))))),
        )
    except (ArpackError, OutOfTimeError):  # not converged: no bound rather than a wrong one
        return 0.0
    return top - float(np.sort(values)[0])
