import assert from "node:assert/strict";
import { test } from "node:test";
import type { DrawnNode } from "./drawing.ts";
import { drawingPath, openOf, toggled } from "./drawing.ts";
import { headOf, inReadingOrder, middleOf, nextIn, pathOf, type Point } from "./geometry.ts";

function node(id: string, x: number, y: number, parent: string | null = null): DrawnNode {
  return { id, name: id, kind: "node", parent, x, y, width: 100, height: 40 };
}

const DOWN: Point[] = [
  [10, 0],
  [10, 50],
];
const CORNER: Point[] = [
  [0, 0],
  [0, 100],
  [100, 100],
];

test("a path turns in arcs and ends in its arrow head", () => {
  assert.equal(pathOf(DOWN), "M10,0L10,45.5");
  assert.equal(pathOf(CORNER), "M0,0L0,92Q0,100 8,100L95.5,100");
  assert.equal(headOf(DOWN), "M10,50L14,41L6,41Z");
});

test("points that say nothing give nothing", () => {
  assert.deepEqual([pathOf([]), headOf([]), headOf([[1, 1], [1, 1]])], ["", "", ""]);
  assert.deepEqual(middleOf([]), [0, 0]);
});

test("the middle is half of the way", () => {
  assert.deepEqual(middleOf(CORNER), [0, 100]);
  assert.deepEqual(middleOf(DOWN), [10, 25]);
});

test("the arrow keys go to what lies in their direction", () => {
  const [a, b, c] = [node("a", 0, 0), node("b", 0, 100), node("c", 200, 100)];
  const all = [a, b, c];
  assert.equal(nextIn("down", a, all), b);
  assert.equal(nextIn("right", b, all), c);
  assert.equal(nextIn("up", c, all), a);
  assert.equal(nextIn("left", a, all), undefined);
});

test("nodes are read from the top, with those inside after theirs", () => {
  const nodes = [node("end", 0, 300), node("s:x", 0, 150, "s"), node("s", 0, 100), node("b", 200, 0), node("a", 0, 0)];
  assert.deepEqual(inReadingOrder(nodes).map(({ id }) => id), ["a", "b", "s", "s:x", "end"]);
});

test("open subgraphs are kept in the address", () => {
  assert.deepEqual(openOf("a|a:b"), ["a", "a:b"]);
  assert.deepEqual(openOf(null), []);
  assert.equal(toggled(["a", "a:b", "ab"], "a"), "ab");
  assert.equal(toggled([], "a"), "a");
  assert.equal(toggled(["a"], "a"), undefined);
  assert.equal(drawingPath("my graph", ["a", "a:b"]), "/assistants/my%20graph/drawing?open=a&open=a%3Ab");
});
