/** The wiring as arrays, and what is alive of it. */
export interface Graph {
  order: number;
  links: number;
  tails: Int32Array;
  heads: Int32Array;
  /** Channels that leave a node: start[v] .. start[v + 1], by port (from 0; packed from 1). */
  start: Int32Array;
  to: Int32Array;
  /** Channel 2i runs along link i, 2i + 1 against it. */
  channel: Int32Array;
  port: Int32Array;
  /** Channels that enter a node. */
  inStart: Int32Array;
  from: Int32Array;
  inChannel: Int32Array;
}

export interface Alive {
  nodes: Uint8Array;
  links: Uint8Array;
}

export function allAlive(graph: { order: number; links: number }): Alive {
  return {
    nodes: new Uint8Array(graph.order).fill(1),
    links: new Uint8Array(graph.links).fill(1),
  };
}

/** Channels in rows by node, sorted by port (or by channel where ports are left out). */
function rows(
  order: number,
  at: Int32Array,
  key: Int32Array,
): { start: Int32Array; list: Int32Array } {
  const start = new Int32Array(order + 1);
  for (const v of at) start[v + 1]++;
  for (let v = 0; v < order; v++) start[v + 1] += start[v];
  const list = Int32Array.from(at.keys()).sort((a, b) => at[a] - at[b] || key[a] - key[b] || a - b);
  return { start, list };
}

export function makeGraph(
  order: number,
  tails: ArrayLike<number>,
  heads: ArrayLike<number>,
  tailPorts: ArrayLike<number>,
  headPorts: ArrayLike<number>,
): Graph {
  const links = tails.length;
  const at: number[] = [];
  const to: number[] = [];
  const ports: number[] = [];
  const names: number[] = [];
  for (let i = 0; i < links; i++) {
    at.push(tails[i]);
    to.push(heads[i]);
    ports.push(tailPorts[i] - 1);
    names.push(2 * i);
    if (headPorts[i] === 0) continue;
    at.push(heads[i]);
    to.push(tails[i]);
    ports.push(headPorts[i] - 1);
    names.push(2 * i + 1);
  }
  const [a, b, p, c] = [at, to, ports, names].map((list) => Int32Array.from(list));
  const out = rows(order, a, p);
  const into = rows(order, b, c);
  return {
    order,
    links,
    tails: Int32Array.from(tails),
    heads: Int32Array.from(heads),
    start: out.start,
    to: out.list.map((i) => b[i]),
    channel: out.list.map((i) => c[i]),
    port: out.list.map((i) => p[i]),
    inStart: into.start,
    from: into.list.map((i) => a[i]),
    inChannel: into.list.map((i) => c[i]),
  };
}

/** Hops from every node to the target (or from a source to every node); -1 where there is no way. */
export function distances(graph: Graph, root: number, alive: Alive, towards: boolean): Int32Array {
  const start = towards ? graph.inStart : graph.start;
  const next = towards ? graph.from : graph.to;
  const channel = towards ? graph.inChannel : graph.channel;
  const far = new Int32Array(graph.order).fill(-1);
  if (!alive.nodes[root]) return far;
  const queue = new Int32Array(graph.order);
  let count = 1;
  queue[0] = root;
  far[root] = 0;
  for (let i = 0; i < count; i++) {
    const v = queue[i];
    for (let e = start[v]; e < start[v + 1]; e++) {
      const w = next[e];
      if (far[w] >= 0 || !alive.nodes[w] || !alive.links[channel[e] >> 1]) continue;
      far[w] = far[v] + 1;
      queue[count++] = w;
    }
  }
  return far;
}

export interface Route {
  nodes: number[];
  channels: number[];
  ports: number[];
}

/** The shortest route that takes the lowest port at every node. */
export function lowestRoute(graph: Graph, at: number, to: number, alive: Alive): Route | null {
  const far = distances(graph, to, alive, true);
  if (far[at] < 0 || !alive.nodes[at]) return null;
  const route: Route = { nodes: [at], channels: [], ports: [] };
  let v = at;
  while (v !== to) {
    for (let e = graph.start[v]; e < graph.start[v + 1]; e++) {
      const w = graph.to[e];
      if (far[w] !== far[v] - 1 || !alive.nodes[w] || !alive.links[graph.channel[e] >> 1]) continue;
      route.channels.push(graph.channel[e]);
      route.ports.push(graph.port[e]);
      route.nodes.push(w);
      v = w;
      break;
    }
  }
  return route;
}

/** The route that a rule for the next port gives; null where it leads nowhere. */
export function ruledRoute(
  graph: Graph,
  at: number,
  to: number,
  nextPort: (at: number, to: number) => number,
): Route | null {
  const route: Route = { nodes: [at], channels: [], ports: [] };
  let v = at;
  while (v !== to) {
    const port = nextPort(v, to);
    let e = graph.start[v];
    while (e < graph.start[v + 1] && graph.port[e] !== port) e++;
    if (e === graph.start[v + 1] || route.ports.length > graph.order) return null;
    route.channels.push(graph.channel[e]);
    route.ports.push(port);
    v = graph.to[e];
    route.nodes.push(v);
  }
  return route;
}

export function survives(route: Route, alive: Alive): boolean {
  return (
    route.nodes.every((v) => alive.nodes[v] === 1) &&
    route.channels.every((c) => alive.links[c >> 1] === 1)
  );
}
