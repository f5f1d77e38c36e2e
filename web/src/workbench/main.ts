import "../base.css";
import "./workbench.css";
import type { Start } from "./types";
import { Workbench } from "./workbench";

declare global {
  interface Window {
    workbench?: Workbench;
  }
}

const data = document.getElementById("hopscape-families")?.textContent;
const root = document.getElementById("workbench");
if (data && root) {
  const bench = new Workbench(root, JSON.parse(data) as Start);
  window.workbench = bench;
  bench.start();
}
