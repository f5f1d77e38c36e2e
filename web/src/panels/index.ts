import type { App } from "../app";
import type { Pane } from "../pane";
import { facts } from "./facts";
import { faults } from "./faults";
import { nodes } from "./nodes";
import { route } from "./route";

/** One tab of the panel. */
export interface Tab {
  name: string;
  title: string;
  /** Was the page made with what it shows? */
  there: (pane: Pane) => boolean;
  render: (pane: Pane, app: App) => Node[];
  /** Unpacks what it needs, and lays things over the picture. */
  prepare?: (pane: Pane, app: App) => Promise<void>;
  key?: (event: KeyboardEvent, app: App) => boolean;
}

const always = () => true;

export const TABS: Tab[] = [
  { name: "facts", title: "Facts", there: always, render: facts },
  { name: "route", title: "Routes", there: always, render: route },
  { name: "faults", title: "Faults", there: always, render: faults },
  { name: "nodes", title: "Table", there: always, render: nodes },
];
