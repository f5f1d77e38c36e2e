import { describe, expect, it } from "vitest";
import { freshState, readState, writeState } from "../src/state";

describe("the state in the fragment", () => {
  it("comes back", () => {
    const state = freshState(3);
    Object.assign(state, { left: 2, right: 1, layout: "rings", a: 5, b: 9, round: 3, kill: true });
    state.view = [2.5, -0.25, 0.125];
    state.deadNodes.set(1, new Set([4, 7]));
    state.deadLinks.set(0, new Set([2]));
    expect(readState(`#${writeState(state, 3)}`, 3)).toEqual(state);
  });

  it("is empty at the beginning", () => {
    expect(writeState(freshState(1), 1)).toBe("");
    expect(readState("", 2)).toEqual(freshState(2));
  });

  it("leaves out what makes no sense", () => {
    const fragment = "left=9&right=9&a=x&view=1,2&view=NaN,0,0&dead-n7=1&dead-n0=-1,zz,3&k=%00";
    const state = readState(fragment, 2);
    expect([state.left, state.right, state.a]).toEqual([0, -1, -1]);
    expect(state.view).toEqual([1, 0, 0]);
    expect([...state.deadNodes]).toEqual([[0, new Set([3])]]);
  });
});
