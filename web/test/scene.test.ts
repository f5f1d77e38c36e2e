import { expect, test } from "vitest";
import { nodeRadius, type Scene } from "../src/scene";

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
