import type { Raster } from "./raster";
import type { Pen } from "./svg";

/** Where nodes stand: the unit square, y down; z for those in space. */
export interface Places {
  x: Float32Array;
  y: Float32Array;
  z?: Float32Array;
  /** Bend of each link as a share of its length, to the left. */
  bend?: Float32Array;
  matrix?: boolean;
}

/** Each thing has a colour by number; things of one colour are drawn together. */
export interface Tint {
  colours: string[];
  of: Uint8Array;
  /** Width of a line, or radius of a node, by colour; as a factor. */
  sizes?: number[];
  alpha?: number[];
}

export interface Trail {
  channels: number[];
  colour: string;
  width: number;
  dash?: number[];
  arrows?: boolean;
}

export interface Mark {
  node: number;
  colour: string;
  label?: string;
}

export interface Look {
  page: string;
  text: string;
  halo: string;
}

export interface Scene {
  tails: Int32Array;
  heads: Int32Array;
  simplex: boolean;
  places: Places;
  links: Tint;
  nodes: Tint;
  square: Uint8Array | null;
  trails: Trail[];
  marks: Mark[];
  labels: ((node: number) => string) | null;
  look: Look;
}

/** Where the unit square lies on the screen. */
export interface Camera {
  scale: number;
  x: number;
  y: number;
}

/** Numbers of things, sorted by colour: one stroke for each colour. */
function byColour(tint: Tint): { start: Int32Array; list: Int32Array } {
  const start = new Int32Array(tint.colours.length + 1);
  for (const c of tint.of) start[c + 1]++;
  for (let c = 0; c < tint.colours.length; c++) start[c + 1] += start[c];
  const at = start.slice();
  const list = new Int32Array(tint.of.length);
  tint.of.forEach((c, i) => {
    list[at[c]++] = i;
  });
  return { start, list };
}

const kept = new WeakMap<Tint, { start: Int32Array; list: Int32Array }>();

function groups(tint: Tint): { start: Int32Array; list: Int32Array } {
  let found = kept.get(tint);
  if (!found) {
    found = byColour(tint);
    kept.set(tint, found);
  }
  return found;
}

const MEASURED = 400; // nodes, as many as have names; of each the nearest other is looked for
const gaps = new WeakMap<Float32Array, number>();

/** How far nodes stand apart: the closest two, or half of the median where few stand closer. */
function apart({ x, y }: Places): number {
  if (x.length < 2 || x.length > MEASURED) return Number.POSITIVE_INFINITY;
  let found = gaps.get(x);
  if (found === undefined) {
    const near = Array.from(x, (_, v) => {
      let least = Number.POSITIVE_INFINITY;
      for (let w = 0; w < x.length; w++) {
        if (w !== v) least = Math.min(least, Math.hypot(x[w] - x[v], y[w] - y[v]));
      }
      return least;
    }).sort((a, b) => a - b);
    found = Math.max(near[0], near[near.length >> 1] / 2);
    gaps.set(x, found);
  }
  return found;
}

export function nodeRadius(scene: Scene, scale: number): number {
  const { places, square } = scene;
  const usual = (0.17 * scale) / Math.sqrt(Math.max(places.x.length, 1));
  const free = (0.45 * scale * apart(places)) / (square ? LEAF : 1);
  return Math.max(1.1, Math.min(13, usual, free));
}

/** Endpoints beside switches are drawn smaller than these. */
export const LEAF = 0.62;

export function lineWidth(links: number, scale: number): number {
  const crowd = Math.max(0.3, Math.min(1.6, Math.sqrt(400 / Math.max(links, 1))));
  return Math.min(2.2, crowd * Math.max(1, Math.sqrt(scale / 800)));
}

/** Adds the line of one link to the path. */
function trace(pen: Pen, scene: Scene, camera: Camera, link: number): void {
  const { x, y, bend } = scene.places;
  const t = scene.tails[link];
  const h = scene.heads[link];
  const ax = camera.x + camera.scale * x[t];
  const ay = camera.y + camera.scale * y[t];
  if (t === h) {
    const r = 1.3 * nodeRadius(scene, camera.scale);
    pen.moveTo(ax + r, ay - r);
    pen.arc(ax, ay - r, r, 0, 2 * Math.PI);
    return;
  }
  const bx = camera.x + camera.scale * x[h];
  const by = camera.y + camera.scale * y[h];
  pen.moveTo(ax, ay);
  const off = bend ? 2 * bend[link] : 0;
  if (off) {
    // left of the direction, with y down
    pen.quadraticCurveTo((ax + bx) / 2 + off * (by - ay), (ay + by) / 2 - off * (bx - ax), bx, by);
  } else pen.lineTo(bx, by);
}

/** A point on a channel and its direction, for arrows and moving dots. */
export function along(
  scene: Scene,
  camera: Camera,
  channel: number,
  share: number,
): { x: number; y: number; dx: number; dy: number } {
  const link = channel >> 1;
  const back = (channel & 1) === 1;
  const { x, y, bend } = scene.places;
  const [t, h] = [scene.tails[link], scene.heads[link]];
  const s = back ? 1 - share : share;
  const [ax, ay, bx, by] = [x[t], y[t], x[h], y[h]];
  const off = bend ? 2 * bend[link] : 0;
  const cx = (ax + bx) / 2 + off * (by - ay);
  const cy = (ay + by) / 2 - off * (bx - ax);
  const px = (1 - s) ** 2 * ax + 2 * s * (1 - s) * cx + s * s * bx;
  const py = (1 - s) ** 2 * ay + 2 * s * (1 - s) * cy + s * s * by;
  const dx = 2 * (1 - s) * (cx - ax) + 2 * s * (bx - cx);
  const dy = 2 * (1 - s) * (cy - ay) + 2 * s * (by - cy);
  const sign = back ? -1 : 1;
  const length = Math.hypot(dx, dy) || 1;
  return {
    x: camera.x + camera.scale * px,
    y: camera.y + camera.scale * py,
    dx: (sign * dx) / length,
    dy: (sign * dy) / length,
  };
}

const MANY = 300;
const VERY_MANY = 6000;
const MOST_REDRAWN = 5000;
const PIECES = 6;

/** Groups of many thin links, added up in a raster; the colours that were done. */
export function rasterLinks(
  raster: Raster,
  scene: Scene,
  camera: Camera,
  ratio: number,
): Set<number> {
  const done = new Set<number>();
  if (scene.places.matrix) return done;
  const { start, list } = groups(scene.links);
  const width = ratio * lineWidth(scene.tails.length, camera.scale);
  raster.fine = scene.tails.length < VERY_MANY;
  raster.begin();
  scene.links.colours.forEach((_, c) => {
    const weight = width * (scene.links.sizes?.[c] ?? 1);
    if (start[c + 1] - start[c] < MANY || weight > 1.2 || weight === 0) return;
    for (let i = start[c]; i < start[c + 1]; i++)
      rasterLink(raster, scene, camera, list[i], weight, c);
    done.add(c);
  });
  raster.paint(scene.links.colours);
  return done;
}

function rasterLink(
  raster: Raster,
  scene: Scene,
  camera: Camera,
  link: number,
  weight: number,
  colour: number,
): void {
  const { x, y, bend } = scene.places;
  const [t, h] = [scene.tails[link], scene.heads[link]];
  const [ax, ay] = [camera.x + camera.scale * x[t], camera.y + camera.scale * y[t]];
  const [bx, by] = [camera.x + camera.scale * x[h], camera.y + camera.scale * y[h]];
  const off = bend ? 2 * bend[link] : 0;
  if (!off) {
    raster.line(ax, ay, bx, by, weight, colour);
    return;
  }
  const [cx, cy] = [(ax + bx) / 2 + off * (by - ay), (ay + by) / 2 - off * (bx - ax)];
  let [fx, fy] = [ax, ay];
  for (let k = 1; k <= PIECES; k++) {
    const s = k / PIECES;
    const gx = (1 - s) ** 2 * ax + 2 * s * (1 - s) * cx + s * s * bx;
    const gy = (1 - s) ** 2 * ay + 2 * s * (1 - s) * cy + s * s * by;
    raster.line(fx, fy, gx, gy, weight, colour);
    [fx, fy] = [gx, gy];
  }
}

export function drawLinks(pen: Pen, scene: Scene, camera: Camera, done?: Set<number>): void {
  const { start, list } = groups(scene.links);
  const width = lineWidth(scene.tails.length, camera.scale);
  scene.links.colours.forEach((colour, c) => {
    const size = scene.links.sizes?.[c] ?? 1;
    if (start[c] === start[c + 1] || size === 0 || done?.has(c)) return;
    pen.strokeStyle = colour;
    pen.lineWidth = width * size;
    pen.globalAlpha = scene.links.alpha?.[c] ?? 1;
    pen.beginPath();
    for (let i = start[c]; i < start[c + 1]; i++) trace(pen, scene, camera, list[i]);
    pen.stroke();
  });
  pen.globalAlpha = 1;
  if (scene.simplex && scene.tails.length <= 2000) drawArrows(pen, scene, camera);
}

function drawArrows(pen: Pen, scene: Scene, camera: Camera): void {
  const size = 3 + lineWidth(scene.tails.length, camera.scale) * 2;
  const { of, colours } = scene.links;
  for (let i = 0; i < scene.tails.length; i++) {
    if (scene.tails[i] !== scene.heads[i]) arrow(pen, scene, camera, 2 * i, size, colours[of[i]]);
  }
}

/** Where the middle of an arrow is whose tip touches the rim of the node that it points to. */
function tipShare(scene: Scene, camera: Camera, channel: number, size: number): number {
  const { x, y } = scene.places;
  const [t, h] = [scene.tails[channel >> 1], scene.heads[channel >> 1]];
  const length = camera.scale * Math.hypot(x[h] - x[t], y[h] - y[t]);
  const rim = nodeRadius(scene, camera.scale) + size + 1;
  return length > 3 * rim ? 1 - rim / length : 0.62;
}

function arrow(
  pen: Pen,
  scene: Scene,
  camera: Camera,
  channel: number,
  size: number,
  colour: string,
): void {
  const { x, y, dx, dy } = along(scene, camera, channel, tipShare(scene, camera, channel, size));
  pen.fillStyle = colour;
  pen.beginPath();
  pen.moveTo(x + size * dx, y + size * dy);
  pen.lineTo(x - size * dx - 0.7 * size * dy, y - size * dy + 0.7 * size * dx);
  pen.lineTo(x - size * dx + 0.7 * size * dy, y - size * dy - 0.7 * size * dx);
  pen.closePath();
  pen.fill();
}

export function drawNodes(pen: Pen, scene: Scene, camera: Camera): void {
  const { start, list } = groups(scene.nodes);
  const { x, y } = scene.places;
  const base = nodeRadius(scene, camera.scale);
  scene.nodes.colours.forEach((colour, c) => {
    if (start[c] === start[c + 1]) return;
    const r = base * (scene.nodes.sizes?.[c] ?? 1);
    pen.fillStyle = colour;
    pen.beginPath();
    for (let i = start[c]; i < start[c + 1]; i++) {
      const v = list[i];
      const px = camera.x + camera.scale * x[v];
      const py = camera.y + camera.scale * y[v];
      if (r < 1.6) pen.rect(px - r, py - r, 2 * r, 2 * r);
      else if (scene.square?.[v]) pen.rect(px - 0.9 * r, py - 0.9 * r, 1.8 * r, 1.8 * r);
      else {
        pen.moveTo(px + r, py);
        pen.arc(px, py, r, 0, 2 * Math.PI);
      }
    }
    pen.fill();
  });
}

/** Dark letters on pale colours, pale ones on dark colours. */
function inkOn(colour: string): string {
  const parts = [1, 3, 5].map((i) => Number.parseInt(colour.slice(i, i + 2), 16));
  return 0.3 * parts[0] + 0.59 * parts[1] + 0.11 * parts[2] > 128 ? "#1a1a1a" : "#ffffff";
}

const READABLE = 8; // px: smaller letters in a node are noise
const BESIDE = 11;

/** Size of the letters of each kind of nodes, and whether they stand in the node or below it. */
export function lettering(
  scene: Scene,
  scale: number,
  longest: number[],
  squares: boolean[],
): { size: number; below: boolean }[] {
  const r = nodeRadius(scene, scale);
  const room = scale * apart(scene.places);
  return longest.map((n, c) => {
    const own = r * (scene.nodes.sizes?.[c] ?? 1);
    const fits = squares[c] ? (1.6 * own) / (0.56 * n) : (0.95 * own) / Math.hypot(0.28 * n, 0.36);
    if (fits >= READABLE) return { size: Math.min(12, fits), below: false };
    const free = room >= 0.6 * BESIDE * n + 6 && room >= 2 * r + 1.7 * BESIDE;
    return { size: free ? BESIDE : 0, below: true };
  });
}

function drawLabels(pen: Pen, scene: Scene, camera: Camera): void {
  if (!scene.labels) return;
  const { x, y } = scene.places;
  const r = nodeRadius(scene, camera.scale);
  if (r < 4) return;
  const texts = Array.from(x, (_, v) => scene.labels!(v));
  const { of, sizes } = scene.nodes;
  // as large as fits into the nodes of one kind: endpoints are smaller than switches
  const longest = scene.nodes.colours.map(() => 1);
  const squares = scene.nodes.colours.map(() => true);
  texts.forEach((text, v) => {
    longest[of[v]] = Math.max(longest[of[v]], text.length);
    squares[of[v]] &&= scene.square?.[v] === 1;
  });
  const letters = lettering(scene, camera.scale, longest, squares);
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  const inks = scene.nodes.colours.map(inkOn);
  texts.forEach((text, v) => {
    const { size, below } = letters[of[v]];
    if (!size) return;
    const px = camera.x + camera.scale * x[v];
    let py = camera.y + camera.scale * y[v];
    pen.font = `${size.toFixed(1)}px sans-serif`;
    if (below) {
      const wide = 0.6 * size * text.length + 2;
      py += r * (sizes?.[of[v]] ?? 1) + 0.8 * size;
      pen.fillStyle = scene.look.halo;
      pen.fillRect(px - wide / 2, py - 0.6 * size, wide, 1.2 * size);
    }
    pen.fillStyle = below ? scene.look.text : inks[of[v]];
    pen.fillText(text, px, py);
  });
}

/** All that stays the same while the picture is moved. */
export function drawBase(pen: Pen, scene: Scene, camera: Camera, done?: Set<number>): void {
  if (scene.places.matrix) {
    drawMatrix(pen, scene, camera);
    return;
  }
  drawLinks(pen, scene, camera, done);
  drawNodes(pen, scene, camera);
  drawLabels(pen, scene, camera);
}

/** Routes, marks and what else lies on top. */
export function drawOver(pen: Pen, scene: Scene, camera: Camera): void {
  if (scene.places.matrix) {
    drawMatrixOver(pen, scene, camera);
    return;
  }
  for (const trail of scene.trails) {
    pen.strokeStyle = trail.colour;
    pen.lineWidth = trail.width;
    pen.setLineDash(trail.dash ?? []);
    pen.beginPath();
    for (const channel of trail.channels) trace(pen, scene, camera, channel >> 1);
    pen.stroke();
    pen.setLineDash([]);
    if (trail.arrows && trail.channels.length <= 3000)
      for (const channel of trail.channels)
        arrow(pen, scene, camera, channel, 3 + 1.3 * trail.width, trail.colour);
  }
  if (scene.trails.length && scene.places.x.length <= MOST_REDRAWN) {
    drawNodes(pen, scene, camera); // lines end at the rim, names stay readable
    drawLabels(pen, scene, camera);
  }
  const { x, y } = scene.places;
  const r = Math.max(4, 1.25 * nodeRadius(scene, camera.scale));
  for (const mark of scene.marks) {
    const px = camera.x + camera.scale * x[mark.node];
    const py = camera.y + camera.scale * y[mark.node];
    pen.strokeStyle = mark.colour;
    pen.lineWidth = 3;
    pen.beginPath();
    pen.moveTo(px + r, py);
    pen.arc(px, py, r, 0, 2 * Math.PI);
    pen.stroke();
  }
  for (const mark of scene.marks) {
    if (!mark.label) continue;
    pen.font = "600 13px sans-serif";
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    const px = camera.x + camera.scale * x[mark.node] + r + 4;
    const py = camera.y + camera.scale * y[mark.node] - r - 2;
    pen.fillStyle = scene.look.halo;
    pen.fillRect(px - 3, py - 9, 8 * mark.label.length + 8, 18);
    pen.fillStyle = scene.look.text;
    pen.fillText(mark.label, px, py);
  }
}

// -- the adjacency matrix: a cell for each channel ------------------------------------------------

function cell(scene: Scene, camera: Camera): number {
  return camera.scale / Math.max(scene.places.x.length, 1);
}

function drawMatrix(pen: Pen, scene: Scene, camera: Camera): void {
  const size = cell(scene, camera);
  const inside = Math.max(size, 0.7);
  pen.strokeStyle = scene.look.halo;
  pen.lineWidth = 1;
  pen.beginPath();
  pen.rect(camera.x, camera.y, camera.scale, camera.scale);
  pen.stroke();
  const { start, list } = groups(scene.links);
  scene.links.colours.forEach((colour, c) => {
    if (start[c] === start[c + 1] || scene.links.sizes?.[c] === 0) return;
    pen.fillStyle = colour;
    pen.beginPath();
    for (let i = start[c]; i < start[c + 1]; i++) {
      const [t, h] = [scene.tails[list[i]], scene.heads[list[i]]];
      pen.rect(camera.x + size * h, camera.y + size * t, inside, inside);
      if (!scene.simplex) pen.rect(camera.x + size * t, camera.y + size * h, inside, inside);
    }
    pen.fill();
  });
}

function drawMatrixOver(pen: Pen, scene: Scene, camera: Camera): void {
  const size = Math.max(cell(scene, camera), 3);
  const pitch = cell(scene, camera);
  for (const trail of scene.trails) {
    pen.fillStyle = trail.colour;
    pen.beginPath();
    for (const channel of trail.channels) {
      const link = channel >> 1;
      const ends = [scene.tails[link], scene.heads[link]];
      const [t, h] = channel & 1 ? [ends[1], ends[0]] : ends;
      pen.rect(camera.x + pitch * h, camera.y + pitch * t, size, size);
    }
    pen.fill();
  }
  for (const mark of scene.marks) {
    pen.fillStyle = mark.colour;
    pen.globalAlpha = 0.35;
    pen.fillRect(camera.x, camera.y + pitch * mark.node, camera.scale, Math.max(pitch, 1.5));
    pen.fillRect(camera.x + pitch * mark.node, camera.y, Math.max(pitch, 1.5), camera.scale);
    pen.globalAlpha = 1;
  }
}

// -- what is under the pointer --------------------------------------------------------------------

export interface Hit {
  node: number;
  link: number;
}

const NOTHING: Hit = { node: -1, link: -1 };

export function hit(scene: Scene, camera: Camera, px: number, py: number): Hit {
  if (scene.places.matrix) return matrixHit(scene, camera, px, py);
  const { x, y } = scene.places;
  const r = nodeRadius(scene, camera.scale);
  let best = (Math.max(r, 5) + 3) ** 2;
  let node = -1;
  for (let v = 0; v < x.length; v++) {
    const dx = camera.x + camera.scale * x[v] - px;
    const dy = camera.y + camera.scale * y[v] - py;
    const d = dx * dx + dy * dy;
    if (d < best) {
      best = d;
      node = v;
    }
  }
  if (node >= 0) return { node, link: -1 };
  return { node, link: nearestLink(scene, camera, px, py) };
}

function nearestLink(scene: Scene, camera: Camera, px: number, py: number): number {
  const { x, y, bend } = scene.places;
  const reach = 5 / camera.scale;
  const ux = (px - camera.x) / camera.scale;
  const uy = (py - camera.y) / camera.scale;
  let best = reach * reach;
  let link = -1;
  for (let i = 0; i < scene.tails.length; i++) {
    const [t, h] = [scene.tails[i], scene.heads[i]];
    const off = bend ? 2 * bend[i] : 0;
    const steps = off ? 8 : 1;
    let [fx, fy] = [x[t], y[t]];
    const cx = (x[t] + x[h]) / 2 + off * (y[h] - y[t]);
    const cy = (y[t] + y[h]) / 2 - off * (x[h] - x[t]);
    for (let k = 1; k <= steps; k++) {
      const s = k / steps;
      const gx = off ? (1 - s) ** 2 * x[t] + 2 * s * (1 - s) * cx + s * s * x[h] : x[h];
      const gy = off ? (1 - s) ** 2 * y[t] + 2 * s * (1 - s) * cy + s * s * y[h] : y[h];
      const d = toSegment(ux, uy, fx, fy, gx, gy);
      if (d < best) {
        best = d;
        link = i;
      }
      [fx, fy] = [gx, gy];
    }
  }
  return link;
}

function toSegment(px: number, py: number, ax: number, ay: number, bx: number, by: number): number {
  const [dx, dy] = [bx - ax, by - ay];
  const square = dx * dx + dy * dy;
  const t = square ? Math.max(0, Math.min(1, ((px - ax) * dx + (py - ay) * dy) / square)) : 0;
  return (px - ax - t * dx) ** 2 + (py - ay - t * dy) ** 2;
}

function matrixHit(scene: Scene, camera: Camera, px: number, py: number): Hit {
  const size = cell(scene, camera);
  const order = scene.places.x.length;
  const head = Math.floor((px - camera.x) / size);
  const tail = Math.floor((py - camera.y) / size);
  if (head < 0 || tail < 0 || head >= order || tail >= order) return NOTHING;
  for (let i = 0; i < scene.tails.length; i++) {
    const [t, h] = [scene.tails[i], scene.heads[i]];
    if ((t === tail && h === head) || (!scene.simplex && t === head && h === tail))
      return { node: -1, link: i };
  }
  return { node: tail, link: -1 };
}
