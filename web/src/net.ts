import {
  type Alive,
  allAlive,
  type Graph,
  lowestRoute,
  makeGraph,
  type Route,
  ruledRoute,
} from "./graph";
import { type Numbers, unpack } from "./packing";
import type { NetworkData, Packed } from "./types";

/** A network that the page was told about, unpacked. */
export class Net {
  readonly alive: Alive;
  private addressOf: (node: number) => string;
  private ports: Numbers | null = null;
  private cache = new Map<Packed, Numbers>();

  private constructor(
    readonly data: NetworkData,
    readonly graph: Graph,
    readonly square: Uint8Array | null,
  ) {
    this.alive = allAlive(graph);
    const known = data.addresses;
    if (known === null) this.addressOf = String;
    else if ("names" in known) this.addressOf = (v) => known.names[v];
    else this.addressOf = (v) => `(${digits(v, known.sides).join(", ")})`;
  }

  /** Its plain name if it has one, else its spec. */
  get name(): string {
    return this.data.name || this.data.spec;
  }

  static async open(data: NetworkData): Promise<Net> {
    const [tails, heads, tailPorts, headPorts] = await Promise.all(
      [data.tails, data.heads, data.tail_ports, data.head_ports].map(unpack),
    );
    const graph = makeGraph(data.order, tails, heads, tailPorts, headPorts);
    let square: Uint8Array | null = null;
    if (data.switches) {
      square = new Uint8Array(data.order);
      for (const v of await unpack(data.switches)) square[v] = 1;
    }
    const net = new Net(data, graph, square);
    if (data.router.ports) net.ports = await unpack(data.router.ports);
    return net;
  }

  /** Any packed array of the payload, unpacked once. */
  async array(packed: Packed): Promise<Numbers> {
    let found = this.cache.get(packed);
    if (!found) {
      found = await unpack(packed);
      this.cache.set(packed, found);
    }
    return found;
  }

  /** The array if it was unpacked before. */
  ready(packed: Packed): Numbers | null {
    return this.cache.get(packed) ?? null;
  }

  get order(): number {
    return this.data.order;
  }

  address(node: number): string {
    return this.addressOf(node);
  }

  /** Number and address, or the number alone where it is the address. */
  title(node: number): string {
    const address = this.addressOf(node);
    return address === String(node) ? address : `${node} ${address}`;
  }

  /** The node that a number, an address or a name means; -1 when there is none. */
  find(text: string): number {
    const asked = text.trim();
    const known = this.data.addresses;
    if (known && "names" in known) {
      const place = known.names.indexOf(asked);
      if (place >= 0) return place;
    }
    if (/^\d+$/.test(asked)) return Number(asked) < this.order ? Number(asked) : -1;
    const entries = asked.match(/\d+/g)?.map(Number) ?? [];
    if (known && "sides" in known && entries.length === known.sides.length) {
      if (!/^[\s()[\]\d,;]+$/.test(asked)) return -1;
      if (entries.some((x, i) => x >= known.sides[i])) return -1;
      return entries.reduce((sum, x, i) => sum * known.sides[i] + x, 0);
    }
    return -1;
  }

  /** The node or link here that has the same number, or the same ends, in another network; or -1. */
  twin(kind: "deadNodes" | "deadLinks", thing: number, other: Net): number {
    if (kind === "deadNodes") return thing < this.order ? thing : -1;
    const [a, b] = [other.graph.tails[thing], other.graph.heads[thing]];
    const { tails, heads, links } = this.graph;
    for (let i = 0; i < links; i++)
      if ((tails[i] === a && heads[i] === b) || (tails[i] === b && heads[i] === a)) return i;
    return -1;
  }

  /** The route of the network's own router, whatever is dead. */
  route(at: number, to: number): Route | null {
    const { router } = this.data;
    if (router.rule === "lowest" || !this.ports)
      return lowestRoute(this.graph, at, to, allAlive(this.graph));
    const ports = this.ports;
    const port = (p: number) => (p === 255 ? -1 : p);
    if (router.rule === "table")
      return ruledRoute(this.graph, at, to, (v, w) => port(ports[v * this.order + w]));
    const sides = router.sides!;
    return ruledRoute(this.graph, at, to, (v, w) => port(ports[shift(v, w, sides)]));
  }
}

function digits(node: number, sides: number[]): number[] {
  const out: number[] = [];
  let rest = node;
  for (let i = sides.length - 1; i >= 0; i--) {
    out.unshift(rest % sides[i]);
    rest = Math.floor(rest / sides[i]);
  }
  return out;
}

/** The number of the address (to - at), digit by digit. */
function shift(at: number, to: number, sides: number[]): number {
  const [a, b] = [digits(at, sides), digits(to, sides)];
  return sides.reduce((sum, side, i) => sum * side + ((b[i] - a[i] + side) % side), 0);
}
