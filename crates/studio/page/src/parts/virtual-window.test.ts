import assert from "node:assert/strict";
import { test } from "node:test";
import { rowFor, scrollFor, windowOf } from "./virtual-window.ts";

test("only what is seen and a little beyond is in the page", () => {
  assert.deepEqual(windowOf(0, 40, 0, 400), { start: 0, end: 0 });
  assert.deepEqual(windowOf(5, 40, 0, 400), { start: 0, end: 5 });
  assert.deepEqual(windowOf(100_000, 40, 0, 400), { start: 0, end: 19 });
  assert.deepEqual(windowOf(100_000, 40, 40_000, 400), { start: 992, end: 1019 });
  assert.deepEqual(windowOf(100_000, 40, 3_999_600, 400), { start: 99_981, end: 100_000 });
});

test("a list that became shorter than where it is scrolled to still shows its end", () => {
  assert.deepEqual(windowOf(20, 40, 4_000, 400), { start: 1, end: 20 });
});

test("a row that is not seen is scrolled to, and no further", () => {
  assert.equal(scrollFor(3, 40, 0, 400), undefined);
  assert.equal(scrollFor(10, 40, 0, 400), 40);
  assert.equal(scrollFor(2, 40, 200, 400), 80);
});

test("keys lead from row to row and end at the ends", () => {
  const cases: [string, number, number | undefined][] = [
    ["ArrowDown", -1, 0],
    ["ArrowDown", 9, 9],
    ["ArrowUp", -1, 0],
    ["ArrowUp", 0, 0],
    ["PageDown", 2, 6],
    ["PageUp", 2, 0],
    ["End", 0, 9],
    ["Home", 7, 0],
    ["a", 7, undefined],
  ];
  for (const [key, at, expected] of cases) assert.equal(rowFor(key, at, 10, 4), expected, key);
});
