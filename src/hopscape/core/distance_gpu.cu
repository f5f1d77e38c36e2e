// All-pairs distances, bit-parallel: 128 * V sources at a time, one bit for each, V vectors of 16
// bytes for each node. Bit s of node v after level d says that v lies within distance d of source
// s. A node pulls from the tails of its incoming channels; rows that are still empty are told by a
// bit of `live` and not read, and a thread stops at a row that is full.
// The first levels, while balls are small, are plain breadth-first searches: a block for each
// source, with the same bits as the set of nodes seen.

typedef unsigned int u32;
typedef unsigned long long u64;

#define EVERYBODY 0xffffffffu

__device__ __forceinline__ bool same(uint4 a, uint4 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}

extern "C" __global__ void __launch_bounds__(256)
first(const int* __restrict__ indptr, const int* __restrict__ heads, const int* __restrict__ sources,
      u32* rows, u32* live, int batch, int levels, int room, int* queues, u64* fresh, u32* grew) {
  const int source = blockIdx.x, word = source >> 5;
  const u32 bit = 1u << (source & 31);
  int* queue = queues + (long long)source * room;
  __shared__ int begin, end, stop;
  if (source >= batch) return;
  if (threadIdx.x == 0) {
    const int node = sources[source];
    queue[0] = node;
    atomicOr(rows + (long long)node * 4 * V + word, bit);
    atomicOr(live + (node >> 5), 1u << (node & 31));
    begin = 0;
    end = stop = 1;
  }
  __syncthreads();
  for (int level = 1; level <= levels; level++) {
    const int high = stop;
    for (int i = begin + (threadIdx.x >> 5); i < high; i += 8) {
      const int node = queue[i], last = indptr[node + 1];
      for (int channel = indptr[node] + (threadIdx.x & 31); channel < last; channel += 32) {
        const int head = heads[channel];
        if (atomicOr(rows + (long long)head * 4 * V + word, bit) & bit) continue;
        queue[atomicAdd(&end, 1)] = head;
        const u32 mark = 1u << (head & 31);
        if (!(live[head >> 5] & mark)) atomicOr(live + (head >> 5), mark);
      }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      if (end > high) {
        atomicAdd(fresh + level, (u64)(end - high));
        atomicOr(grew + level * 4 * V + word, bit);
      }
      begin = high;
      stop = end;
    }
    __syncthreads();
  }
}

extern "C" __global__ void __launch_bounds__(256)
step(const int* __restrict__ indptr, const int* __restrict__ tails, const uint4* __restrict__ now,
     uint4* __restrict__ after, const u32* __restrict__ live, u32* live_after, int sparse,
     const uint4* __restrict__ full_row, int nodes, u64* fresh, u32* grew) {
  const long long thread = blockIdx.x * 256LL + threadIdx.x;
  const int node = (int)(thread / V), part = (int)(thread % V), lane = threadIdx.x & 31;
  uint4 row = make_uint4(0, 0, 0, 0), change = row;
  if (node < nodes) {
    const uint4 full = full_row[part], old = now[(long long)node * V + part];
    row = old;
    const int last = __ldg(indptr + node + 1);
    for (int channel = __ldg(indptr + node); channel < last && !same(row, full); channel += 4) {
      int tail[4];
#pragma unroll
      for (int k = 0; k < 4; k++) tail[k] = channel + k < last ? __ldcs(tails + channel + k) : node;
#pragma unroll
      for (int k = 0; k < 4; k++) {
        if (sparse && !(__ldg(live + (tail[k] >> 5)) >> (tail[k] & 31) & 1)) continue;
        const uint4 more = now[(long long)tail[k] * V + part];
        row.x |= more.x, row.y |= more.y, row.z |= more.z, row.w |= more.w;
      }
    }
    change = make_uint4(row.x ^ old.x, row.y ^ old.y, row.z ^ old.z, row.w ^ old.w);
    after[(long long)node * V + part] = row;
  }

  // What the block found: how many bits are new, and of which sources.
  __shared__ u32 sums[8], ors[4 * V];
  if (threadIdx.x < 4 * V) ors[threadIdx.x] = 0;
  u32 count = __popc(change.x) + __popc(change.y) + __popc(change.z) + __popc(change.w);
  count = __reduce_add_sync(EVERYBODY, count);
  if (lane == 0) sums[threadIdx.x >> 5] = count;
  __syncthreads();
  if (count) {
#pragma unroll
    for (int k = V; k < 32; k <<= 1) {
      change.x |= __shfl_xor_sync(EVERYBODY, change.x, k);
      change.y |= __shfl_xor_sync(EVERYBODY, change.y, k);
      change.z |= __shfl_xor_sync(EVERYBODY, change.z, k);
      change.w |= __shfl_xor_sync(EVERYBODY, change.w, k);
    }
    if (lane < V) {
      atomicOr(ors + 4 * part, change.x);
      atomicOr(ors + 4 * part + 1, change.y);
      atomicOr(ors + 4 * part + 2, change.z);
      atomicOr(ors + 4 * part + 3, change.w);
    }
  }
  if (sparse) {
    const u32 filled = __ballot_sync(EVERYBODY, (row.x | row.y | row.z | row.w) != 0);
    if (lane % V == 0 && node < nodes && (filled >> lane & ((1u << V) - 1)))
      atomicOr(live_after + (node >> 5), 1u << (node & 31));
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    u64 total = 0;
    for (int i = 0; i < 8; i++) total += sums[i];
    if (total) atomicAdd(fresh, total);
  }
  if (threadIdx.x < 4 * V && (ors[threadIdx.x] & ~grew[threadIdx.x]))
    atomicOr(grew + threadIdx.x, ors[threadIdx.x]);
}
