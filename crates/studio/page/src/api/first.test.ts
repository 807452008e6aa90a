// Events wait for what is read first, however it ends.

import assert from "node:assert/strict";
import { test } from "node:test";
import { afterFirst, first } from "./first.ts";

test("what comes after waits for all that is read first, also where it fails", async () => {
  const told: string[] = [];
  let answer = (_: string) => {};
  let refuse = (_: Error) => {};
  const one = first(new Promise<string>((resolve) => (answer = resolve)));
  const other = first(new Promise<string>((_, reject) => (refuse = reject)));
  const after = afterFirst().then(() => told.push("after"));
  answer("one");
  assert.equal(await one, "one");
  assert.deepEqual(told, [], "the other one is still read");
  refuse(new Error("other"));
  await assert.rejects(other, /other/);
  await after;
  assert.deepEqual(told, ["after"]);
  await afterFirst();
});
