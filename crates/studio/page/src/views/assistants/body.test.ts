import assert from "node:assert/strict";
import { test } from "node:test";
import type { Assistant } from "../../api/types.ts";
import { bodyOfChange, bodyOfNew, keysThatStay, writtenOf } from "./body.ts";

const ada: Assistant = {
  assistant_id: "1",
  graph_id: "memory",
  name: "Ada",
  description: null,
  version: 1,
  config: { configurable: { user_id: "ada" }, recursion_limit: 9 },
  context: { user_id: "ada" },
  metadata: { team: "a", note: null },
  created_at: "",
  updated_at: "",
};

test("what is empty is left to the server", () => {
  const written = { graph: "memory", name: " ", description: "", context: {}, metadata: {}, config: {} };
  assert.deepEqual(bodyOfNew(written), { graph_id: "memory" });
  const more = bodyOfNew({ ...written, name: " Ada ", context: { a: 1 } });
  assert.deepEqual(more, { graph_id: "memory", name: "Ada", context: { a: 1 } });
});

test("a change says what differs alone", () => {
  const was = writtenOf(ada);
  assert.deepEqual(was.config, { recursion_limit: 9 });
  assert.deepEqual(bodyOfChange(ada, was), {});
  assert.deepEqual(bodyOfChange(ada, { ...was, name: "", context: {} }), { name: "", context: {} });
  const more = bodyOfChange(ada, { ...was, metadata: { team: "b", note: null, more: null } });
  assert.deepEqual(more, { metadata: { team: "b", more: null } });
  assert.deepEqual(bodyOfChange(ada, { ...was, config: {} }), { config: {} });
});

test("metadata that is left out stays", () => {
  assert.deepEqual(keysThatStay(ada.metadata, { team: null }), ["note"]);
});
