import { button, h, replace } from "../dom";
import { readView, type View, writeView } from "./address";
import { Gallery } from "./gallery";
import { Line } from "./line";
import { begin, cancel, check, follow, RefusedError } from "./server";
import type { Start, Trouble } from "./types";

/** The first page of `hopscape explore`: name networks, see them, put them side by side. */
export class Workbench {
  private view: View;
  private line: Line;
  private gallery: Gallery;
  private chips = h("ul", { class: "chips", "aria-label": "Networks shown" });
  private frame = h("iframe", {
    id: "view",
    title: "the networks",
    sandbox: "allow-scripts allow-downloads",
  });
  private progress = h("aside", { class: "progress", hidden: true, "aria-label": "Progress" });
  private said = h("span", { role: "status", id: "said" });
  private meter = h("progress", { "aria-label": "progress" });
  private load: HTMLInputElement;
  private curve: HTMLInputElement;
  private tools = h("span", { class: "group tools" });
  private theme = button("theme", "Dark", () => this.turnTheme());
  private job = "";
  /** Counts what was asked for: an answer to an older question is not shown. */
  private turn = 0;
  private page = "";
  /** The networks on the page, while others are asked for. */
  private kept: string[] = [];
  private written = "";
  private atGallery = true;

  constructor(
    private root: HTMLElement,
    private data: Start,
  ) {
    this.view = readView(location.hash, data.most);
    this.line = new Line(data.families, check, (beside) => this.submit(beside));
    this.gallery = new Gallery(
      data.families,
      (spec, beside) => this.open(beside ? [...this.view.specs, spec] : [spec]),
      (spec) => {
        this.line.set(spec);
        this.line.input.focus();
      },
      (search) => {
        this.view.search = search;
        this.remember(false);
      },
    );
    this.load = h("input", {
      id: "load",
      type: "number",
      min: "0.01",
      max: "1",
      step: "0.01",
      placeholder: "none",
      title: "flits per endpoint and cycle, from 0.01 to 1",
    });
    this.curve = h("input", { id: "curve", type: "checkbox" });
  }

  start(): void {
    const go = h(
      "form",
      {
        class: "bar",
        onsubmit: (event) => {
          event.preventDefault();
          this.submit(false);
        },
      },
      h("h1", {}, h("a", { href: "#", title: "all families" }, "hopscape")),
      this.line.element,
      h(
        "span",
        { class: "group" },
        h("button", { type: "submit", id: "go", class: "main" }, "Show"),
        button("add", "Add beside", () => this.submit(true), {
          id: "add",
          title: "beside what is shown (Shift+Enter)",
        }),
      ),
      h("label", { class: "field" }, h("span", {}, "Simulate at load"), this.load),
      h("label", { class: "field" }, this.curve, h("span", {}, "load-latency curve")),
      this.theme,
    );
    this.progress.append(
      this.said,
      this.meter,
      button("stop", "Stop", () => this.stop(), { id: "stop" }),
    );
    const shown = h(
      "nav",
      { class: "shown", "aria-label": "What is shown" },
      this.chips,
      this.tools,
    );
    const place = h("main", {}, this.gallery.element, this.frame);
    replace(this.root, h("header", {}, go), shown, this.progress, place);
    addEventListener("hashchange", () => {
      if (location.hash.slice(1) !== this.written) this.restore();
    });
    addEventListener("message", (event) => this.heard(event));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.paint());
    this.restore();
    if (this.atGallery && matchMedia("(pointer: fine)").matches) this.line.input.focus();
    this.root.dataset.ready = String(this.data.families.length);
  }

  /** Shows what the address says. */
  private restore(): void {
    this.view = readView(location.hash, this.data.most);
    this.written = location.hash.slice(1);
    this.load.value = this.view.load ? String(this.view.load) : "";
    this.curve.checked = this.view.curve;
    this.gallery.search(this.view.search);
    this.line.set(this.view.specs.at(-1) ?? "");
    this.paint();
    if (this.view.specs.length) this.run();
    else {
      this.page = "";
      this.kept = [];
      this.leave();
      this.turnTo(true);
    }
  }

  private submit(beside: boolean): void {
    const spec = this.line.value;
    if (!spec) {
      this.line.tell({ error: "name a network, or choose one below" });
      this.turnTo(true);
      return;
    }
    this.open(beside ? [...this.view.specs, spec] : [spec]);
  }

  private open(specs: string[]): void {
    if (specs.length > this.data.most) {
      this.line.tell({ error: `a page has up to ${this.data.most} networks; take one away first` });
      return;
    }
    const load = this.load.valueAsNumber;
    if (this.load.value !== "" && !(load > 0 && load <= 1)) {
      this.line.tell({ error: "the load must be above 0, at most 1" });
      return;
    }
    const more = specs.length !== this.view.specs.length;
    const inside = more ? themeOf(this.view.inside) : this.view.inside;
    this.view = { ...this.view, specs, inside, load: load || 0, curve: this.curve.checked };
    this.line.set(specs.at(-1) ?? "");
    this.remember(true);
    this.run();
  }

  private async run(): Promise<void> {
    this.leave();
    const turn = this.turn;
    const { specs, load, curve } = this.view;
    this.line.tell({ error: "" });
    this.say(`building ${specs.join(" | ")}`);
    this.showChips();
    try {
      const job = await begin(specs, load, curve);
      if (this.turn !== turn) {
        cancel(job); // stopped before it had a name
        return;
      }
      this.job = job;
      const end = await follow(
        job,
        (now) => {
          this.say(now.text, now.done, now.total);
          if (now.draft) this.shown(pageOf(job, "draft"));
        },
        () => this.turn === turn,
      );
      if (this.turn !== turn) return;
      this.job = "";
      if (end.state === "done") this.shown(pageOf(job, "whole"));
      else if (end.state === "cancelled") this.fallBack({ error: end.text, calm: true });
      else this.refuse({ error: end.text, spec: end.spec, position: end.position });
    } catch (error) {
      if (this.turn !== turn) return;
      if (!(error instanceof RefusedError)) throw error;
      this.refuse(error.trouble);
    }
    this.leave();
  }

  /** Waits for nothing any more; what is still being worked on ends. */
  private leave(): void {
    this.turn++;
    if (this.job) cancel(this.job);
    this.job = "";
    this.progress.hidden = true;
  }

  private shown(page: string): void {
    if (page === this.page) return;
    this.page = page;
    this.kept = this.view.specs;
    this.frame.src = this.view.inside ? `${page}#${this.view.inside}` : page;
    this.turnTo(false);
  }

  /** What cannot be shown stands in the line, with the reason. */
  private refuse(trouble: Trouble): void {
    if (trouble.spec !== undefined) this.line.set(trouble.spec);
    this.fallBack(trouble);
  }

  private stop(): void {
    this.leave();
    this.fallBack({ error: "stopped", calm: true });
  }

  /** Back to the networks that are on the page, or to all families. */
  private fallBack(trouble: Trouble): void {
    this.view.specs = this.kept;
    this.remember(false);
    this.line.tell(trouble);
    this.turnTo(!this.page);
  }

  private say(text: string, done = 0, total = 0): void {
    this.progress.hidden = false;
    this.said.textContent = total ? `${text}: ${done} of ${total}` : text;
    if (total) {
      this.meter.max = total;
      this.meter.value = done;
    } else this.meter.removeAttribute("value");
  }

  private turnTo(gallery: boolean): void {
    this.atGallery = gallery;
    this.gallery.element.hidden = !gallery;
    this.frame.hidden = gallery;
    this.showTools();
    this.showChips();
  }

  private showTools(): void {
    const parts: Node[] = [];
    if (this.page)
      parts.push(
        button("gallery", this.atGallery ? "Back to the networks" : "All families", () =>
          this.turnTo(!this.atGallery),
        ),
      );
    if (this.page && !this.atGallery)
      parts.push(
        button("link", "Copy link", () => this.copy(), { title: "a link that restores this view" }),
        h(
          "a",
          {
            class: "button",
            href: this.page.replace(/\?.*/, ""),
            download: `${this.fileName()}.html`,
          },
          "Save page",
        ),
      );
    replace(this.tools, ...parts);
  }

  private fileName(): string {
    return (
      this.view.specs
        .join("_")
        .replace(/[^\w-]+/g, "_")
        .slice(0, 80) || "networks"
    );
  }

  private async copy(): Promise<void> {
    this.remember(false);
    await navigator.clipboard.writeText(location.href).then(
      () => this.line.tell({ error: "" }),
      () => this.line.tell({ error: "the browser does not copy; the address bar has the link" }),
    );
    const made = this.tools.querySelector("[data-key=link]");
    if (made) made.textContent = "Copied";
    setTimeout(() => this.showTools(), 1500);
  }

  private showChips(): void {
    const { specs } = this.view;
    this.chips.hidden = specs.length === 0;
    replace(
      this.chips,
      ...specs.map((spec, i) =>
        h(
          "li",
          {},
          button(`chip-${i}`, spec, () => this.line.set(spec), { title: "edit" }),
          button(`away-${i}`, "×", () => this.takeAway(i), { "aria-label": `Take ${spec} away` }),
        ),
      ),
    );
  }

  private takeAway(i: number): void {
    const left = this.view.specs.filter((_, at) => at !== i);
    if (left.length) this.open(left);
    else location.hash = "";
  }

  // -- colours and links ------------------------------------------------------------------------

  private get dark(): boolean {
    const said = new URLSearchParams(this.view.inside).get("theme");
    return said ? said === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  }

  private paint(): void {
    document.documentElement.dataset.theme = this.dark ? "dark" : "light";
    this.theme.textContent = this.dark ? "Light" : "Dark";
  }

  private turnTheme(): void {
    const inside = new URLSearchParams(this.view.inside);
    inside.set("theme", this.dark ? "light" : "dark");
    this.view.inside = inside.toString();
    if (this.page) this.frame.src = `${this.page}#${this.view.inside}`; // the explorer listens
    this.paint();
    this.remember(false);
  }

  /** The explorer tells its own fragment whenever its view changes. */
  private heard(event: MessageEvent): void {
    const told = (event.data as { hopscapeView?: unknown } | null)?.hopscapeView;
    if (event.source !== this.frame.contentWindow || typeof told !== "string") return;
    this.view.inside = told.slice(0, 4000);
    if ((this.dark ? "dark" : "light") !== document.documentElement.dataset.theme) this.paint();
    this.remember(false);
  }

  private remember(step: boolean): void {
    this.written = writeView(this.view);
    const address = this.written ? `#${this.written}` : location.pathname;
    if (step) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
  }
}

/** Where a page is: a draft and the whole one have two addresses, so that the frame loads anew. */
const pageOf = (job: string, part: string) => `jobs/${job}/page?workbench=${part}`;

/** Of the explorer's fragment what still holds for other networks. */
function themeOf(inside: string): string {
  const theme = new URLSearchParams(inside).get("theme");
  return theme ? `theme=${theme}` : "";
}
