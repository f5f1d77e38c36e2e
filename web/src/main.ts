import "uplot/dist/uPlot.min.css";
import "./style.css";
import { App } from "./app";
import type { PageData } from "./types";
import { serve } from "./work";

declare global {
  interface Window {
    hopscape?: App;
  }
}

if (typeof document === "undefined") serve(self as never);
else {
  const data = document.getElementById("hopscape-data")?.textContent;
  const root = document.getElementById("hopscape");
  if (data && root) {
    const app = new App(root, JSON.parse(data) as PageData);
    window.hopscape = app;
    app.start().then(() => root.setAttribute("data-ready", "1"));
  }
}
