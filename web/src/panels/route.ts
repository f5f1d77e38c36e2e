import type { App } from "../app";
import { button, count, h, table } from "../dom";
import type { Route } from "../graph";
import type { Pane } from "../pane";

function hops(pane: Pane, caption: string, route: Route): HTMLElement {
  const { net } = pane;
  return table(
    caption,
    ["hop", "from", "by port (from 0)", "to"],
    route.ports.map((port, i) => [
      String(i + 1),
      net.title(route.nodes[i]),
      String(port),
      net.title(route.nodes[i + 1]),
    ]),
  );
}

/** The route between two nodes and all disjoint ones, hop by hop. */
export function route(pane: Pane, app: App): Node[] {
  const { net, routes } = pane;
  const [a, b] = pane.picked(app.state);
  const names = [a, b].map((v) => (v < 0 ? "none" : net.title(v)));
  const head = h(
    "p",
    {},
    `From ${names[0]} to ${names[1]}. `,
    button("swap", "Swap", () => app.set({ a: app.state.b, b: app.state.a })),
    " ",
    button("clear", "Clear", () => app.set({ a: -1, b: -1 })),
  );
  if (!routes)
    return [head, h("p", {}, "Click two nodes in the drawing, or search for them above.")];
  const { router } = net.data;
  const known = router.instead ? "shortest, lowest port" : router.name;
  const out: Node[] = [head];
  if (routes.own)
    out.push(
      routes.broken
        ? h("p", { class: "bad" }, `The ${known} route meets something dead.`)
        : h("p", {}, `${count(routes.own.ports.length, "hop")} by the ${known} router.`),
      hops(pane, routes.broken ? "Route before the fault" : "Route", routes.own),
    );
  else out.push(h("p", { class: "bad" }, "The router finds no route."));
  if (routes.detour)
    out.push(
      h("p", {}, `Detour: ${count(routes.detour.ports.length, "hop")}, the shortest that is left.`),
      hops(pane, "Detour", routes.detour),
    );
  else if (routes.broken) out.push(h("p", { class: "bad" }, "No route is left: cut off."));
  out.push(
    h(
      "p",
      {},
      `${count(routes.disjoint.length, "route that shares", "routes that share")} no node in between` +
        (routes.disjoint.length
          ? `: ${routes.disjoint.map((one) => one.ports.length).join(", ")} hops.`
          : "."),
    ),
    ...routes.disjoint.map((one, i) =>
      h(
        "details",
        {},
        h("summary", {}, `Disjoint route ${i + 1}: ${count(one.ports.length, "hop")}`),
        hops(pane, `Disjoint route ${i + 1}`, one),
      ),
    ),
  );
  return out;
}
