// The agent of @ag-ui/client, which checks the order of events by itself.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { HttpAgent, buildResumeArray } from "@ag-ui/client";
import { address, it } from "./cases.js";

// An agent of a graph on a new thread.
const agent = (graph, initialState) => new HttpAgent({ url: `${address}/ag-ui/${graph}`, threadId: randomUUID(), initialState });
const says = (content) => ({ id: randomUUID(), role: "user", content });

it("ag-ui: a text is streamed into a message", async () => {
  const chat = agent("echo_chat");
  chat.addMessage(says("hi there"));
  const pieces = [];
  const { newMessages } = await chat.runAgent({}, { onTextMessageContentEvent: ({ event }) => pieces.push(event.delta) });
  assert.deepEqual(pieces, ["Echo:", " ", "hi", " ", "there"]);
  assert.deepEqual(newMessages.map((one) => [one.role, one.content]), [["assistant", "Echo: hi there"]]);
});

it("ag-ui: a chat goes on", async () => {
  const chat = agent("echo_chat");
  for (const text of ["one", "two"]) {
    chat.addMessage(says(text));
    await chat.runAgent();
  }
  assert.deepEqual(chat.messages.map((one) => one.content), ["one", "Echo: one", "two", "Echo: two"]);
});

it("ag-ui: nodes are steps and the state follows them", async () => {
  const pipeline = agent("pipeline", { topic: "a" });
  const steps = [];
  await pipeline.runAgent({}, { onStepFinishedEvent: ({ event }) => steps.push(event.stepName) });
  assert.deepEqual(steps, ["plan", "work", "finish"]);
  assert.deepEqual(pipeline.state.items, ["plan:a", "work:a", "finish:a"]);
  assert.equal(pipeline.state.count, 3);
});

it("ag-ui: a question is pending and is resumed", async () => {
  const approval = agent("approval", { request: "r" });
  await approval.runAgent();
  assert.equal(approval.pendingInterrupts.length, 1);
  const [asked] = approval.pendingInterrupts;
  await approval.runAgent({ resume: buildResumeArray(approval.pendingInterrupts, { [asked.id]: { status: "resolved", payload: "approve" } }) });
  assert.deepEqual(approval.pendingInterrupts, []);
  assert.deepEqual(approval.state.log, ["draft", "review:approve", "publish"]);
});

it("ag-ui: a failure is an error with its message", async () => {
  const messages = [];
  const run = agent("faulty", { mode: "fail" }).runAgent({}, { onRunErrorEvent: ({ event }) => messages.push(event.message) });
  await run.catch(() => {});
  assert.match(messages.join(), /boom: mode=fail/);
});
