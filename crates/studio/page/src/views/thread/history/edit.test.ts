import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../api/types.ts";
import { fieldOf, placeOf, readEdit } from "./edit.ts";

const schema: JsonObject = {
  type: "object",
  properties: { topic: { type: ["string", "null"] }, items: { type: "array", items: { type: "string" } } },
  required: ["items"],
};

test("what is wrong is told at its field", () => {
  const problems = (text: string) => [...readEdit(text, schema).problems.keys()];
  assert.deepEqual(problems('{"topic": "a"}'), []);
  assert.deepEqual(problems('{"topic": 5}'), ["topic"]);
  assert.deepEqual(problems('{"items": ["a", 1], "other": 1}'), ["items", "other"]);
  assert.deepEqual(problems("{"), [""]);
  assert.deepEqual(problems("[]"), [""]);
  // A number with more digits than a browser keeps would be sent as another one.
  assert.deepEqual(problems('{"topic": [12345678901234567890]}'), [""]);
  assert.deepEqual(readEdit('{"n": 1}', undefined), { values: { n: 1 }, problems: new Map() });
});

test("the field of a refusal", () => {
  assert.equal(fieldOf("field `topic` cannot be decoded: at `.`: invalid type", { topic: 5 }), "topic");
  assert.equal(fieldOf("Node zzz does not exist", { topic: 5 }), "");
  assert.equal(placeOf('{\n  "topic": 5\n}', "topic"), 4);
  assert.equal(placeOf("{}", "topic"), undefined);
});
