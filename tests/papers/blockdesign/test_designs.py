"""Fields, difference sets, designs and their existence."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopscape.algebra.fields import galois_field, is_prime, prime_power
from hopscape.core.errors import ArgumentError, FileFormatError, TooLargeError
from hopscape.papers.blockdesign import difference_sets as difference
from hopscape.papers.blockdesign import known_designs as sporadic
from hopscape.papers.blockdesign.covers import (
    abelian_groups,
    difference_cover,
    find_cover,
    largest_cover,
    wichmann_ruler,
)
from hopscape.papers.blockdesign.designs import (
    bruck_ryser_chowla,
    check_design,
    constructions,
    existence,
    hilbert_symbol,
    make_design,
    read_blocks,
    table,
)
from hopscape.papers.blockdesign.known_designs import SEARCHED, turned_design
from hopscape.papers.blockdesign.menon_designs import menon_design, menon_how, regular_hadamard
from refusals import refusals

PRIME_POWERS = [q for q in range(2, 130) if prime_power(q)]


def is_design(blocks, n, sigma):
    """The slow, obvious check."""
    sets = [frozenset(row) for row in blocks]
    if len(sets) != n:
        return False
    counts = dict.fromkeys(itertools.combinations(range(n), 2), 0)
    for block in sets:
        for pair in itertools.combinations(sorted(block), 2):
            counts[pair] += 1
    return set(counts.values()) == {sigma}


@pytest.mark.parametrize("q", PRIME_POWERS)
def test_field_axioms(q):
    field = galois_field(q)
    assert sorted(field.exp[: q - 1].tolist()) == list(range(1, q))
    a, b, c = np.random.default_rng(q).integers(0, q, size=(3, 200))
    assert (field.add(a, b) == field.add(b, a)).all()
    assert (field.subtract(field.add(a, b), b) == a).all()
    both = field.add(field.multiply(a, b), field.multiply(a, c))
    assert (field.multiply(a, field.add(b, c)) == both).all()
    nonzero = a[a > 0]
    assert (field.multiply(nonzero, field.inverse(nonzero)) == 1).all()
    assert (field.power(a, 3) == field.multiply(a, field.multiply(a, a))).all()


def test_field_agrees_with_galois():
    galois = pytest.importorskip("galois")
    for q in (8, 9, 27, 49):
        ours = galois_field(q)
        theirs = galois.GF(q, irreducible_poly=list(reversed(ours.polynomial)))
        every = np.arange(q)
        product = np.asarray(theirs(every)[:, None] * theirs(every)[None, :])
        assert (ours.multiply(every[:, None], every[None, :]) == product).all()
        total = np.asarray(theirs(every)[:, None] + theirs(every)[None, :])
        assert (ours.add(every[:, None], every[None, :]) == total).all()


@pytest.mark.parametrize("q", [1, 6, 10, 12, 15, 100])
def test_field_refuses(q):
    with pytest.raises(ArgumentError, match="prime power"):
        galois_field(q)


@pytest.mark.parametrize("q", [q for q in PRIME_POWERS if q <= 64])
def test_planes_of_every_prime_power_order(q):
    base = difference.singer(q)
    assert (len(base.elements), base.group.order) == (q + 1, q * q + q + 1)
    assert base.check(1)


@pytest.mark.parametrize(("q", "d"), [(2, 3), (2, 4), (2, 6), (3, 3), (4, 3), (5, 3), (3, 4)])
def test_singer_in_higher_dimensions(q, d):
    base = difference.singer(q, d)
    sigma = (q ** (d - 1) - 1) // (q - 1)
    assert len(base.elements) == (q**d - 1) // (q - 1)
    assert base.check(sigma)


def test_difference_set_counter_example():
    verdict = difference.DifferenceSet((7,), (0, 1, 2)).check(1)
    assert not verdict
    assert verdict.where == {"difference": 1, "times": 2}


@pytest.mark.parametrize(
    ("n", "m", "sigma"),
    [
        (4, 3, 2), (7, 3, 1), (7, 4, 2), (11, 5, 2), (13, 4, 1), (15, 7, 3), (16, 6, 2),
        (16, 10, 6), (19, 9, 4), (21, 5, 1), (27, 13, 6), (35, 17, 8), (36, 15, 6), (37, 9, 2),
        (39, 19, 9), (40, 13, 4), (45, 12, 3), (51, 25, 12), (56, 11, 2), (64, 28, 12),
        (73, 9, 1), (79, 13, 2), (96, 20, 4), (100, 45, 20), (101, 25, 6), (109, 28, 7),
        (144, 66, 30), (176, 50, 14), (176, 126, 90),
        *SEARCHED,
    ],
)  # fmt: skip
def test_designs_against_counting_pairs(n, m, sigma):
    design = make_design(n, m, sigma)
    assert design.blocks.shape == (n, m)
    assert is_design(design.blocks.tolist(), n, sigma)
    verdict = check_design(design.blocks)
    assert verdict
    assert dict(verdict.details) == {"N": n, "m": m, "sigma": sigma}
    for element, blocks in enumerate(design.blocks_of):
        assert all(element in design.blocks[b] for b in blocks)


@pytest.mark.parametrize("half", [1, 2, 3, 4, 5, 6, 8, 10, 12])
def test_regular_hadamard_matrices(half):
    matrix = regular_hadamard(half)
    order = 4 * half * half
    assert set(np.unique(matrix).tolist()) == {-1, 1}
    assert (matrix @ matrix.T == order * np.eye(order)).all()
    assert (matrix.sum(axis=0) == 2 * half).all()
    assert (matrix.sum(axis=1) == 2 * half).all()
    assert check_design(menon_design(half), order, half * (half - 1))


def test_regular_hadamard_matrices_that_are_not_known_here():
    assert regular_hadamard(7) is None
    assert menon_how(9) is None
    assert not existence(196, 91, 42).built


@pytest.mark.parametrize("key", sorted(SEARCHED))
def test_searched_designs_have_the_group_they_are_turned_by(key):
    n, m, _ = key
    period, bases = SEARCHED[key]
    still = n % period
    blocks = turned_design(*key)
    every = {tuple(row) for row in blocks.tolist()}
    assert len(every) == n
    for row in every:
        turned = [x if x < still else x + 1 if (x - still + 1) % period else x + 1 - period
                  for x in row]  # fmt: skip
        assert tuple(sorted(turned)) in every
    assert len(bases) < n  # shipped as blocks of orbits
    assert existence(*key).built
    assert existence(n, n - m, n - 2 * m + key[2]).built


def by_threes(n, period, cycles_kept, factor):
    """The automorphism of order 3 of a searched design, as an image for each point."""
    still = n % period
    image = list(range(still)) if still < 4 else [0, 2, 3, 1]
    for cycle in range((n - still) // period):
        moved, turn = divmod(cycle - cycles_kept, 3)
        to = cycle if cycle < cycles_kept else cycles_kept + 3 * moved + (turn + 1) % 3
        image += [still + period * to + factor * x % period for x in range(period)]
    return image


@pytest.mark.parametrize(
    ("key", "cycles_kept", "factor"),
    [((49, 16, 5), 0, 1), ((70, 24, 8), 4, 2), ((71, 15, 3), 4, 2), ((71, 21, 6), 4, 2)],
)
def test_searched_designs_with_an_automorphism_of_order_3(key, cycles_kept, factor):
    image = by_threes(key[0], SEARCHED[key][0], cycles_kept, factor)
    assert [image[image[image[x]]] for x in range(key[0])] == list(range(key[0])) != image
    blocks = {tuple(row) for row in turned_design(*key).tolist()}
    assert {tuple(sorted(image[x] for x in row)) for row in blocks} == blocks


def test_a_wrong_point_in_a_searched_design_is_seen(monkeypatch):
    key = (71, 21, 6)
    period, bases = SEARCHED[key]
    last = bases[-1].rsplit(" ", 1)[0] + " 67"  # instead of 70
    monkeypatch.setitem(SEARCHED, key, (period, (*bases[:-1], last)))
    assert not check_design(turned_design(*key), key[0], key[2])
    with pytest.raises(AssertionError, match=r"B\(71, 21, 6\) by blocks found by search"):
        make_design.__wrapped__(*key)  # past the cache


def test_every_construction_builds_what_it_says():
    for sigma in range(1, 10):
        for row in table(sigma, 24):
            for way in constructions(row.n, row.m, row.sigma):
                assert check_design(way.build().blocks, row.n, sigma), (row, way.how)


@given(st.data())
@settings(deadline=None, max_examples=40)
def test_verifier_sees_any_exchange(data):
    design = make_design(*data.draw(st.sampled_from([(7, 3, 1), (16, 6, 2), (37, 9, 2)])))
    blocks = design.blocks.copy()
    row = data.draw(st.integers(0, len(blocks) - 1))
    column = data.draw(st.integers(0, blocks.shape[1] - 1))
    blocks[row, column] = data.draw(
        st.integers(0, len(blocks) - 1).filter(lambda x: x != blocks[row, column])
    )
    assert not check_design(blocks)


def test_verifier_names_the_pair():
    blocks = make_design(13, 4, 1).blocks
    swapped = blocks.copy()
    swapped[[0, 1], [0, 1]] = blocks[[1, 0], [1, 0]]
    verdict = check_design(swapped)
    assert not verdict
    x, y = verdict.where["pair"]
    together = sum(x in row and y in row for row in swapped.tolist())
    assert together == verdict.where["times"] != 1
    assert not check_design(np.array([[0, 1], [1, 2], [2, 5]]))
    assert not check_design(np.array([[0, 0], [1, 2], [2, 1]]))
    assert not check_design(blocks, sigma=2)


def test_hadamard_matrices():
    orders = [n for n in range(4, 120, 4) if sporadic.hadamard_matrix(n) is not None]
    assert set(range(4, 92, 4)) <= set(orders)
    for n in orders:
        h = sporadic.hadamard_matrix(n)
        assert (h @ h.T == n * np.eye(n)).all()


def soluble(a, b, p, power):
    """Has a x² + b y² = z² a primitive solution modulo p^power?"""
    modulus = p**power
    squares = {}
    for z in range(modulus):
        squares.setdefault(z * z % modulus, []).append(z)
    for x in range(modulus):
        for y in range(modulus):
            for z in squares.get((a * x * x + b * y * y) % modulus, []):
                if x % p or y % p or z % p:
                    return True
    return False


@pytest.mark.parametrize("p", [2, 3, 5])
def test_hilbert_symbol_against_solutions(p):
    power = {2: 5, 3: 3, 5: 2}[p]
    free = [n for n in range(-11, 12) if n and all(n % (d * d) for d in (2, 3))]
    for a, b in itertools.product(free, repeat=2):
        if p == 5 and (a % 25 == 0 or b % 25 == 0):
            continue
        assert (hilbert_symbol(a, b, p) == 1) == soluble(a, b, p, power), (a, b, p)


@given(st.integers(-300, 300).filter(bool), st.integers(-300, 300).filter(bool))
@settings(deadline=None, max_examples=100)
def test_hilbert_product_formula(a, b):
    primes = [0, *(p for p in range(2, 301) if is_prime(p) and (p == 2 or a * b % p == 0))]
    assert np.prod([hilbert_symbol(a, b, p) for p in primes]) == 1


def test_existence_tables():
    first = {row.m: row.status for row in table(1, 50)}
    opens = [m for m, status in first.items() if status == "open" and m <= 41]
    assert opens == [13, 16, 19, 21, 25, 27, 29, 35, 36, 37, 40, 41]
    silent = [m for m in range(3, 51) if bruck_ryser_chowla(m * (m - 1) + 1, m, 1)]
    assert silent == [7, 15, 22, 23, 31, 34, 39, 43, 47]
    assert "Lam" in existence(111, 11, 1).reason
    second = {row.n: row.status for row in table(2, 20)}
    assert [n for n, s in second.items() if s == "exists"] == [4, 7, 11, 16, 37, 56, 79]
    assert [n for n, s in second.items() if s == "open"] == [121, 154, 191]


def test_no_design_is_both_built_and_excluded():
    for sigma in range(1, 13):
        for row in table(sigma, 60):
            if row.built:
                assert bruck_ryser_chowla(row.n, row.m, row.sigma) is None


test_bad_parameters = refusals(
    ArgumentError,
    ((40, 7, 1), "N = m\\(m-1\\)/sigma \\+ 1 = 43"),
    ((43, 7, 1), "Bruck-Ryser-Chowla"),
    ((111, 11, 1), "Lam"),
    ((157, 13, 1), "not known"),
    ((111, 100, 90), "does not exist: complement of: order 10"),
    ((81, 16, 3), "not known to exist: not excluded"),
    ((10, 4, 5), "1 <= sigma < m"),
    ((9, 5, 3), "not an integer"),
    make=lambda parameters: make_design(*parameters),
)


def differences(blocks, order):
    """How often each difference occurs, counted one by one."""
    counts = dict.fromkeys(range(1, order), 0)
    for block in blocks:
        for a, b in itertools.permutations(block, 2):
            counts[(a - b) % order] += 1
    return counts


def brute_cover(order, size, blocks=1, ways=1):
    """Is there a cover at all? Every choice of blocks with 0 is tried."""
    rest = [(0, *more) for more in itertools.combinations(range(1, order), size - 1)]
    return any(
        min(differences(chosen, order).values(), default=ways) >= ways
        for chosen in itertools.combinations_with_replacement(rest, blocks)
    )


@pytest.mark.parametrize("order", range(1, 15))
def test_difference_covers_against_brute_force(order):
    for size in range(1, min(order, 5) + 1):
        found = difference_cover(order, size)
        assert found.proved
        assert (found.elements is not None) == brute_cover(order, size), (order, size)
        if found.elements is None:
            continue
        counts = differences(found.blocks, order)
        assert len(set(found.elements)) == size
        assert found.multiplicities == counts
        assert min(counts.values(), default=1) >= 1
        assert found.difference_set().doubled == tuple(d for d, k in counts.items() if k > 1)


@pytest.mark.parametrize("order", range(2, 9))
def test_covers_of_several_blocks_and_ways_against_brute_force(order):
    for size, blocks, ways in itertools.product((2, 3), (1, 2), (1, 2, 3)):
        if size > order:
            continue
        found = difference_cover(order, size, blocks=blocks, ways=ways)
        assert (found.elements is not None) == brute_cover(order, size, blocks, ways)
        if found.elements is not None:
            assert [len(set(block)) for block in found.blocks] == [size] * blocks
            assert min(differences(found.blocks, order).values()) >= ways


@pytest.mark.parametrize(("order", "size"), [(4, 3), (5, 4), (4, 4), (6, 5), (3, 3)])
def test_doubled_differences_when_all_are(order, size):
    base = difference_cover(order, size).difference_set()
    assert base.doubled == tuple(range(1, order))


def test_the_compiled_search_is_the_plain_one():
    from hopscape.papers.blockdesign import cover_kernels, cover_search

    for order, size, blocks, ways in ((13, 4, 1, 1), (21, 4, 2, 1), (9, 3, 2, 1), (11, 5, 1, 2)):
        table = difference.AbelianGroup((order,)).subtract(
            np.arange(order)[:, None], np.arange(order)[None, :]
        )
        words = (table.astype(np.int32), size, blocks, ways, True, 10**5)
        (first, steps), (second, again) = (
            room.search_cover(*words) for room in (cover_search, cover_kernels)
        )
        assert (first == second).all()
        assert steps == again


def test_wichmann_rulers_measure_everything():
    for marks in range(1, 40):
        ruler = wichmann_ruler(marks)
        lengths = {b - a for a, b in itertools.combinations(ruler, 2)}
        assert len(set(ruler)) == marks
        assert lengths >= set(range(1, ruler[-1] + 1))
        order = 2 * ruler[-1] + 1
        if marks > 8:
            found = find_cover(order, marks)
            assert min(found.multiplicities.values()) >= 1
            assert len(set(found.elements)) == marks


@pytest.mark.parametrize(
    ("arguments", "options"),
    [((0, 3), {}), ((7, 0), {}), ((7, 8), {}), ((7, 3), {"blocks": 0}), ((7, 3), {"ways": 0}),
     ((7, 3), {"budget": 0}), ((7, 3), {"moduli": (2, 3)}), ((-4, 2), {})],
)  # fmt: skip
def test_covers_refuse(arguments, options):
    with pytest.raises(ArgumentError):
        difference_cover(*arguments, **options)


def test_huge_covers_are_refused_at_once():
    with pytest.raises(TooLargeError):
        difference_cover(10**7, 10**4)
    with pytest.raises(TooLargeError):
        largest_cover(10**6)
    assert difference_cover(10**30, 5).proved


def test_rpk_39_and_largest_covers():
    base = find_cover(39, 7).difference_set()
    assert base.elements == (0, 1, 2, 4, 13, 18, 33)
    assert base.doubled == (1, 2, 37, 38)
    orders = [largest_cover(m)[0].difference_set().group.order for m in range(2, 11)]
    assert orders == [3, 7, 13, 21, 31, 39, 57, 73, 91]
    _, excluded = largest_cover(7)
    assert [c.moduli for c in excluded] == [(43,), (42,), (41,), (40,), (2, 20), (2, 2, 10)]
    assert all(c.proved for c in excluded)


def test_cover_budget_is_honest():
    cut = difference_cover(42, 7, budget=1000)
    assert cut.elements is None
    assert not cut.proved


def test_abelian_groups():
    assert len(list(abelian_groups(64))) == 11
    assert all(np.prod(g) == 72 for g in abelian_groups(72))
    assert len(set(abelian_groups(72))) == 6


def test_reading_blocks(tmp_path):
    blocks = make_design(7, 3, 1).blocks
    plain, ones, matrix = (tmp_path / name for name in ("a.txt", "b.txt", "c.txt"))
    plain.write_text("# plane\n" + "\n".join(" ".join(map(str, r)) for r in blocks))
    ones.write_text("\n".join(",".join(map(str, r + 1)) for r in blocks))
    square = np.zeros((7, 7), int)
    np.put_along_axis(square, blocks, 1, axis=1)
    matrix.write_text("\n".join(" ".join(map(str, r)) for r in square))
    for path, first in ((plain, 0), (ones, 1), (matrix, 0)):
        rows, start = read_blocks(path)
        assert start == first
        assert sorted(map(sorted, rows)) == sorted(map(sorted, blocks.tolist()))
    (tmp_path / "bad.txt").write_text("1 2 x\n")
    with pytest.raises(FileFormatError, match="line 1, column 5: an element must be a whole"):
        read_blocks(tmp_path / "bad.txt")
    with pytest.raises(FileFormatError):
        read_blocks(tmp_path / "missing.txt")
