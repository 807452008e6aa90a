import assert from "node:assert/strict";
import { test } from "node:test";
import { bodyOfChange, bodyOfNew, type Written } from "./body.ts";
import { type Cron, instantOf, localOf, standingOf } from "./cron.ts";

const written: Written = {
  schedule: " 0 9 * * * ",
  timezone: "",
  end: "",
  completion: "delete",
  input: { a: 1 },
  context: {},
  metadata: {},
};
const cron: Cron = {
  cron_id: "1",
  assistant_id: "2",
  thread_id: null,
  on_run_completed: "delete",
  end_time: null,
  schedule: "0 9 * * *",
  timezone: null,
  created_at: "",
  updated_at: "",
  payload: { input: { a: 1 } },
  next_run_date: "2026-01-01T09:00:00+00:00",
  metadata: { team: "a" },
  enabled: true,
};

test("a new schedule says what is set alone", () => {
  assert.deepEqual(bodyOfNew("g", written, true), { assistant_id: "g", schedule: "0 9 * * *", input: { a: 1 } });
  const set = { ...written, timezone: " UTC ", metadata: { b: 1 }, context: { c: 1 }, end: "2026-05-01T10:00" };
  const more = bodyOfNew("g", set, false);
  const { timezone, on_run_completed, metadata, context } = more;
  assert.deepEqual([timezone, on_run_completed, metadata, context], ["UTC", "delete", { b: 1 }, { c: 1 }]);
  assert.equal(more.end_time, new Date("2026-05-01T10:00").toISOString());
});

test("a change says what differs alone", () => {
  const was = { ...written, metadata: cron.metadata };
  assert.deepEqual(bodyOfChange(cron, was, was), {});
  assert.deepEqual(bodyOfChange({ ...cron, timezone: "Asia/Tokyo" }, was, was), { timezone: "UTC" });
  const kept = bodyOfChange(cron, was, { ...was, input: undefined, completion: "keep" });
  assert.deepEqual(kept, { on_run_completed: "keep", input: null });
  assert.deepEqual(bodyOfChange(cron, was, { ...was, metadata: { team: "b" } }), { metadata: { team: "b" } });
  assert.deepEqual(bodyOfChange({ ...cron, thread_id: "t" }, was, { ...was, completion: "keep" }), {});
  const ends = { ...cron, end_time: "2026-05-01T08:00:30+00:00" };
  assert.deepEqual(bodyOfChange(ends, was, { ...was, end: localOf(ends.end_time) }), {});
});

test("times go to the browser's time and back", () => {
  const instant = "2026-05-01T08:30:00.000Z";
  assert.equal(instantOf(localOf(instant)), instant);
  assert.equal(localOf(null), "");
  assert.equal(localOf("soon"), "");
  assert.equal(instantOf(""), undefined);
  assert.equal(instantOf("soon"), undefined);
});

test("a schedule is on, off or over", () => {
  assert.equal(standingOf(cron), "on");
  assert.equal(standingOf({ ...cron, enabled: false }), "off");
  assert.equal(standingOf({ ...cron, next_run_date: null }), "over");
});
