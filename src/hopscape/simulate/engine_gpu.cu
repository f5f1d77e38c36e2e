// The engine of engine_kernels.py on a graphics processor, or on any C++ compiler with -DHOST.
//
// Every decision of a cycle depends on the state before it, never on the order in which threads
// come: arbiters choose by keys that differ, random numbers are functions of who asks and when,
// sums are of integers. Atomics only number the places of lists, whose order means nothing. So both
// engines move every packet alike.
//
// Several runs of one network go side by side ("replicas"): each has its own part of every table.
// The columns are those of layout.py, which come in as macros. A cycle is: arrive, inject, ask,
// answer, choose, take, move, tick. Lists of waiters and senders are read from one half and written
// to the other; the parity of the cycle says which is which. Threads of a block take their places in
// a list together (`claim`), at the end of a turn, where all of them are there.

typedef long long i64;
typedef unsigned long long u64;
typedef unsigned short u16;

#ifdef HOST
#include <cmath>
#define DEVICE static inline
#define DEVICE_MEMBER inline
#define KERNEL extern "C" void
// In an order that changes with every cycle and call: results must not depend on it.
static u64 turns = 0;
static i64 shuffled(i64 i, i64 many, u64 turn) {
    i64 from = (i64)(turn * 0x9E3779B97F4A7C15ull >> 33) % many;
    i64 step = many % 7919 ? 7919 : many % 104729 ? 104729 : 1;
    return (i % many * step + from) % many;
}
#define EACH(i, many) \
    i64 i##_all = (many), i##_one = 0; \
    ++turns; \
    for (i64 i; i##_one < i##_all && (i = shuffled(i##_one, i##_all, turns), true); ++i##_one)
template <class T, class V> static T bump(T* at, V by) { T old = *at; *at += (T)by; return old; }
template <class T> static T swapped(T* at, T value) { T old = *at; *at = value; return old; }
static void least(u64* at, u64 value) { if (value < *at) *at = value; }
static void most(i64* at, i64 value) { if (value > *at) *at = value; }
static void set_bits(int* at, int bits) { *at |= bits; }
static void clear_bits(int* at, int bits) { *at &= ~bits; }
static int claim(bool wanted, int* counter) { return wanted ? bump(counter, 1) : -1; }
static void tally(bool wanted, i64* counter) { if (wanted) bump(counter, 1); }
#define EACH_TOGETHER(i, many) EACH(i, many)
DEVICE int lowest(u64 bits) { return __builtin_ctzll(bits); }
#else
#define DEVICE static __device__ __forceinline__
#define DEVICE_MEMBER __device__ __forceinline__
#define KERNEL extern "C" __global__ void
#define EACH(i, many) \
    i64 i##_all = (many); \
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < i##_all; \
         i += gridDim.x * (i64)blockDim.x)
DEVICE int bump(int* at, i64 by) { return atomicAdd(at, (int)by); }
DEVICE i64 bump(i64* at, i64 by) { return (i64)atomicAdd((u64*)at, (u64)by); }
DEVICE double bump(double* at, i64 by) { return atomicAdd(at, (double)by); }
DEVICE int swapped(int* at, int value) { return atomicExch(at, value); }
DEVICE void least(u64* at, u64 value) { atomicMin(at, value); }
DEVICE void most(i64* at, i64 value) { atomicMax(at, value); }
DEVICE void set_bits(int* at, int bits) { atomicOr(at, bits); }
DEVICE void clear_bits(int* at, int bits) { atomicAnd(at, ~bits); }
// All threads of a block go round equally often; the last ones beyond the end.
#define EACH_TOGETHER(i, many) \
    i64 i##_all = (many); \
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; \
         i - threadIdx.x < i##_all; i += gridDim.x * (i64)blockDim.x)
#define WARP 0xFFFFFFFFu
// Places in a list for those who want one; one atomic for all of a block who name the same counter.
DEVICE int claim(bool wanted, int* counter) {
    __shared__ int many[32], base;
    __shared__ u64 named[32];  // by warp: the counter; 0 for none, 1 for several
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, total = 0, before = 0;
    unsigned who = __ballot_sync(WARP, wanted);
    u64 theirs = __shfl_sync(WARP, (u64)counter, who ? __ffs(who) - 1 : 0), common = 0;
    bool alike = !__any_sync(WARP, wanted && (u64)counter != theirs);
    if (lane == 0) {
        many[warp] = __popc(who);
        named[warp] = who ? alike ? theirs : 1 : 0;
    }
    __syncthreads();
    for (int k = 0; k < (int)blockDim.x >> 5; ++k) {
        if (named[k]) common = !common || common == named[k] ? named[k] : 1;
        if (k < warp) before += many[k];
        total += many[k];
    }
    if (common != 1) {
        if (threadIdx.x == 0 && total) base = atomicAdd((int*)common, total);
        __syncthreads();
        return wanted ? base + before + __popc(who & ((1u << lane) - 1)) : -1;
    }
    int at = -1;
    for (unsigned left = who; left;) {  // links of several delays
        int first = __ffs(left) - 1, own = 0;
        int* one = (int*)__shfl_sync(WARP, (u64)counter, first);
        unsigned peers = __ballot_sync(WARP, wanted && counter == one);
        if (lane == first) own = atomicAdd(one, __popc(peers));
        own = __shfl_sync(WARP, own, first);
        if (peers >> lane & 1) at = own + __popc(peers & ((1u << lane) - 1));
        left &= ~peers;
    }
    __syncthreads();
    return at;
}
DEVICE void tally(bool wanted, i64* counter) {
    __syncwarp();
    unsigned who = __ballot_sync(WARP, wanted);
    i64* theirs = (i64*)__shfl_sync(WARP, (u64)counter, who ? __ffs(who) - 1 : 0);
    bool alike = !__any_sync(WARP, wanted && counter != theirs);
    if (!alike && wanted) atomicAdd((u64*)counter, 1ull);
    if (alike && who && (int)(threadIdx.x & 31) == __ffs(who) - 1)
        atomicAdd((u64*)counter, (u64)__popc(who));
}
DEVICE int lowest(u64 bits) { return __ffsll((i64)bits) - 1; }
#endif

// Filled by engine_gpu.py, in this order.
struct Engine {
    i64 replicas, routers, units, rows, endpoints, packets_most, wheel, windows_many, longest;
    i64 copies, sizes_many, masks_many, layered, chooses, patience;
    i64 fold, axes, dated, columns, pairs_columns, sets_columns;
    i64 numbers[NUMBERS];
    const i64* indptr;
    const u16* table;
    const int* sides_of;     // how tables are folded: struct Fold of layout.py
    const int* switch_of;
    const u16* port_of;
    const int* column_of;
    const unsigned char* aside;
    const int* sort_of;
    const int* runs;
    const int* ahead;
    const i64* tie_starts;
    const int* tie_nodes;
    const u16* tie_entries;
    const unsigned* shortest;
    const u16* distances;
    const i64* masks;
    const i64* sets;
    const i64* kinds;
    const unsigned char* layers;
    const i64* chosen_first;
    const double* chosen_shares;
    const int* chosen_starts;
    const int* chosen_steps;
    const i64* kind;         // kind of targets, kind of births, trials
    const double* rates;     // [replicas, 3]
    const int* targets;
    const i64* starts;
    const double* shares;
    const int* sizes;
    const double* size_shares;
    const int* trace;
    i64* clock;              // cycle
    int* counts;             // waiters, waiters, senders, senders
    i64* scalars;            // [replicas, SCALARS]
    int* vcs;
    int* units_;
    int* sides;
    int* ends;
    int* injectors;
    int* waiters;            // [2, rows of all replicas]
    int* senders;            // likewise
    int* touched;            // by waiter: the unit that it asks first, or -1
    u64* best;               // [units]: key and row that are first at an output of a switch
    u64* first;              // [sides]: key and output that are first at an input
    int* arrivals;
    int* ejections;
    int* credits;
    int* flits;
    int* packets;
    u64* random;
    int* still;              // [replicas]: nothing has moved for too long
    const i64* span;         // [replicas, 3]
    double* windows;         // [replicas, copies, windows, WINDOW_FIELDS]
    i64* histogram;          // [replicas, 2, longest]
    i64* used;
    i64* received;
};

#ifdef HOST
static Engine engine;
KERNEL use(const Engine* given) { engine = *given; }
#else
__constant__ Engine engine;
#endif

// Columns that lie together, read and written at once: a device counts requests, not bytes.
struct alignas(16) Four { int at[4]; };
struct Half {
    Four low, high;
    DEVICE_MEMBER int& operator[](int column) { return (column < 4 ? low : high).at[column & 3]; }
    DEVICE_MEMBER int operator[](int column) const {
        return (column < 4 ? low : high).at[column & 3];
    }
};
DEVICE Four four_of(const int* row) { return *(const Four*)row; }
DEVICE void keep(int* row, const Four& four) { *(Four*)row = four; }
DEVICE Half half_of(const int* row) { return {four_of(row), four_of(row + 4)}; }
DEVICE void keep(int* row, const Half& half) {
    keep(row, half.low);
    keep(row + 4, half.high);
}

#define E (&engine)
#define N(name) (engine.numbers[name])
#define NOBODY_YET 0xFFFFFFFFFFFFFFFFull

DEVICE int* vc_of(i64 row) { return E->vcs + row * VC_FIELDS; }
DEVICE int* unit_of(i64 unit) { return E->units_ + unit * UNIT_FIELDS; }
DEVICE int* side_of(i64 side) { return E->sides + side * 4; }
DEVICE int* end_of(i64 e) { return E->ends + e * END_FIELDS; }
DEVICE i64 replica_of(i64 unit) {  // numbers of units fit into 32 bits, which divide sooner
    return E->replicas == 1 ? 0 : (unsigned)unit / (unsigned)E->units;
}
DEVICE int* packet_of(i64 replica, i64 who) {
    return E->packets + (replica * E->packets_most + who) * PACKET_FIELDS;
}
DEVICE i64* scalars_of(i64 replica) { return E->scalars + replica * SCALARS; }

// The first bit of a mask from `start` on, going round.
DEVICE int ring_first(i64 mask, int start) {
    i64 later = mask >> start << start;
    return lowest((u64)(later ? later : mask));
}

DEVICE u64 mixed(u64 z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

DEVICE u64 random_bits(u64* stream) { return mixed(*stream += 0x9E3779B97F4A7C15ull); }

DEVICE double random_unit(u64* stream) {
    return ((double)(random_bits(stream) >> 11) + 1.0) * (1.0 / 9007199254740992.0);
}

// Two random bits of a virtual channel in a cycle.
DEVICE int coins(i64 replica, i64 row, i64 now) {
    u64 key = E->random[replica * (E->endpoints + 1) + E->endpoints];
    u64 asker = (u64)(row - replica * E->rows);
    return (int)(mixed(key + (((u64)now << 32) + asker + 1) * 0x9E3779B97F4A7C15ull) & 3);
}

// ---- wheels -------------------------------------------------------------------------

DEVICE int* slot_of(int* wheel, i64 width, i64 due) {
    return wheel + (due & (E->wheel - 1)) * (1 + width);
}

// All threads of a block call these, whoever has nothing to send with row -1.
DEVICE void send_credit(i64 due, i64 row) {
    int* slot = slot_of(E->credits, E->replicas * E->rows, due);
    int at = claim(row >= 0, slot);
    if (row >= 0) slot[1 + at] = (int)row;
}

DEVICE void send_arrival(i64 due, i64 row) {
    int* slot = slot_of(E->arrivals, E->replicas * E->units, due);
    int at = claim(row >= 0, slot);
    if (row >= 0) slot[1 + at] = (int)row;
}

DEVICE void send_ejection(i64 due, i64 row, int flit) {
    i64 most = 2 * E->replicas * E->endpoints * N(N_EJECTORS);
    int* slot = slot_of(E->ejections, most, due);
    int at = claim(row >= 0, slot);
    if (row < 0) return;
    slot[1 + 2 * at] = (int)row;
    slot[2 + 2 * at] = flit;
}

DEVICE void put_flit(i64 row, int flit) {
    int* V = vc_of(row);
    int at = V[WRITE];
    E->flits[row * N(N_DEPTH) + at] = flit;
    V[WRITE] = at + 1 < N(N_DEPTH) ? at + 1 : 0;
}

DEVICE int parity() { return (int)(*E->clock & 1); }

DEVICE void list_waiter(int half, i64 row) {
    int at = claim(row >= 0, E->counts + half);
    if (row >= 0) E->waiters[half * E->replicas * E->rows + at] = (int)row;
}

DEVICE void list_sender(int half, i64 row) {
    int at = claim(row >= 0, E->counts + 2 + half);
    if (row >= 0) E->senders[half * E->replicas * E->rows + at] = (int)row;
}

// ---- arrive: credits, flits that become visible, flits at their endpoints -----------

DEVICE void take_credit(i64 row) {
    i64 unit = row >> N(N_SHIFT);
    int *V = vc_of(row), *U = unit_of(unit);
    int now_free = ++V[CREDIT];
    bump(U + U_CREDIT, 1);
    int bit = 1 << (row - (unit << N(N_SHIFT)));
    if (U[U_TAILS] & bit && now_free == N(N_DEPTH)) {
        clear_bits(U + U_TAILS, bit);
        set_bits(U + U_FREE, bit);
    }
}

// A flit becomes visible; whether its buffer is to wait (1), to send (2) or neither (0).
DEVICE int take_flit(i64 row, i64 now) {
    int* V = vc_of(row);
    Half v = half_of(V);
    int next = 0;
    if (++v[COUNT] == 1) v[FRONT] = E->flits[row * N(N_DEPTH) + v[HEAD]];
    if (v[STATE] == IDLE) {
        v[STATE] = WAITING;
        v[OUT] = -1;
        v[READY] = (int)(now + N(N_ROUTING) + N(N_VC_ALLOC) - 1);
        next = 1;
    } else if (v[STATE] != WAITING && !(V[MISC] & LISTED)) {
        v[READY] = (int)(now + N(N_SW_ALLOC) - 1);
        set_bits(V + MISC, LISTED);
        next = 2;
    }
    keep(V, v);
    return next;
}

DEVICE void release(i64 replica, i64 who) {
    int* P = packet_of(replica, who);
    bump(end_of(replica * E->endpoints + P[SRC]) + E_UNDERWAY, -(i64)P[SIZE]);
    i64 spare = bump(scalars_of(replica) + FREE, 1);
    packet_of(replica, spare)[SPARE] = (int)who;
    bump(scalars_of(replica) + IN_FLIGHT, -1);
}

DEVICE void pace(i64 replica, const int* P, i64 taken) {
    int* e = end_of(replica * E->endpoints + P[SRC]);
    i64 stages = N(N_ROUTING) + N(N_VC_ALLOC) + N(N_SW_ALLOC), hops = P[HOPS], size = P[SIZE];
    i64 head = (stages + N(N_TRAVERSAL) + N(N_LINK)) * hops + 3 - N(N_LINK);
    i64 body = (size - 1) * (N(N_SWITCHING) == STORE_FORWARD ? hops : 1);
    i64 limit = LATE * (head + body);
    if (taken > limit) {
        i64 share = (i64)sqrt((double)size), whole = 1 << (W_DECAY - 2);
        bump(e + E_LOSS, share < whole ? share : whole);
        return;
    }
    i64 cap = N(N_INJECTORS) * limit << W_SHIFT;
    if (e[E_WINDOW] < (cap < 1 << 30 ? cap : 1 << 30)) bump(e + E_GAIN, W_GAIN * size);
}

// Count a flit at its endpoint; whether its packet has arrived whole.
DEVICE bool eject(i64 replica, int flit, i64 now, int copy) {
    i64* scalars = scalars_of(replica);
    i64 who = flit >> 2;
    int* P = packet_of(replica, who);
    if (flit & FIRST && N(N_SWITCHING) == CIRCUIT && P[SIZE] > 1) {
        i64 each = N(N_ROUTING) + N(N_VC_ALLOC) + N(N_SW_ALLOC) + N(N_TRAVERSAL) + N(N_LINK);
        i64 lonely = each * P[HOPS] + 3 - N(N_LINK), taken = now - P[SENT];
        i64 wait = (taken < lonely ? taken : lonely) / 2;
        i64 line = replica * E->endpoints * N(N_INJECTORS) + P[LINE];
        E->injectors[line * INJECTOR_FIELDS + I_HOLD] = (int)(now + wait);
        most(scalars + LAST_MOVE, now + wait);  // the acknowledgement moves
    }
    const i64* span = E->span + 3 * replica;
    i64 begin = span[0], end = span[1], width = span[2], at = now / width;
    double* windows = E->windows + (replica * E->copies + copy) * E->windows_many * WINDOW_FIELDS;
    if (at < E->windows_many) bump(windows + at * WINDOW_FIELDS + W_FLITS, 1);
    if (begin <= now && now < end) bump(E->received + replica * E->endpoints + P[DST], 1);
    if (!(flit & LAST)) return false;
    i64 late = now - P[BORN], net = now - P[SENT], born_in = P[BORN] / width;
    if (born_in < E->windows_many) {
        double* W = windows + born_in * WINDOW_FIELDS;
        bump(W + W_COUNT, 1);
        bump(W + W_LATENCY, late);
        bump(W + W_NETWORK, net);
        bump(W + W_HOPS, P[HOPS]);
    }
    if (begin <= P[BORN] && P[BORN] < end) {
        i64* H = E->histogram + replica * 2 * E->longest;
        bump(H + (late < E->longest ? late : E->longest - 1), 1);
        bump(H + E->longest + (net < E->longest ? net : E->longest - 1), 1);
    }
    if (N(N_WINDOW)) pace(replica, P, net);
    release(replica, who);
    return true;
}

KERNEL arrive() {
    i64 now = *E->clock;
#ifdef HOST
    int copy = 0;
#else
    int copy = (int)(blockIdx.x % E->copies);
#endif
    const int* credits = slot_of(E->credits, E->replicas * E->rows, now);
    EACH(i, credits[0]) take_credit(credits[1 + i]);
    const int* arrivals = slot_of(E->arrivals, E->replicas * E->units, now);
    EACH_TOGETHER(j, arrivals[0]) {
        i64 row = j < j_all ? arrivals[1 + j] : -1;
        int next = row >= 0 ? take_flit(row, now) : 0;
        list_waiter(parity(), next == 1 ? row : -1);
        list_sender(parity(), next == 2 ? row : -1);
    }
    i64 most = 2 * E->replicas * E->endpoints * N(N_EJECTORS);
    const int* ejections = slot_of(E->ejections, most, now);
    EACH_TOGETHER(k, ejections[0]) {
        i64 row = k < k_all ? ejections[1 + 2 * k] : -1;
        i64 unit = row >= 0 ? row >> N(N_SHIFT) : 0, replica = replica_of(unit);
        bool whole = row >= 0 && eject(replica, ejections[2 + 2 * k], now, copy);
        send_credit(now + 1 + unit_of(unit)[U_DELAY] + N(N_CREDIT), row);
        tally(row >= 0, scalars_of(replica) + DELIVERED_FLITS);
        tally(whole, scalars_of(replica) + DELIVERED);
    }
}

// ---- inject: births, targets, sizes, and the way into the network -------------------

DEVICE void draw_birth(i64 replica, i64 local, int* e, u64* stream) {
    i64 births = E->kind[1], trials = E->kind[2];
    const double* rates = E->rates + 3 * replica;
    if (births == TRACE) {
        i64 at = e[E_TRACE];
        e[E_BIRTH] = at < E->starts[local + 1] ? E->trace[3 * at + TRACE_BIRTH] : NEVER;
        return;
    }
    double rate = rates[0];
    if (births == SILENT || rate <= 0) {
        e[E_BIRTH] = NEVER;
        return;
    }
    i64 when = e[E_BIRTH], trial = (i64)e[E_TRIAL] + 1;
    if (births == BERNOULLI) {
        if (rate < 1) trial += (i64)(log(random_unit(stream)) / log1p(-rate));
        i64 next = when + trial / trials;
        e[E_BIRTH] = (int)(next < NEVER ? next : NEVER);
        e[E_TRIAL] = (int)(trial % trials);
        return;
    }
    int on = e[E_ON];
    while (when < NEVER) {
        if (trial >= trials) {
            trial = 0;
            ++when;
            double chance = random_unit(stream);
            on = on ? !(chance <= rates[2]) : chance <= rates[1];
        }
        if (on && random_unit(stream) <= rate) break;
        ++trial;
    }
    e[E_ON] = on;
    e[E_BIRTH] = (int)when;
    e[E_TRIAL] = (int)trial;
}

DEVICE i64 reached(const double* shares, i64 low, i64 high, double draw) {
    i64 last = high - 1;
    while (low < last) {
        i64 middle = (low + last) >> 1;
        if (shares[middle] < draw) low = middle + 1;
        else last = middle;
    }
    return low < last ? low : last;
}

DEVICE i64 draw_target(i64 local, u64* stream) {
    i64 kind = E->kind[0];
    u64 many = (u64)E->endpoints;
    if (kind == TABLE) return E->targets[local];
    if (kind == UNIFORM) return (i64)(random_bits(stream) % many);
    if (kind == UNIFORM_OTHERS) {
        i64 other = (i64)(random_bits(stream) % (many - 1));
        return other >= local ? other + 1 : other;
    }
    double draw = random_unit(stream);
    return E->targets[reached(E->shares, E->starts[local], E->starts[local + 1], draw)];
}

DEVICE i64 draw_size(u64* stream) {
    if (E->sizes_many == 1) return E->sizes[0];
    return E->sizes[reached(E->size_shares, 0, E->sizes_many, random_unit(stream))];
}

// ---- what the tables say of two routers, folded or not: entry_kernels.py -----------

// `here` less `goal` as addresses. Numbers of routers fit into 32 bits, which divide sooner.
DEVICE i64 difference(i64 here, i64 goal) {
    if (E->fold == FLIPS) return here ^ goal;
    unsigned at = (unsigned)here, to = (unsigned)goal, stride = 1, out = 0;
    for (i64 axis = E->axes - 1; axis >= 0; --axis) {
        unsigned side = (unsigned)E->sides_of[axis], above = at / side, beyond = to / side;
        int gap = (int)(at - above * side) - (int)(to - beyond * side);
        out += stride * (unsigned)(gap < 0 ? gap + (int)side : gap);
        stride *= side;
        at = above;
        to = beyond;
    }
    return out;
}

DEVICE i64 dated(i64 here, i64 gap, int turn) {
    i64 entry = E->table[2 * gap + turn];
    if (!E->dated || (entry & PORT_MASK) == NO_ROUTE) return entry;
    i64 out = E->indptr[here] + (entry & PORT_MASK);
    return entry | (i64)(E->runs[turn * E->routers + gap] >= E->ahead[out]) << ENTRY_SET_SHIFT;
}

DEVICE i64 entry_of(i64 here, i64 goal) {
    if (E->fold == WHOLE) return E->table[here * E->columns + goal];
    if (E->fold != LEAVES) return dated(here, difference(here, goal), 0);
    i64 at = E->switch_of[here];
    if (at < 0) return 0;
    if (at == -1 - (i64)E->switch_of[goal]) return E->port_of[goal];
    return E->table[at * E->columns + E->column_of[E->aside[at] * E->routers + goal]];
}

// The entry of the other way of a tie.
DEVICE i64 other_entry(i64 here, i64 goal) {
    if (E->fold != WHOLE) return dated(here, difference(here, goal), 1);
    i64 low = E->tie_starts[goal], high = E->tie_starts[goal + 1];
    while (high - low > 1) {
        i64 middle = (low + high) >> 1;
        if (E->tie_nodes[middle] <= here) low = middle;
        else high = middle;
    }
    return E->tie_entries[low];
}

DEVICE i64 hops_of(i64 here, i64 goal) {
    if (E->fold == WHOLE) return E->distances[here * E->pairs_columns + goal];
    if (E->fold != LEAVES) return E->distances[difference(here, goal)];
    i64 at = -1 - (i64)E->switch_of[here], to = -1 - (i64)E->switch_of[goal];
    return (i64)E->distances[at * E->pairs_columns + to] + 2;
}

DEVICE i64 shortest_of(i64 here, i64 goal) {
    if (E->fold == WHOLE) return E->shortest[here * E->pairs_columns + goal];
    if (E->fold != LEAVES) return E->shortest[difference(here, goal)];
    i64 at = E->switch_of[here], to = -1 - (i64)E->switch_of[goal];
    if (at < 0) return 1;
    return at == to ? 1ll << E->port_of[goal] : E->shortest[at * E->pairs_columns + to];
}

DEVICE i64 set_of(i64 here, i64 goal) {
    if (!E->layered) return E->layers[0];
    if (E->fold == WHOLE) return E->layers[here * E->sets_columns + goal];
    return E->layers[E->sort_of[here] * E->sets_columns + E->sort_of[E->routers + goal]];
}

DEVICE bool cut_off(i64 here, i64 goal) {
    return (entry_of(here, goal) & PORT_MASK) == NO_ROUTE;
}

// What is decided at the source: the router in between.
DEVICE void plan(i64 replica, int* P, i64 here, i64 goal, u64* stream) {
    i64 mode = N(N_MODE);
    if (here == goal || (mode != VALIANT && mode != UGAL) || cut_off(here, goal)) return;
    const int* ends = end_of(replica * E->endpoints);
    i64 mid = ends[(i64)(random_bits(stream) % (u64)E->endpoints) * END_FIELDS + E_HOME];
    if (mid == here || mid == goal || cut_off(here, mid) || cut_off(mid, goal)) {
        P[MARKS] |= SECOND;
        return;
    }
    if (mode == UGAL) {
        i64 base = replica * E->units + E->indptr[here], full = N(N_VCS) * N(N_DEPTH);
        i64 straight = base + (entry_of(here, goal) & PORT_MASK);
        i64 around = base + (entry_of(here, mid) & PORT_MASK);
        i64 detour = hops_of(here, mid) + hops_of(mid, goal);
        i64 near = (full - unit_of(straight)[U_CREDIT]) * hops_of(here, goal);
        if (near <= (full - unit_of(around)[U_CREDIT]) * detour + N(N_BIAS)) {
            P[MARKS] |= SECOND;
            return;
        }
    }
    P[MID] = (int)mid;
}

DEVICE void choose_route(int* P, i64 here, i64 goal, u64* stream) {
    const i64* first = E->chosen_first + here * (E->routers + 1);
    i64 low = first[goal], high = first[goal + 1];
    if (low == high) return;
    if (high - low > 1) low = reached(E->chosen_shares, low, high, random_unit(stream));
    P[PATH] = E->chosen_starts[low];
}

DEVICE i64 next_packet(i64 replica, i64 local, int* e, i64 line, i64 now) {
    u64* stream = E->random + replica * (E->endpoints + 1) + local;
    i64 born = e[E_BIRTH], target, size;
    if (E->kind[1] == TRACE) {
        const int* row = E->trace + 3 * (i64)e[E_TRACE];
        target = row[TRACE_TARGET];
        size = row[TRACE_SIZE];
        e[E_TRACE] += 1;
    } else {
        target = draw_target(local, stream);
        size = draw_size(stream);
    }
    draw_birth(replica, local, e, stream);
    i64* scalars = scalars_of(replica);
    i64 spare = bump(scalars + FREE, -1) - 1, who;
    if (spare >= 0) who = packet_of(replica, spare)[SPARE];
    else who = bump(scalars + FRESH, 1);
    int* P = packet_of(replica, who);
    i64 goal = end_of(replica * E->endpoints + target)[E_HOME];
    P[DST] = (int)target;
    P[GOAL] = (int)goal;
    P[BORN] = (int)born;
    P[SENT] = (int)now;
    P[SIZE] = P[LEFT] = (int)size;
    P[SRC] = (int)local;
    P[HOPS] = P[MARKS] = P[TAILS] = 0;
    P[MID] = P[TAG] = P[PATH] = -1;
    P[LINE] = (int)line;
    bump(scalars + IN_FLIGHT, 1);
    bump(scalars + CREATED, 1);
    if (scalars[BEGIN] <= born && born < scalars[END]) bump(scalars + MEASURED, 1);
    if (E->chooses) choose_route(P, e[E_HOME], goal, stream);
    else plan(replica, P, e[E_HOME], goal, stream);
    return who;
}

DEVICE int entry_vc(i64 unit, int last) {
    int per = (int)N(N_VCS), free = unit_of(unit)[U_FREE], v = last;
    for (int i = 0; i < per; ++i) {
        if (++v >= per) v = 0;
        if (free & (1 << v) && vc_of((unit << N(N_SHIFT)) + v)[CREDIT] > 0) return v;
    }
    return -1;
}

// The next flit of a packet leaves its endpoint: by this row, or -1.
DEVICE i64 enter(i64 replica, int* I, i64 who, i64 unit) {
    i64 row = (unit << N(N_SHIFT)) + I[I_VC];
    int *V = vc_of(row), *U = unit_of(unit), *P = packet_of(replica, who);
    if (V[CREDIT] <= 0) return -1;
    int left = P[LEFT], flit = (int)who * 4;
    if (left == P[SIZE]) {
        flit |= FIRST;
        if (N(N_SWITCHING) == CIRCUIT && left > 1) I[I_HOLD] = NEVER;
    }
    P[LEFT] = left - 1;
    V[CREDIT] -= 1;
    U[U_CREDIT] -= 1;
    if (left == 1) {
        flit |= LAST;
        I[I_SENDING] = -1;
        if (N(N_TAIL_CREDIT)) U[U_TAILS] |= 1 << I[I_VC];
        else U[U_FREE] |= 1 << I[I_VC];
    }
    put_flit(row, flit);
    return row;
}

DEVICE i64 send(i64 replica, i64 local, int* e, i64 line, i64 now) {
    int* I = E->injectors + (replica * E->endpoints * N(N_INJECTORS) + line) * INJECTOR_FIELDS;
    i64 who = I[I_SENDING], unit = replica * E->units + N(N_CHANNELS) + line;
    if (who < 0) {
        if (e[E_BIRTH] > now) return -1;
        if (N(N_WINDOW) && (i64)e[E_UNDERWAY] << W_SHIFT >= e[E_WINDOW]) return -1;
        int v = entry_vc(unit, I[I_LAST]);
        if (v < 0) return -1;
        who = next_packet(replica, local, e, line, now);
        e[E_UNDERWAY] += packet_of(replica, who)[SIZE];
        I[I_SENDING] = (int)who;
        I[I_VC] = I[I_LAST] = v;
        unit_of(unit)[U_FREE] &= ~(1 << v);
    }
    return I[I_HOLD] <= now ? enter(replica, I, who, unit) : -1;
}

// What arrived in this cycle changes a window at once: first the losses, then the gains.
DEVICE void set_window(int* e) {
    if (!e[E_LOSS] && !e[E_GAIN]) return;
    i64 window = e[E_WINDOW];
    if (e[E_LOSS]) {
        window -= window * e[E_LOSS] >> W_DECAY;
        if (window < 1 << W_SHIFT) window = 1 << W_SHIFT;
    }
    e[E_WINDOW] = (int)(window + e[E_GAIN]);
    e[E_LOSS] = e[E_GAIN] = 0;
}

KERNEL inject() {
    i64 now = *E->clock, per = N(N_INJECTORS);
    EACH_TOGETHER(i, E->replicas * E->endpoints) {
        bool there = i < i_all;
        i64 replica = there && E->replicas > 1 ? (unsigned)i / (unsigned)E->endpoints : 0;
        i64 local = i - replica * E->endpoints;
        there = there && !E->still[replica];
        int* e = end_of(there ? i : 0);
        if (there) set_window(e);
        for (i64 k = 0; k < per; ++k) {
            i64 row = there ? send(replica, local, e, local * per + k, now) : -1;
            i64 delay = unit_of(row >= 0 ? row >> N(N_SHIFT) : 0)[U_DELAY];
            send_arrival(now + 1 + delay, row);
        }
    }
}

// ---- ask and answer: allocation of virtual channels ---------------------------------

DEVICE i64 exit_of(i64 replica, i64 row, const int* P) {
    i64 per = N(N_EJECTORS), own = vc_of(row)[V_IN] % per;
    i64 first = replica * E->units + N(N_EXITS) + per * (i64)P[DST], best = first + own;
    for (i64 i = 1; i < per; ++i) {
        i64 line = first + (own + i) % per;
        if (unit_of(line)[U_CREDIT] > unit_of(best)[U_CREDIT]) best = line;
    }
    return best;
}

// The unit for the packet at the front of a virtual channel; V_ALLOWED gets its channels.
DEVICE i64 route(i64 replica, i64 row, int who, i64 now) {
    i64 unit = row >> N(N_SHIFT), base = replica * E->units;
    int *V = vc_of(row), *U = unit_of(unit), *P = packet_of(replica, who);
    Half p = half_of(P);
    i64 here = U[U_TO], goal = p[GOAL];
    int marks = p[MARKS];
    P[HOPS] = p[HOPS] + 1;
    V[V_ALLOWED] = (int)E->masks[E->masks_many - 2];
    if (p[PATH] >= 0) {
        if (goal == here) return exit_of(replica, row, P);
        int step = E->chosen_steps[p[PATH] + p[HOPS]];
        V[V_ALLOWED] = (int)E->masks[step & 0xFF];
        return base + (step >> 8);
    }
    bool fresh = unit - base >= N(N_CHANNELS);
    if (p[MID] >= 0) {
        if (p[MID] == here) {
            P[MID] = -1;
            P[MARKS] = marks |= SECOND;
            fresh = true;
        } else {
            goal = p[MID];
        }
    }
    if (here == goal) return exit_of(replica, row, P);
    i64 entry = entry_of(here, goal);
    if (entry & TIE && coins(replica, row, now) & 1) entry = other_entry(here, goal);
    i64 out = base + E->indptr[here] + (entry & PORT_MASK);
    if (N(N_MODE) == ADAPTIVE && !(marks & ESCAPED)) fresh = true;
    int ring = U[U_RING], next_ring = unit_of(out)[U_RING];
    i64 method = N(N_METHOD), phase = marks & SECOND ? N(N_SETS) : 0, allowed = 0;
    if (method == BY_RING) {
        fresh = fresh || ring < 0 || ring != next_ring;
        allowed = E->sets[phase + ((entry >> ENTRY_SET_SHIFT) & ENTRY_SET_MASK)];
    } else if (fresh) {
        allowed = E->sets[phase + set_of(here, goal)];
    }
    if (!fresh) {
        i64 level = E->kinds[row - (unit << N(N_SHIFT))];
        if (method == RISING && ring == 1 && next_ring == 0) level += 1;
        allowed = E->masks[level];
    }
    V[V_ALLOWED] = (int)allowed;
    return out;
}

DEVICE i64 roomy(i64 unit, i64 allowed, i64 need) {
    i64 mask = 0;
    for (i64 left = allowed; left; left &= left - 1) {
        int v = lowest((u64)left);
        if (vc_of((unit << N(N_SHIFT)) + v)[CREDIT] >= need) mask |= 1ll << v;
    }
    return mask;
}

DEVICE bool crowded(i64 unit, i64 mask) {
    i64 room = 0, total = 0;
    for (i64 left = mask; left; left &= left - 1) {
        room += vc_of((unit << N(N_SHIFT)) + lowest((u64)left))[CREDIT];
        total += N(N_DEPTH);
    }
    return 1000 * room < N(N_LIMIT) * total;
}

DEVICE i64 emptiest(i64 replica, i64 row, i64 need, i64 now) {
    const int *V = vc_of(row), *P = packet_of(replica, V[FRONT] >> 2);
    i64 here = unit_of(row >> N(N_SHIFT))[U_TO], goal = P[GOAL];
    if (here == goal || P[MARKS] & ESCAPED) return -1;
    i64 roaming = E->masks[E->masks_many - 1], bits = shortest_of(here, goal);
    i64 best = -1, most = -1, first = replica * E->units + E->indptr[here];
    int swap = bits & (bits - 1) ? coins(replica, row, now) >> 1 : 0;
    i64 plenty = (N(N_VCS) - 1) * N(N_DEPTH) + need;
    for (; bits; bits &= bits - 1) {
        i64 out = first + lowest((u64)bits);
        const int* U = unit_of(out);
        i64 fit = U[U_FREE] & roaming, room = U[U_CREDIT];
        if (fit == 0 || room + swap <= most) continue;
        if (need == 0 || room >= plenty || roomy(out, fit, need)) {
            best = out;
            most = room;
        }
    }
    return best;
}

// A waiter that is ready asks for a unit: the unit, if it is the first who does; else -1.
DEVICE i64 asks(i64 row, i64 now) {
    int* V = vc_of(row);
    Half v = half_of(V);
    if (v[READY] > now) return -1;
    i64 replica = replica_of(row >> N(N_SHIFT)), channels = N(N_CHANNELS), depth = N(N_DEPTH);
    if (E->still[replica]) return -1;
    const int* P = packet_of(replica, v[FRONT] >> 2);
    i64 switching = N(N_SWITCHING), others = (N(N_VCS) - 1) * depth;
    bool whole = switching == CUT_THROUGH || switching == STORE_FORWARD;
    i64 size = whole || N(N_MODE) == ADAPTIVE ? P[SIZE] : 1;
    if (switching == STORE_FORWARD && v[COUNT] < size) return -1;
    if (v[OUT] == -1) V[OUT] = v[OUT] = (int)route(replica, row, v[FRONT] >> 2, now);
    i64 unit = v[OUT], allowed = V[V_ALLOWED], need = whole ? size : 0;
    bool inside = unit - replica * E->units < channels;
    if (N(N_MODE) == ADAPTIVE && inside) {
        i64 room = N(N_SHARED) ? need : (size < depth ? size : depth);
        i64 roaming = emptiest(replica, row, room, now);
        if (roaming >= 0) {
            unit = roaming;
            allowed = E->masks[E->masks_many - 1];
            need = room;
        }
    }
    Four U = four_of(unit_of(unit));
    i64 mask = allowed & U.at[U_FREE];
    if (need == 0 && U.at[U_CREDIT] <= others)
        need = N(N_ROOM) > 0 ? (i64)P[SENT] - P[BORN] > N(N_ROOM) : 0;
    if (mask && need && U.at[U_CREDIT] < others + need) mask = roomy(unit, mask, need);
    if (mask == 0) return -1;
    bool entering = N(N_LIMIT) && (row >> N(N_SHIFT)) - replica * E->units >= channels;
    if (entering && inside && now - v[READY] < PATIENCE) {
        bool tight = 1000 * (U.at[U_CREDIT] - others) < N(N_LIMIT) * depth;
        if (tight && crowded(unit, allowed)) return -1;
    }
    V[V_MASK] = (int)mask;
    int next = swapped(unit_of(unit) + U_ASK, (int)row);
    V[V_NEXT] = next;
    return next < 0 ? unit : -1;
}

KERNEL ask() {
    i64 now = *E->clock;
    const int* waiters = E->waiters + parity() * E->replicas * E->rows;
    EACH(i, E->counts[parity()]) E->touched[i] = (int)asks(waiters[i], now);
}

DEVICE int first_choice(const Half& u, int take, i64 mask) {
    i64 per = N(N_VCS), v = take - u[U_OUT] * per;
    return ring_first(mask, 0 <= v && v < per ? (int)v : 0);
}

DEVICE void grant(i64 unit, const Half& u, int v, i64 row, i64 now) {
    i64 shift = N(N_SHIFT), per = N(N_VCS), out = (unit << shift) + v;
    i64 replica = replica_of(unit);
    int* V = vc_of(row);
    Half w = half_of(V);
    i64 mine = w[V_IN] * per + (row & ((1 << shift) - 1)) + 1;
    vc_of(out)[V_GIVE] = mine < u[U_INS] * per ? (int)mine : 0;
    i64 theirs = u[U_OUT] * per + v + 1;
    V[V_TAKE] = theirs < u[U_OUTS] * per ? (int)theirs : 0;
    unit_of(unit)[U_FREE] &= ~(1 << v);
    w[STATE] = ACTIVE;
    w[OUT] = (int)out;
    w[READY] = (int)(now + N(N_SW_ALLOC));
    keep(V, w.low);
    bool inside = unit - replica * E->units < N(N_CHANNELS);
    if (N(N_MODE) == ADAPTIVE && inside && !(E->masks[E->masks_many - 1] & (1ll << v)))
        packet_of(replica, w[FRONT] >> 2)[MARKS] |= ESCAPED;
}

// Several askers at one unit: every free channel offers itself, every asker takes one.
DEVICE void match(i64 unit, const Half& u, i64 asker, i64 now) {
    int offers[32];
    i64 shift = N(N_SHIFT), per = N(N_VCS), lap = u[U_INS] * per, wanted = 0;
    i64 priority = N(N_PRIORITY), base = replica_of(unit) * E->units;
    const i64 last = 1ll << 62;
    for (i64 row = asker; row >= 0; row = vc_of(row)[V_NEXT]) wanted |= vc_of(row)[V_MASK];
    for (i64 left = wanted; left; left &= left - 1) {
        int v = lowest((u64)left);
        const int* O = vc_of((unit << shift) + v);
        bool transit = priority == TRANSIT && O[CREDIT] * N(N_EASE) < N(N_DEPTH);
        i64 offer = -1, low = last;
        for (i64 row = asker; row >= 0;) {
            const int* V = vc_of(row);
            i64 key = V[V_IN] * per + (row & ((1 << shift) - 1)) - O[V_GIVE];
            key += key < 0 ? lap : 0;
            if (transit && V[READY] > now - PATIENCE) {
                i64 line = row >> shift;
                key += line - base >= N(N_CHANNELS) ? lap : 0;
                bool turns_in = N(N_METHOD) == BY_RING &&
                    unit_of(line)[U_RING] != unit_of(unit)[U_RING];
                key += turns_in ? lap : 0;
            } else if (priority == AGE) {
                key += lap * packet_of(base / E->units, V[FRONT] >> 2)[BORN];
            }
            if ((V[V_MASK] >> v) & 1 && key < low) {
                offer = row;
                low = key;
            }
            row = V[V_NEXT];
        }
        offers[v] = (int)offer;
    }
    for (i64 row = asker; row >= 0;) {
        int* V = vc_of(row);
        i64 next = V[V_NEXT], offered = 0;
        for (i64 left = wanted & V[V_MASK]; left; left &= left - 1) {
            int v = lowest((u64)left);
            if (offers[v] == row) offered |= 1ll << v;
        }
        if (offered) grant(unit, u, first_choice(u, V[V_TAKE], offered), row, now);
        row = next;
    }
}

KERNEL answer() {
    i64 now = *E->clock;
    EACH(i, E->counts[parity()]) {
        i64 unit = E->touched[i];
        if (unit < 0) continue;
        Half u = half_of(unit_of(unit));
        i64 row = u[U_ASK];
        Four last = four_of(vc_of(row) + V_TAKE);  // V_TAKE, V_ALLOWED, V_MASK, V_NEXT
        if (last.at[V_NEXT - V_TAKE] < 0)
            grant(unit, u, first_choice(u, last.at[0], last.at[V_MASK - V_TAKE]), row, now);
        else match(unit, u, row, now);
        unit_of(unit)[U_ASK] = -1;
    }
}

// ---- choose, take and move: allocation of the switch, and the way through it --------

// Who has waited goes on waiting, or sends from the next cycle on.
DEVICE void sort_waiters(int half) {
    const int* waiters = E->waiters + half * E->replicas * E->rows;
    EACH_TOGETHER(i, E->counts[half]) {
        i64 row = i < i_all ? waiters[i] : -1;
        int* V = vc_of(row >= 0 ? row : 0);
        bool waits = row >= 0 && V[STATE] == WAITING;
        bool sends = row >= 0 && !waits && !(V[MISC] & LISTED);
        if (sends) set_bits(V + MISC, LISTED);
        list_waiter(1 - half, waits ? row : -1);
        list_sender(1 - half, sends ? row : -1);
    }
}

// An output chooses the first of those who ask for it.
KERNEL choose() {
    i64 now = *E->clock, shift = N(N_SHIFT), speedup = N(N_SPEEDUP), per = N(N_VCS);
    bool transit = N(N_PRIORITY) == TRANSIT;
    int half = parity();
    sort_waiters(half);
    const int* senders = E->senders + half * E->replicas * E->rows;
    EACH(i, E->counts[2 + half]) {
        i64 row = senders[i], unit = row >> shift;
        Half v = half_of(vc_of(row));
        if (v[READY] > now) continue;
        i64 out = v[OUT], to = out >> shift, credit = vc_of(out)[CREDIT];
        if (credit == 0) continue;
        Half u = half_of(unit_of(to));
        i64 key = v[V_SIDE] + speedup * (v[V_IN] - unit) - u[U_GIVE], lap = u[U_INS] * speedup;
        key += key < 0 ? lap : 0;
        if (transit && unit - replica_of(unit) * E->units >= N(N_CHANNELS)) {
            bool full = credit * N(N_EASE) < N(N_DEPTH);
            key += full && v[READY] > now - PATIENCE ? lap : 0;
        }
        i64 turn = (row & ((1 << shift) - 1)) - side_of(v[V_SIDE])[X_OFFSET];
        turn += turn < 0 ? per : 0;
        least(E->best + to, (u64)(key * 32 + turn) << 32 | (u64)row);
    }
}

// An input takes the first output that chose it.
KERNEL take() {
    i64 shift = N(N_SHIFT);
    int half = parity();
    const int* senders = E->senders + half * E->replicas * E->rows;
    EACH(i, E->counts[2 + half]) {
        i64 row = senders[i];
        Half v = half_of(vc_of(row));
        i64 to = v[OUT] >> shift;
        u64 best = E->best[to];
        if ((i64)(best & 0xFFFFFFFFull) != row || best == NOBODY_YET) continue;
        Four u = four_of(unit_of(to) + 4);  // U_INS, U_OUT, U_OUTS, U_DELAY
        i64 key = u.at[U_OUT - 4] - side_of(v[V_SIDE])[X_TAKE];
        key += key < 0 ? u.at[U_OUTS - 4] : 0;
        least(E->first + v[V_SIDE], (u64)key << 32 | (u64)to);
    }
}

// Take the front flit off a buffer; the next packet steps forward.
DEVICE void pop(i64 row, Half& v, i64 now) {
    int flit = v[FRONT];
    v[HEAD] = v[HEAD] + 1 < N(N_DEPTH) ? v[HEAD] + 1 : 0;
    if (--v[COUNT] > 0) v[FRONT] = E->flits[row * N(N_DEPTH) + v[HEAD]];
    if (!(flit & LAST)) return;
    v[STATE] = v[COUNT] ? WAITING : IDLE;
    if (v[COUNT] == 0) return;
    v[OUT] = -1;
    v[READY] = (int)(now + N(N_ROUTING) + N(N_VC_ALLOC));
}

// Did the output that a sender asks for choose it, and its input that output?
DEVICE bool won(i64 row, i64 to, i64 side) {
    u64 best = E->best[to];
    if (best == NOBODY_YET || (i64)(best & 0xFFFFFFFFull) != row) return false;
    E->best[to] = NOBODY_YET;
    u64 first = E->first[side];
    if (first == NOBODY_YET || (i64)(first & 0xFFFFFFFFull) != to) return false;
    E->first[side] = NOBODY_YET;
    return true;
}

// The front flit goes through the switch to a virtual channel of a unit; both arbiters go on.
DEVICE void traverse(i64 row, Half& v, Half& u, i64 to, bool inside, i64 now) {
    i64 out = v[OUT], unit = row >> N(N_SHIFT), per = N(N_VCS), speedup = N(N_SPEEDUP);
    int *O = vc_of(out), *X = side_of(v[V_SIDE]), flit = v[FRONT];
    Four sent = four_of(O + MISC);  // MISC, CREDIT, WRITE, V_GIVE
    O[CREDIT] = sent.at[CREDIT - MISC] - 1;
    if (inside) {
        int at = sent.at[WRITE - MISC];
        E->flits[out * N(N_DEPTH) + at] = flit;
        O[WRITE] = at + 1 < N(N_DEPTH) ? at + 1 : 0;
    }
    i64 place = v[V_SIDE] + speedup * (v[V_IN] - unit) + 1;
    i64 next = row - (unit << N(N_SHIFT)) + speedup;
    while (next >= per) next -= per;
    Four side = four_of(X);
    side.at[X_TAKE] = u[U_OUT] + 1 < u[U_OUTS] ? u[U_OUT] + 1 : 0;
    side.at[X_OFFSET] = (int)next;
    side.at[X_KEY] += 1;
    keep(X, side);
    u[U_CREDIT] -= 1;
    u[U_GIVE] = place < u[U_INS] * speedup ? (int)place : 0;
    if (flit & LAST) {
        int bit = 1 << (out - (to << N(N_SHIFT)));
        if (N(N_TAIL_CREDIT)) unit_of(to)[U_TAILS] |= bit;
        else u[U_FREE] |= bit;
    }
    keep(unit_of(to), u.low);
    pop(row, v, now);
    keep(vc_of(row), v);
}

// Winners of both go through the switch; all who may go on are listed for the next cycle.
KERNEL move() {
    i64 now = *E->clock, shift = N(N_SHIFT);
    int half = parity();
    const int* senders = E->senders + half * E->replicas * E->rows;
    EACH_TOGETHER(i, E->counts[2 + half]) {
        i64 row = i < i_all ? senders[i] : -1, to = 0, out = 0, delay = 0, back = 0;
        bool goes = false, inside = false, stays = row >= 0, waits = false;
        int flit = 0;
        if (row >= 0) {
            Half v = half_of(vc_of(row));
            out = v[OUT];
            to = out >> shift;
            goes = won(row, to, v[V_SIDE]);
            if (goes) {
                i64 replica = replica_of(to);
                Half u = half_of(unit_of(to));
                inside = to - replica * E->units < N(N_CHANNELS);
                flit = v[FRONT];
                delay = u[U_DELAY];
                back = unit_of(row >> shift)[U_DELAY];
                traverse(row, v, u, to, inside, now);
                stays = v[STATE] >= ACTIVE && v[COUNT] > 0;
                waits = v[STATE] == WAITING;
                if (!stays) clear_bits(vc_of(row) + MISC, LISTED);
                i64* scalars = scalars_of(replica);
                if (scalars[LAST_MOVE] < now) scalars[LAST_MOVE] = now;
                const i64* span = E->span + 3 * replica;
                if (span[0] <= now && now < span[1]) E->used[to] += 1;
            }
        }
        i64 due = now + 1 + N(N_TRAVERSAL) + delay;
        send_arrival(due, goes && inside ? out : -1);
        send_ejection(due, goes && !inside ? out : -1, flit);
        send_credit(now + 1 + back + N(N_CREDIT), goes ? row : -1);
        list_waiter(1 - half, waits ? row : -1);
        list_sender(1 - half, stays ? row : -1);
    }
}

// ---- tick ---------------------------------------------------------------------------

KERNEL tick() {
    i64 now = *E->clock;
    EACH(r, E->replicas) {
        i64* scalars = scalars_of(r);
        if (E->still[r]) continue;
        if (scalars[FREE] < 0) scalars[FREE] = 0;
        if (scalars[IN_FLIGHT] == 0) scalars[LAST_MOVE] = now;
        else if (now - scalars[LAST_MOVE] > E->patience) E->still[r] = 1;
        if (!E->still[r]) scalars[NOW] = now + 1;
    }
#ifndef HOST
    __syncthreads();
    if (threadIdx.x) return;
#endif
    int half = (int)(now & 1);
    E->counts[half] = E->counts[2 + half] = 0;
    slot_of(E->credits, E->replicas * E->rows, now)[0] = 0;
    slot_of(E->arrivals, E->replicas * E->units, now)[0] = 0;
    slot_of(E->ejections, 2 * E->replicas * E->endpoints * N(N_EJECTORS), now)[0] = 0;
    *E->clock = now + 1;
}
