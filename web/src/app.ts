import { zoomIdentity } from "d3-zoom";
import { button, choice, count, download, h, type Option, replace, shortened } from "./dom";
import { choices } from "./layouts";
import { Net } from "./net";
import { Pane } from "./pane";
import { TABS } from "./panels";
import type { Hit } from "./scene";
import { freshState, readState, type State, writeState } from "./state";
import { DARK, LIGHT, type Theme } from "./theme";
import type { PageData } from "./types";

/** The page: controls above, one or two networks, and a panel. */
export class App {
  state: State;
  panes: Pane[] = [];
  private nets: (Net | null)[];
  private all = new Map<number, Pane>();
  private bar = h("header", { class: "bar" });
  private stage = h("main", { class: "stage" });
  private side = h("aside", { class: "side", "aria-label": "Details" });
  private tip = h("div", { class: "tip", hidden: true });
  private live = h("p", { class: "hidden", role: "status", "aria-live": "polite" });
  private search = "";
  private writing = 0;
  private lastHash = "";
  private shownBar = "";
  private shownPanel = "";
  /** The workbench round the page has the title and the colours. */
  private inWorkbench = parent !== window && location.search.startsWith("?workbench=");

  constructor(
    private root: HTMLElement,
    private data: PageData,
  ) {
    this.nets = data.networks.map(() => null);
    this.state = readState(location.hash, data.networks.length);
  }

  async start(): Promise<void> {
    replace(this.root, this.bar, this.stage, this.side, this.tip, this.live);
    addEventListener("keydown", (event) => this.key(event));
    addEventListener("hashchange", () => {
      if (location.hash.slice(1) === this.lastHash) return;
      this.state = readState(location.hash, this.data.networks.length);
      this.restore();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.update());
    await this.restore();
  }

  private async restore(): Promise<void> {
    await this.arrange();
    this.moveViews();
    await this.update();
  }

  get theme(): Theme {
    const dark =
      this.state.theme === "dark" ||
      (this.state.theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
    return dark ? DARK : LIGHT;
  }

  // -- networks ---------------------------------------------------------------------------------

  private async net(i: number): Promise<Net> {
    const found = this.nets[i] ?? (await Net.open(this.data.networks[i]));
    this.nets[i] = found;
    return found;
  }

  private async pane(i: number): Promise<Pane> {
    let pane = this.all.get(i);
    if (!pane) {
      pane = new Pane(await this.net(i), i);
      this.all.set(i, pane);
      const mine = pane;
      pane.view.onHover = (found, x, y) => this.hover(mine, found, x, y);
      pane.view.onPick = (found) => this.picked(mine, found);
      pane.view.onMove = () => this.moved(mine);
    }
    return pane;
  }

  private async arrange(): Promise<void> {
    const { left, right } = this.state;
    const wanted = right >= 0 && right !== left ? [left, right] : [left];
    this.panes = await Promise.all(wanted.map((i) => this.pane(i)));
    this.stage.replaceChildren(...this.panes.map((pane) => pane.element));
    this.stage.classList.toggle("two", this.panes.length > 1);
  }

  // -- state ------------------------------------------------------------------------------------

  set(change: Partial<State>): Promise<void> {
    const other =
      ("left" in change && change.left !== this.state.left) ||
      ("right" in change && change.right !== this.state.right);
    Object.assign(this.state, change);
    return other ? this.restore() : this.update();
  }

  async update(): Promise<void> {
    document.documentElement.dataset.theme = this.theme.dark ? "dark" : "light";
    for (const pane of this.panes) {
      pane.think(this.state);
      pane.overlay = {};
      pane.view.extra = null;
    }
    const tab = TABS.find((one) => one.name === this.state.tab) ?? TABS[0];
    await Promise.all(this.panes.map((pane) => tab.prepare?.(pane, this)));
    this.controls();
    this.refreshPanel();
    await Promise.all(this.panes.map((pane) => pane.draw(this.state, this.theme)));
    this.legend();
    this.remember();
  }

  private remember(): void {
    clearTimeout(this.writing);
    this.writing = window.setTimeout(() => {
      this.lastHash = writeState(this.state, this.data.networks.length);
      history.replaceState(null, "", `#${this.lastHash}`);
      if (this.inWorkbench) parent.postMessage({ hopscapeView: this.lastHash }, "*");
    }, 200);
  }

  say(text: string): void {
    this.live.textContent = text;
  }

  // -- the parts of the page --------------------------------------------------------------------

  private controls(): void {
    const { state } = this;
    const first = this.panes[0].net;
    const key = `${state.left} ${state.right} ${this.theme.dark}`;
    if (key === this.shownBar) {
      const values = { layout: this.panes[0].layoutName(state), colour: state.colour };
      for (const [name, value] of Object.entries(values))
        this.bar.querySelector<HTMLSelectElement>(`[data-key=${name}]`)!.value = value;
      return;
    }
    this.shownBar = key;
    const names = this.data.networks.map((one, i) => ({
      value: String(i),
      text: shortened(one.name || one.spec, 60),
    }));
    const parts: Node[] = this.inWorkbench ? [] : [h("h1", {}, "hopscape")];
    if (names.length > 1)
      parts.push(
        choice("left", "Network", names, String(state.left), (v) => this.set({ left: Number(v) })),
        choice(
          "right",
          "beside",
          [{ value: "-1", text: "none" }, ...names],
          String(state.right),
          (v) => this.set({ right: Number(v) }),
        ),
      );
    parts.push(
      choice(
        "layout",
        "Layout",
        choices(first).map((one) => ({ value: one.name, text: one.title })),
        this.panes[0].layoutName(state),
        (layout) => this.set({ layout }),
      ),
      choice("colour", "Colour", this.colours(first), state.colour, (colour) =>
        this.set({ colour }),
      ),
      this.finder(),
      h(
        "span",
        { class: "group" },
        button("in", "+", () => this.zoom(1.4), { "aria-label": "Zoom in" }),
        button("out", "−", () => this.zoom(1 / 1.4), { "aria-label": "Zoom out" }),
        button("fit", "Fit", () => this.fit()),
      ),
      h(
        "span",
        { class: "group" },
        button("svg", "SVG", () => this.save("svg")),
        button("png", "PNG", () => this.save("png")),
        this.inWorkbench
          ? null
          : button("theme", this.theme.dark ? "Light" : "Dark", () =>
              this.set({ theme: this.theme.dark ? "light" : "dark" }),
            ),
        button("help", "?", () => this.help(), { "aria-label": "Keyboard help" }),
      ),
    );
    replace(this.bar, ...parts);
  }

  private colours(net: Net): Option[] {
    const { data } = net;
    return [
      { value: "none", text: "plain" },
      { value: "distance", text: "distance from the first node" },
      ...data.kinds.map((kind, i) => ({ value: `kind${i}`, text: kind.title })),
      ...(data.traffic ?? []).map((one, i) => ({ value: `load${i}`, text: `load: ${one.name}` })),
      ...(data.bisection ? [{ value: "cut", text: "bisection" }] : []),
      ...(data.deadlock?.classes ? [{ value: "vc", text: "virtual channels" }] : []),
    ];
  }

  private finder(): HTMLElement {
    const field = h("input", {
      type: "search",
      "data-key": "search",
      id: "search",
      placeholder: "number or address",
      value: this.search,
      size: 18,
      oninput: (event) => {
        this.search = (event.target as HTMLInputElement).value;
      },
    });
    return h(
      "form",
      {
        class: "field",
        role: "search",
        onsubmit: (event) => {
          event.preventDefault();
          this.find(field.value);
        },
      },
      h("label", { for: "search" }, "Node"),
      field,
      button("find", "Find", () => this.find(field.value)),
    );
  }

  private find(text: string): void {
    const node = this.panes[0].net.find(text);
    if (node < 0) {
      this.say(`There is no node ${shortened(text, 60)}`);
      this.notice(`There is no node “${shortened(text, 60)}”.`);
      return;
    }
    this.pick(node);
  }

  private notice(text: string): void {
    this.tip.textContent = text;
    this.tip.hidden = false;
    this.tip.style.left = "40vw";
    this.tip.style.top = "70px";
    setTimeout(() => {
      this.tip.hidden = true;
    }, 2500);
  }

  refreshPanel(): void {
    const { state } = this;
    const open = TABS.filter((tab) => this.panes.some((pane) => tab.there(pane)));
    const tab = open.find((one) => one.name === state.tab) ?? open[0];
    const key = tab.still ? `${tab.name} ${state.left} ${state.right}` : "";
    if (key && key === this.shownPanel) return;
    this.shownPanel = key;
    const list = h(
      "div",
      { class: "tabs", role: "tablist", "aria-label": "Details" },
      ...open.map((one) =>
        button(`tab-${one.name}`, one.title, () => this.turnTo(one.name), {
          role: "tab",
          id: `tab-${one.name}`,
          "aria-selected": String(one === tab),
          "aria-controls": "panel",
        }),
      ),
    );
    const body = h("div", { id: "panel", role: "tabpanel", "aria-labelledby": `tab-${tab.name}` });
    for (const pane of this.panes) {
      const heading = this.panes.length > 1 ? h("h3", {}, shortened(pane.net.name, 80)) : null;
      const content = tab.there(pane)
        ? tab.render(pane, this)
        : [h("p", {}, "The page was made without this.")];
      body.append(h("div", { class: "column" }, heading, ...content));
    }
    replace(this.side, list, h("div", { class: "legend", id: "legend" }), body);
    const selected = list.querySelector<HTMLElement>("[aria-selected=true]");
    if (selected) list.scrollLeft = selected.offsetLeft - 40; // one row on a narrow screen
    this.legend();
  }

  /** Opens a panel; colours that the panel of loads has put on leave with it. */
  private turnTo(tab: string): void {
    const { colour } = this.state;
    const leaves = this.state.tab === "load" && tab !== "load" && /^(load|cut)/.test(colour);
    this.set({ tab, colour: leaves ? "none" : colour });
  }

  private legend(): void {
    const host = document.getElementById("legend");
    if (!host) return;
    const pane = this.panes[0];
    const entries = pane.overlay.colouring?.legend ?? pane.colouring?.legend ?? [];
    host.replaceChildren(
      ...entries
        .filter(([, text]) => text)
        .map(([colour, text]) => {
          const patch = h("span", { class: "patch" });
          patch.style.background = colour;
          return h("span", { class: "entry" }, patch, text);
        }),
    );
  }

  // -- pictures ---------------------------------------------------------------------------------

  private async save(kind: "svg" | "png"): Promise<void> {
    for (const pane of this.panes) {
      const name = pane.net.data.spec.replace(/[^\w-]+/g, "_").slice(0, 60) || "network";
      const blob =
        kind === "svg"
          ? new Blob([pane.view.svg()], { type: "image/svg+xml" })
          : await pane.view.png();
      download(`${name}.${kind}`, blob);
    }
  }

  private zoom(factor: number): void {
    this.panes[0].view.zoomBy(factor);
  }

  private fit(): void {
    for (const pane of this.panes) pane.view.fit();
  }

  /** One view was moved: the others follow, and the link to the view. */
  private moved(pane: Pane): void {
    const { canvas, transform, turn } = pane.view;
    const size = [canvas.clientWidth || 1, canvas.clientHeight || 1];
    this.state.view = [transform.k, transform.x / size[0], transform.y / size[1]];
    this.state.turn = [turn.yaw, turn.pitch];
    this.moveViews(pane);
    this.remember();
  }

  private moveViews(except?: Pane): void {
    const [k, x, y] = this.state.view;
    for (const pane of this.panes) {
      if (pane === except) continue;
      const { canvas } = pane.view;
      const [w, hh] = [canvas.clientWidth || 1, canvas.clientHeight || 1];
      pane.view.moveTo(zoomIdentity.translate(x * w, y * hh).scale(k));
      pane.view.turnTo(this.state.turn[0], this.state.turn[1]);
    }
  }

  // -- pointing and killing ---------------------------------------------------------------------

  private hover(pane: Pane, found: Hit, x: number, y: number): void {
    const text =
      found.node >= 0
        ? this.nodeText(pane, found.node)
        : found.link >= 0
          ? this.linkText(pane, found.link)
          : "";
    this.tip.hidden = !text;
    this.tip.textContent = text;
    if (!text) return;
    const room = innerWidth - 300;
    this.tip.style.left = `${Math.max(4, Math.min(x + 14, room))}px`;
    this.tip.style.top = `${Math.min(y + 14, innerHeight - 110)}px`;
  }

  private nodeText(pane: Pane, node: number): string {
    const { net } = pane;
    const { graph } = net;
    const degree = graph.start[node + 1] - graph.start[node];
    const lines = [
      `node ${shortened(net.title(node), 120)}`,
      `${net.square?.[node] ? "switch" : "endpoint"}, ${count(degree, "port")}${net.alive.nodes[node] ? "" : ", dead"}`,
    ];
    const near = [];
    for (let e = graph.start[node]; e < Math.min(graph.start[node + 1], graph.start[node] + 6); e++)
      near.push(`${graph.port[e]}→${shortened(net.title(graph.to[e]), 30)}`);
    return [...lines, near.join("  ") + (degree > 6 ? " …" : "")].join("\n");
  }

  private linkText(pane: Pane, link: number): string {
    const { net } = pane;
    const { tails, heads } = net.graph;
    const lines = [
      `link ${shortened(net.title(tails[link]), 80)} – ${shortened(net.title(heads[link]), 80)}`,
    ];
    net.data.kinds.forEach((kind) => {
      const of = net.ready(kind.of);
      if (of) lines.push(`${kind.title}: ${kind.names[of[link]]}`);
    });
    const load = /^load(\d+)$/.exec(this.state.colour);
    const traffic = load ? net.data.traffic?.[Number(load[1])] : undefined;
    const loads = traffic ? net.ready(traffic.loads) : null;
    if (loads)
      lines.push(
        `load ${loads[2 * link].toPrecision(4)} and back ${loads[2 * link + 1].toPrecision(4)}`,
      );
    if (!net.alive.links[link]) lines.push("dead");
    return lines.join("\n");
  }

  private picked(pane: Pane, found: Hit): void {
    if (this.state.kill && this.state.tab === "faults") {
      if (found.node >= 0) this.toggle(pane, "deadNodes", found.node);
      else if (found.link >= 0) this.toggle(pane, "deadLinks", found.link);
    } else if (found.node >= 0) this.pick(found.node);
  }

  /** The first node picked, then the second; a third begins anew. */
  pick(node: number): void {
    const { a, b } = this.state;
    const name = this.panes.find((pane) => node < pane.net.order)?.net.title(node) ?? node;
    const both = a >= 0 && b < 0 && node !== a;
    this.say(both ? `second node ${name}` : `first node ${name}`);
    const tab = both && this.state.tab === "facts" ? "route" : this.state.tab;
    this.set(both ? { b: node, tab } : { a: node, b: -1, focus: node });
  }

  toggle(pane: Pane, kind: "deadNodes" | "deadLinks", thing: number): void {
    const dead = this.state[kind];
    const dies = !dead.get(pane.number)?.has(thing);
    for (const other of this.panes) {
      const mine = other === pane ? thing : other.net.twin(kind, thing, pane.net);
      if (mine < 0) continue;
      const things = dead.get(other.number) ?? new Set<number>();
      if (dies) things.add(mine);
      else things.delete(mine);
      dead.set(other.number, things);
    }
    this.say(dies ? "killed" : "revived");
    this.update();
  }

  killRandom(pane: Pane): void {
    const living = [...pane.net.alive.nodes.keys()].filter((v) => pane.net.alive.nodes[v]);
    if (living.length)
      this.toggle(pane, "deadNodes", living[Math.floor(Math.random() * living.length)]);
  }

  revive(): void {
    for (const { number } of this.panes) {
      this.state.deadNodes.delete(number);
      this.state.deadLinks.delete(number);
    }
    this.update();
  }

  // -- keys -------------------------------------------------------------------------------------

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]")) return;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return;
    if (target.getAttribute("role") === "tab" && /^Arrow(Left|Right)$/.test(event.key)) {
      this.nextTab(target, event.key === "ArrowRight" ? 1 : -1);
      return;
    }
    const tab = TABS.find((one) => one.name === this.state.tab);
    if (tab?.key?.(event, this)) {
      event.preventDefault();
      return;
    }
    const view = this.panes.find((pane) => pane.view.canvas === target)?.view;
    const arrows: Record<string, [number, number]> = {
      ArrowLeft: [1, 0],
      ArrowRight: [-1, 0],
      ArrowUp: [0, 1],
      ArrowDown: [0, -1],
    };
    const move = arrows[event.key];
    if (view && move) {
      if (view.spatial && !event.shiftKey) {
        view.turnTo(view.turn.yaw - 0.12 * move[0], view.turn.pitch - 0.12 * move[1]);
        view.onMove();
      } else view.panBy(40 * move[0], 40 * move[1]);
    } else if (event.key === "+" || event.key === "=") this.zoom(1.4);
    else if (event.key === "-") this.zoom(1 / 1.4);
    else if (event.key === "0") this.fit();
    else if (event.key === "/") document.getElementById("search")?.focus();
    else if (event.key === "?") this.help();
    else if (event.key === "n") this.step(1);
    else if (event.key === "p") this.step(-1);
    else if (event.key === "k" && this.state.a >= 0)
      this.toggle(this.panes[0], "deadNodes", this.state.a);
    else if (event.key === "Escape") this.set({ a: -1, b: -1 });
    else if (event.key === "Enter" && view)
      this.set({ b: this.state.a, a: this.state.b < 0 ? this.state.a : this.state.b });
    else return;
    event.preventDefault();
  }

  private nextTab(from: HTMLElement, by: number): void {
    const tabs = [...this.side.querySelectorAll<HTMLElement>("[role=tab]")];
    const next = tabs[(tabs.indexOf(from) + by + tabs.length) % tabs.length];
    next.focus();
    next.click();
  }

  /** The first node becomes the next one. */
  private step(by: number): void {
    const { order } = this.panes[0].net;
    if (!order) return;
    const a = this.state.a < 0 ? 0 : (this.state.a + by + order) % order;
    this.say(`first node ${this.panes[0].net.title(a)}`);
    this.set({ a });
  }

  private help(): void {
    const keys: [string, string][] = [
      ["arrows", "move the picture (in space: turn it; with shift: move)"],
      ["+ − 0", "zoom in, zoom out, fit"],
      ["/", "search for a node"],
      ["n p", "take the next or previous node as the first"],
      ["Enter", "on the picture: the first node becomes the second"],
      ["k", "kill or revive the first node"],
      ["Escape", "pick nothing"],
      ["space . ,", "schedules, recordings and steps: play or pause, next, previous"],
    ];
    const box = h(
      "dialog",
      { "aria-label": "Keyboard help" },
      h("h2", {}, "Keys"),
      h("dl", {}, ...keys.flatMap(([key, text]) => [h("dt", {}, key), h("dd", {}, text)])),
      button("close", "Close", () => box.close()),
    );
    box.addEventListener("close", () => box.remove());
    this.root.append(box);
    box.showModal();
  }

  /** Forget all that was picked, killed and moved. */
  reset(): Promise<void> {
    this.state = freshState(this.data.networks.length);
    return this.restore();
  }
}
