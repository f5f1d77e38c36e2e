import uPlot from "uplot";
import type { App } from "../app";
import { count, h, table } from "../dom";
import type { Numbers } from "../packing";
import type { Pane } from "../pane";
import { Player } from "../player";
import { heatLegend, heatTint, perLink } from "../tints";
import type { CurveData, RecordingData } from "../types";

interface Film {
  queues: Numbers;
  moved: Numbers;
  inFlight: Numbers;
  delivered: Numbers;
  latency: Numbers;
  most: number;
}

const films = new WeakMap<RecordingData, Film>();
let player: Player | null = null;

function thePlayer(app: App): Player {
  player ??= new Player(
    "frame",
    (frame) => app.set({ frame }),
    () => ({
      at: app.state.frame,
      last: Math.max(0, ...app.panes.map((pane) => (pane.net.data.recording?.frames ?? 1) - 1)),
    }),
  );
  player.speed = player.speed === 2 ? 10 : player.speed;
  return player;
}

export function simulationKey(event: KeyboardEvent, app: App): boolean {
  return thePlayer(app).key(event);
}

async function film(pane: Pane, data: RecordingData): Promise<Film> {
  const known = films.get(data);
  if (known) return known;
  const [queues, moved, inFlight, delivered, latency] = await Promise.all(
    [data.queues, data.moved, data.in_flight, data.delivered, data.latency].map((one) =>
      pane.net.array(one),
    ),
  );
  const most = Math.max(
    7,
    (queues as Uint8Array).reduce((a: number, b: number) => Math.max(a, b), 0),
  );
  const made = { queues, moved, inFlight, delivered, latency, most };
  films.set(data, made);
  return made;
}

const frameOf = (data: RecordingData, app: App) => Math.min(app.state.frame, data.frames - 1);

export async function prepareSimulation(pane: Pane, app: App): Promise<void> {
  const data = pane.net.data.recording;
  if (!data) return;
  const now = await film(pane, data);
  const frame = frameOf(data, app);
  const width = 2 * pane.net.graph.links;
  const part = now.queues.subarray(frame * width, (frame + 1) * width);
  pane.overlay.colouring = {
    links: heatTint(app.theme, perLink(pane.net, part), now.most, true),
    legend: heatLegend(app.theme, now.most, " flits", true),
    words: `Cycle ${(frame + 1) * data.every}: flits waiting behind each link; dots are flits that moved.`,
  };
  const moving = now.moved.subarray(frame * width, (frame + 1) * width);
  const dots: number[] = [];
  moving.forEach((flits: number, channel: number) => {
    if (flits) dots.push(channel);
  });
  pane.overlay.trails = [];
  const { theme } = app;
  pane.view.extra = (pen, camera) => {
    if (dots.length > 20000) return;
    pen.fillStyle = theme.route;
    pen.beginPath();
    for (const channel of dots) {
      const share = 0.25 + 0.5 * (((channel * 7919 + frame * 131) % 97) / 97);
      const { x, y } = pane.view.pointOn(channel, share, camera);
      pen.moveTo(x + 2.4, y);
      pen.arc(x, y, 2.4, 0, 2 * Math.PI);
    }
    pen.fill();
  };
}

export function hasSimulation(pane: Pane): boolean {
  return Boolean(pane.net.data.recording || pane.net.data.curves?.length);
}

export function simulation(pane: Pane, app: App): Node[] {
  const { recording, curves } = pane.net.data;
  const out: Node[] = [];
  if (recording) {
    if (pane === app.panes[0]) out.push(thePlayer(app).controls("frame"));
    out.push(h("p", {}, `${recording.words}.`), ...recorded(recording, app));
  }
  for (const curve of curves ?? []) out.push(...curveView(curve, app));
  return out;
}

function recorded(data: RecordingData, app: App): Node[] {
  const now = films.get(data);
  if (!now) return [];
  const frame = frameOf(data, app);
  const cycles = Array.from({ length: data.frames }, (_, i) => (i + 1) * data.every);
  const latency = Array.from(now.latency, (x, i) => (x > 0 && now.delivered[i] ? x : null));
  const waiting = Array.from(now.inFlight);
  const told = latency[frame];
  return [
    h(
      "p",
      {},
      `Cycle ${cycles[frame]}: ${count(now.inFlight[frame], "packet")} in flight, ` +
        `${now.delivered[frame].toLocaleString("en")} delivered, ` +
        (told && now.delivered[frame]
          ? `mean latency of the last arrivals ${told.toFixed(1)} cycles.`
          : "none arrived just now."),
    ),
    data.deadlocked
      ? h("p", { class: "bad" }, "Nothing moved any more: a deadlock.")
      : h("span", {}),
    plot(
      app,
      "cycle",
      [{ label: "packets in flight", values: waiting, colour: app.theme.kinds[0] }],
      cycles,
    ),
    plot(
      app,
      "cycle",
      [{ label: "latency (cycles)", values: latency, colour: app.theme.kinds[1] }],
      cycles,
    ),
  ];
}

interface Line {
  label: string;
  values: (number | null)[];
  colour: string;
}

/** Lines over x, with the values under the pointer. */
function plot(app: App, x: string, lines: Line[], xs: number[]): HTMLElement {
  const host = h("div", {
    class: "plot",
    role: "img",
    "aria-label": `${lines.map((l) => l.label).join(", ")} over ${x}`,
  });
  const ink = {
    stroke: app.theme.text,
    grid: { stroke: app.theme.faint },
    ticks: { stroke: app.theme.faint },
  };
  queueMicrotask(() => {
    const width = Math.max(220, Math.min(372, host.clientWidth || 340));
    new uPlot(
      {
        width,
        height: 200,
        scales: { x: { time: false } },
        axes: [ink, { ...ink, size: 44 }],
        series: [
          { label: x },
          ...lines.map((line) => ({
            label: line.label,
            stroke: line.colour,
            width: 2,
            points: { show: xs.length < 40 },
          })),
        ],
      },
      [xs, ...lines.map((line) => line.values)],
      host,
    );
  });
  return host;
}

function curveView(curve: CurveData, app: App): Node[] {
  const show = (value: number | null) => (value === null ? "saturated" : String(value));
  return [
    h(
      "p",
      {},
      `Load-latency curve, ${curve.name} traffic; saturates at ${curve.saturation} flits per ` +
        "endpoint and cycle.",
    ),
    plot(
      app,
      "load",
      [
        { label: "mean latency", values: curve.latency, colour: app.theme.kinds[0] },
        { label: "99th percentile", values: curve.p99, colour: app.theme.kinds[1] },
      ],
      curve.load,
    ),
    table(
      "Points of the curve",
      ["offered", "accepted", "latency", "p99"],
      curve.load.map((x, i) => [
        String(x),
        show(curve.accepted[i]),
        show(curve.latency[i]),
        show(curve.p99[i]),
      ]),
    ),
  ];
}
