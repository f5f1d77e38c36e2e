// Generator sets of circulants, tested with bit sets in shared memory. A set of nodes is a bit set
// of `nodes` bits, written a little past its end (going round), so that 32 nodes at any place are
// one funnel shift of two words.

typedef unsigned int u32;
typedef unsigned long long u64;

#define FULL 0xffffffffu
#define MOST 24  // radii of balls, 0..d

__device__ __forceinline__ u32 look(const u32* bits, int place) {
  return __funnelshift_r(bits[place >> 5], bits[(place >> 5) + 1], place & 31);
}

__device__ __forceinline__ u32 last_word(int nodes) {
  return nodes & 31 ? (1u << (nodes & 31)) - 1 : FULL;
}

// Write the first 64 bits again behind the last one; there must be at least 64 of them.
__device__ void go_round(u32* bits, int nodes) {
  const int word = nodes >> 5, shift = nodes & 31;
  const u32 a = bits[0], b = bits[1];
  if (shift == 0) {
    bits[word] = a, bits[word + 1] = b;
  } else {
    bits[word] = (bits[word] & ((1u << shift) - 1)) | a << shift;
    bits[word + 1] = a >> (32 - shift) | b << shift;
  }
}

// Does each set have a diameter of at most d? One set for a block at a time.
extern "C" __global__ void __launch_bounds__(THREADS)
within(const int* __restrict__ sets, int total, int count, int nodes, int d, unsigned char* out) {
  extern __shared__ u32 memory[];
  const int words = (nodes + 31) >> 5, room = words + 2, ways = 2 * count;
  int* step = (int*)(memory + 2 * room);
  for (int set = blockIdx.x; set < total; set += gridDim.x) {
    u32 *ball = memory, *next = memory + room;
    bool failed = false;
    if (threadIdx.x < ways) {
      const int s = sets[(long long)set * count + (threadIdx.x >> 1)];
      step[threadIdx.x] = threadIdx.x & 1 ? nodes - s : s;
    }
    for (int w = threadIdx.x; w < room; w += THREADS) ball[w] = 0;
    __syncthreads();
    const int begin = d >= 3 ? 2 : d - 1;  // the first radii have few nodes: write them down
    for (int i = threadIdx.x; i < (begin == 2 ? ways * ways : 0); i += THREADS) {
      const int node = (step[i / ways] + step[i % ways]) % nodes;
      atomicOr(ball + (node >> 5), 1u << (node & 31));
    }
    for (int i = threadIdx.x; i <= ways; i += THREADS) {
      const int node = begin > 0 && i < ways ? step[i] % nodes : 0;
      atomicOr(ball + (node >> 5), 1u << (node & 31));
    }
    __syncthreads();
    for (int radius = begin + 1; radius <= d; radius++) {
      if (threadIdx.x == 0) go_round(ball, nodes);
      __syncthreads();
      const bool last = radius == d;
      const int end = last ? (nodes >> 6) + 1 : words;  // at the end half the nodes tell
      for (int low = 0; low < end; low += THREADS) {
        const int w = low + threadIdx.x;
        if (w < end) {
          u32 seen = ball[w];
          for (int i = 0; i < ways && seen != FULL; i++) {
            int place = 32 * w + step[i];
            if (place >= nodes) place -= nodes;
            seen |= look(ball, place);
          }
          const u32 wanted = w == words - 1 ? last_word(nodes) : FULL;
          if (last)
            failed |= (seen & wanted) != wanted;
          else
            next[w] = seen & wanted;
        }
        if (last && __syncthreads_or(failed)) break;
      }
      __syncthreads();
      u32* turn = ball;
      ball = next, next = turn;
    }
    failed = __syncthreads_or(failed);
    if (threadIdx.x == 0) out[set] = !failed;
    __syncthreads();
  }
}

// Could `more` generators reach all nodes at all, all sums being different?
__device__ bool can_cover(const int* sizes, int nodes, int d, int more) {
  long long counts[MOST];
  for (int r = 0; r <= d; r++) counts[r] = sizes[r];
  for (int m = 0; m < more; m++)
    for (int r = d; r >= 0; r--) {
      for (int j = 1; j <= r; j++) counts[r] += 2 * counts[r - j];
      counts[r] = min(counts[r], 1LL << 40);
    }
  return counts[d] >= nodes;
}

// Balls of all radii with one generator more, and their sizes.
__device__ void add_generator(const u32* before, u32* after, int nodes, int s, int d, int* sizes) {
  const int words = (nodes + 31) >> 5, room = words + 2;
  if (threadIdx.x <= d) sizes[threadIdx.x] = 0;
  __syncthreads();
  for (int r = 0; r <= d; r++) {
    u32* ball = after + r * room;
    int count = 0;
    for (int w = threadIdx.x; w < words; w += THREADS) {
      u32 seen = before[r * room + w];
      if (r > 0) {
        int forth = 32 * w - s, back = 32 * w + s;
        if (forth < 0) forth += nodes;
        if (back >= nodes) back -= nodes;
        seen |= look(ball - room, forth) | look(ball - room, back);
      }
      if (w == words - 1) seen &= last_word(nodes);
      ball[w] = seen;
      count += __popc(seen);
    }
    if (count) atomicAdd(sizes + r, count);
    __syncthreads();
    if (threadIdx.x == 0) go_round(ball, nodes);
    __syncthreads();
  }
}

// The nodes from 32 * w on that are within r when a generator s is added to the balls.
__device__ u32 reached(const u32* balls, int room, int nodes, int s, int r, int w) {
  u32 seen = look(balls + r * room, 32 * w);
  int forth = 32 * w, back = forth;
  for (int j = 1; j <= r && seen != FULL; j++) {
    forth -= s;
    if (forth < 0) forth += nodes;
    back += s;
    if (back >= nodes) back -= nodes;
    const u32* ball = balls + (r - j) * room;
    seen |= look(ball, forth) | look(ball, back);
  }
  return seen;
}

// Sum of distances from a node, if it is at most `most`; else something larger. The largest radii
// differ most between sets, so they come first; for the others the largest balls there can be.
__device__ u64 sum_within(const u32* balls, int room, int nodes, int x, int d, const int* largest,
                          u64 most) {
  const int words = (nodes + 31) >> 5;
  u64 total = 0;
  for (int r = 0; r < d; r++) total += nodes - largest[r];
  for (int r = d - 1; r >= 0 && total <= most; r--) {
    int size = 0;
    for (int w = 0; w < words; w++)
      size += __popc(reached(balls, room, nodes, x, r, w) &
                     (w == words - 1 ? last_word(nodes) : FULL));
    total += largest[r] - size;
  }
  return total;
}

// All sets that begin with given generators and go on with two larger ones: one beginning for a
// column of blocks, which share the next generator, and one last generator for a thread. `found`:
// sets kept, sets tested, least sum of distances. All sets are kept if `every`, else those that no
// set before them was better than.
extern "C" __global__ void __launch_bounds__(THREADS)
scan(const int* __restrict__ beginnings, int count, int nodes, int d, int paired,
     const unsigned char* __restrict__ allowed, const int* __restrict__ mirror, int every, int* out,
     u64 room_out, u64* found) {
  extern __shared__ u32 memory[];
  __shared__ int sizes[MOST], largest[MOST];
  __shared__ bool promising;
  const int words = (nodes + 31) >> 5, room = words + 2, half = nodes >> 1, given = count - 2;
  const int* mine = beginnings + (long long)blockIdx.x * given;
  u32 *balls = memory, *wider = memory + (d + 1) * room;
  for (int i = threadIdx.x; i < (d + 1) * room; i += THREADS) balls[i] = 0;
  __syncthreads();
  if (threadIdx.x <= d) {
    u32* ball = balls + threadIdx.x * room;
    ball[0] = 1;
    if (paired && threadIdx.x > 0) ball[half >> 5] |= 1u << (half & 31);
    go_round(ball, nodes);
  }
  __syncthreads();
  for (int g = 0; g < given; g++) {
    add_generator(balls, wider, nodes, mine[g], d, sizes);
    if (threadIdx.x == 0) promising = can_cover(sizes, nodes, d, count - 1 - g);
    __syncthreads();
    if (!promising) return;
    u32* turn = balls;
    balls = wider, wider = turn;
  }
  u64 tested = 0;
  for (int s = mine[given - 1] + 1 + blockIdx.y; s < half; s += gridDim.y) {
    const int second = given > 1 ? mine[1] : s;
    if (!allowed[s] || (mirror[s] != 0 && mirror[s] < second)) continue;
    __syncthreads();
    add_generator(balls, wider, nodes, s, d, sizes);
    if (threadIdx.x <= d) {
      long long size = sizes[threadIdx.x];
      for (int j = 1; j <= threadIdx.x; j++) size += 2 * sizes[threadIdx.x - j];
      largest[threadIdx.x] = (int)min(size, (long long)nodes);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      u64 least = 0;  // no set with these generators has a smaller sum of distances
      for (int r = 0; r < d; r++) least += nodes - largest[r];
      promising = largest[d] == nodes && (every || least <= *(volatile u64*)(found + 2));
    }
    __syncthreads();
    if (!promising) continue;
    for (int x = s + 1 + threadIdx.x; x <= half; x += THREADS) {
      if (!allowed[x] || (mirror[x] != 0 && mirror[x] < second)) continue;
      tested++;
      bool covers = true;
      for (int w = 0; w <= half >> 5 && covers; w++)
        covers = reached(wider, room, nodes, x, d, w) == FULL;
      if (!covers) continue;
      const u64 best = *(volatile u64*)(found + 2);
      const u64 total = sum_within(wider, room, nodes, x, d, largest, every ? ~0ULL : best);
      if (!every && total > best) continue;
      atomicMin(found + 2, total);
      const u64 at = atomicAdd(found, 1ULL);
      if (at < room_out) {
        int* row = out + 4 * at;
        row[0] = blockIdx.x, row[1] = s, row[2] = x, row[3] = (int)total;
      }
    }
  }
  atomicAdd(found + 1, tested);
}
