import assert from "node:assert/strict";
import { test } from "node:test";
import { filterOf, isFiltered, metadataOf, searchOf } from "./filter.ts";

test("metadata is read as it is written", () => {
  const cases: [string, unknown][] = [
    ["", { fields: {} }],
    ["user=ada", { fields: { user: "ada" } }],
    ['n=3 tag="3"  done=true  none=null ', { fields: { n: 3, tag: "3", done: true, none: null } }],
    ['name="two words" x=a=b', { fields: { name: "two words", x: "a=b" } }],
    ["empty=", { fields: { empty: "" } }],
  ];
  for (const [text, expected] of cases) assert.deepEqual(metadataOf(text), expected, text);
  assert.ok("problem" in metadataOf("ada"));
  assert.ok("problem" in metadataOf("user=ada ="));
});

test("the address says which runs are asked for", () => {
  const filter = filterOf(new URLSearchParams("status=error&graph=faulty&metadata=user%3Dada&q=%20tea%20"));
  assert.ok(isFiltered(filter));
  assert.deepEqual(searchOf(filter, 100, 200), {
    body: {
      limit: 100,
      offset: 200,
      sort_by: "created_at",
      sort_order: "desc",
      status: "error",
      graph_id: "faulty",
      query: "tea",
      metadata: { user: "ada" },
    },
  });
  assert.ok(!isFiltered(filterOf(new URLSearchParams("status=&tab=x"))));
  assert.ok("problem" in searchOf({ status: undefined, graph: undefined, metadata: "ada", text: undefined }, 1, 0));
});
