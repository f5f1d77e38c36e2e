import type { Family, Parameter } from "./types";

/** What may stand at the caret: the word that is begun there, and the call it stands in. */
export interface Place {
  /** Where the word begins. */
  from: number;
  word: string;
  /** The innermost call that is open, and which argument of it. */
  call: string;
  argument: number;
  /** The keyword of the argument, where it has one. */
  keyword: string;
  /** Is the caret inside a text in quotes? */
  quoted: boolean;
}

export interface Proposal {
  /** What stands at the place of the word when it is taken. */
  text: string;
  about: string;
}

interface Open {
  name: string;
  argument: number;
  start: number;
}

/** Reads a spec up to the caret. */
export function placeAt(text: string, caret: number): Place {
  const calls: Open[] = [];
  let quote = "";
  let word = "";
  let start = 0;
  for (let i = 0; i < caret; i++) {
    const letter = text[i];
    if (quote) {
      if (letter === "\\") i++;
      else if (letter === quote) quote = "";
      continue;
    }
    if (letter === '"' || letter === "'") quote = letter;
    if (letter === "(" || letter === "[") {
      calls.push({ name: letter === "(" ? word : "", argument: 0, start: i + 1 });
    } else if (letter === ")" || letter === "]") calls.pop();
    else if (letter === "," && calls.length) {
      calls[calls.length - 1].argument++;
      calls[calls.length - 1].start = i + 1;
    }
    if (/\w/.test(letter)) {
      if (!word) start = i;
      word += letter;
    } else if (!/\s/.test(letter) || word) word = "";
  }
  // a list in brackets belongs to the argument of the call round it
  const open = [...calls].reverse().find((one) => one.name) ?? { name: "", argument: 0, start: 0 };
  const begun = text.slice(open.start, caret);
  const keyword = /^\s*([A-Za-z_]\w*)\s*=/.exec(begun)?.[1] ?? "";
  return {
    from: word ? start : caret,
    word,
    call: open.name,
    argument: open.argument,
    keyword,
    quoted: quote !== "",
  };
}

/** The parameter that an argument is for. */
export function parameterAt(place: Place, family: Family | undefined): Parameter | undefined {
  if (!family) return undefined;
  if (place.keyword) return family.parameters.find((one) => one.name === place.keyword);
  const several = family.parameters.findIndex((one) => one.variadic);
  const at = several >= 0 && place.argument > several ? several : place.argument;
  return family.parameters[at];
}

export function familyNamed(families: Family[], name: string): Family | undefined {
  return families.find((one) => one.name === name || one.aliases.includes(name));
}

/** What may be written at the caret, the likeliest first. */
export function proposals(text: string, caret: number, families: Family[]): Proposal[] {
  const place = placeAt(text, caret);
  if (place.quoted || /^\d/.test(place.word)) return [];
  const word = place.word.toLowerCase();
  const family = familyNamed(families, place.call);
  const parameter = parameterAt(place, family);
  const out: Proposal[] = [];
  if (family && !place.keyword)
    for (const one of family.parameters)
      if (one.default !== null && word && one.name.startsWith(word))
        out.push({ text: `${one.name}=`, about: one.help });
  if (parameter?.kind === "flag" && word)
    for (const one of ["true", "false"])
      if (one.startsWith(word)) out.push({ text: one, about: parameter.help });
  const network = !place.call || parameter?.kind === "network";
  if (!network || (!word && place.call === "" && text.trim() !== "")) return out;
  if (!word && text.trim() === "") return out;
  return out.concat(matching(families, word));
}

/** Families by name; those whose name begins so come first, then those whose words do. */
export function matching(families: Family[], word: string): Proposal[] {
  const rank = (one: Family) => {
    const names = [one.name, ...one.aliases];
    if (names.some((name) => name.startsWith(word))) return 0;
    if (names.some((name) => name.includes(word))) return 1;
    return word.length > 2 && one.summary.toLowerCase().includes(word) ? 2 : 3;
  };
  return families
    .map((one) => ({ one, rank: rank(one) }))
    .filter((found) => found.rank < 3)
    .sort((a, b) => a.rank - b.rank || a.one.name.length - b.one.name.length)
    .slice(0, 8)
    .map(({ one }) => ({
      text: one.parameters.length ? `${one.name}(` : one.name,
      about: one.summary,
    }));
}

/** Families of the gallery whose name, other names, words or group have all that is searched. */
export function searched(families: Family[], text: string): Family[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return families.filter((one) => {
    const all = [one.name, ...one.aliases, one.summary, one.group, one.example].join(" ");
    return words.every((word) => all.toLowerCase().includes(word));
  });
}
