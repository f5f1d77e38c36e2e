type Child = Node | string | number | null | undefined | false;
type Value = string | number | boolean | null | undefined | ((event: Event) => void);

/** An element; texts stay texts, attributes that begin with "on" are listeners. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, Value> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined)
      element.setAttribute(name, String(value));
  }
  for (const child of children)
    if (child !== null && child !== undefined && child !== false)
      element.append(child instanceof Node ? child : String(child));
  return element;
}

export function table(caption: string, heads: string[], rows: Child[][]): HTMLElement {
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "group", "aria-label": caption },
    h(
      "table",
      {},
      h("caption", {}, caption),
      heads.length
        ? h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", { scope: "col" }, head))))
        : null,
      h(
        "tbody",
        {},
        ...rows.map(([first, ...rest]) =>
          h("tr", {}, h("th", { scope: "row" }, first), ...rest.map((cell) => h("td", {}, cell))),
        ),
      ),
    ),
  );
}

export interface Option {
  value: string;
  text: string;
}

export function choice(
  key: string,
  label: string,
  options: Option[],
  value: string,
  change: (value: string) => void,
): HTMLElement {
  const box = h("select", {
    "data-key": key,
    onchange: (event) => change((event.target as HTMLSelectElement).value),
  });
  for (const option of options)
    box.append(h("option", { value: option.value, selected: option.value === value }, option.text));
  return h("label", { class: "field" }, h("span", {}, label), box);
}

export function button(
  key: string,
  text: string,
  click: () => void,
  more: Record<string, Value> = {},
): HTMLButtonElement {
  return h("button", { type: "button", "data-key": key, onclick: click, ...more }, text);
}

export function download(name: string, blob: Blob): void {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** New content in place of the old; whoever had the focus keeps it. */
export function replace(host: HTMLElement, ...children: Node[]): void {
  const active = document.activeElement;
  const key = active && host.contains(active) ? active.getAttribute("data-key") : null;
  const top = host.scrollTop;
  host.replaceChildren(...children);
  host.scrollTop = top;
  if (key)
    for (const one of host.querySelectorAll<HTMLElement>("[data-key]"))
      if (one.getAttribute("data-key") === key) {
        one.focus({ preventScroll: true });
        break;
      }
}

export function count(value: number, one: string, many = `${one}s`): string {
  return `${value.toLocaleString("en")} ${value === 1 ? one : many}`;
}

/** At most so many letters of a text, with a sign where more were left out. */
export function shortened(text: string, most: number): string {
  const letters = [...text];
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : text;
}
