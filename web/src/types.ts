/** What hopscape tells the page: the format is described in src/hopscape/show/explore/payload.py. */
export interface Packed {
  t: "u1" | "u2" | "u4" | "i1" | "i2" | "i4" | "f4";
  n: number;
  d: string;
}

export interface LayoutData {
  name: string;
  title: string;
  dims: number;
  at: Packed;
  bend?: Packed;
}

export interface RouterData {
  name: string;
  exact: boolean;
  rule: "lowest" | "shift" | "table";
  instead?: boolean;
  sides?: number[];
  ports?: Packed;
}

export interface Kind {
  title: string;
  names: string[];
  of: Packed;
}

export interface TrafficData {
  name: string;
  words: string;
  loads: Packed;
  largest: number;
  mean: number;
  throughput: number;
  how: string;
}

export interface ScheduleData {
  name: string;
  title: string;
  words: string;
  model: string;
  kind: string;
  root: number;
  rounds: number;
  transfers: number;
  bound: number;
  why: string;
  verdict: string;
  starts: Packed;
  hops: Packed;
  channels: Packed;
  chunks: Packed;
}

export interface DeadlockData {
  router: string;
  free: boolean;
  words: string;
  vcs: number;
  method: string;
  least: string;
  certificate: string;
  cycle: Packed;
  classes: Packed | null;
  names: string[];
}

export interface BisectionData {
  words: string;
  how: string;
  side: Packed;
  cut: number;
}

export interface RecordingData {
  words: string;
  load: number;
  traffic: string;
  every: number;
  frames: number;
  queues: Packed;
  moved: Packed;
  capacity: number;
  in_flight: Packed;
  latency: Packed;
  delivered: Packed;
  deadlocked: boolean;
}

export interface CurveData {
  name: string;
  load: number[];
  latency: (number | null)[];
  p99: (number | null)[];
  accepted: (number | null)[];
  saturation: number | null;
}

export interface StepData {
  words: string;
  seconds: number;
  moments: number;
  ranks: number;
  nodes: Packed;
  names: string[];
  works: Packed;
  data: Packed;
  busy: Packed;
}

export interface NetworkData {
  format: string;
  version: number;
  hopscape: string;
  spec: string;
  /** What people call it, where that is another thing. */
  name?: string;
  family: string;
  order: number;
  links: number;
  duplex: boolean;
  facts: [string, string, string][];
  tails: Packed;
  heads: Packed;
  tail_ports: Packed;
  head_ports: Packed;
  switches: Packed | null;
  addresses: { sides: number[] } | { names: string[] } | null;
  kinds: Kind[];
  layouts: LayoutData[];
  router: RouterData;
  notes: string[];
  traffic?: TrafficData[];
  bisection?: BisectionData | null;
  deadlock?: DeadlockData | null;
  schedules?: ScheduleData[];
  recording?: RecordingData | null;
  curves?: CurveData[];
  step?: StepData | null;
}

export interface PageData {
  networks: NetworkData[];
}
