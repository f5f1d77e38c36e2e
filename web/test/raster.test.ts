import { beforeAll, expect, it } from "vitest";
import { Raster } from "../src/raster";

beforeAll(() => {
  // what the raster needs of a browser
  globalThis.ImageData ??= class {
    data: Uint8ClampedArray;
    constructor(
      readonly width: number,
      readonly height: number,
    ) {
      this.data = new Uint8ClampedArray(4 * width * height);
    }
  } as never;
});

function painted(lines: number[][], colour = "#ff0000", fine = true): Uint8ClampedArray {
  const raster = new Raster(20, 10);
  raster.fine = fine;
  raster.begin();
  for (const [ax, ay, bx, by] of lines) raster.line(ax, ay, bx, by, 0.8, 0);
  raster.paint([colour]);
  let data = new Uint8ClampedArray();
  raster.putOn({ putImageData: (image: ImageData) => (data = image.data) } as never);
  return data;
}

it("draws a line both ways alike", () => {
  const [a, b] = [painted([[2, 1, 17, 8]]), painted([[17, 8, 2, 1]])];
  expect(a).toEqual(b);
  expect(a.filter((_, i) => i % 4 === 3 && a[i] > 0).length).toBeGreaterThan(15);
  expect(a[4 * (20 * 4 + 8)]).toBe(255);
});

it("cuts off what is outside, however far", () => {
  for (const far of [30, 1e3, 1e6])
    for (const line of [
      [-far, 5, far, 5],
      [5, -far, 5, far],
      [-far, -far, far, far],
      [far, 3, far, 9],
    ])
      expect(() => painted([line])).not.toThrow();
  expect(
    painted([
      [-9, -9, -1, -1],
      [0, 12, 20, 12],
      [25, 0, 25, 9],
    ]).every((x) => x === 0),
  ).toBe(true);
  const across = painted([[-1000, 5, 1000, 5]]);
  expect([...across].filter((x, i) => i % 4 === 3 && x > 0)).toHaveLength(20);
});

it("adds up", () => {
  const once = painted([[1, 5, 18, 5]]);
  const twice = painted([
    [1, 5, 18, 5],
    [1, 5, 18, 5],
  ]);
  const at = 4 * (5 * 20 + 9) + 3;
  expect(twice[at]).toBeGreaterThan(once[at]);
  expect(Math.abs(once[at] - 255 * (1 - Math.exp(-0.8)))).toBeLessThan(2);
});

it("takes the colour of the last one", () => {
  const raster = new Raster(20, 10);
  raster.begin();
  raster.line(1, 5, 18, 5, 0.8, 0);
  raster.line(9, 1, 9, 8, 0.8, 1);
  raster.paint(["#ff0000", "#0000ff"]);
  let data = new Uint8ClampedArray();
  raster.putOn({ putImageData: (image: ImageData) => (data = image.data) } as never);
  const colour = (x: number, y: number) => [...data.slice(4 * (20 * y + x), 4 * (20 * y + x) + 3)];
  expect([colour(4, 5), colour(9, 5), colour(9, 3)]).toEqual([
    [255, 0, 0],
    [0, 0, 255],
    [0, 0, 255],
  ]);
});

it("puts a coarse line on the nearest pixels", () => {
  for (const [ax, ay, bx, by] of [
    [2, 1, 17, 8],
    [1, 0.4, 4, 8.6],
    [18, 2, 1, 2],
    [-30, 12, 40, -3],
  ]) {
    const data = painted([[ax, ay, bx, by]], "#00ff00", false);
    const steep = Math.abs(by - ay) > Math.abs(bx - ax);
    for (let y = 0; y < 10; y++)
      for (let x = 0; x < 20; x++) {
        const share = steep ? (y - ay) / (by - ay) : (x - ax) / (bx - ax);
        const near = steep ? ax + share * (bx - ax) - x : ay + share * (by - ay) - y;
        const [at, most] = steep ? [x, 18] : [y, 8];
        if (share < 0 || share > 1 || at > most || Math.abs(Math.abs(near) - 0.5) < 0.01) continue;
        expect(data[4 * (20 * y + x) + 3] > 0, `${x}, ${y}`).toBe(Math.abs(near) < 0.5);
      }
  }
});
