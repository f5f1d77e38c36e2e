import type { App } from "../app";
import { button, h, table } from "../dom";
import type { Pane } from "../pane";

const ROWS = 100;
const shown = new WeakMap<Pane, number>();

/** The drawing as a table: every node with its neighbours by port. */
export function nodes(pane: Pane, app: App): Node[] {
  const { net } = pane;
  const { graph } = net;
  const top = Math.min(shown.get(pane) ?? 0, Math.max(0, net.order - 1));
  const rows = [];
  for (let v = top; v < Math.min(top + ROWS, net.order); v++) {
    const neighbours = [];
    for (let e = graph.start[v]; e < graph.start[v + 1]; e++)
      neighbours.push(`${graph.port[e]}: ${net.title(graph.to[e])}`);
    const state = net.alive.nodes[v] ? "" : " (dead)";
    rows.push([
      button(`row${v}`, String(v), () => app.pick(v), { "aria-label": `Pick node ${v}` }),
      net.address(v) + state,
      net.square?.[v] ? "switch" : "endpoint",
      neighbours.join("; "),
    ]);
  }
  const go = (start: number) => {
    shown.set(pane, start);
    app.refreshPanel();
  };
  return [
    h(
      "p",
      {},
      button("less", "Previous", () => go(Math.max(0, top - ROWS)), { disabled: top === 0 }),
      ` nodes ${top} to ${Math.min(top + ROWS, net.order) - 1} of ${net.order.toLocaleString("en")} `,
      button("more", "Next", () => go(top + ROWS), { disabled: top + ROWS >= net.order }),
    ),
    table(
      "Nodes and their neighbours by port",
      ["node", "address", "kind", "port (from 0): neighbour"],
      rows,
    ),
  ];
}
