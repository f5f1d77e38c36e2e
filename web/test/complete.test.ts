import { describe, expect, it } from "vitest";
import { readView, writeView } from "../src/workbench/address";
import { matching, parameterAt, placeAt, proposals, searched } from "../src/workbench/complete";
import { softened } from "../src/workbench/line";
import type { Family, Parameter } from "../src/workbench/types";

const one = (name: string, more: Partial<Parameter> = {}): Parameter => ({
  name,
  kind: "int",
  help: `${name} of it`,
  default: null,
  variadic: false,
  ...more,
});
const family = (name: string, summary: string, ...parameters: Parameter[]): Family => ({
  name,
  aliases: name === "dragonfly_plus" ? ["megafly"] : [],
  summary,
  group: "g",
  example: name,
  parameters,
});
const ALL = [
  family("torus", "rings in every direction", one("sides", { variadic: true })),
  family("ring", "a cycle", one("n")),
  family("petersen", "ten nodes"),
  family("product", "of networks", one("parts", { kind: "network", variadic: true })),
  family("concentrated", "endpoints at", one("inner", { kind: "network" }), one("p")),
  family("fat_tree", "levels", one("k"), one("full", { kind: "flag", default: "false" })),
  family("dragonfly_plus", "groups", one("k")),
];

describe("what stands at the caret", () => {
  it("is the word, its call and its argument", () => {
    expect(placeAt("tor", 3)).toMatchObject({ from: 0, word: "tor", call: "" });
    expect(placeAt("product(petersen, ri", 20)).toMatchObject({
      from: 18,
      word: "ri",
      call: "product",
      argument: 1,
    });
    expect(placeAt("a(b(1, 2), c[3, 4], x", 21)).toMatchObject({ call: "a", argument: 2 });
    expect(placeAt("a(b[3, 4", 8)).toMatchObject({ call: "a", argument: 0 });
    expect(placeAt("f(n=12", 6).keyword).toBe("n");
    expect(placeAt('f("a(b', 6).quoted).toBe(true);
  });

  it("has a parameter, also of a list and by its keyword", () => {
    expect(parameterAt(placeAt("torus(2, 3, 4", 13), ALL[0])?.name).toBe("sides");
    expect(parameterAt(placeAt("fat_tree(4, full=", 17), ALL[5])?.name).toBe("full");
    expect(parameterAt(placeAt("ring(2, 3", 9), ALL[1])).toBeUndefined();
  });
});

describe("proposals", () => {
  const at = (text: string) => proposals(text, text.length, ALL).map((found) => found.text);
  it("are families where a network may stand", () => {
    expect(at("to")).toEqual(["torus("]);
    expect(at("product(pet")).toEqual(["petersen"]);
    expect(at("concentrated(")[0]).toBeDefined();
    expect(at("concentrated(ring(4), ri")).toEqual([]);
    expect(at("torus(8, ")).toEqual([]);
    expect(at("torus(8, 8) ")).toEqual([]);
  });
  it("are parameters with a default, and what a flag may be", () => {
    expect(at("fat_tree(4, fu")).toEqual(["full="]);
    expect(at("fat_tree(4, full=t")).toEqual(["true"]);
  });
  it("find other names and words of the description", () => {
    expect(at("mega")).toEqual(["dragonfly_plus("]);
    expect(matching(ALL, "cycle").map((found) => found.text)).toEqual(["ring("]);
  });
});

describe("the gallery", () => {
  it("has all words searched for", () => {
    expect(searched(ALL, "ring every").map((found) => found.name)).toEqual(["torus"]);
    expect(searched(ALL, "").length).toBe(ALL.length);
  });
});

describe("what is being typed", () => {
  it("is not called wrong before it is finished", () => {
    expect(softened({ error: "x", position: 6 }, "torus(").error).toBe("");
    expect(softened({ error: "x", position: 0 }, "toru").error).toBe("");
    expect(softened({ error: "x", position: 6 }, "torus(1, 2").error).toBe("x");
  });
});

describe("a link to the workbench", () => {
  it("comes back", () => {
    const view = {
      specs: ["torus(4, 4)", "product(petersen, ring(8))"],
      load: 0.25,
      curve: true,
      inside: "tab=load&view=2,0.1,0&theme=dark",
      search: "a b",
    };
    expect(readView(`#${writeView(view)}`, 4)).toEqual(view);
  });
  it("leaves out what makes no sense", () => {
    const read = readView("#s=a&s=&s=b&s=c&load=7&curve=yes", 2);
    expect(read).toEqual({ specs: ["a", "b"], load: 0, curve: false, inside: "", search: "" });
  });
});
