import type { App } from "../app";
import { choice, count, h, shortened, table } from "../dom";
import type { Numbers } from "../packing";
import type { Pane } from "../pane";
import { Player } from "../player";
import type { Trail } from "../scene";
import type { ScheduleData } from "../types";

/** The columns of a schedule, unpacked. */
interface Plan {
  data: ScheduleData;
  starts: Numbers;
  hops: Numbers;
  channels: Numbers;
  chunks: Numbers;
  /** First channel of each transfer. */
  first: Int32Array;
}

const plans = new WeakMap<ScheduleData, Plan>();

async function plan(pane: Pane, data: ScheduleData): Promise<Plan> {
  const known = plans.get(data);
  if (known) return known;
  const [starts, hops, channels, chunks] = await Promise.all(
    [data.starts, data.hops, data.channels, data.chunks].map((one) => pane.net.array(one)),
  );
  const first = new Int32Array(hops.length + 1);
  hops.forEach((x, i) => {
    first[i + 1] = first[i] + x;
  });
  const made = { data, starts, hops, channels, chunks, first };
  plans.set(data, made);
  return made;
}

function chosen(pane: Pane, app: App): ScheduleData | null {
  const all = pane.net.data.schedules ?? [];
  return all.length ? all[Math.min(app.state.schedule, all.length - 1)] : null;
}

/** Tail of the first channel of a transfer, and head of its last. */
function ends(pane: Pane, p: Plan, transfer: number): [number, number] {
  const { tails, heads } = pane.net.graph;
  const a = p.channels[p.first[transfer]];
  const b = p.channels[p.first[transfer + 1] - 1];
  return [a & 1 ? heads[a >> 1] : tails[a >> 1], b & 1 ? tails[b >> 1] : heads[b >> 1]];
}

/** Who has received how much when a round is over. */
function received(pane: Pane, p: Plan, round: number): Int32Array {
  const out = new Int32Array(pane.net.order);
  for (let t = 0; t < p.starts[round]; t++) out[ends(pane, p, t)[1]]++;
  return out;
}

/** For each node the informed one whose tile it lies in: that from which it will be told. */
function tiles(pane: Pane, p: Plan, round: number): Int32Array {
  const by = new Int32Array(pane.net.order).fill(-1);
  const when = new Int32Array(pane.net.order).fill(p.data.rounds + 1);
  when[p.data.root] = 0;
  for (let r = 0; r < p.data.rounds; r++)
    for (let t = p.starts[r]; t < p.starts[r + 1]; t++) {
      const [from, to] = ends(pane, p, t);
      if (when[to] <= r + 1) continue;
      when[to] = r + 1;
      by[to] = from;
    }
  return when.map((_, v) => {
    let at = v;
    while (when[at] > round && by[at] >= 0) at = by[at];
    return at;
  });
}

let player: Player | null = null;
let showTiles = false;

function thePlayer(app: App): Player {
  player ??= new Player(
    "round",
    (round) => app.set({ round }),
    () => ({
      at: app.state.round,
      last: Math.max(0, ...app.panes.map((pane) => chosen(pane, app)?.rounds ?? 0)),
    }),
  );
  return player;
}

export function scheduleKey(event: KeyboardEvent, app: App): boolean {
  return thePlayer(app).key(event);
}

/** The round that a pane is in: schedules that are over stay at their end. */
function roundOf(data: ScheduleData, app: App): number {
  return Math.min(app.state.round, data.rounds);
}

export async function prepareSchedule(pane: Pane, app: App): Promise<void> {
  const data = chosen(pane, app);
  if (!data) return;
  const p = await plan(pane, data);
  const round = roundOf(data, app);
  const { theme } = app;
  const trails: Trail[] = [];
  if (round > 0) {
    const groups: number[][] = theme.kinds.map(() => []);
    for (let t = p.starts[round - 1]; t < p.starts[round]; t++) {
      const group = data.root >= 0 ? 0 : p.chunks[t] % groups.length;
      for (let i = p.first[t]; i < p.first[t + 1]; i++) groups[group].push(p.channels[i]);
    }
    groups.forEach((channels, g) => {
      if (channels.length)
        trails.push({
          channels,
          colour: data.root >= 0 ? theme.route : theme.kinds[g],
          width: 3,
          arrows: true,
        });
    });
  }
  pane.overlay.trails = trails;
  const root = data.root >= 0;
  pane.overlay.marks = root ? [{ node: data.root, colour: theme.first }] : [];
  pane.overlay.colouring = {
    links: { colours: [theme.faint], of: new Uint8Array(pane.net.graph.links) },
    ...(root && showTiles && data.kind === "broadcast"
      ? tiling(pane, p, round, app)
      : progress(pane, p, round, app)),
  };
}

function progress(pane: Pane, p: Plan, round: number, app: App) {
  const { theme } = app;
  const now = received(pane, p, round);
  const all = received(pane, p, p.data.rounds);
  const top = theme.heat.length - 1;
  const spread = p.data.kind === "broadcast";
  const of = Uint8Array.from(now, (x, v) => {
    if (spread) return x > 0 || v === p.data.root ? top - 1 : 0;
    return all[v] ? Math.floor((top * x) / all[v]) : 0;
  });
  const legend: [string, string][] = spread
    ? [
        [theme.heat[top - 1], "has the data"],
        [theme.heat[0], "waits"],
      ]
    : [
        [theme.heat[0], "nothing received"],
        [theme.heat[4], "half"],
        [theme.heat[top], "all received"],
      ];
  return { nodes: { colours: theme.heat, of }, legend, words: words(p.data, round) };
}

function tiling(pane: Pane, p: Plan, round: number, app: App) {
  const { theme } = app;
  const tile = tiles(pane, p, round);
  const numbers = new Map<number, number>();
  for (const centre of tile) if (!numbers.has(centre)) numbers.set(centre, numbers.size);
  const of = Uint8Array.from(tile, (centre) => numbers.get(centre)! % theme.kinds.length);
  return {
    nodes: { colours: theme.kinds, of },
    legend: [[theme.kinds[0], `${numbers.size} tiles, one for each node that has the data`]] as [
      string,
      string,
    ][],
    words: words(p.data, round),
  };
}

function words(data: ScheduleData, round: number): string {
  return round
    ? `Round ${round} of ${data.rounds}: ${data.title}`
    : `Before the first round: ${data.title}`;
}

export function hasSchedule(pane: Pane): boolean {
  return Boolean(pane.net.data.schedules?.length);
}

/** Rounds to play, what each does, and the lower bound beside. */
export function schedule(pane: Pane, app: App): Node[] {
  const data = chosen(pane, app)!;
  const p = plans.get(data);
  const out: Node[] = [];
  if (pane === app.panes[0]) {
    out.push(
      choice(
        "schedule",
        "Schedule",
        pane.net.data.schedules!.map((one, i) => ({
          value: String(i),
          text: shortened(one.title, 60),
        })),
        String(app.state.schedule),
        (value) => app.set({ schedule: Number(value), round: 0 }),
      ),
      thePlayer(app).controls("round"),
    );
    if (data.kind === "broadcast")
      out.push(
        h(
          "label",
          { class: "field" },
          h("input", {
            type: "checkbox",
            "data-key": "tiles",
            checked: showTiles,
            onchange: (event) => {
              showTiles = (event.target as HTMLInputElement).checked;
              app.update();
            },
          }),
          "Tiles: who will be told by whom",
        ),
      );
  }
  const gap = data.rounds - data.bound;
  out.push(
    h("p", {}, `${data.words}; ${data.model}.`),
    h(
      "p",
      { class: gap ? "" : "good" },
      `${count(data.rounds, "round")}; no schedule has fewer than ${data.bound}` +
        (data.why ? ` (${data.why})` : "") +
        (gap ? "." : ": this one is optimal."),
    ),
    h(
      "p",
      { class: data.verdict === "holds" ? "small" : "bad" },
      data.verdict === "holds" ? "Verified." : `Not valid: ${data.verdict}.`,
    ),
  );
  if (p) out.push(...roundFacts(pane, p, roundOf(data, app)));
  return out;
}

const SHOWN = 40;

function roundFacts(pane: Pane, p: Plan, round: number): Node[] {
  if (!round) return [h("p", {}, "Play, or step to the first round.")];
  const [low, high] = [p.starts[round - 1], p.starts[round]];
  const used = new Set<number>();
  let longest = 0;
  for (let t = low; t < high; t++) {
    longest = Math.max(longest, p.hops[t]);
    for (let i = p.first[t]; i < p.first[t + 1]; i++) used.add(p.channels[i]);
  }
  const channels = pane.net.graph.channel.length;
  const share = channels ? Math.round((100 * used.size) / channels) : 0;
  const rows = [];
  for (let t = low; t < Math.min(high, low + SHOWN); t++) {
    const [from, to] = ends(pane, p, t);
    rows.push([pane.net.title(from), pane.net.title(to), String(p.hops[t]), String(p.chunks[t])]);
  }
  return [
    h(
      "p",
      {},
      `Round ${round}: ${count(high - low, "transfer")} over ${count(used.size, "channel")} ` +
        `(${share} % of all), longest path ${count(longest, "hop")}; ` +
        `${p.starts[round].toLocaleString("en")} of ${p.data.transfers.toLocaleString("en")} transfers done.`,
    ),
    table(
      high - low > SHOWN ? `Transfers, the first ${SHOWN}` : "Transfers",
      ["from", "to", "hops", "chunk"],
      rows,
    ),
  ];
}
