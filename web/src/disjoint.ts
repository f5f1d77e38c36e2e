import type { Alive, Graph, Route } from "./graph";

/** Arcs of the split graph: node v is entered at 2v and left at 2v + 1. */
class Arcs {
  first: Int32Array;
  next: number[] = [];
  head: number[] = [];
  free: number[] = [];
  cost: number[] = [];
  edge: number[] = [];

  constructor(nodes: number) {
    this.first = new Int32Array(nodes).fill(-1);
  }

  add(a: number, b: number, room: number, cost: number, edge: number): void {
    this.push(a, b, room, cost, edge);
    this.push(b, a, 0, -cost, -1);
  }

  private push(a: number, b: number, room: number, cost: number, edge: number): void {
    this.next.push(this.first[a]);
    this.head.push(b);
    this.free.push(room);
    this.cost.push(cost);
    this.edge.push(edge);
    this.first[a] = this.head.length - 1;
  }
}

function splitGraph(graph: Graph, at: number, to: number, alive: Alive): Arcs {
  const arcs = new Arcs(2 * graph.order);
  for (let v = 0; v < graph.order; v++) {
    if (!alive.nodes[v]) continue;
    if (v !== at && v !== to) arcs.add(2 * v, 2 * v + 1, 1, 0, -1);
    for (let e = graph.start[v]; e < graph.start[v + 1]; e++) {
      const w = graph.to[e];
      if (w === v || w === at || v === to) continue;
      if (alive.nodes[w] && alive.links[graph.channel[e] >> 1]) arcs.add(2 * v + 1, 2 * w, 1, 1, e);
    }
  }
  return arcs;
}

/** The cheapest way through what is free, by the arc that enters each place (Bellman-Ford). */
function cheapest(arcs: Arcs, source: number, sink: number): Int32Array | null {
  const places = arcs.first.length;
  const far = new Float64Array(places).fill(Number.POSITIVE_INFINITY);
  const by = new Int32Array(places).fill(-1);
  const waits = new Uint8Array(places);
  const queue = [source];
  far[source] = 0;
  for (let i = 0; i < queue.length; i++) {
    const v = queue[i];
    waits[v] = 0;
    for (let e = arcs.first[v]; e >= 0; e = arcs.next[e]) {
      const w = arcs.head[e];
      if (!arcs.free[e] || far[v] + arcs.cost[e] >= far[w]) continue;
      far[w] = far[v] + arcs.cost[e];
      by[w] = e;
      if (!waits[w]) {
        waits[w] = 1;
        queue.push(w);
      }
    }
  }
  return far[sink] < Number.POSITIVE_INFINITY ? by : null;
}

/** All routes that share no node in between, of least total length (successive shortest paths). */
export function disjointRoutes(graph: Graph, at: number, to: number, alive: Alive): Route[] {
  if (at === to || !alive.nodes[at] || !alive.nodes[to]) return [];
  const arcs = splitGraph(graph, at, to, alive);
  const source = 2 * at + 1;
  const sink = 2 * to;
  for (;;) {
    const by = cheapest(arcs, source, sink);
    if (!by) break;
    for (let v = sink; v !== source; v = arcs.head[by[v] ^ 1]) {
      arcs.free[by[v]]--;
      arcs.free[by[v] ^ 1]++;
    }
  }
  return readRoutes(graph, arcs, at, to).sort((a, b) => a.ports.length - b.ports.length);
}

function readRoutes(graph: Graph, arcs: Arcs, at: number, to: number): Route[] {
  const used = new Map<number, number[]>();
  for (let e = 0; e < arcs.head.length; e += 2) {
    if (arcs.edge[e] < 0 || arcs.free[e]) continue;
    const tail = arcs.head[e ^ 1] >> 1;
    const list = used.get(tail);
    if (list) list.push(arcs.edge[e]);
    else used.set(tail, [arcs.edge[e]]);
  }
  return (used.get(at) ?? []).map((first) => {
    const route: Route = { nodes: [at], channels: [], ports: [] };
    let e = first;
    for (;;) {
      route.channels.push(graph.channel[e]);
      route.ports.push(graph.port[e]);
      route.nodes.push(graph.to[e]);
      if (graph.to[e] === to) return route;
      e = used.get(graph.to[e])![0];
    }
  });
}
