import type { App } from "../app";
import type { Pane } from "../pane";
import { deadlock, prepareDeadlock } from "./deadlock";
import { facts } from "./facts";
import { faults } from "./faults";
import { hasLoad, load, prepareLoad } from "./load";
import { nodes } from "./nodes";
import { route } from "./route";
import { hasSchedule, prepareSchedule, schedule, scheduleKey } from "./schedule";
import { hasSimulation, prepareSimulation, simulation, simulationKey } from "./simulation";
import { hasStep, prepareStep, step, stepKey } from "./step";

/** One tab of the panel. */
export interface Tab {
  name: string;
  title: string;
  /** Does it always show the same? Then it is not made anew with every change. */
  still?: boolean;
  /** Was the page made with what it shows? */
  there: (pane: Pane) => boolean;
  render: (pane: Pane, app: App) => Node[];
  /** Unpacks what it needs, and lays things over the picture. */
  prepare?: (pane: Pane, app: App) => Promise<void>;
  key?: (event: KeyboardEvent, app: App) => boolean;
}

const always = () => true;

export const TABS: Tab[] = [
  { name: "facts", title: "Facts", still: true, there: always, render: facts },
  { name: "route", title: "Routes", there: always, render: route },
  { name: "faults", title: "Faults", there: always, render: faults },
  { name: "load", title: "Load", there: hasLoad, render: load, prepare: prepareLoad },
  {
    name: "deadlock",
    title: "Deadlock",
    there: (pane) => Boolean(pane.net.data.deadlock),
    render: deadlock,
    prepare: prepareDeadlock,
  },
  {
    name: "schedule",
    title: "Schedules",
    there: hasSchedule,
    render: schedule,
    prepare: prepareSchedule,
    key: scheduleKey,
  },
  {
    name: "simulation",
    title: "Simulation",
    there: hasSimulation,
    render: simulation,
    prepare: prepareSimulation,
    key: simulationKey,
  },
  { name: "step", title: "Step", there: hasStep, render: step, prepare: prepareStep, key: stepKey },
  { name: "nodes", title: "Table", there: always, render: nodes },
];
