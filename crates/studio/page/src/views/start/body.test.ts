import assert from "node:assert/strict";
import { test } from "node:test";
import { bodyOf, earlierInputs, refusedAt } from "./body.ts";

test("a run has what was said and nothing else", () => {
  const nowhere = { before: new Set<string>(), after: new Set<string>() };
  const least = { assistant: "a", input: {}, context: {}, breakpoints: nowhere, strategy: "enqueue" as const };
  assert.deepEqual(bodyOf(least), { assistant_id: "a", multitask_strategy: "enqueue", input: {} });
  const breakpoints = { before: new Set(["x"]), after: new Set(["y", "z"]) };
  assert.deepEqual(bodyOf({ ...least, input: undefined, context: { user: "ada" }, breakpoints, strategy: "reject" }), {
    assistant_id: "a",
    multitask_strategy: "reject",
    context: { user: "ada" },
    interrupt_before: ["x"],
    interrupt_after: ["y", "z"],
  });
});

test("a refusal names its part", () => {
  assert.deepEqual(refusedAt("Invalid request body at `input.items[0].name`: expected a string"), {
    part: "input",
    place: "/items/0/name",
  });
  assert.deepEqual(refusedAt("Invalid request body at `context`: invalid type"), { part: "context", place: "" });
  assert.equal(refusedAt("Thread or assistant not found."), undefined);
});

test("an input that was given twice is listed once, the newest first", () => {
  const inputs = [{ a: 2 }, null, { a: 1 }, { a: 2 }, { a: 0 }];
  const runs = inputs.map((input, number) => ({ number, kwargs: { input } }));
  assert.deepEqual(
    earlierInputs(runs, 10).map(({ run }) => run.number),
    [0, 2, 4],
  );
  assert.equal(earlierInputs(runs, 2).length, 2);
  assert.deepEqual(earlierInputs([{}], 2), []);
});
