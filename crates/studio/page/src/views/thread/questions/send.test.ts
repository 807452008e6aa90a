import assert from "node:assert/strict";
import { test } from "node:test";
import { refusedAnswer } from "./send.ts";

const A = "a".repeat(32);
const B = "b".repeat(32);

test("a refusal is shown at the answer that it names", () => {
  const path = "Invalid request body at `command.resume.";
  assert.deepEqual(refusedAnswer(`${path}${B}.ids[0]\`: a text`, [A, B]), { id: B, place: "/ids/0" });
  assert.deepEqual(refusedAnswer(`${path}${A}\`: a text`, [A, B]), { id: A, place: "" });
  assert.deepEqual(refusedAnswer("the answer to `review` does not fit: missing field", [A]), { id: A, place: "" });
  assert.equal(refusedAnswer("the answer to `review` does not fit: missing field", [A, B]), undefined);
  assert.equal(refusedAnswer("Thread or assistant not found.", [A]), undefined);
});
