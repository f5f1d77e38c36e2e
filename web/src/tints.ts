import { distances } from "./graph";
import type { Net } from "./net";
import { LEAF, type Tint } from "./scene";
import type { Theme } from "./theme";

export interface Colouring {
  links: Tint;
  nodes: Tint;
  legend: [string, string][];
  words: string;
}

const HEAT = 8;

/** The least scale of seven equal, round steps that holds the largest value. */
export function roundTop(most: number, whole = false): number {
  if (!(most > 0)) return 0;
  const step = whole ? Math.max(1, most / (HEAT - 1)) : most / (HEAT - 1);
  const power = 10 ** Math.floor(Math.log10(step));
  const nice = [1, 2, 2.5, 5, 10].filter((x) => !whole || Number.isInteger(x * power));
  const found = nice.find((x) => x * power >= step * (1 - 1e-9)) ?? 10;
  return found * power * (HEAT - 1);
}

/** Values as colours of the heat scale: 0 is the first, the largest the last. */
export function heat(values: ArrayLike<number>, most: number): Uint8Array {
  return Uint8Array.from(values, (x) =>
    most > 0 && x > 0 ? Math.min(HEAT - 1, 1 + Math.floor((((HEAT - 1) * x) / most) * 0.9999)) : 0,
  );
}

export function heatTint(
  theme: Theme,
  values: ArrayLike<number>,
  most: number,
  whole = false,
): Tint {
  return {
    colours: theme.heat,
    of: heat(values, roundTop(most, whole)),
    sizes: theme.heat.map((_, c) => 1 + 0.35 * c),
  };
}

export function heatLegend(
  theme: Theme,
  most: number,
  unit = "",
  whole = false,
): [string, string][] {
  const top = roundTop(most, whole);
  return theme.heat.map((colour, c) => {
    const low = c ? (top * (c - 1)) / (HEAT - 1) : 0;
    const text = c ? `to ${+((top * c) / (HEAT - 1)).toPrecision(3)}${unit}` : "0";
    return [colour, low < most || !c ? text : ""];
  });
}

/** The heavier of the two channels of each link. */
export function perLink(net: Net, channels: ArrayLike<number>): Float32Array {
  return Float32Array.from({ length: net.graph.links }, (_, i) =>
    Math.max(channels[2 * i], channels[2 * i + 1]),
  );
}

function plainNodes(net: Net, theme: Theme): Tint {
  const of = Uint8Array.from({ length: net.order }, (_, v) =>
    net.alive.nodes[v] ? (net.square?.[v] ?? 0) : 2,
  );
  return { colours: [theme.node, theme.switch, theme.dead], of };
}

/** Whatever the colours say, endpoints beside switches stay small: each colour once for both. */
export function byRole(tint: Tint, square: Uint8Array | null): Tint {
  if (!square) return tint;
  const many = tint.colours.length;
  const sizes = tint.sizes ?? tint.colours.map(() => 1);
  return {
    colours: [...tint.colours, ...tint.colours],
    of: tint.of.map((c, v) => (square[v] ? c : many + c)),
    sizes: [...sizes, ...sizes.map((size) => LEAF * size)],
  };
}

/** Dead links and links of dead nodes are pale, whatever the others are. */
function withDead(net: Net, theme: Theme, tint: Tint): Tint {
  const { alive, graph } = net;
  const dead = tint.colours.length;
  const of = tint.of.slice();
  let any = false;
  for (let i = 0; i < graph.links; i++) {
    const lives = alive.links[i] && alive.nodes[graph.tails[i]] && alive.nodes[graph.heads[i]];
    if (!lives) {
      of[i] = dead;
      any = true;
    }
  }
  if (!any) return tint;
  const sizes = tint.sizes ?? tint.colours.map(() => 1);
  return { colours: [...tint.colours, theme.faint], of, sizes: [...sizes, 0.6] };
}

/** The colours that a name asks for: none, kind0, distance, load0, cut, vc. */
export async function colouring(
  net: Net,
  theme: Theme,
  name: string,
  from: number,
): Promise<Colouring> {
  const plain: Tint = { colours: [theme.link], of: new Uint8Array(net.graph.links) };
  const out: Colouring = { links: plain, nodes: plainNodes(net, theme), legend: [], words: "" };
  const number = Number(/\d+$/.exec(name)?.[0] ?? 0);
  if (name.startsWith("kind")) await byKind(net, theme, number, out);
  else if (name.startsWith("load")) await byLoad(net, theme, number, out);
  else if (name === "distance") byDistance(net, theme, from, out);
  else if (name === "cut") await byCut(net, theme, out);
  else if (name === "vc") await byClass(net, theme, out);
  out.links = withDead(net, theme, out.links);
  return out;
}

async function byKind(net: Net, theme: Theme, number: number, out: Colouring): Promise<void> {
  const kind = net.data.kinds[number];
  if (!kind) return;
  const of = Uint8Array.from(await net.array(kind.of), (k) => k % theme.kinds.length);
  out.links = { colours: theme.kinds, of };
  out.legend = kind.names
    .slice(0, 16)
    .map((text, k) => [theme.kinds[k % theme.kinds.length], text]);
  out.words = `Links by ${kind.title}.`;
}

async function byLoad(net: Net, theme: Theme, number: number, out: Colouring): Promise<void> {
  const traffic = net.data.traffic?.[number];
  if (!traffic) return;
  const loads = perLink(net, await net.array(traffic.loads));
  out.links = heatTint(theme, loads, traffic.largest);
  out.legend = heatLegend(theme, traffic.largest);
  out.words = `Load of the busier channel of each link: ${traffic.words}.`;
}

function byDistance(net: Net, theme: Theme, from: number, out: Colouring): void {
  const source = from >= 0 && from < net.order ? from : 0;
  const far = distances(net.graph, source, net.alive, false);
  const deepest = far.reduce((most, d) => Math.max(most, d), 0);
  const of = Uint8Array.from(far, (d) => (d < 0 ? HEAT : Math.min(HEAT - 1, d)));
  out.nodes = { colours: [...theme.heat, theme.dead], of };
  out.legend = theme.heat
    .slice(0, deepest + 1)
    .map((colour, d) => [colour, d === HEAT - 1 && deepest > d ? `${d} or more` : String(d)]);
  out.words = `Nodes by their distance from ${net.title(source)}.`;
}

async function byCut(net: Net, theme: Theme, out: Colouring): Promise<void> {
  const cut = net.data.bisection;
  if (!cut) return;
  const side = await net.array(cut.side);
  const [one, two] = [theme.kinds[0], theme.kinds[1]];
  out.nodes = { colours: [one, two], of: Uint8Array.from(side) };
  const { tails, heads } = net.graph;
  const of = tails.map((t, i) => (side[t] !== side[heads[i]] ? 1 : 0));
  out.links = { colours: [theme.faint, theme.lost], of: Uint8Array.from(of), sizes: [0.8, 1.8] };
  out.legend = [
    [one, "one half"],
    [two, "the other half"],
    [theme.lost, "links between them"],
  ];
  out.words = cut.words;
}

async function byClass(net: Net, theme: Theme, out: Colouring): Promise<void> {
  const found = net.data.deadlock;
  if (!found?.classes) return;
  const kinds = await net.array(found.classes);
  const colours = found.names.map((name, i) =>
    /^(not used|0 )/.test(name) ? theme.faint : theme.kinds[i % theme.kinds.length],
  );
  const of = Uint8Array.from({ length: net.graph.links }, (_, i) =>
    Math.max(kinds[2 * i], kinds[2 * i + 1]),
  );
  out.links = { colours, of };
  out.legend = found.names.map((name, i) => [colours[i], name]);
  out.words = `Virtual-channel classes in use on the busier channel of each link (${found.method}).`;
}
