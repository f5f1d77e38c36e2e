import { h, table } from "../dom";
import type { Pane } from "../pane";

/** What the network is, and what the page could not take along. */
export function facts(pane: Pane): Node[] {
  const { data } = pane.net;
  return [
    h("p", {}, data.family),
    table(
      "Figures",
      ["figure", "value", "how it is known"],
      data.facts.map(([label, value, how]) => [label, value, how]),
    ),
    data.notes.length
      ? h("div", { class: "warn" }, ...data.notes.map((note) => h("p", {}, note)))
      : h("span", {}),
    h("p", { class: "small" }, `Made by hopscape ${data.hopscape}.`),
  ];
}
