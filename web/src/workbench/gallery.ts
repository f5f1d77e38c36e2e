import { button, h } from "../dom";
import { searched } from "./complete";
import type { Family } from "./types";

/** All families with small pictures; a search narrows them. */
export class Gallery {
  readonly element: HTMLElement;
  private field: HTMLInputElement;
  private count = h("span", { class: "small", role: "status" });
  private body = h("div", { class: "groups" });

  constructor(
    private families: Family[],
    private show: (spec: string, beside: boolean) => void,
    private edit: (spec: string) => void,
    private changed: (search: string) => void,
  ) {
    this.field = h("input", {
      type: "search",
      id: "search",
      placeholder: "torus, degree, tree, Moore, ...",
      oninput: () => {
        this.fill();
        this.changed(this.field.value);
      },
    });
    this.element = h(
      "section",
      { class: "gallery", "aria-label": "Families" },
      h(
        "div",
        { class: "search" },
        h("label", { for: "search" }, "Search families"),
        this.field,
        this.count,
      ),
      this.body,
    );
    this.fill();
  }

  search(text: string): void {
    if (text === this.field.value) return;
    this.field.value = text;
    this.fill();
  }

  private fill(): void {
    const found = searched(this.families, this.field.value);
    const groups = new Map<string, Family[]>();
    for (const one of found) groups.set(one.group, [...(groups.get(one.group) ?? []), one]);
    this.body.replaceChildren(
      ...[...groups].map(([title, members]) =>
        h(
          "section",
          {},
          h("h2", {}, title),
          h("ul", { class: "cards" }, ...members.map((one) => this.card(one))),
        ),
      ),
    );
    this.count.textContent = found.length
      ? `${found.length} of ${this.families.length}`
      : "no family has all these words";
  }

  private card(one: Family): HTMLElement {
    const picture = h("img", {
      src: `pictures/${one.name}.svg`,
      alt: "",
      loading: "lazy",
      width: 150,
      height: 110,
    });
    return h(
      "li",
      { class: "card" },
      h(
        "button",
        {
          type: "button",
          class: "face",
          title: `show ${one.example}`,
          onclick: () => this.show(one.example, false),
        },
        picture,
        h("strong", {}, one.name),
        h("span", { class: "small" }, one.summary),
      ),
      h(
        "div",
        { class: "group" },
        button(`edit-${one.name}`, "Edit", () => this.edit(one.example), {
          "aria-label": `Edit ${one.example}`,
        }),
        button(`beside-${one.name}`, "Add", () => this.show(one.example, true), {
          "aria-label": `Show ${one.example} beside the others`,
        }),
      ),
    );
  }
}
