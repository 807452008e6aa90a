import assert from "node:assert/strict";
import { test } from "node:test";
import { branch, type Checkpoint, differing, grouped, levels, makers, nameOf, written } from "./checkpoint.ts";

function checkpoint(id: string, parent: string | undefined, more: Partial<Checkpoint> = {}): Checkpoint {
  const nothing = { run: undefined, assistant: undefined, graph: undefined, next: [], tasks: [] };
  return { id, parent, source: "loop", step: 0, time: "", ...nothing, ...more };
}

test("the newest branch of a checkpoint", () => {
  const tree: [string, string | undefined][] = [["5", "4"], ["4", "2"], ["3", "2"], ["2", "1"], ["1", undefined]];
  const list = tree.map(([id, parent]) => checkpoint(id, parent));
  const ids = (of: string) => branch(list, of).map(({ id }) => id).join("");
  assert.deepEqual(["5", "4", "3", "2", "1", "9"].map(ids), ["1245", "1245", "123", "1245", "1245", ""]);
});

test("what made a checkpoint", () => {
  const task = (name: string) => ({ name, wrote: undefined, asks: false, failed: false });
  const parent = checkpoint("1", undefined, { next: ["a"], tasks: [task("a"), task("b"), task("a")] });
  assert.equal(makers(checkpoint("2", "1"), parent), "a ×2, b");
  assert.equal(makers(checkpoint("2", "1", { source: "update" }), parent), "");
  assert.equal(makers(checkpoint("2", "1"), checkpoint("1", undefined, { next: ["c"] })), "c");
  assert.equal(makers(checkpoint("2", "1"), undefined), "");
  assert.equal(grouped(["\u202ex"]), "⟨U+202E⟩x");
});

test("what a checkpoint is called", () => {
  const task = { name: "a", wrote: undefined, asks: false, failed: false };
  const input = checkpoint("1", undefined, { source: "input", next: ["__start__"] });
  assert.equal(nameOf(input, undefined), "before an input");
  assert.equal(nameOf(checkpoint("2", "1"), input), "input");
  assert.equal(nameOf(checkpoint("3", "2"), checkpoint("2", "1", { tasks: [task] })), "a");
  assert.equal(nameOf(checkpoint("3", "2"), undefined), "step");
  assert.equal(nameOf(checkpoint("3", "2", { source: "update" }), input), "edit");
  assert.equal(nameOf(checkpoint("3", "2", { source: "constructor" }), input), "constructor");
});

test("what differs, in short", () => {
  assert.equal(differing({ a: 1, b: [1], c: 1 }, { a: 2, b: [1, 2, 3] }), "a 2, b +2, c is gone");
  assert.equal(differing({ a: 1 }, { a: 1 }), "nothing");
});

test("what was written, in short", () => {
  assert.equal(written({ items: ["a"], count: 3 }), 'items [ "a" ], count 3');
  assert.equal(written({ items: ["a", "b"], deep: { a: 1 } }), "items [ 2 items ], deep { 1 field }");
  assert.equal(written(null), undefined);
  assert.equal(written({}), "");
});

test("the levels of a namespace", () => {
  assert.deepEqual(levels(""), []);
  assert.deepEqual(levels("child:1|inner:2"), [
    { node: "child", ns: "child:1" },
    { node: "inner", ns: "child:1|inner:2" },
  ]);
});
