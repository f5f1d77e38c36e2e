import type { App } from "../app";
import { button, count, h, table } from "../dom";
import type { Pane } from "../pane";

/** Virtual-channel classes, and the channels that would wait for each other. */
export function deadlock(pane: Pane, app: App): Node[] {
  const found = pane.net.data.deadlock!;
  const out: Node[] = [
    h(
      "p",
      { class: found.free ? "good big" : "bad big" },
      found.free
        ? "Free of deadlock with one virtual channel."
        : "One virtual channel can deadlock.",
    ),
    h("p", {}, found.words),
    h(
      "p",
      {},
      `${count(found.vcs, "class", "classes")} of virtual channels: ${found.certificate} (${found.least}).`,
    ),
  ];
  if (found.classes)
    out.push(
      h(
        "p",
        { class: "chips" },
        button(
          "vc",
          "Show the classes",
          () => app.set({ colour: app.state.colour === "vc" ? "none" : "vc" }),
          { "aria-pressed": String(app.state.colour === "vc") },
        ),
      ),
    );
  const cycle = pane.net.ready(found.cycle);
  if (cycle?.length)
    out.push(
      table(
        "The cycle: each channel waits for the next",
        ["step", "from", "to"],
        Array.from(cycle, (channel, i) => {
          const ends = [pane.net.graph.tails[channel >> 1], pane.net.graph.heads[channel >> 1]];
          if (channel & 1) ends.reverse();
          return [String(i + 1), pane.net.title(ends[0]), pane.net.title(ends[1])];
        }),
      ),
    );
  return out;
}

/** The cycle is drawn over the picture. */
export async function prepareDeadlock(pane: Pane, app: App): Promise<void> {
  const found = pane.net.data.deadlock;
  if (!found) return;
  const cycle = await pane.net.array(found.cycle);
  if (cycle.length)
    pane.overlay.trails = [
      { channels: [...cycle], colour: app.theme.lost, width: 4, arrows: true },
    ];
}
