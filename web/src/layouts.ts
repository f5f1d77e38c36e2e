import { allAlive, distances } from "./graph";
import type { Net } from "./net";
import type { Places } from "./scene";

export interface LayoutChoice {
  name: string;
  title: string;
}

const MOST_MATRIX = 5000;

/** The layouts that a network can be shown in: those that were shipped, then the page's own. */
export function choices(net: Net): LayoutChoice[] {
  const own = net.data.layouts.map(({ name, title }) => ({ name, title }));
  return [
    ...own,
    { name: "circle", title: "Circle" },
    { name: "rings", title: "Rings by distance" },
    { name: "layers", title: "Layers by distance" },
    { name: "matrix", title: "Adjacency matrix" },
  ];
}

/** Why a layout cannot be shown, or nothing. */
export function refusal(net: Net, name: string): string {
  if (name === "matrix" && net.order > MOST_MATRIX)
    return (
      `The adjacency matrix shows up to ${MOST_MATRIX.toLocaleString("en")} nodes; ` +
      `${net.data.spec} has ${net.order.toLocaleString("en")}. Take the circle or the rings.`
    );
  return "";
}

export async function place(net: Net, name: string, focus: number): Promise<Places> {
  const shipped = net.data.layouts.find((one) => one.name === name);
  if (shipped) {
    const at = await net.array(shipped.at);
    const grid = 30000;
    const part = (axis: number) =>
      Float32Array.from({ length: net.order }, (_, v) => at[v * shipped.dims + axis] / grid);
    const bend = shipped.bend
      ? Float32Array.from(await net.array(shipped.bend), (b) => b / 100)
      : undefined;
    const y = part(1).map((value) => 1 - value);
    return { x: part(0), y, z: shipped.dims === 3 ? part(2) : undefined, bend };
  }
  if (name === "matrix") return { ...line(net.order), matrix: true };
  if (name === "rings") return byDistance(net, focus, true);
  if (name === "layers") return byDistance(net, focus, false);
  return { ...circle(net.order), bend: await parallel(net) };
}

/** The bends of parallel links, from any layout that was shipped with them. */
async function parallel(net: Net): Promise<Float32Array | undefined> {
  const known = net.data.layouts.find((one) => one.name === "force" && one.bend);
  return known ? Float32Array.from(await net.array(known.bend!), (b) => b / 100) : undefined;
}

function circle(order: number): Places {
  const x = new Float32Array(order);
  const y = new Float32Array(order);
  for (let v = 0; v < order; v++) {
    const angle = (2 * Math.PI * v) / Math.max(order, 1);
    x[v] = 0.5 + 0.5 * Math.sin(angle);
    y[v] = 0.5 - 0.5 * Math.cos(angle);
  }
  return { x, y };
}

function line(order: number): Places {
  const x = Float32Array.from({ length: order }, (_, v) => (v + 0.5) / Math.max(order, 1));
  return { x, y: x.slice() };
}

/** Nodes by their distance from one: on rings round it, or in rows below it. */
function byDistance(net: Net, focus: number, round: boolean): Places {
  const far = distances(net.graph, focus, allAlive(net.graph), false);
  const deepest = far.reduce((most, d) => Math.max(most, d), 0);
  const level = far.map((d) => (d < 0 ? deepest + 1 : d));
  const count = new Int32Array(deepest + 2);
  for (const d of level) count[d]++;
  const seen = new Int32Array(deepest + 2);
  const last = count[deepest + 1] ? deepest + 1 : deepest;
  const x = new Float32Array(net.order);
  const y = new Float32Array(net.order);
  level.forEach((d, v) => {
    const turn = (seen[d]++ + 0.5) / count[d];
    if (round) {
      const r = last ? (0.5 * d) / last : 0;
      x[v] = 0.5 + r * Math.sin(2 * Math.PI * turn);
      y[v] = 0.5 - r * Math.cos(2 * Math.PI * turn);
    } else {
      x[v] = 1.4 * turn;
      y[v] = last ? d / last : 0.5;
    }
  });
  return { x, y };
}
