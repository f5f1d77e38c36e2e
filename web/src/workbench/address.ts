/** What a link to the workbench says: which networks are shown, and how. */
export interface View {
  specs: string[];
  /** Record a simulation at this load; 0 for none. */
  load: number;
  curve: boolean;
  /** The explorer's own fragment: layout, picked nodes, dead parts, ... */
  inside: string;
  search: string;
}

const LONGEST = 2000;

export function writeView(view: View): string {
  const out = new URLSearchParams();
  for (const spec of view.specs) out.append("s", spec);
  if (view.load) out.set("load", String(view.load));
  if (view.curve) out.set("curve", "1");
  if (view.search) out.set("q", view.search);
  if (view.inside) out.set("view", view.inside);
  return out.toString();
}

export function readView(fragment: string, most: number): View {
  const given = new URLSearchParams(fragment.replace(/^#/, ""));
  const load = Number(given.get("load"));
  return {
    specs: given
      .getAll("s")
      .map((one) => one.slice(0, LONGEST).trim())
      .filter(Boolean)
      .slice(0, most),
    load: load > 0 && load <= 1 ? load : 0,
    curve: given.get("curve") === "1",
    inside: (given.get("view") ?? "").slice(0, 4000),
    search: (given.get("q") ?? "").slice(0, 100),
  };
}
