import { expect, it } from "vitest";
import { SvgPen } from "../src/svg";

it("keeps texts texts", () => {
  const pen = new SvgPen(10, 10);
  pen.fillText(`<script>"'&`, 1, 2);
  const text = pen.toString();
  expect(text).not.toContain("<script");
  expect(text).toContain("&#60;script&#62;&#34;&#39;&#38;");
});

it("writes what was drawn", () => {
  const pen = new SvgPen(10, 10);
  pen.beginPath();
  pen.moveTo(0, 1);
  pen.lineTo(2.345678, 3);
  pen.stroke();
  expect(pen.toString()).toContain('d="M0 1L2.35 3"');
});
