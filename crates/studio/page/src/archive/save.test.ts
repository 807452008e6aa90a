// The name of a file, and how what is written to it is gathered.

import assert from "node:assert/strict";
import { test } from "node:test";
import { batched, fileName } from "./save.ts";

const at = new Date("2026-11-26T21:00:00.000Z");

test("a name says graph, thread and day, and is one for every system", () => {
  const thread = "01a219a5-e2f0-7762-8539-fed226cbd885";
  assert.equal(fileName("nested", thread, at), "graphloom-nested-26cbd885-2026-11-26.jsonl");
  assert.equal(fileName(undefined, "../..\u202e/x", at), "graphloom-thread-.._.._x-2026-11-26.jsonl");
  assert.equal(fileName("a/b:c ü", "12345678", at), "graphloom-a_b_c_-12345678-2026-11-26.jsonl");
});

test("small texts are written together, and the last ones at the end", async () => {
  const written: string[] = [];
  const write = async (text: string) => void written.push(text);
  const sink = batched({ write, done: () => write("done"), drop: () => write("drop") }, 4);
  for (const text of ["a", "b", "cdef", "g"]) await sink.write(text);
  assert.deepEqual(written, ["abcdef"]);
  await sink.done();
  assert.deepEqual(written, ["abcdef", "g", "done"]);
});
