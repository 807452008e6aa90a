import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../../api/types.ts";
import { columnsOf, isMarkdown, kindsOf, order } from "./kinds.ts";
import { readMessage } from "./message.ts";

test("values are shown by what is in them", () => {
  const cases: [Json, string][] = [
    [1, "json"],
    ["plain", "text"],
    ["# Title\n\ntext", "markdown"],
    [[{ type: "human", content: "a" }], "messages"],
    [[{ role: "user", content: null }], "messages"],
    [[{ a: 1 }, { a: 2, b: "x" }], "table"],
    [[{ a: 1 }], "json"],
    [[{ a: [1] }, { a: 2 }], "json"],
    [[1, 2], "json"],
    [[{}, {}], "json"],
    [[], "json"],
  ];
  for (const [value, expected] of cases) assert.equal(kindsOf(value)[0], expected, JSON.stringify(value));
});

test("texts with signs of Markdown", () => {
  const is = ["a **b** c", "- a\n- b", "1. a\n2. b", "```\nx\n```", "see [a](http://b)", "|a|b|\n|-|-|\n|1|2|", "> a"];
  const isNot = ["a - b", "2 * 3 * 4", "a_b_c", "line\nline", "#tag", "- one dash"];
  for (const text of is) assert.ok(isMarkdown(text), text);
  for (const text of isNot) assert.ok(!isMarkdown(text), text);
});

test("rows are in the order of a column", () => {
  const rows = [{ n: 10 }, { n: 9, s: "b" }, { n: null }, { s: "a" }, { n: 100 }];
  assert.deepEqual(columnsOf(rows), ["n", "s"]);
  assert.deepEqual(order(rows, "n", false), [1, 0, 4, 2, 3]);
  assert.deepEqual(order(rows, "n", true), [4, 0, 1, 2, 3]);
  assert.deepEqual(order(rows, "s", false), [3, 1, 0, 2, 4]);
});

test("messages of several forms", () => {
  const ai = readMessage({
    type: "ai",
    id: "1",
    content: [
      { type: "thinking", thinking: "hm" },
      { type: "text", text: "hello" },
      { type: "image_url", image_url: { url: "x" } },
    ],
    tool_calls: [{ name: "search", id: "c", args: { q: 1 } }],
    usage_metadata: { input_tokens: 1, output_tokens: 2 },
  });
  assert.deepEqual(
    ai.parts.map((part) => part.is),
    ["reasoning", "text", "other"],
  );
  assert.deepEqual(ai.calls, [{ name: "search", id: "c", args: { q: 1 } }]);
  assert.equal(ai.usage, "1 tokens in, 2 out");
  const calls = [{ id: "c", function: { name: "f", arguments: '{"a":1}' } }];
  const open = readMessage({ role: "assistant", content: null, tool_calls: calls });
  assert.deepEqual([open.kind, open.parts, open.calls], ["assistant", [], [{ name: "f", id: "c", args: { a: 1 } }]]);
  assert.equal(readMessage({ type: "tool", content: "x", tool_call_id: "c" }).answers, "c");
  assert.deepEqual(readMessage({ type: "constructor", content: "" }).kind, "other");
});
