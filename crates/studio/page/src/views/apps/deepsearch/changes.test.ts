import assert from "node:assert/strict";
import { test } from "node:test";
import { changeOf, trimmed } from "./changes.ts";

test("a passage is told as the page counts, without the blanks at its ends", () => {
  const report = "A 𝒯 says. It is so. ";
  const passage = trimmed(report, { start: 10, end: 21 });
  assert.deepEqual(passage, { start: 11, end: 20 });
  assert.ok(passage !== undefined);
  assert.deepEqual(changeOf(report, passage, "shorten", " less "), {
    action: "shorten",
    selected_text: "It is so.",
    start_offset: 11,
    end_offset: 20,
    offset_unit: "utf16",
    user_instruction: "less",
  });
});

test("blanks and half a character are no passage", () => {
  assert.equal(trimmed("a  b", { start: 1, end: 3 }), undefined);
  assert.equal(trimmed("a", { start: 1, end: 1 }), undefined);
  assert.equal(trimmed("𝒯 says", { start: 1, end: 7 }), undefined);
});
