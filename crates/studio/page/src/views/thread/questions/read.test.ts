import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../../api/types.ts";
import { answerSchema, choicesOf, draftIn, headline, read, subject } from "./read.ts";

test("what a question asks comes first, then what it is about, then the rest", () => {
  const response_schema = { type: "string" };
  const value = { draft: "Draft for tea", n: 3, question: "Approve?", notes: "one\ntwo", response_schema };
  assert.deepEqual(read(value), {
    asks: ["Approve?"],
    texts: [
      ["draft", "Draft for tea"],
      ["notes", "one\ntwo"],
    ],
    rest: [["n", 3]],
    whole: undefined,
  });
  assert.deepEqual(read("Really?").asks, ["Really?"]);
  assert.deepEqual(read([1]).whole, [1]);
  assert.equal(draftIn(value), "Draft for tea");
});

test("a list shows the first line", () => {
  const cases: [Json, string][] = [
    ["\n# Really?\nmore", "Really?"],
    [{ question: "Send?", reply: "Hi" }, "Send?"],
    [{ reply: "Hi\nthere" }, "Hi"],
    [{ name: "ada", n: 2 }, "name: ada, n: 2"],
    [7, "7"],
    [null, "null"],
  ];
  for (const [value, expected] of cases) assert.equal(headline(value), expected);
  assert.equal(subject({ question: "Send?", reply: "Hi\nthere" }), "Hi");
  assert.equal(subject({ reply: "Hi" }), "");
});

test("the schema of an answer is the node's, or that of the question; one that says nothing is none", () => {
  const schema = { type: "string" };
  assert.equal(answerSchema({ id: "a", value: null, response_schema: schema }), schema);
  assert.equal(answerSchema({ id: "a", value: { schema } }), schema);
  assert.equal(answerSchema({ id: "a", value: {}, response_schema: { $schema: "x", title: "AnyValue" } }), undefined);
  assert.deepEqual(choicesOf({ options: ["a", 2, {}] }), ["a", 2]);
  assert.deepEqual(choicesOf("a"), []);
});
