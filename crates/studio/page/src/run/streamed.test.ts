import assert from "node:assert/strict";
import { test } from "node:test";
import type { ThreadEvent } from "../api/events.ts";
import fixture from "./fixtures/echo_chat.json";
import { CaughtUp } from "./caught-up.ts";
import { channelsWithout, leftOutIn } from "./streamed.ts";

test("what can be left out is left out, and nothing else", () => {
  assert.deepEqual(channelsWithout(leftOutIn(null)).length, 8);
  const leftOut = leftOutIn("messages lifecycle nonsense  trace");
  assert.deepEqual([...leftOut], ["messages", "trace"]);
  assert.deepEqual(channelsWithout(leftOut), ["lifecycle", "tasks", "tools", "custom", "checkpoints", "input"]);
});

const events = fixture as unknown as ThreadEvent[];
const quiet = events.filter((event) => event.method !== "messages");
const messages = (of: CaughtUp) => of.model.tasks.flatMap((task) => task.messages).length;

test("with another channel all events come again, and what was known is shown until then", () => {
  const thread = new CaughtUp();
  assert.ok(thread.take(quiet));
  assert.equal(messages(thread), 0);
  const before = thread.model;
  thread.anew();
  assert.equal(thread.seq, 0);
  assert.ok(!thread.take(events.slice(0, -1)), "it is not shown yet");
  assert.equal(thread.model, before);
  assert.ok(thread.take(events.slice(-1)));
  assert.ok(messages(thread) > 0);
  assert.equal(thread.model.tasks.length, before.tasks.length);
});

test("what does not come any more is not waited for", () => {
  const thread = new CaughtUp();
  thread.take(events);
  thread.anew();
  thread.take(quiet.slice(0, 3));
  thread.show();
  assert.equal(thread.model.seq, quiet[2]?.seq);
});
