/** Everything that a link to a view must say. */
export interface State {
  left: number;
  right: number;
  layout: string;
  colour: string;
  tab: string;
  theme: string;
  kill: boolean;
  a: number;
  b: number;
  focus: number;
  schedule: number;
  round: number;
  frame: number;
  moment: number;
  /** Zoom, and how far the picture is moved, in widths and heights of the view. */
  view: number[];
  turn: number[];
  /** Dead nodes and links of each network. */
  deadNodes: Map<number, Set<number>>;
  deadLinks: Map<number, Set<number>>;
}

export function freshState(networks: number): State {
  return {
    left: 0,
    right: networks > 1 ? 1 : -1,
    layout: "",
    colour: "none",
    tab: "facts",
    theme: "auto",
    kill: false,
    a: -1,
    b: -1,
    focus: 0,
    schedule: 0,
    round: 0,
    frame: 0,
    moment: 0,
    view: [1, 0, 0],
    turn: [-0.6, 0.45],
    deadNodes: new Map(),
    deadLinks: new Map(),
  };
}

const NUMBERS = [
  ...(["left", "right", "a", "b", "focus"] as const),
  ...(["schedule", "round", "frame", "moment"] as const),
] as const;
const TEXTS = ["layout", "colour", "tab", "theme"] as const;
const LISTS = ["view", "turn"] as const;

/** The state as a URL fragment: only what differs from the beginning. */
export function writeState(state: State, networks: number): string {
  const fresh = freshState(networks);
  const out = new URLSearchParams();
  for (const key of [...NUMBERS, ...TEXTS])
    if (state[key] !== fresh[key]) out.set(key, String(state[key]));
  if (state.kill) out.set("kill", "1");
  for (const key of LISTS)
    if (state[key].some((x, i) => Math.abs(x - fresh[key][i]) > 1e-4))
      out.set(key, state[key].map((x) => +x.toFixed(4)).join(","));
  for (const [prefix, dead] of [
    ["n", state.deadNodes],
    ["l", state.deadLinks],
  ] as const)
    for (const [net, things] of dead)
      if (things.size) out.set(`dead-${prefix}${net}`, [...things].join(","));
  return out.toString();
}

/** The state that a fragment tells; what makes no sense is left as it is at the beginning. */
export function readState(fragment: string, networks: number): State {
  const state = freshState(networks);
  const given = new URLSearchParams(fragment.replace(/^#/, ""));
  const whole = (text: string) => (/^-?\d{1,9}$/.test(text) ? Number(text) : null);
  for (const key of NUMBERS) state[key] = whole(given.get(key) ?? "") ?? state[key];
  for (const key of TEXTS) state[key] = (given.get(key) ?? state[key]).slice(0, 40);
  state.kill = given.get("kill") === "1";
  for (const key of LISTS) {
    const values = (given.get(key) ?? "").split(",").map(Number);
    if (values.length === state[key].length && values.every(Number.isFinite)) state[key] = values;
  }
  for (const [name, value] of given) {
    const match = /^dead-([nl])(\d+)$/.exec(name);
    if (!match || Number(match[2]) >= networks) continue;
    const things = value
      .split(",")
      .map(whole)
      .filter((x): x is number => x !== null && x >= 0);
    (match[1] === "n" ? state.deadNodes : state.deadLinks).set(Number(match[2]), new Set(things));
  }
  if (state.left < 0 || state.left >= networks) state.left = 0;
  if (state.right >= networks) state.right = -1;
  state.view[0] = Math.max(0.2, Math.min(60, state.view[0]));
  return state;
}
