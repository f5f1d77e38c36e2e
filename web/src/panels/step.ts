import type { App } from "../app";
import { count, h, table } from "../dom";
import type { Numbers } from "../packing";
import type { Pane } from "../pane";
import { Player } from "../player";
import type { Theme } from "../theme";
import { heatLegend, heatTint, perLink } from "../tints";
import type { StepData } from "../types";

interface Film {
  nodes: Numbers;
  works: Numbers;
  data: Numbers;
  busy: Numbers;
}

const films = new WeakMap<StepData, Film>();
const ROWS = 64;
const TALL = 5;
let player: Player | null = null;

function thePlayer(app: App): Player {
  player ??= new Player(
    "moment",
    (moment) => app.set({ moment }),
    () => ({
      at: app.state.moment,
      last: Math.max(0, ...app.panes.map((pane) => (pane.net.data.step?.moments ?? 1) - 1)),
    }),
  );
  player.speed = player.speed === 2 ? 10 : player.speed;
  return player;
}

export function stepKey(event: KeyboardEvent, app: App): boolean {
  return thePlayer(app).key(event);
}

export function hasStep(pane: Pane): boolean {
  return Boolean(pane.net.data.step);
}

async function film(pane: Pane, data: StepData): Promise<Film> {
  const known = films.get(data);
  if (known) return known;
  const [nodes, works, moved, busy] = await Promise.all(
    [data.nodes, data.works, data.data, data.busy].map((one) => pane.net.array(one)),
  );
  const made = { nodes, works, data: moved, busy };
  films.set(data, made);
  return made;
}

const momentOf = (data: StepData, app: App) => Math.min(app.state.moment, data.moments - 1);

/** The time at the middle of a moment. */
function clock(data: StepData, moment: number): string {
  return `${+((1e3 * data.seconds * (moment + 0.5)) / data.moments).toPrecision(4)} ms`;
}

/** Links by what they carry; ranks that compute are in the colour of what they do. */
export async function prepareStep(pane: Pane, app: App): Promise<void> {
  const data = pane.net.data.step;
  if (!data) return;
  const now = await film(pane, data);
  const moment = momentOf(data, app);
  const { theme } = app;
  const width = 2 * pane.net.graph.links;
  const part = now.busy.subarray(moment * width, (moment + 1) * width);
  const of = new Uint8Array(pane.net.order);
  const used = new Set<number>();
  for (let rank = 0; rank < data.ranks; rank++) {
    const name = now.works[moment * data.ranks + rank];
    used.add(name);
    of[now.nodes[rank]] = name ? 1 + ((name - 1) % theme.kinds.length) : 0;
  }
  pane.overlay.colouring = {
    links: heatTint(theme, perLink(pane.net, part), 100, true),
    nodes: { colours: [theme.faint, ...theme.kinds], of },
    legend: [
      ...data.names
        .map((name, i): [string, string] => [tint(theme, i), name ? `computes: ${name}` : "waits"])
        .filter((_, i) => used.has(i)),
      ...heatLegend(theme, 100, " % of the moment", true),
    ],
    words: `At ${clock(data, moment)}: links by the part of the moment in which they carry data.`,
  };
  pane.overlay.trails = [];
}

function tint(theme: Theme, name: number): string {
  return name ? theme.kinds[(name - 1) % theme.kinds.length] : theme.faint;
}

/** Moments to play, what every rank does then, and all of it as a strip. */
export function step(pane: Pane, app: App): Node[] {
  const data = pane.net.data.step!;
  const now = films.get(data);
  const out: Node[] = [];
  if (pane === app.panes[0]) out.push(thePlayer(app).controls("moment"));
  out.push(h("p", {}, data.words));
  if (!now) return out;
  const moment = momentOf(data, app);
  const at = (row: Numbers, rank: number) => data.names[row[moment * data.ranks + rank]];
  const ranks = shown(data);
  const works = Array.from({ length: data.ranks }, (_, rank) => at(now.works, rank));
  out.push(
    strip(data, now, ranks, moment, app),
    h(
      "p",
      {},
      `${clock(data, moment)}: ${count(works.filter(Boolean).length, "rank")} of ${data.ranks} compute.`,
    ),
    table(
      "What ranks do at this moment",
      ["rank", "node", "computes", "data under way"],
      ranks.map((rank) => [
        String(rank),
        pane.net.title(now.nodes[rank]),
        at(now.works, rank) || "waits",
        at(now.data, rank),
      ]),
    ),
  );
  return out;
}

/** Ranks that have a row: all, or some taken evenly. */
function shown(data: StepData): number[] {
  const rows = Math.min(data.ranks, ROWS);
  return Array.from({ length: rows }, (_, i) => Math.floor((i * data.ranks) / rows));
}

/** A row for each rank, work above data; a click goes to its moment. */
function strip(data: StepData, now: Film, ranks: number[], moment: number, app: App): HTMLElement {
  const { theme } = app;
  const row = 2 * TALL + 1;
  const sheet = h("canvas", {
    width: 2 * data.moments,
    height: row * ranks.length,
    class: "strip",
    role: "img",
    "aria-label": `What ${count(ranks.length, "rank")} do over time: work, and data below it`,
    onclick: (event) => {
      const { clientX } = event as MouseEvent;
      const box = sheet.getBoundingClientRect();
      const share = (clientX - box.left) / Math.max(1, box.width);
      app.set({
        moment: Math.max(0, Math.min(data.moments - 1, Math.floor(share * data.moments))),
      });
    },
  });
  const pen = sheet.getContext("2d");
  if (!pen) return sheet;
  ranks.forEach((rank, i) => {
    for (let m = 0; m < data.moments; m++)
      [now.works, now.data].forEach((values, half) => {
        const name = values[m * data.ranks + rank];
        if (!name) return;
        pen.fillStyle = tint(theme, name);
        pen.fillRect(2 * m, i * row + half * TALL, 2, half ? TALL - 2 : TALL);
      });
  });
  pen.fillStyle = theme.text;
  pen.fillRect(2 * moment, 0, 1, sheet.height);
  return sheet;
}
