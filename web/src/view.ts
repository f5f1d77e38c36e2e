import { select } from "d3-selection";
import {
  type D3ZoomEvent,
  type ZoomBehavior,
  type ZoomTransform,
  zoom,
  zoomIdentity,
} from "d3-zoom";
import { Raster } from "./raster";
import {
  along,
  type Camera,
  drawBase,
  drawOver,
  type Hit,
  hit,
  type Places,
  rasterLinks,
  type Scene,
} from "./scene";
import { SvgPen } from "./svg";

const MARGIN = 0.15;
const REST = 140;
const MANY = 3000;

interface Box {
  cx: number;
  cy: number;
  w: number;
  h: number;
}

const boxes = new WeakMap<Places, Box>();

function boundingBox(scene: Scene): Box {
  const { x, y, bend } = scene.places;
  let [x0, x1, y0, y1] = x.length ? [9, -9, 9, -9] : [0, 1, 0, 1];
  const add = (px: number, py: number) => {
    x0 = Math.min(x0, px);
    x1 = Math.max(x1, px);
    y0 = Math.min(y0, py);
    y1 = Math.max(y1, py);
  };
  x.forEach((px, v) => {
    add(px, y[v]);
  });
  bend?.forEach((b, i) => {
    const [t, h] = [scene.tails[i], scene.heads[i]];
    if (b) add((x[t] + x[h]) / 2 + b * (y[h] - y[t]), (y[t] + y[h]) / 2 - b * (x[h] - x[t]));
  });
  const least = 0.05;
  return {
    cx: (x0 + x1) / 2,
    cy: (y0 + y1) / 2,
    w: Math.max(x1 - x0, least) * 1.04,
    h: Math.max(y1 - y0, least) * 1.04,
  };
}

/** Called with the pen after the base and the overlay, for things that move. */
export type Extra = (pen: CanvasRenderingContext2D, camera: Camera) => void;

/** One picture: a canvas with a cached bitmap that is moved while somebody pans and zooms. */
export class View {
  readonly canvas: HTMLCanvasElement;
  transform: ZoomTransform = zoomIdentity;
  turn = { yaw: -0.6, pitch: 0.45 };
  onHover: (found: Hit, x: number, y: number) => void = () => {};
  onPick: (found: Hit) => void = () => {};
  onMove: () => void = () => {};
  extra: Extra | null = null;
  frames = 0;
  private scene: Scene | null = null;
  private base = document.createElement("canvas");
  private drawnFor: ZoomTransform | null = null;
  private stale = true;
  private raster: Raster | null = null;
  private waiting = 0;
  private resting = 0;
  private zoom: ZoomBehavior<HTMLCanvasElement, unknown>;
  private quiet = false;
  private flat: { x: Float32Array; y: Float32Array } | null = null;

  constructor(host: HTMLElement, label: string) {
    this.canvas = document.createElement("canvas");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-roledescription", "network drawing");
    this.canvas.setAttribute("aria-label", label);
    host.append(this.canvas);
    this.zoom = zoom<HTMLCanvasElement, unknown>()
      .scaleExtent([0.2, 60])
      .filter((event: MouseEvent | WheelEvent) => {
        if (event.type === "wheel") return true;
        return !event.button && !(this.scene?.places.z && !event.shiftKey);
      })
      .on("zoom", (event: D3ZoomEvent<HTMLCanvasElement, unknown>) => {
        this.transform = event.transform;
        this.moved();
        if (!this.quiet) this.onMove();
      });
    select(this.canvas).call(this.zoom).on("dblclick.zoom", null);
    this.listen();
    new ResizeObserver(() => this.refresh()).observe(host);
  }

  private listen(): void {
    let down: { x: number; y: number; yaw: number; pitch: number } | null = null;
    let dragged = false;
    this.canvas.addEventListener("pointerdown", (event) => {
      down = { x: event.clientX, y: event.clientY, ...this.turn };
      dragged = false;
    });
    addEventListener("pointerup", () => {
      down = null;
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (down && Math.hypot(event.clientX - down.x, event.clientY - down.y) > 4) dragged = true;
      if (down && dragged && this.scene?.places.z && !event.shiftKey) {
        this.turnTo(
          down.yaw + (event.clientX - down.x) / 120,
          down.pitch + (event.clientY - down.y) / 120,
        );
        this.onMove();
      }
      if (down && dragged) return;
      const [x, y] = [event.offsetX, event.offsetY];
      this.onHover(this.at(x, y), event.clientX, event.clientY);
    });
    this.canvas.addEventListener("pointerleave", () => this.onHover({ node: -1, link: -1 }, 0, 0));
    this.canvas.addEventListener("click", (event) => {
      if (!dragged) this.onPick(this.at(event.offsetX, event.offsetY));
    });
  }

  /** What is at a place of the canvas. */
  at(x: number, y: number): Hit {
    if (!this.scene) return { node: -1, link: -1 };
    return hit(this.flattened(), this.camera(), x, y);
  }

  /** Where a node is on the canvas. */
  where(node: number): [number, number] {
    const scene = this.flattened();
    const camera = this.camera();
    return [
      camera.x + camera.scale * scene.places.x[node],
      camera.y + camera.scale * scene.places.y[node],
    ];
  }

  /** A place on a channel, for things that move. */
  pointOn(channel: number, share: number, camera: Camera): { x: number; y: number } {
    return along(this.flattened(), camera, channel, share);
  }

  show(scene: Scene): void {
    this.scene = scene;
    this.flat = null;
    this.refresh();
  }

  /** Only what lies on top has changed. */
  again(): void {
    if (!this.waiting) this.waiting = requestAnimationFrame(() => this.paint());
  }

  refresh(): void {
    this.stale = true;
    this.again();
  }

  moveTo(transform: ZoomTransform): void {
    this.quiet = true;
    select(this.canvas).call(this.zoom.transform, transform);
    this.quiet = false;
  }

  zoomBy(factor: number): void {
    select(this.canvas).call(this.zoom.scaleBy, factor);
  }

  panBy(dx: number, dy: number): void {
    select(this.canvas).call(this.zoom.translateBy, dx / this.transform.k, dy / this.transform.k);
  }

  fit(): void {
    select(this.canvas).call(this.zoom.transform, zoomIdentity);
  }

  turnTo(yaw: number, pitch: number): void {
    this.turn = { yaw, pitch: Math.max(-1.5, Math.min(1.5, pitch)) };
    this.flat = null;
    this.refresh();
  }

  get spatial(): boolean {
    return this.scene?.places.z !== undefined;
  }

  private moved(): void {
    clearTimeout(this.resting);
    this.resting = window.setTimeout(() => this.refresh(), REST);
    this.again();
  }

  /** The scene with places on the plane. */
  private flattened(): Scene {
    const scene = this.scene!;
    const { z } = scene.places;
    if (!z) return scene;
    this.flat ??= this.project();
    return { ...scene, places: { ...scene.places, ...this.flat } };
  }

  private project(): { x: Float32Array; y: Float32Array } {
    const { x, y, z } = this.scene!.places;
    const order = x.length;
    const [c, s] = [Math.cos(this.turn.yaw), Math.sin(this.turn.yaw)];
    const [cp, sp] = [Math.cos(this.turn.pitch), Math.sin(this.turn.pitch)];
    const mid = [x, y, z!].map((axis) => {
      let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      for (const value of axis) {
        if (value < low) low = value;
        if (value > high) high = value;
      }
      return (low + high) / 2;
    });
    const px = new Float32Array(order);
    const py = new Float32Array(order);
    for (let v = 0; v < order; v++) {
      const [a, b, d] = [x[v] - mid[0], y[v] - mid[1], z![v] - mid[2]];
      const u = c * a + s * d;
      const depth = c * d - s * a;
      const w = cp * b - sp * depth;
      const near = 1 / (1 + 0.25 * (cp * depth + sp * b));
      px[v] = 0.5 + 0.56 * near * u;
      py[v] = 0.5 + 0.56 * near * w;
    }
    return { x: px, y: py };
  }

  private camera(transform = this.transform): Camera {
    const [w, h] = [this.canvas.clientWidth, this.canvas.clientHeight];
    const box = this.box();
    const fit = 0.9 * Math.min(w / box.w, h / box.h);
    const { k } = transform;
    return {
      scale: fit * k,
      x: transform.x + k * (w / 2 - fit * box.cx),
      y: transform.y + k * (h / 2 - fit * box.cy),
    };
  }

  /** The part of the plane that has something in it, bends of links included. */
  private box(): Box {
    const places = this.scene?.places;
    if (!places || places.z || places.matrix) return { cx: 0.5, cy: 0.5, w: 1.02, h: 1.02 };
    let box = boxes.get(places);
    if (!box) {
      box = boundingBox(this.scene!);
      boxes.set(places, box);
    }
    return box;
  }

  private paint(): void {
    this.waiting = 0;
    this.frames++;
    const { canvas, scene } = this;
    const ratio = devicePixelRatio || 1;
    const [w, h] = [canvas.clientWidth, canvas.clientHeight];
    if (!scene || !w || !h) return;
    if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
      canvas.width = Math.round(w * ratio);
      canvas.height = Math.round(h * ratio);
      this.stale = true;
    }
    const flat = this.flattened();
    if (this.stale) this.redraw(flat, w, h, ratio);
    const pen = canvas.getContext("2d")!;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.fillStyle = scene.look.page;
    pen.fillRect(0, 0, canvas.width, canvas.height);
    this.blit(pen, w, h, ratio);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const camera = this.camera();
    drawOver(pen, flat, camera);
    this.extra?.(pen, camera);
  }

  /** The bitmap: larger than the canvas, so that a pan uncovers something. */
  private redraw(scene: Scene, w: number, h: number, ratio: number): void {
    const { base } = this;
    const width = Math.round(w * ratio * (1 + 2 * MARGIN));
    const height = Math.round(h * ratio * (1 + 2 * MARGIN));
    const pen = base.getContext("2d")!;
    if (base.width !== width || base.height !== height) {
      base.width = width;
      base.height = height;
    } else {
      pen.setTransform(1, 0, 0, 1, 0, 0);
      pen.clearRect(0, 0, width, height);
    }
    const camera = this.camera();
    const done = scene.tails.length < MANY ? undefined : this.rasterise(pen, scene, w, h, ratio);
    pen.setTransform(ratio, 0, 0, ratio, MARGIN * w * ratio, MARGIN * h * ratio);
    drawBase(pen, scene, camera, done);
    this.drawnFor = this.transform;
    this.stale = false;
  }

  /** Thousands of thin links, pixel by pixel: quicker than strokes. */
  private rasterise(
    pen: CanvasRenderingContext2D,
    scene: Scene,
    w: number,
    h: number,
    ratio: number,
  ): Set<number> {
    const { width, height } = this.base;
    if (this.raster?.width !== width || this.raster.height !== height)
      this.raster = new Raster(width, height);
    else this.raster.clear();
    const { scale, x, y } = this.camera();
    const there = {
      scale: scale * ratio,
      x: (x + MARGIN * w) * ratio,
      y: (y + MARGIN * h) * ratio,
    };
    const done = rasterLinks(this.raster, scene, there, ratio);
    if (done.size) this.raster.putOn(pen);
    return done;
  }

  private blit(pen: CanvasRenderingContext2D, w: number, h: number, ratio: number): void {
    const old = this.drawnFor!;
    const k = this.transform.k / old.k;
    const x = this.transform.x - k * old.x - k * MARGIN * w;
    const y = this.transform.y - k * old.y - k * MARGIN * h;
    pen.imageSmoothingEnabled = k !== 1;
    pen.drawImage(this.base, x * ratio, y * ratio, k * this.base.width, k * this.base.height);
  }

  /** The picture as SVG. */
  svg(): string {
    const [w, h] = [this.canvas.clientWidth, this.canvas.clientHeight];
    const pen = new SvgPen(w, h);
    const scene = this.flattened();
    pen.fillStyle = scene.look.page;
    pen.fillRect(0, 0, w, h);
    drawBase(pen, scene, this.camera());
    drawOver(pen, scene, this.camera());
    return pen.toString();
  }

  /** The picture as PNG, twice as fine as the screen. */
  png(): Promise<Blob> {
    const [w, h] = [this.canvas.clientWidth, this.canvas.clientHeight];
    const sheet = document.createElement("canvas");
    [sheet.width, sheet.height] = [2 * w, 2 * h];
    const pen = sheet.getContext("2d")!;
    pen.scale(2, 2);
    const scene = this.flattened();
    pen.fillStyle = scene.look.page;
    pen.fillRect(0, 0, w, h);
    drawBase(pen, scene, this.camera());
    drawOver(pen, scene, this.camera());
    this.extra?.(pen, this.camera());
    return new Promise((done, fail) =>
      sheet.toBlob((blob) => (blob ? done(blob) : fail(new Error("no picture"))), "image/png"),
    );
  }
}
