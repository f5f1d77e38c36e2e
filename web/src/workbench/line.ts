import { h } from "../dom";
import { familyNamed, type Proposal, parameterAt, placeAt, proposals } from "./complete";
import type { Family, Trouble } from "./types";

const PAUSE = 160; // milliseconds without a key before the spec is checked

/** The one line in which a network is named: completion, a hint, errors under the caret. */
export class Line {
  readonly element: HTMLElement;
  readonly input: HTMLInputElement;
  private list = h("ul", { id: "proposals", role: "listbox", "aria-label": "Proposals" });
  private hint = h("p", { class: "hint", id: "spec-hint" });
  private trouble = h("pre", { class: "trouble", id: "spec-trouble", role: "status" });
  private shown: Proposal[] = [];
  private chosen = -1;
  private waiting = 0;
  private asked = 0;

  constructor(
    private families: Family[],
    private check: (spec: string) => Promise<Trouble>,
    submit: (beside: boolean) => void,
  ) {
    this.input = h("input", {
      id: "spec",
      type: "text",
      role: "combobox",
      spellcheck: "false",
      autocomplete: "off",
      autocapitalize: "off",
      maxlength: 2000,
      placeholder: "torus(8, 8)",
      "aria-controls": "proposals",
      "aria-expanded": "false",
      "aria-autocomplete": "list",
      "aria-describedby": "spec-hint spec-trouble",
      oninput: () => this.typed(),
      onclick: () => this.refresh(),
      onkeyup: (event) => {
        if (/^(Arrow(Left|Right)|Home|End)$/.test((event as KeyboardEvent).key)) this.refresh();
      },
      onblur: () => setTimeout(() => this.close(), 120),
      onkeydown: (event) => this.key(event as KeyboardEvent, submit),
    });
    const label = h("label", { for: "spec" }, "Network");
    this.list.hidden = true;
    const box = h("div", { class: "spec-box" }, this.input, this.list);
    this.element = h("div", { class: "spec" }, label, box, this.hint, this.trouble);
  }

  get value(): string {
    return this.input.value.trim();
  }

  set(text: string): void {
    this.input.value = text;
    this.close();
    this.tell({ error: "" });
    this.refreshHint();
  }

  /** Shows what is wrong, with a mark under the place; an empty sentence takes it away. */
  tell(trouble: Trouble): void {
    clearTimeout(this.waiting); // what is said now is newer than a check that is on its way
    this.asked++;
    const wrong = Boolean(trouble.error) && !trouble.calm;
    this.trouble.classList.toggle("calm", trouble.calm === true);
    this.input.setAttribute("aria-invalid", String(wrong));
    const { position, error } = trouble;
    if (!error || position === undefined) {
      this.trouble.textContent = error || "";
      return;
    }
    const before = this.input.scrollWidth > this.input.clientWidth ? `${this.input.value}\n` : "";
    const mark = h("span", { class: "mark" }, `${" ".repeat(position)}^`);
    this.trouble.replaceChildren(before, mark, "\n", h("span", { class: "words" }, error));
  }

  private typed(): void {
    this.refresh();
    this.tell({ error: "" });
    const spec = this.input.value;
    if (!spec.trim()) return;
    this.waiting = window.setTimeout(async () => {
      const turn = ++this.asked;
      const trouble = await this.check(spec).catch(() => ({ error: "" }));
      if (turn === this.asked && spec === this.input.value) this.tell(softened(trouble, spec));
    }, PAUSE);
  }

  private refresh(): void {
    const { value, selectionStart } = this.input;
    this.shown = proposals(value, selectionStart ?? value.length, this.families);
    const place = placeAt(value, selectionStart ?? value.length);
    const done = this.shown.length === 1 && this.shown[0].text === place.word;
    if (done) this.shown = [];
    this.chosen = -1;
    this.list.replaceChildren(
      ...this.shown.map((one, i) =>
        h(
          "li",
          {
            role: "option",
            id: `proposal-${i}`,
            "aria-selected": "false",
            onmousedown: (event) => {
              event.preventDefault();
              this.take(i);
            },
          },
          h("code", {}, one.text),
          h("span", { class: "small" }, one.about),
        ),
      ),
    );
    this.list.hidden = this.shown.length === 0;
    this.input.setAttribute("aria-expanded", String(!this.list.hidden));
    this.input.removeAttribute("aria-activedescendant");
    this.refreshHint();
  }

  /** How the family at the caret is written, and what the argument there is. */
  private refreshHint(): void {
    const { value, selectionStart } = this.input;
    const place = placeAt(value, selectionStart ?? value.length);
    const family = familyNamed(
      this.families,
      place.call || place.word || (/\w+/.exec(value)?.[0] ?? ""),
    );
    if (!family) {
      this.hint.textContent =
        "a family with its parameters; networks nest: product(petersen, ring(8))";
      return;
    }
    const current = place.call ? parameterAt(place, family) : undefined;
    const written = family.parameters.map((one) => {
      const text = one.variadic
        ? `${one.name}...`
        : one.default === null
          ? one.name
          : `${one.name}=${one.default}`;
      return one === current ? h("strong", {}, text) : document.createTextNode(text);
    });
    const parts: Node[] = [document.createTextNode(family.name)];
    written.forEach((one, i) => {
      parts.push(document.createTextNode(i ? ", " : "("), one);
    });
    if (written.length) parts.push(document.createTextNode(")"));
    const about = current ? `${current.name}: ${current.help}` : family.summary;
    this.hint.replaceChildren(h("code", {}, ...parts), ` ${about}`);
  }

  private choose(i: number): void {
    this.chosen = (i + this.shown.length) % this.shown.length;
    [...this.list.children].forEach((one, at) => {
      one.setAttribute("aria-selected", String(at === this.chosen));
    });
    this.list.children[this.chosen].scrollIntoView({ block: "nearest" });
    this.input.setAttribute("aria-activedescendant", `proposal-${this.chosen}`);
  }

  private take(i: number): void {
    const { value } = this.input;
    const caret = this.input.selectionStart ?? value.length;
    const { from } = placeAt(value, caret);
    const { text } = this.shown[i];
    const rest = value.slice(caret).replace(/^\w*/, "");
    const doubled = text.endsWith("(") && rest.startsWith("(");
    const head = value.slice(0, from) + (doubled ? text.slice(0, -1) : text);
    this.input.value = head + rest;
    const at = head.length + (doubled ? 1 : 0);
    this.input.setSelectionRange(at, at);
    this.input.focus();
    this.typed();
    if (!text.endsWith("(") && !text.endsWith("=")) this.close();
  }

  private close(): void {
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.chosen = -1;
  }

  private key(event: KeyboardEvent, submit: (beside: boolean) => void): void {
    const open = !this.list.hidden;
    if (event.key === "ArrowDown" && open) this.choose(this.chosen + 1);
    else if (event.key === "ArrowUp" && open) this.choose(this.chosen < 0 ? -1 : this.chosen - 1);
    else if (event.key === "Tab" && open && !event.shiftKey) this.take(Math.max(this.chosen, 0));
    else if (event.key === "Enter" && open && this.chosen >= 0) this.take(this.chosen);
    else if (event.key === "Enter") {
      this.close();
      submit(event.shiftKey);
    } else if (event.key === "Escape" && open) this.close();
    else return;
    event.preventDefault();
  }
}

/** What is merely unfinished is not called wrong while it is being typed. */
export function softened(trouble: Trouble, spec: string): Trouble {
  const unfinished = trouble.position !== undefined && trouble.position >= spec.trimEnd().length;
  const begun = /^\w+\s*\(?\s*$/.test(spec); // a name alone: its arguments are still to come
  return unfinished || (begun && trouble.position === 0) ? { error: "" } : trouble;
}
