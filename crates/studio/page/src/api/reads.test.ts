// Requests of the page and of clients, and whether they change something.

import assert from "node:assert/strict";
import { test } from "node:test";
import { reads } from "./reads.ts";

test("what is asked with a body is no change", () => {
  const paths = ["/runs/search", "/threads/count", "/threads/T/history", "/threads/T/state/checkpoint"];
  for (const path of [...paths, "/threads/T/stream/events"]) assert.ok(reads("POST", path), path);
  assert.ok(reads("GET", "/threads/T/runs?limit=1"));
  assert.ok(reads("GET", "/changes?of=runs,threads"));
  assert.ok(reads("POST", "/assistants/A/versions?x=1"));
});

test("all else is one", () => {
  for (const [method, path] of [
    ["POST", "/threads"],
    ["POST", "/threads/T/runs"],
    ["POST", "/threads/T/state"],
    ["POST", "/threads/T/runs/R/cancel?action=/search"],
    ["POST", "/threads/T/copy"],
    ["POST", "/threads/T/commands"],
    ["POST", "/assistants/A/latest"],
    ["DELETE", "/threads/search"],
    ["PATCH", "/threads/T"],
    ["PUT", "/store/items"],
  ] as const) {
    assert.ok(!reads(method, path), `${method} ${path}`);
  }
});
