import { expect, it } from "vitest";
import { disjointRoutes } from "../src/disjoint";
import { allAlive, distances, lowestRoute, makeGraph } from "../src/graph";
import { cutOff, profile } from "../src/profile";

/** A ring: port 0 up, port 1 down. */
function ring(order: number) {
  const tails = Array.from({ length: order }, (_, v) => v);
  const heads = tails.map((v) => (v + 1) % order);
  return makeGraph(
    order,
    tails,
    heads,
    tails.map(() => 1),
    tails.map(() => 2),
  );
}

it("knows the distances in a ring", () => {
  const graph = ring(8);
  expect([...distances(graph, 0, allAlive(graph), false)]).toEqual([0, 1, 2, 3, 4, 3, 2, 1]);
  const all = profile(graph, allAlive(graph), new Uint8Array(8).fill(1));
  expect([all.diameter, all.mean, all.unreached]).toEqual([4, 16 / 7, 0]);
});

it("takes the lowest port and the way round", () => {
  const graph = ring(8);
  const alive = allAlive(graph);
  expect(lowestRoute(graph, 0, 4, alive)?.ports).toEqual([0, 0, 0, 0]);
  expect(disjointRoutes(graph, 0, 2, alive).map((r) => r.ports.length)).toEqual([2, 6]);
  alive.nodes[1] = 0;
  expect(lowestRoute(graph, 0, 2, alive)?.ports).toEqual([1, 1, 1, 1, 1, 1]);
  expect(cutOff(graph, alive)).toEqual({ pieces: 1, lost: [] });
  alive.nodes[5] = 0;
  expect(cutOff(graph, alive).lost).toHaveLength(3);
});

it("has more than 32 sources", () => {
  const graph = ring(100);
  const found = profile(graph, allAlive(graph), new Uint8Array(100).fill(1));
  expect([found.diameter, found.histogram[50], found.histogram[1]]).toEqual([50, 100, 200]);
});
