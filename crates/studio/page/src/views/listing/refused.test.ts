import assert from "node:assert/strict";
import { test } from "node:test";
import { refusalOf, shownAt } from "./refused.ts";
import { together } from "./together.ts";

test("a refusal is shown at the part that it names", () => {
  const cases: [message: string, part: string, place: string][] = [
    ["Invalid request body at `context`: invalid type: integer `5`, expected a map at line 1 column 32", "context", ""],
    ["Invalid request body at `metadata.a[0]`: no", "metadata", "/a/0"],
    ["`schedule` is `x` with 1 fields, it must have five", "schedule", ""],
    ["`ttl` is 0, it must be minutes above 0", "ttl", ""],
    ["`config.configurable` is `5`, it must be an object", "config", ""],
    ["Graph 'nope' not found. Expected one of: a, b", "graph_id", ""],
    ["Thread with ID 1 not found", "thread_id", ""],
    ["`a.b` cannot be a label of a namespace: it contains a dot", "namespace", ""],
    ["Cannot specify both configurable and context. Prefer setting context alone.", "context", ""],
    ["The API key `x` does not allow this: it needs the scope `admin`", "", ""],
  ];
  for (const [message, part, place] of cases) assert.deepEqual(refusalOf(message), { part, place, message });
});

test("what the server refused stands beside what is wrong", () => {
  const problems = new Map([["/a", "wrong"]]);
  const refusal = { part: "context", place: "", message: "no" };
  assert.deepEqual([...shownAt("context", problems, refusal)], [["/a", "wrong"], ["", "no"]]);
  assert.equal(shownAt("metadata", problems, refusal), problems);
});

test("pages that overlap are one list", () => {
  const idOf = (item: { id: string }) => item.id;
  const [a, b, c] = [{ id: "a" }, { id: "b" }, { id: "c" }];
  assert.deepEqual(together([a, b], [b, c], idOf), [a, b, c]);
});
