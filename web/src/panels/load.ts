import type { App } from "../app";
import { button, h, table } from "../dom";
import type { Pane } from "../pane";

const short = (x: number) => +x.toPrecision(4);

/** Channel loads as heat, and the bisection. */
export function load(pane: Pane, app: App): Node[] {
  const { data } = pane.net;
  const pick = (name: string, text: string) =>
    button(name, text, () => app.set({ colour: app.state.colour === name ? "none" : name }), {
      "aria-pressed": String(app.state.colour === name),
    });
  const out: Node[] = [];
  const patterns = data.traffic ?? [];
  if (patterns.length)
    out.push(
      h("p", {}, "What each channel carries when every endpoint sends 1 per unit of time:"),
      h("p", { class: "chips" }, ...patterns.map((one, i) => pick(`load${i}`, one.name))),
      table(
        "Loads by traffic",
        ["traffic", "largest", "mean", "throughput", "how"],
        patterns.map((one) => [
          one.name,
          String(short(one.largest)),
          String(short(one.mean)),
          String(short(one.throughput)),
          one.how,
        ]),
      ),
    );
  if (data.bisection)
    out.push(
      h("p", { class: "chips" }, pick("cut", "Show the bisection")),
      h("p", {}, data.bisection.words),
    );
  out.push(busiest(pane, app));
  return out;
}

/** The busiest channels of the traffic that is shown, as a table. */
function busiest(pane: Pane, app: App): HTMLElement {
  const { net } = pane;
  const number = /^load(\d+)$/.exec(app.state.colour);
  const traffic = number ? net.data.traffic?.[Number(number[1])] : undefined;
  const loads = traffic ? net.ready(traffic.loads) : null;
  if (!traffic || !loads) return h("span", {});
  const order = [...loads.keys()].sort((a, b) => loads[b] - loads[a]).slice(0, 12);
  return table(
    `Busiest channels: ${traffic.name}`,
    ["from", "to", "load"],
    order
      .filter((channel) => loads[channel] > 0)
      .map((channel) => {
        const ends = [net.graph.tails[channel >> 1], net.graph.heads[channel >> 1]];
        if (channel & 1) ends.reverse();
        return [net.title(ends[0]), net.title(ends[1]), String(short(loads[channel]))];
      }),
  );
}

export function hasLoad(pane: Pane): boolean {
  return Boolean(pane.net.data.traffic?.length || pane.net.data.bisection);
}

/** The loads are unpacked before the table of the busiest channels is made. */
export async function prepareLoad(pane: Pane, app: App): Promise<void> {
  const number = /^load(\d+)$/.exec(app.state.colour);
  const traffic = number ? pane.net.data.traffic?.[Number(number[1])] : undefined;
  if (traffic) await pane.net.array(traffic.loads);
}
