import { expect, test } from "vitest";
import { shortened } from "../src/dom";

test("a text that is cut says so, and letters stay whole", () => {
  expect(shortened("torus(8, 8)", 11)).toBe("torus(8, 8)");
  expect(shortened("torus(16, 16)", 11)).toBe("torus(16, …");
  expect([...shortened("🌐".repeat(9), 4)].length).toBe(4);
  expect(shortened("🌐".repeat(9), 4).endsWith("🌐…")).toBe(true);
});
