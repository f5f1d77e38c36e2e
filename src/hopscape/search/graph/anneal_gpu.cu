// Simulated annealing of many lifts side by side, or on any C++ compiler with -DHOST.
//
// One block of threads anneals one lift as anneal_kernels.py does: the same moves by the same
// random numbers, the same graph in the end. A thread proposes; all of them measure, 32 sources at
// a time, one bit for each, as in measure_kernels.py. The wiring is not kept: a link of the base
// graph is where its end begins and how far the group element turns it.

typedef long long i64;
typedef unsigned long long u64;

#ifdef HOST
#include <cmath>
#include <cstring>
#define DEVICE static inline
#define THREADS 1
#define ME 0
#define SYNC
#define BLOCK
#define UNROLL
DEVICE int ones(unsigned x) { return __builtin_popcount(x); }
DEVICE void add_all(int* to, int count) { *to += count; }
DEVICE int bump(int* at) { return (*at)++; }
DEVICE unsigned set_bits(unsigned* at, unsigned bits) { unsigned old = *at; *at |= bits; return old; }
#else
#define DEVICE static __device__ __forceinline__
#define THREADS ((int)blockDim.x)
#define ME ((int)threadIdx.x)
#define SYNC __syncthreads()
#define UNROLL _Pragma("unroll 4")
#define BLOCK __launch_bounds__(512, 2)
DEVICE int bump(int* at) { return atomicAdd(at, 1); }
DEVICE unsigned set_bits(unsigned* at, unsigned bits) { return atomicOr(at, bits); }
DEVICE int ones(unsigned x) { return __popc(x); }
DEVICE void add_all(int* to, int count) {
    count = __reduce_add_sync(0xFFFFFFFFu, count);
    if ((threadIdx.x & 31) == 0 && count) atomicAdd(to, count);
}
#endif

#define RESTRICT __restrict__
#define VOID (-1)
#define TRIES 8
#define LEVELS_AHEAD 8

// Filled by anneal_gpu.py, in this order.
struct Chain {
    i64 fold, base, degree, elements, many_own, cyclic, aim, beyond, one, pieces_many;
    const int* right;        // [elements, fold]
    const int* inverse;      // [elements]
    const i64* turns;        // [elements]: what an element of a cyclic group adds
    const int* own;          // involutions
    const signed char* side; // [base]
    int* mate;               // [darts]
    int* volt;
    int* best_mate;
    int* best_volt;
    i64* score;              // cost, excess; diameter and total of the best
    u64* state;
    const i64* steps;        // [pieces_many]
    const double* heats;     // [pieces_many, 2]: the first temperature, and the factor
    unsigned* rows;          // [2, n], where shared memory has no room for it
};

struct alignas(8) Link {
    int from, turn;
};

struct Lift {  // in shared memory
    Chain c;
    Link* links;             // of each dart: where its end begins, and how far it is turned
    int *mate, *volt;
    unsigned *now, *after;
    int saved[4][3], touched, fresh[3];
    i64 limit;
};

DEVICE i64 draw(u64* state, i64 bound) {
    u64 z = *state += 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    z = (z ^ (z >> 31)) >> 1;
    return bound <= 0xFFFFFFFFll && z <= 0xFFFFFFFFull ? (i64)((unsigned)z % (unsigned)bound)
                                                       : (i64)(z % (u64)bound);
}

// ---- moves --------------------------------------------------------------------------

DEVICE int save(Lift& l, int count, int dart) {
    for (int i = 0; i < count; ++i)
        if (l.saved[i][0] == dart) return count;
    l.saved[count][0] = dart;
    l.saved[count][1] = l.mate[dart];
    l.saved[count][2] = l.volt[dart];
    return count + 1;
}

DEVICE int owner(const Lift& l, int dart) { return dart / (int)l.c.degree; }

DEVICE bool doubled(const Lift& l, int a, int b, int g) {
    int u = owner(l, a), v = owner(l, b), degree = (int)l.c.degree;
    bool twice = false;
    for (int k = u * degree; k < (u + 1) * degree; ++k)
        twice |= k != a && k != b && l.volt[k] == g && g != VOID && owner(l, l.mate[k]) == v;
    return twice;
}

DEVICE bool join(Lift& l, u64* state, int a, int b) {
    int u = owner(l, a), v = owner(l, b), g = 0, tries = l.c.fold > 1 ? TRIES : 1;
    if (l.c.side[u] && l.c.side[u] == l.c.side[v]) return false;
    bool found = false;
    for (int i = 0; i < tries && !found; ++i) {
        g = (int)draw(state, l.c.elements);
        found = (u != v || l.c.inverse[g] != g) && !doubled(l, a, b, g);
    }
    if (!found) return false;
    l.mate[a] = b;
    l.mate[b] = a;
    l.volt[a] = g;
    l.volt[b] = l.c.inverse[g];
    return true;
}

DEVICE bool single(Lift& l, u64* state, int dart, bool empty) {
    l.mate[dart] = dart;
    l.volt[dart] = VOID;
    if (empty) return true;
    if (!l.c.many_own || l.c.side[owner(l, dart)]) return false;
    int g = l.c.own[draw(state, l.c.many_own)];
    if (doubled(l, dart, dart, g)) return false;
    l.volt[dart] = g;
    return true;
}

DEVICE bool exchange(Lift& l, u64* state, int a, int c, int x, int y) {
    bool empty = (a == c && l.volt[a] == VOID) || (x == y && l.volt[x] == VOID);
    if (!join(l, state, a, x)) return false;
    if (a != c && x != y) return join(l, state, c, y);
    if (a == c && x == y) return true;
    return single(l, state, a != c ? c : y, empty);
}

DEVICE void place(Lift& l, int dart) {
    int g = l.volt[dart] < 0 ? 0 : l.volt[dart], m = (int)l.c.fold;
    l.links[dart] = {owner(l, l.mate[dart]) * m, l.c.cyclic ? (int)l.c.turns[g] : g};
}

DEVICE void restore(Lift& l, int count, bool wired) {
    for (int i = 0; i < count; ++i) {
        l.mate[l.saved[i][0]] = l.saved[i][1];
        l.volt[l.saved[i][0]] = l.saved[i][2];
    }
    for (int i = 0; i < count && wired; ++i) place(l, l.saved[i][0]);
}

// A random move; how many darts it touched, 0 when it was none.
DEVICE int propose(Lift& l, u64* state) {
    int darts = (int)(l.c.base * l.c.degree), a = (int)draw(state, darts), c = l.mate[a];
    int count = save(l, save(l, 0, a), c);
    bool done = false;
    i64 kind = l.c.fold > 1 ? draw(state, 16) : 15;
    if (kind < 8) {
        if (a == c) done = l.volt[a] != VOID && single(l, state, a, false);
        else done = join(l, state, a, c);
    } else if (kind == 8 && l.c.many_own) {
        done = a != c && single(l, state, a, false) && single(l, state, c, false);
    } else {
        int x = (int)draw(state, darts), y = l.mate[x];
        if (x != a && x != c) {
            count = save(l, save(l, count, x), y);
            done = exchange(l, state, a, c, x, y);
        }
    }
    if (!done) {
        restore(l, count, false);
        return 0;
    }
    for (int i = 0; i < count; ++i) place(l, l.saved[i][0]);
    return count;
}

// ---- distances ----------------------------------------------------------------------

DEVICE i64 price(const Chain& c, i64 level) {
    return level + (level > c.aim ? level - c.aim : 0) * c.beyond;
}

DEVICE i64 at_least(const Chain& c, i64 level, i64 missing, i64 fresh) {
    i64 cost = 0, growth = c.degree - 1;
    if (level > 1 && growth > 0)
        for (int i = 0; i < LEVELS_AHEAD; ++i) {
            fresh *= growth;
            if (fresh >= missing) break;
            cost += price(c, level) * fresh;
            missing -= fresh;
            ++level;
        }
    return cost + price(c, level) * missing;
}

// Over node h of a vertex: the other end of a link.
DEVICE int end_of(const Link& link, int h, int m, const int* RESTRICT right) {
    if (right) return link.from + right[(i64)link.turn * m + h];
    int at = h + link.turn;
    return link.from + at - (at >= m ? m : 0);
}

// The first levels: along the links of the nodes of the last one, which stand in a list with the
// source that reached them; how many are new.
DEVICE int spread(Lift& l, unsigned* now, const int* list, int many, int* next, int* count) {
    int m = (int)l.c.fold, degree = (int)l.c.degree;
    const int* right = l.c.cyclic ? nullptr : l.c.right;
    for (int i = ME; i < many * degree; i += THREADS) {
        int entry = list[i / degree], v = entry >> 5, u = v / m;
        unsigned bit = 1u << (entry & 31);
        int to = end_of(l.links[u * degree + i % degree], v - u * m, m, right);
        if (!(set_bits(now + to, bit) & bit)) next[bump(count)] = to << 5 | (entry & 31);
    }
    SYNC;
    return *count;
}

// One level more: bits that are new at the nodes of this thread.
DEVICE int step(
    const Lift& l, const unsigned* RESTRICT now, unsigned* RESTRICT after, unsigned full
) {
    const int m = (int)l.c.fold, degree = (int)l.c.degree, n = m * (int)l.c.base;
    const int* RESTRICT right = l.c.cyclic ? nullptr : l.c.right;
    const Link* RESTRICT links = l.links;
    int fresh = 0, u = ME / m, h = ME - u * m;
    for (int v = ME; v < n; v += THREADS) {
        unsigned old = now[v], row = old;
        if (old != full) {
            const Link* RESTRICT link = links + u * degree;
            UNROLL for (int port = 0; port < degree; ++port)
                row |= now[end_of(link[port], h, m, right)];
            fresh += ones(row ^ old);
        }
        after[v] = row;
        for (h += THREADS; h >= m; h -= m) ++u;
    }
    return fresh;
}

// Cost, diameter and sum of distances; a cost of limit + 1 once it is certain to be above.
DEVICE i64 measure(Lift& l, i64 limit, i64* depth, i64* total) {
    const Chain& c = l.c;
    int n = (int)(c.fold * c.base), base = (int)c.base;
    i64 cost = 0, sum = 0, deep = 0;
    unsigned *now = l.now, *after = l.after;
    int turn = 0;
    for (int start = 0; start < base; start += 32) {
        int batch = base - start < 32 ? base - start : 32;
        unsigned full = batch == 32 ? 0xFFFFFFFFu : (1u << batch) - 1;
        for (int v = ME; v < n; v += THREADS) now[v] = 0;
        SYNC;
        int *list = (int*)after, *next_list = list + n / 2, listed = batch;
        for (int i = ME; i < batch; i += THREADS) {
            int v = (start + i) * (int)c.fold;
            now[v] = 1u << i;
            list[i] = v << 5 | i;
        }
        if (ME == 0) l.fresh[turn] = 0;
        SYNC;
        i64 missing = (i64)batch * c.fold * (n - 1), later = (base - start - batch) * c.fold * c.one;
        i64 level = 0, fresh = 0;
        while (missing > 0) {
            ++level;
            int next = turn == 2 ? 0 : turn + 1;
            if (ME == 0) l.fresh[next] = 0;
            bool few = listed && listed * c.degree <= n / 2;  // nothing is known so early
            if (!few && cost + later + at_least(c, level, missing, fresh) > limit)
                return limit + 1;
            if (few) {
                listed = spread(l, now, list, listed, next_list, &l.fresh[turn]);
                int* other = list;
                list = next_list;
                next_list = other;
            } else {
                listed = 0;
                add_all(&l.fresh[turn], step(l, now, after, full));
                SYNC;
            }
            fresh = (i64)l.fresh[turn] * c.fold;
            turn = next;
            if (!fresh) {
                cost += price(c, n) * missing;
                sum += n * missing;
                deep = n;
                break;
            }
            cost += price(c, level) * fresh;
            sum += level * fresh;
            missing -= fresh;
            if (level > deep) deep = level;
            if (few) continue;
            unsigned* other = now;
            now = after;
            after = other;
        }
        SYNC;
    }
    if (cost > limit) return limit + 1;
    *depth = deep;
    *total = sum;
    return cost;
}

// ---- annealing ----------------------------------------------------------------------

DEVICE void anneal_one(Lift& l, int* room) {
    const Chain& c = l.c;
    int darts = (int)(c.base * c.degree), n = (int)(c.base * c.fold);
    if (ME == 0) {
        l.links = (Link*)room;
        l.mate = room + 2 * darts;
        l.volt = room + 3 * darts;
        l.now = c.rows ? c.rows : (unsigned*)(room + 4 * darts);
        l.after = l.now + n;
    }
    SYNC;
    for (int k = ME; k < darts; k += THREADS) {
        l.mate[k] = c.mate[k];
        l.volt[k] = c.volt[k];
    }
    SYNC;
    for (int k = ME; k < darts; k += THREADS) place(l, k);
    u64 state = *c.state;
    i64 score[4];
    for (int i = 0; i < 4; ++i) score[i] = c.score[i];
    SYNC;
    for (i64 piece = 0; piece < c.pieces_many; ++piece) {
        double heat = c.heats[2 * piece], fall = c.heats[2 * piece + 1];
        for (i64 left = c.steps[piece]; left > 0; --left, heat *= fall) {
            if (ME == 0) {
                l.touched = propose(l, &state);
                if (l.touched) {
                    double luck = (double)(draw(&state, 1ll << 52) + 1) / (double)(1ll << 52);
                    l.limit = score[0] + (i64)(-heat * log(luck));
                }
            }
            SYNC;
            if (!l.touched) {
                SYNC;  // nobody proposes before all have seen it
                continue;
            }
            i64 depth = 0, total = 0, limit = l.limit, cost = measure(l, limit, &depth, &total);
            SYNC;
            if (cost > limit) {
                if (ME == 0) restore(l, l.touched, true);
                continue;
            }
            score[0] = cost;
            if (depth > score[2] || (depth == score[2] && total >= score[3])) continue;
            score[2] = depth;
            score[3] = total;
            for (int k = ME; k < darts; k += THREADS) {
                c.best_mate[k] = l.mate[k];
                c.best_volt[k] = l.volt[k];
            }
            SYNC;
        }
    }
    SYNC;
    for (int k = ME; k < darts; k += THREADS) {
        c.mate[k] = l.mate[k];
        c.volt[k] = l.volt[k];
    }
    if (ME == 0) {
        *c.state = state;
        for (int i = 0; i < 4; ++i) c.score[i] = score[i];
    }
}

#ifdef HOST
extern "C" void anneal(const Chain* chains, i64 many, int* room) {
    for (i64 i = 0; i < many; ++i) {
        Lift lift;
        lift.c = chains[i];
        anneal_one(lift, room);
    }
}
#else
extern "C" __global__ void BLOCK anneal(const Chain* chains) {
    extern __shared__ int room[];
    __shared__ Lift lift;
    if (ME == 0) lift.c = chains[blockIdx.x];
    __syncthreads();
    anneal_one(lift, room);
}
#endif
