import { describe, expect, it } from "vitest";
import { roundTop } from "../src/tints";

describe("the scale of a heat map", () => {
  it("holds the largest value in seven round steps", () => {
    for (const most of [0.147, 0.9, 1, 1.3, 7, 8, 63, 100, 2064.5]) {
      const step = roundTop(most) / 7;
      expect(roundTop(most)).toBeGreaterThanOrEqual(most * (1 - 1e-9));
      expect(roundTop(most)).toBeLessThan(2.6 * most);
      const lead = step / 10 ** Math.floor(Math.log10(step) + 1e-9);
      expect([1, 2, 2.5, 5, 10].some((x) => Math.abs(x - lead) < 1e-6)).toBe(true);
    }
  });
  it("counts whole things in whole steps", () => {
    expect(roundTop(3, true)).toBe(7);
    expect(Number.isInteger(roundTop(20, true) / 7)).toBe(true);
    expect(roundTop(0)).toBe(0);
  });
});
