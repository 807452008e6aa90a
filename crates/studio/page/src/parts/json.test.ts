import assert from "node:assert/strict";
import { test } from "node:test";
import { below, isRounded, isSmall, opens, summary } from "./json-nodes.ts";

test("values on one line tell their types", () => {
  const cases: [Parameters<typeof summary>[0], string][] = [
    ["true", '"true"'],
    [true, "true"],
    [null, "null"],
    [1.5, "1.5"],
    [[], "[]"],
    [{}, "{}"],
    [[1], "[ 1 item ]"],
    [{ a: 1, b: 2 }, "{ 2 fields }"],
    ['a"b\\\n\u001b', '"a\\"b\\\\\\n⟨ESC⟩"'],
    ["$&", '"$&"'],
  ];
  for (const [value, expected] of cases) assert.equal(summary(value), expected);
});

test("many parts are in pages of pages", () => {
  assert.deepEqual(below({ a: 1 }), [{ is: "part", key: "a", place: false, value: 1 }]);
  assert.equal(below(Array<number>(100).fill(0)).length, 100);
  const pages = below(Array<number>(250).fill(0));
  const ranges = pages.map((page) => (page.is === "page" ? `${page.first}-${page.last}` : ""));
  assert.deepEqual(ranges, ["0-99", "100-199", "200-249"]);
  const many = Array.from({ length: 123_456 }, (_, at) => at);
  const outer = below(many);
  assert.equal(outer.length, 13);
  const inner = below(many, outer[12] as { first: number; last: number });
  assert.equal(inner.length, 35);
  const last = below(many, inner[34] as { first: number; last: number });
  assert.deepEqual(last.at(-1), { is: "part", key: "123455", place: true, value: 123_455 });
});

test("what opens, what is small, what is rounded", () => {
  assert.deepEqual([1, "a", "a\nb", "a".repeat(200), [], [1], {}, { a: 1 }, null].map(opens), [
    false,
    false,
    true,
    true,
    false,
    true,
    false,
    true,
    false,
  ]);
  assert.ok(isSmall({ a: [1, 2, { b: 3 }] }, 10));
  assert.ok(!isSmall(Array<number>(1e6).fill(0), 10));
  assert.ok(!isSmall([["a".repeat(1000)]], 10));
  assert.deepEqual([1, 2 ** 53, 1.5].map(isRounded), [false, true, false]);
});
