/**
 * Thin lines by the thousand, added up pixel by pixel.
 *
 * A canvas without a graphics card takes about twice as long for as many strokes. Each line adds
 * its weight to the two pixels beside it at every step (Wu 1991), or, while `fine` is off, to the
 * nearer one: among very many lines nobody sees a difference, and it takes half as long. What has
 * added up to s covers 1 - exp(-s), as s thin coats of paint would.
 */
export class Raster {
  fine = true;
  private sum: Float32Array;
  private owner: Uint8Array;
  private image: ImageData;
  private words: Uint32Array;
  private low = 0;
  private high = -1;

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.sum = new Float32Array(width * height);
    this.owner = new Uint8Array(width * height);
    this.image = new ImageData(width, height);
    this.words = new Uint32Array(this.image.data.buffer);
  }

  clear(): void {
    this.words.fill(0);
  }

  /** A line between two places of the picture; what is outside is cut off. */
  line(ax: number, ay: number, bx: number, by: number, weight: number, colour: number): void {
    const [dx, dy] = [bx - ax, by - ay];
    const steep = Math.abs(dy) > Math.abs(dx);
    const [from, to] = steep ? [ay, by] : [ax, bx];
    if (from > to) {
      this.line(bx, by, ax, ay, weight, colour);
      return;
    }
    const slope = steep ? dx / (dy || 1) : dy / (dx || 1);
    const along = steep ? this.height : this.width;
    const across = steep ? this.width : this.height;
    let first = Math.max(0, Math.ceil(from));
    let last = Math.min(along - 1, Math.floor(to));
    const start = (steep ? ax : ay) - slope * from;
    // the other coordinate must be inside as well: 0 <= start + slope * t < across - 1
    if (slope > 0) {
      first = Math.max(first, Math.ceil(-start / slope));
      last = Math.min(last, Math.floor((across - 1.001 - start) / slope));
    } else if (slope < 0) {
      first = Math.max(first, Math.ceil((across - 1.001 - start) / slope));
      last = Math.min(last, Math.floor(-start / slope));
    } else if (start < 0 || start >= across - 1) return;
    if (last < first) return;
    this.run(first, last, start, slope, steep, weight, colour);
  }

  private run(
    first: number,
    last: number,
    start: number,
    slope: number,
    steep: boolean,
    weight: number,
    colour: number,
  ): void {
    const { sum, owner, width } = this;
    let at = start + slope * first;
    const end = start + slope * last;
    this.low = Math.min(this.low, steep ? first : Math.floor(Math.min(at, end)));
    this.high = Math.max(this.high, steep ? last : Math.floor(Math.max(at, end)) + 1);
    if (!this.fine) {
      const [step, stride] = steep ? [width, 1] : [1, width];
      at += 0.5;
      for (let t = first, base = first * step; t <= last; t++, base += step, at += slope) {
        const place = base + (at | 0) * stride;
        sum[place] += weight;
        owner[place] = colour;
      }
    } else if (steep) {
      for (let t = first, row = first * width; t <= last; t++, row += width, at += slope) {
        const cell = at | 0;
        const part = weight * (at - cell);
        sum[row + cell] += weight - part;
        sum[row + cell + 1] += part;
        owner[row + cell] = owner[row + cell + 1] = colour;
      }
    } else {
      for (let t = first; t <= last; t++, at += slope) {
        const cell = at | 0;
        const part = weight * (at - cell);
        const place = cell * width + t;
        sum[place] += weight - part;
        sum[place + width] += part;
        owner[place] = owner[place + width] = colour;
      }
    }
  }

  /** What was added up, in the colours of whoever came last at each pixel. */
  paint(colours: string[]): void {
    const inks = colours.map((colour) => {
      const [r, g, b] = [1, 3, 5].map((i) => Number.parseInt(colour.slice(i, i + 2), 16));
      return (b << 16) | (g << 8) | r; // bytes are red, green, blue, alpha
    });
    const { sum, owner, width, height, words } = this;
    const from = Math.max(0, this.low) * width;
    const to = Math.min(height, this.high + 1) * width;
    for (let i = from; i < to; i++) {
      const s = sum[i];
      if (s === 0) continue;
      sum[i] = 0;
      words[i] = ((COVER[s >= 5 ? 640 : (s * 128) | 0] << 24) | inks[owner[i]]) >>> 0;
    }
    this.begin();
  }

  begin(): void {
    this.low = this.height;
    this.high = -1;
  }

  putOn(pen: CanvasRenderingContext2D): void {
    pen.putImageData(this.image, 0, 0);
  }
}

const COVER = Uint8Array.from({ length: 641 }, (_, i) =>
  Math.round(255 * (1 - Math.exp(-(i + 0.5) / 128))),
);
