import { expect, test } from "vitest";
import { LEAF, lettering, nodeRadius, type Scene } from "../src/scene";
import { byRole } from "../src/tints";

function scene(x: number[], square: Uint8Array | null = null): Scene {
  const places = { x: Float32Array.from(x), y: new Float32Array(x.length) };
  return { places, square } as unknown as Scene;
}

test("nodes do not touch, however close they stand", () => {
  const close = scene([0, 0.02, 0.5, 0.52, 1]);
  expect(nodeRadius(close, 500)).toBeLessThanOrEqual(5);
  expect(nodeRadius(scene([0, 0.25, 0.5, 0.75, 1]), 500)).toBe(13);
});

test("two nodes far closer than the others do not shrink all", () => {
  expect(nodeRadius(scene([0, 0.0001, 0.3, 0.6, 0.9]), 500)).toBeGreaterThan(10);
});

test("names of nodes are large enough to be read, in the node or below it, or are left out", () => {
  const wide = { ...scene([0, 0.25, 0.5, 0.75, 1]), nodes: { colours: ["#000000"] } } as Scene;
  for (const n of [1, 2, 3, 5, 7])
    for (const scale of [100, 300, 600, 1200])
      for (const square of [true, false]) {
        const [{ size, below }] = lettering(wide, scale, [n], [square]);
        expect(size === 0 || size >= 8).toBe(true);
        if (below && size) expect(0.25 * scale).toBeGreaterThan(0.6 * size * n);
        if (!below) expect(0.56 * size * n).toBeLessThan(2 * nodeRadius(wide, scale));
      }
  expect(lettering(wide, 600, [5], [true])).toEqual([{ size: 11, below: true }]);
  expect(lettering(wide, 600, [2], [true])[0].below).toBe(false);
});

test("endpoints beside switches are small whatever colours a panel gives", () => {
  const tint = { colours: ["#000000", "#ffffff"], of: Uint8Array.from([0, 1, 0, 1]) };
  const found = byRole(tint, Uint8Array.from([1, 1, 0, 0]));
  const drawn = Array.from(found.of, (c) => [found.colours[c], found.sizes![c]]);
  expect(drawn).toEqual([
    ["#000000", 1],
    ["#ffffff", 1],
    ["#000000", LEAF],
    ["#ffffff", LEAF],
  ]);
  expect(byRole(tint, null)).toBe(tint);
});
