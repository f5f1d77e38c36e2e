import type { App } from "../app";
import { button, count, h, shortened, table } from "../dom";
import { allAlive } from "../graph";
import type { Pane } from "../pane";
import { cutOff, type Profile } from "../profile";
import { findProfile } from "../work";

interface Known {
  key: string;
  share: number;
  result: Profile | null;
}

const whole = new WeakMap<Pane, Known>();
const broken = new WeakMap<Pane, Known>();

/** Asks the worker once for each set of dead things. */
function ask(pane: Pane, app: App, store: WeakMap<Pane, Known>, key: string): Known {
  let known = store.get(pane);
  if (known && known.key === key) return known;
  known = { key, share: 0, result: null };
  store.set(pane, known);
  const mine = known;
  const { graph } = pane.net;
  const alive = store === whole ? allAlive(graph) : pane.net.alive;
  const copy = { nodes: alive.nodes.slice(), links: alive.links.slice() };
  const all = new Uint8Array(graph.order).fill(1);
  findProfile(graph, copy, all, (share) => {
    mine.share = share;
    if (store.get(pane) === mine && app.state.tab === "faults") app.refreshPanel();
  }).then((result) => {
    mine.result = result;
    if (store.get(pane) === mine) app.refreshPanel();
  });
  return known;
}

function deadKey(pane: Pane): string {
  const list = (mask: Uint8Array) => [...mask.keys()].filter((i) => !mask[i]).join(",");
  return `${list(pane.net.alive.nodes)}|${list(pane.net.alive.links)}`;
}

/** What dies, who is cut off, and how far it is for the others. */
export function faults(pane: Pane, app: App): Node[] {
  const { net } = pane;
  const nodes = [...(app.state.deadNodes.get(pane.number) ?? [])].filter((v) => v < net.order);
  const links = [...(app.state.deadLinks.get(pane.number) ?? [])].filter(
    (i) => i < net.graph.links,
  );
  const revive = (kind: "deadNodes" | "deadLinks", thing: number) => app.toggle(pane, kind, thing);
  const name = (i: number) => `${net.title(net.graph.tails[i])} – ${net.title(net.graph.heads[i])}`;
  const out: Node[] = [
    h(
      "p",
      {},
      button("kill", "Kill by click", () => app.set({ kill: !app.state.kill }), {
        "aria-pressed": app.state.kill,
      }),
      " ",
      button("kill-random", "Kill a random node", () => app.killRandom(pane)),
      " ",
      button("revive", "Revive all", () => app.revive()),
    ),
    h(
      "p",
      {},
      app.state.kill
        ? "Click nodes and links to kill or revive them; in both networks, where both have them."
        : "",
    ),
    h(
      "p",
      { class: "chips" },
      ...nodes.map((v) =>
        button(`n${v}`, `node ${shortened(net.title(v), 40)} ✕`, () => revive("deadNodes", v)),
      ),
      ...links.map((i) =>
        button(`l${i}`, `link ${shortened(name(i), 60)} ✕`, () => revive("deadLinks", i)),
      ),
    ),
  ];
  const before = ask(pane, app, whole, "");
  const dead = nodes.length + links.length > 0;
  const after = dead ? ask(pane, app, broken, deadKey(pane)) : null;
  out.push(figures(before, after));
  if (dead) out.push(separated(pane));
  return out;
}

function figures(before: Known, after: Known | null): HTMLElement {
  const cell = (known: Known | null, show: (p: Profile) => string) => {
    if (!known) return "–";
    return known.result ? show(known.result) : `${Math.round(100 * known.share)} %`;
  };
  const rows: [string, (p: Profile) => string][] = [
    ["diameter", (p) => String(p.diameter)],
    ["mean distance", (p) => p.mean.toFixed(4)],
    ["disconnected pairs", (p) => p.unreached.toLocaleString("en")],
  ];
  return table(
    "Distances over all pairs of living nodes",
    ["figure", "whole", "with faults"],
    rows.map(([label, show]) => [label, cell(before, show), cell(after, show)]),
  );
}

function separated(pane: Pane): HTMLElement {
  const { net } = pane;
  const { pieces, lost } = cutOff(net.graph, net.alive);
  if (pieces <= 1) return h("p", { class: "good" }, "All living nodes are still connected.");
  const some = lost.slice(0, 30).map((v) => net.title(v));
  return h(
    "p",
    { class: "bad" },
    `${count(pieces, "piece")}; cut off from the largest: ${count(lost.length, "node")}: ` +
      some.join("; ") +
      (lost.length > some.length ? "; …" : ""),
  );
}
