import { disjointRoutes } from "./disjoint";
import { h, shortened } from "./dom";
import { lowestRoute, type Route, survives } from "./graph";
import { choices, place, refusal } from "./layouts";
import type { Net } from "./net";
import type { Mark, Places, Trail } from "./scene";
import type { State } from "./state";
import type { Theme } from "./theme";
import { byRole, type Colouring, colouring } from "./tints";
import { View } from "./view";

/** What a panel may lay over the picture. */
export interface Overlay {
  colouring?: Partial<Colouring>;
  trails?: Trail[];
  marks?: Mark[];
}

/** Routes between the two nodes that were picked. */
export interface Routes {
  own: Route | null;
  broken: boolean;
  detour: Route | null;
  disjoint: Route[];
}

/** One network on the page: its view and what is derived for it. */
export class Pane {
  readonly element: HTMLElement;
  readonly view: View;
  colouring: Colouring | null = null;
  routes: Routes | null = null;
  refused = "";
  overlay: Overlay = {};
  private places = new Map<string, Places>();
  private note = h("p", { class: "note", role: "status" });
  private title = h("h2", {});
  private drawing = 0;

  constructor(
    public net: Net,
    public number: number,
  ) {
    this.title.append(shortened(net.name, 200));
    if (net.name !== net.data.spec) this.title.append(" ", h("code", {}, net.data.spec));
    this.title.title = net.data.family;
    const host = h("div", { class: "canvas" });
    this.element = h("section", { class: "pane" }, this.title, host, this.note);
    this.view = new View(host, `Drawing of ${shortened(net.data.spec, 200)}`);
  }

  /** The nodes picked, if this network has them. */
  picked(state: State): [number, number] {
    const inside = (v: number) => (v >= 0 && v < this.net.order ? v : -1);
    return [inside(state.a), inside(state.b)];
  }

  bury(state: State): void {
    const { alive } = this.net;
    alive.nodes.fill(1);
    alive.links.fill(1);
    for (const v of state.deadNodes.get(this.number) ?? [])
      if (v < this.net.order) alive.nodes[v] = 0;
    for (const i of state.deadLinks.get(this.number) ?? [])
      if (i < this.net.graph.links) alive.links[i] = 0;
  }

  hasDead(): boolean {
    const { alive } = this.net;
    return alive.nodes.includes(0) || alive.links.includes(0);
  }

  /** Works out routes before panels and pictures show them. */
  think(state: State): void {
    this.bury(state);
    const [a, b] = this.picked(state);
    if (a < 0 || b < 0 || a === b) {
      this.routes = null;
      return;
    }
    const { net } = this;
    const own = net.route(a, b);
    const broken = own !== null && !survives(own, net.alive);
    this.routes = {
      own,
      broken,
      detour: broken || !own ? lowestRoute(net.graph, a, b, net.alive) : null,
      disjoint: disjointRoutes(net.graph, a, b, net.alive),
    };
  }

  async draw(state: State, theme: Theme): Promise<void> {
    const turn = ++this.drawing;
    const { net } = this;
    const name = this.layoutName(state);
    this.refused = refusal(net, name);
    const shown = this.refused ? "circle" : name;
    const focus = state.focus < net.order ? state.focus : 0;
    const key = shown === "rings" || shown === "layers" ? `${shown}${focus}` : shown;
    let places = this.places.get(key);
    if (!places) {
      places = await place(net, shown, focus);
      if (this.places.size > 12) this.places.clear();
      this.places.set(key, places);
    }
    this.colouring = await colouring(net, theme, state.colour, this.picked(state)[0]);
    if (turn !== this.drawing) return;
    const tint = { ...this.colouring, ...this.overlay.colouring };
    this.view.show({
      tails: net.graph.tails,
      heads: net.graph.heads,
      simplex: !net.data.duplex,
      places,
      links: tint.links,
      nodes: byRole(tint.nodes, net.square),
      square: net.square,
      trails: this.overlay.trails ?? this.trails(theme),
      marks: [...this.marks(state, theme), ...(this.overlay.marks ?? [])],
      labels: net.order <= 400 ? (v) => this.label(v) : null,
      look: theme,
    });
    this.note.textContent = this.refused || (tint.words ?? "");
  }

  /** Short enough to stand in a node. */
  private label(node: number): string {
    const { addresses } = this.net.data;
    const sides = addresses && "sides" in addresses ? (addresses.sides ?? []) : [];
    const alike = sides.every((side) => side === sides[0]);
    // words of digits as drawings write them: 0110
    const word = alike && (sides[0] === 2 ? sides.length > 1 : sides[0] <= 10 && sides.length > 2);
    const text = this.net.address(node).replace(word ? /[(), ]/g : /[() ]/g, "");
    return text.length > 7 ? String(node) : text;
  }

  layoutName(state: State): string {
    const known = choices(this.net);
    return known.some((one) => one.name === state.layout) ? state.layout : known[0].name;
  }

  private trails(theme: Theme): Trail[] {
    const { routes } = this;
    if (!routes) return [];
    const out: Trail[] = routes.disjoint.map((route, i) => ({
      channels: route.channels,
      colour: theme.kinds[i % theme.kinds.length],
      width: 2.5,
      arrows: true,
    }));
    if (routes.own)
      out.push({
        channels: routes.own.channels,
        colour: routes.broken ? theme.lost : theme.route,
        width: routes.broken ? 2 : 5,
        dash: routes.broken ? [3, 5] : undefined,
        arrows: !routes.broken,
      });
    if (routes.detour)
      out.push({ channels: routes.detour.channels, colour: theme.route, width: 5, arrows: true });
    return out;
  }

  private marks(state: State, theme: Theme): Mark[] {
    const [a, b] = this.picked(state);
    const out: Mark[] = [];
    if (a >= 0) out.push({ node: a, colour: theme.first, label: shortened(this.net.title(a), 40) });
    if (b >= 0)
      out.push({ node: b, colour: theme.second, label: shortened(this.net.title(b), 40) });
    return out;
  }
}
