import type { Alive, Graph } from "./graph";

/** Distances over all ordered pairs of living endpoints. */
export interface Profile {
  pairs: number;
  unreached: number;
  diameter: number;
  mean: number;
  histogram: number[];
}

function bits(x: number): number {
  let y = x - ((x >>> 1) & 0x55555555);
  y = (y & 0x33333333) + ((y >>> 2) & 0x33333333);
  return (((y + (y >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

/** One search for 32 sources at once, a bit for each; adds to the histogram. */
function sweep(
  graph: Graph,
  alive: Alive,
  counted: Uint8Array,
  sources: number[],
  reached: Uint32Array,
  front: Uint32Array,
  fresh: Uint32Array,
  histogram: number[],
): void {
  reached.fill(0);
  let active: number[] = [];
  sources.forEach((v, i) => {
    reached[v] |= 1 << i;
    front[v] = reached[v];
    active.push(v);
  });
  for (let hops = 1; active.length; hops++) {
    const touched: number[] = [];
    for (const v of active) {
      const carried = front[v];
      for (let e = graph.start[v]; e < graph.start[v + 1]; e++) {
        const w = graph.to[e];
        const news = carried & ~reached[w];
        if (!news || !alive.nodes[w] || !alive.links[graph.channel[e] >> 1]) continue;
        if (!fresh[w]) touched.push(w);
        fresh[w] |= news;
      }
      front[v] = 0;
    }
    let found = 0;
    for (const w of touched) {
      reached[w] |= fresh[w];
      front[w] = fresh[w];
      if (counted[w]) found += bits(fresh[w]);
      fresh[w] = 0;
    }
    if (found) {
      while (histogram.length <= hops) histogram.push(0);
      histogram[hops] += found;
    }
    active = touched;
  }
}

/** Diameter, mean and histogram; `tell` hears the share that is done. */
export function profile(
  graph: Graph,
  alive: Alive,
  endpoints: Uint8Array,
  tell?: (share: number) => void,
): Profile {
  const counted = endpoints.map((is, v) => is & alive.nodes[v]);
  const sources: number[] = [];
  for (let v = 0; v < graph.order; v++) if (counted[v]) sources.push(v);
  const [reached, front, fresh] = [0, 1, 2].map(() => new Uint32Array(graph.order));
  const histogram = [sources.length];
  for (let i = 0; i < sources.length; i += 32) {
    sweep(graph, alive, counted, sources.slice(i, i + 32), reached, front, fresh, histogram);
    tell?.(Math.min(1, (i + 32) / sources.length));
  }
  const pairs = sources.length * (sources.length - 1);
  const joined = histogram.slice(1).reduce((sum, x) => sum + x, 0);
  const hops = histogram.reduce((sum, x, d) => sum + d * x, 0);
  return {
    pairs,
    unreached: pairs - joined,
    diameter: histogram.length - 1,
    mean: joined ? hops / joined : 0,
    histogram,
  };
}

/** Living nodes that cannot be reached from the largest piece (or cannot reach it). */
export function cutOff(graph: Graph, alive: Alive): { pieces: number; lost: number[] } {
  const piece = new Int32Array(graph.order).fill(-1);
  const sizes: number[] = [];
  for (let root = 0; root < graph.order; root++) {
    if (piece[root] >= 0 || !alive.nodes[root]) continue;
    const stack = [root];
    piece[root] = sizes.length;
    let size = 0;
    while (stack.length) {
      const v = stack.pop()!;
      size++;
      const visit = (w: number, channel: number) => {
        if (piece[w] < 0 && alive.nodes[w] && alive.links[channel >> 1]) {
          piece[w] = sizes.length;
          stack.push(w);
        }
      };
      for (let e = graph.start[v]; e < graph.start[v + 1]; e++)
        visit(graph.to[e], graph.channel[e]);
      for (let e = graph.inStart[v]; e < graph.inStart[v + 1]; e++)
        visit(graph.from[e], graph.inChannel[e]);
    }
    sizes.push(size);
  }
  const main = sizes.indexOf(Math.max(...sizes, 0));
  const lost: number[] = [];
  piece.forEach((p, v) => {
    if (p >= 0 && p !== main) lost.push(v);
  });
  return { pieces: sizes.length, lost };
}
