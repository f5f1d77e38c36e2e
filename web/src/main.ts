import "uplot/dist/uPlot.min.css";
import "./base.css";
import "./style.css";
import { App } from "./app";
import { disjointRoutes } from "./disjoint";
import { allAlive, distances, lowestRoute, makeGraph } from "./graph";
import { refusal } from "./layouts";
import { Net } from "./net";
import { unpack } from "./packing";
import { cutOff, profile } from "./profile";
import type { PageData } from "./types";
import { serve } from "./work";

declare global {
  interface Window {
    hopscape?: App;
    /** For tests: the kernels that answer in the page. */
    hopscapeKernels?: typeof kernels;
  }
}

const kernels = {
  allAlive,
  cutOff,
  disjointRoutes,
  distances,
  lowestRoute,
  makeGraph,
  openNet: Net.open,
  profile,
  refusal,
  unpack,
};

if (typeof document === "undefined") serve(self as never);
else {
  const data = document.getElementById("hopscape-data")?.textContent;
  const root = document.getElementById("hopscape");
  if (data && root) {
    const app = new App(root, JSON.parse(data) as PageData);
    window.hopscape = app;
    window.hopscapeKernels = kernels;
    app.start().then(() => root.setAttribute("data-ready", "1"));
  }
}
