import { button, choice, h } from "./dom";

/** Plays numbered steps: rounds of a schedule, frames of a recording. */
export class Player {
  playing = false;
  speed = 2;
  private timer = 0;

  constructor(
    private name: string,
    private rest: (steps: number) => void,
    private get: () => { at: number; last: number },
  ) {}

  toggle(): void {
    if (this.playing) this.pause();
    else {
      const { at, last } = this.get();
      this.playing = true;
      if (at >= last) this.rest(0);
      else this.rest(at);
      this.tick();
    }
  }

  pause(): void {
    this.playing = false;
    clearTimeout(this.timer);
    const { at } = this.get();
    this.rest(at);
  }

  step(by: number): void {
    const { at, last } = this.get();
    this.playing = false;
    clearTimeout(this.timer);
    this.rest(Math.max(0, Math.min(last, at + by)));
  }

  private tick(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      if (!this.playing) return;
      const { at, last } = this.get();
      if (at >= last) {
        this.playing = false;
        this.rest(at);
        return;
      }
      this.rest(at + 1);
      this.tick();
    }, 1000 / this.speed);
  }

  key(event: KeyboardEvent): boolean {
    if (event.key === " " && (event.target as HTMLElement).tagName !== "BUTTON") this.toggle();
    else if (event.key === ".") this.step(1);
    else if (event.key === ",") this.step(-1);
    else return false;
    return true;
  }

  controls(what: string): HTMLElement {
    const { at, last } = this.get();
    const speeds = [0.5, 1, 2, 5, 10, 30].map((x) => ({ value: String(x), text: `${x} a second` }));
    return h(
      "div",
      { class: "player", role: "group", "aria-label": `Play ${what}s` },
      button(`${this.name}-first`, "|◀", () => this.step(-last), { "aria-label": `First ${what}` }),
      button(`${this.name}-back`, "◀", () => this.step(-1), { "aria-label": `Previous ${what}` }),
      button(`${this.name}-play`, this.playing ? "Pause" : "Play", () => this.toggle()),
      button(`${this.name}-next`, "▶", () => this.step(1), { "aria-label": `Next ${what}` }),
      h("input", {
        type: "range",
        min: 0,
        max: last,
        value: at,
        "data-key": `${this.name}-range`,
        "aria-label": what,
        oninput: (event) => this.rest(Number((event.target as HTMLInputElement).value)),
      }),
      choice(`${this.name}-speed`, "Speed", speeds, String(this.speed), (value) => {
        this.speed = Number(value);
        if (this.playing) this.tick();
      }),
    );
  }
}
