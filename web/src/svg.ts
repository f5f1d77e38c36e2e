/** What drawings need of a canvas; a canvas's own context, or one that writes SVG. */
export interface Pen {
  strokeStyle: string | CanvasGradient | CanvasPattern;
  fillStyle: string | CanvasGradient | CanvasPattern;
  lineWidth: number;
  globalAlpha: number;
  font: string;
  textAlign: CanvasTextAlign;
  textBaseline: CanvasTextBaseline;
  beginPath(): void;
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  quadraticCurveTo(cx: number, cy: number, x: number, y: number): void;
  closePath(): void;
  arc(x: number, y: number, r: number, from: number, to: number): void;
  rect(x: number, y: number, w: number, h: number): void;
  fillRect(x: number, y: number, w: number, h: number): void;
  stroke(): void;
  fill(): void;
  fillText(text: string, x: number, y: number): void;
  setLineDash(dash: number[]): void;
}

const short = (x: number) => (Math.round(x * 100) / 100).toString();

export function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

/** A pen that writes SVG. */
export class SvgPen implements Pen {
  strokeStyle: string | CanvasGradient | CanvasPattern = "#000";
  fillStyle: string | CanvasGradient | CanvasPattern = "#000";
  lineWidth = 1;
  globalAlpha = 1;
  font = "12px sans-serif";
  textAlign: CanvasTextAlign = "start";
  textBaseline: CanvasTextBaseline = "alphabetic";
  private path: string[] = [];
  private dash: number[] = [];
  private parts: string[] = [];

  constructor(
    private width: number,
    private height: number,
  ) {}

  beginPath(): void {
    this.path = [];
  }
  moveTo(x: number, y: number): void {
    this.path.push(`M${short(x)} ${short(y)}`);
  }
  lineTo(x: number, y: number): void {
    this.path.push(`L${short(x)} ${short(y)}`);
  }
  quadraticCurveTo(cx: number, cy: number, x: number, y: number): void {
    this.path.push(`Q${short(cx)} ${short(cy)} ${short(x)} ${short(y)}`);
  }
  closePath(): void {
    this.path.push("Z");
  }
  arc(x: number, y: number, r: number): void {
    const d = `a${short(r)} ${short(r)} 0 1 0`;
    this.path.push(`M${short(x - r)} ${short(y)}${d} ${short(2 * r)} 0${d} ${short(-2 * r)} 0`);
  }
  rect(x: number, y: number, w: number, h: number): void {
    this.path.push(`M${short(x)} ${short(y)}h${short(w)}v${short(h)}h${short(-w)}Z`);
  }
  fillRect(x: number, y: number, w: number, h: number): void {
    this.beginPath();
    this.rect(x, y, w, h);
    this.fill();
  }
  stroke(): void {
    const dash = this.dash.length ? ` stroke-dasharray="${this.dash.map(short).join(" ")}"` : "";
    this.put(
      `fill="none" stroke="${this.strokeStyle}" stroke-width="${short(this.lineWidth)}"${dash}`,
    );
  }
  fill(): void {
    this.put(`fill="${this.fillStyle}"`);
  }
  private put(how: string): void {
    const faint = this.globalAlpha < 1 ? ` opacity="${short(this.globalAlpha)}"` : "";
    this.parts.push(`<path ${how}${faint} d="${this.path.join("")}"/>`);
  }
  fillText(text: string, x: number, y: number): void {
    const anchor = { center: "middle", right: "end", end: "end" }[this.textAlign as string];
    const base = this.textBaseline === "middle" ? "central" : "alphabetic";
    const size = /([\d.]+)px/.exec(this.font)?.[1] ?? "12";
    this.parts.push(
      `<text x="${short(x)}" y="${short(y)}" font-family="sans-serif" font-size="${size}" ` +
        `text-anchor="${anchor ?? "start"}" dominant-baseline="${base}" ` +
        `fill="${this.fillStyle}">${escapeText(text)}</text>`,
    );
  }
  setLineDash(dash: number[]): void {
    this.dash = dash;
  }
  toString(): string {
    const [w, h] = [short(this.width), short(this.height)];
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" ` +
      `viewBox="0 0 ${w} ${h}">${this.parts.join("\n")}</svg>\n`
    );
  }
}
