// The model is what the demo server's events say. Retries, losses and unknown events are made up here.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ThreadEvent } from "../api/events.ts";
import type { Json, JsonObject } from "../api/types.ts";
import { INPUTS } from "./fold/known.ts";
import { Fold } from "./fold.ts";
import approval from "./fixtures/approval.json";
import echoChat from "./fixtures/echo_chat.json";
import fanout from "./fixtures/fanout.json";
import faulty from "./fixtures/faulty.json";
import nested from "./fixtures/nested.json";
import pipeline from "./fixtures/pipeline.json";
import ticker from "./fixtures/ticker.json";
import unanswered from "./fixtures/unanswered.json";
import type { RunModel, Task } from "./model.ts";

const RECORDED = { approval, echoChat, fanout, faulty, nested, pipeline, ticker, unanswered };

/** The model after events as they were recorded. */
function folded(events: unknown): RunModel {
  const fold = new Fold();
  fold.take(events as ThreadEvent[]);
  assert.deepEqual(fold.model.notices, []);
  return fold.model;
}

/** The model after the first events up to the end of the run of an index. */
function until(events: unknown, run: number): RunModel {
  const all = events as ThreadEvent[];
  const ends = all.flatMap((event, at) => {
    const isEnd = event.method === "lifecycle" && event.params.namespace.length === 0;
    return isEnd && event.params.data.event !== "running" ? [at] : [];
  });
  return folded(all.slice(0, (ends[run] ?? 0) + 1));
}

function brief(model: RunModel): string[] {
  return model.tasks.map((task) => `${task.node} ${task.status}`);
}

function only(model: RunModel, node: string): Task {
  const found = model.tasks.filter((task) => task.node === node);
  assert.equal(found.length, 1, `tasks of ${node}`);
  return found[0] as Task;
}

let made = 0;

/** An event that is made up; each is of an entry of its own unless `place` says otherwise. */
function event(method: string, data: JsonObject, more: { namespace?: string[]; node?: string; place?: number } = {}) {
  const { namespace = [], node, place } = more;
  if (place === undefined) made += 1;
  const params = { namespace, timestamp: 1000 + made, data, ...(node === undefined ? {} : { node }) };
  const seq = made * 4096 + (place ?? 0);
  const id = method === "lifecycle" ? `synth:run-${data.run ?? 1}:thread:${seq}` : `thread:${seq}`;
  return { seq, event_id: id, method, params } as ThreadEvent;
}

function begins(id: string, node: string, more: JsonObject = {}, namespace: string[] = []): ThreadEvent {
  return event("tasks", { id, name: node, input: {}, triggers: [`branch:to:${node}`], ...more }, { namespace, node });
}

function ends(id: string, node: string, more: JsonObject = {}): ThreadEvent {
  return event("tasks", { id, name: node, error: null, result: {}, interrupts: [], ...more }, { node });
}

const RUNS = (run = 1) => event("lifecycle", { event: "running", graph_name: "g", run });
const DONE = (run = 1) => event("lifecycle", { event: "completed", graph_name: "g", run });

test("a run, its tasks, commits and what a node told", () => {
  const model = folded(pipeline);
  assert.deepEqual(
    model.runs.map(({ graph, status, goesOn, error }) => ({ graph, status, goesOn, error })),
    [{ graph: "pipeline", status: "done", goesOn: false, error: undefined }],
  );
  assert.match(model.runs[0]?.id ?? "", /^[0-9a-f-]{36}$/);
  assert.deepEqual(brief(model), ["plan done", "work done", "finish done"]);
  const work = only(model, "work");
  assert.deepEqual(
    work.told.map((told) => told.payload),
    [1, 2, 3].map((n) => ({ progress: n, of: 3 })),
  );
  assert.deepEqual(work.input, { topic: "tea", items: ["plan:tea"] });
  assert.deepEqual(work.result, { items: ["work:tea"] });
  assert.equal(work.attempts.length, 1);
  assert.ok(work.began <= (work.ended ?? 0));
  assert.deepEqual(
    model.commits.map((commit) => `${commit.step} ${commit.source}`),
    ["-1 input", "0 loop", "1 loop", "2 loop", "3 loop"],
  );
  assert.equal(work.from, model.commits[2]?.id);
});

test("a task that asks and goes on is one task, and its question goes", () => {
  const before = until(approval, 0);
  assert.equal(before.runs[0]?.status, "asking");
  assert.deepEqual(brief(before), ["draft done", "review asking"]);
  assert.equal(before.questions.length, 1);
  assert.equal(before.questions[0]?.task, only(before, "review").id);
  assert.deepEqual(before.questions[0]?.value, { question: "Approve?", draft: "Draft for x" });
  const after = folded(approval);
  assert.deepEqual(brief(after), ["draft done", "review done", "publish done"]);
  assert.deepEqual(after.questions, []);
  assert.deepEqual(
    after.runs.map((run) => [run.status, run.goesOn]),
    [
      ["asking", false],
      ["done", true],
    ],
  );
  assert.deepEqual(
    only(after, "review").attempts.map(({ number, run, status }) => ({ number, run, status })),
    [
      { number: 1, run: 0, status: "asking" },
      { number: 2, run: 1, status: "done" },
    ],
  );
  assert.deepEqual(only(after, "review").interrupts, []);
});

test("a question over which a new input went is gone, and its task is stopped", () => {
  const model = folded(unanswered);
  assert.equal(model.questions.length, 1);
  assert.deepEqual((model.questions[0]?.value as JsonObject).draft, "Draft for y");
  assert.deepEqual(brief(model), ["draft done", "review stopped", "draft done", "review asking"]);
  assert.deepEqual(
    model.runs.map((run) => run.goesOn),
    [false, false],
  );
});

test("a subgraph call has its tasks in its namespace, and its question once", () => {
  const before = until(nested, 0);
  assert.deepEqual(brief(before), ["prepare done", "child asking", "upper done", "confirm asking"]);
  assert.equal(before.questions.length, 1);
  assert.equal(before.questions[0]?.task, only(before, "confirm").id);
  assert.equal(before.calls[0]?.status, "asking");
  const model = folded(nested);
  assert.deepEqual(brief(model), ["prepare done", "child done", "upper done", "confirm done", "wrap done"]);
  assert.deepEqual(only(model, "confirm").namespace, [`child:${only(model, "child").id}`]);
  assert.deepEqual(
    model.calls.map((call) => `${call.graph} ${call.status} ${call.run}`),
    ["child asking 0", "child done 1"],
  );
  assert.deepEqual(only(model, "confirm").input, { text: "X", trail: ["child.upper"], ask: true });
  assert.deepEqual(model.questions, []);
});

test("tasks that were sent have their own inputs, and answers may come one by one", () => {
  const first = until(fanout, 0);
  assert.deepEqual(
    first.questions.map((question) => question.value),
    ["a", "b", "c"].map((name) => ({ name })),
  );
  assert.ok(first.tasks.filter((task) => task.node === "worker").every((task) => task.sent));
  const second = until(fanout, 1);
  assert.deepEqual(
    second.questions.map((question) => question.value),
    ["a", "c"].map((name) => ({ name })),
  );
  assert.equal(second.runs[1]?.status, "asking");
  const model = folded(fanout);
  assert.deepEqual(brief(model), ["split done", "worker done", "worker done", "worker done", "join done"]);
  assert.deepEqual(
    model.tasks.map((task) => task.attempts.length),
    [1, 2, 2, 2, 1],
  );
  assert.deepEqual(
    model.tasks.filter((task) => task.sent).map((task) => [task.input, task.result]),
    [
      [{ name: "a", ask: true }, { results: ["a:no"] }],
      [{ name: "b", ask: true }, { results: ["b:yes"] }],
      [{ name: "c", ask: true }, { results: ["c:no"] }],
    ],
  );
});

test("a failed task that is tried again in another run is the same task", () => {
  const model = folded(faulty);
  assert.deepEqual(brief(model), ["before done", "boom failed"]);
  const boom = only(model, "boom");
  assert.equal(boom.error, "boom: mode=fail");
  assert.deepEqual(
    boom.attempts.map(({ run, status, error }) => ({ run, status, error })),
    [
      { run: 0, status: "failed", error: "boom: mode=fail" },
      { run: 1, status: "failed", error: "boom: mode=fail" },
    ],
  );
  assert.deepEqual(
    model.runs.map((run) => [run.status, run.error, run.goesOn]),
    [
      ["failed", "boom: mode=fail", false],
      ["failed", "boom: mode=fail", true],
    ],
  );
});

test("a message comes token by token", () => {
  const fold = new Fold();
  const seen = new Set<string>();
  for (const one of echoChat as unknown as ThreadEvent[]) {
    fold.take([one]);
    const text = fold.model.tasks[0]?.messages[0]?.text;
    if (text !== undefined) seen.add(text);
  }
  assert.deepEqual([...seen], ["", "Echo:", "Echo: ", "Echo: hi", "Echo: hi ", "Echo: hi there"]);
  const message = only(fold.model, "model").messages[0];
  assert.deepEqual([message?.done, message?.role, message?.error], [true, "ai", undefined]);
});

test("tasks under way when their run is cancelled are stopped", () => {
  const model = folded(ticker);
  const stopped = model.tasks.filter((task) => task.status === "stopped");
  assert.equal(stopped.length, 1);
  assert.equal(stopped[0]?.ended, model.runs[0]?.ended);
  assert.deepEqual(
    model.runs.map((run) => run.status),
    ["stopped", "done"],
  );
});

test("what was seen already changes nothing, however the events are cut", () => {
  for (const [name, events] of Object.entries(RECORDED)) {
    const whole = folded(events);
    const fold = new Fold();
    const all = events as unknown as ThreadEvent[];
    for (let at = 0; at < all.length; at += 1) {
      fold.take(all.slice(Math.max(0, at - 5), at + 1));
      const { model } = fold;
      fold.take(all.slice(0, at + 1));
      assert.equal(fold.model, model, name);
    }
    const bare = (model: RunModel) =>
      JSON.parse(JSON.stringify(model, (key, value: Json) => (key === "version" ? undefined : value))) as Json;
    assert.deepEqual(bare(fold.model), bare(whole), name);
  }
});

test("attempts, with their errors and waits", () => {
  const fold = new Fold();
  fold.take([RUNS(), begins("t", "n")]);
  fold.take([event("trace", { kind: "attempt", id: "t", name: "n", attempt: 1 }, { place: 1 })]);
  fold.take([event("trace", { kind: "retry", id: "t", name: "n", error: "busy", delay_ms: 500 })]);
  assert.equal(only(fold.model, "n").status, "waiting");
  fold.take([event("trace", { kind: "attempt", id: "t", name: "n", attempt: 2 })]);
  assert.equal(only(fold.model, "n").status, "running");
  fold.take([ends("t", "n", { result: { a: 1 } }), DONE()]);
  const task = only(fold.model, "n");
  assert.deepEqual(
    task.attempts.map(({ number, status, error, waits }) => ({ number, status, error, waits })),
    [
      { number: 1, status: "failed", error: "busy", waits: 500 },
      { number: 2, status: "done", error: undefined, waits: undefined },
    ],
  );
  assert.equal(task.status, "done");
  assert.deepEqual(fold.model.notices, []);
});

test("a task that finished before its step was committed ended when it finished", () => {
  const fold = new Fold();
  fold.take([RUNS(), begins("t", "n"), event("trace", { kind: "finished", id: "t", name: "n" })]);
  const finished = only(fold.model, "n").ended;
  assert.equal(only(fold.model, "n").status, "done");
  fold.take([begins("u", "m"), ends("t", "n", { result: 1 })]);
  assert.deepEqual([only(fold.model, "n").ended, only(fold.model, "n").result], [finished, 1]);
});

test("a run that goes on after a crash is the same run, and its task is cut off and begins again", () => {
  const fold = new Fold();
  fold.take([RUNS(), begins("t", "n"), RUNS(), begins("t", "n"), ends("t", "n"), DONE()]);
  assert.equal(fold.model.runs.length, 1);
  assert.deepEqual(
    only(fold.model, "n").attempts.map((attempt) => attempt.status),
    ["stopped", "done"],
  );
  assert.deepEqual(fold.model.notices, []);
});

test("what one of several tasks of a node told is of none of them, unless the server says of which", () => {
  const fold = new Fold();
  const told = (data: JsonObject, task?: string) => {
    const made = event("custom", data, { node: "w" });
    if (task !== undefined) (made.params as JsonObject).task = task;
    return made;
  };
  fold.take([RUNS(), begins("a", "w"), begins("b", "w"), told({ payload: 1 }), told({ payload: 2 }, "b")]);
  assert.deepEqual(
    fold.model.tasks.map((task) => task.told.map((one) => one.payload)),
    [[], [2]],
  );
  assert.deepEqual(
    [...fold.model.shared.values()].map((shared) => shared.told.map((one) => one.payload)),
    [[1]],
  );
});

test("calls of tools are of the task that made them", () => {
  const fold = new Fold();
  const tool = (data: JsonObject, place: number) => event("tools", { tool_call_id: "c", ...data }, { place });
  fold.take([RUNS(), begins("t", "tools"), tool({ event: "tool-started", tool_name: "find", input: { q: 1 } }, 1)]);
  assert.equal(only(fold.model, "tools").tools[0]?.status, "running");
  fold.take([ends("t", "tools"), tool({ event: "tool-finished", output: "x" }, 1), DONE()]);
  const [made] = only(fold.model, "tools").tools;
  assert.deepEqual([made?.name, made?.input, made?.output, made?.status], ["find", { q: 1 }, "x", "done"]);
  assert.deepEqual(fold.model.notices, []);
});

test("reasoning, calls, usage and the end of a message that was broken off", () => {
  const fold = new Fold();
  const said = (data: JsonObject) => event("messages", { message_id: "m", ...data }, { node: "n" });
  const delta = (index: number, delta: JsonObject) => said({ event: "content-block-delta", index, delta });
  fold.take([RUNS(), begins("t", "n"), said({ event: "message-start", role: "ai", id: "m" })]);
  fold.take([
    said({ event: "content-block-start", index: 0, content: { type: "reasoning", reasoning: "" } }),
    delta(0, { type: "reasoning-delta", reasoning: "hm" }),
    said({ event: "content-block-start", index: 1, content: { type: "tool_call_chunk", id: "c", name: "f" } }),
    delta(1, { type: "tool-call-delta", args: "{" }),
    delta(1, { type: "tool-call-delta", args: "}" }),
    said({ event: "message-finish", usage: { input_tokens: 3 } }),
    event("messages", { event: "message-start", role: "ai", id: "o" }, { node: "n" }),
    event("messages", { event: "error", message: "gone", code: "aborted", message_id: "o" }, { node: "n" }),
  ]);
  const [first, second] = only(fold.model, "n").messages;
  assert.deepEqual([first?.reasoning, first?.usage, first?.done], ["hm", { input_tokens: 3 }, true]);
  assert.deepEqual(first?.calls, [{ id: "c", name: "f", args: "{}", error: undefined }]);
  assert.deepEqual([second?.done, second?.error], [true, "gone"]);
});

test("warnings, losses and events that this page does not know are notices, and nothing throws", () => {
  const fold = new Fold();
  const odd: unknown[] = [
    RUNS(),
    event("trace", { kind: "warning", message: "slow" }),
    event("trace", { kind: "warning", message: "slow" }),
    event("trace", { kind: "lost", events: 3 }),
    event("dreams", {}),
    event("__proto__", {}),
    event("tasks", { id: 7 }),
    event("messages", { event: "message-finish", message_id: "none" }),
    { ...event("tasks", {}), params: null },
    { seq: "x" },
    null,
    DONE(),
  ];
  fold.take(odd as ThreadEvent[]);
  assert.equal(fold.model.runs[0]?.status, "done");
  const texts = fold.model.notices.map((notice) => `${notice.count} ${notice.text}`);
  assert.equal(texts[0], "2 slow");
  assert.equal(texts[1], "1 The server lost 3 events before it wrote them down.");
  assert.match(texts[2] ?? "", /`dreams`.*this page does not know events of this kind/);
  assert.match(texts[3] ?? "", /`__proto__`.*does not know/);
  assert.match(texts[4] ?? "", /`tasks`.*`id` is no text/);
  assert.equal(texts.length, 8);
});

test("inputs that can be read from the server again are kept of the newest tasks only", () => {
  const fold = new Fold();
  fold.take([RUNS()]);
  const steps = Array.from({ length: INPUTS + 5 }, (_, at) => [
    event("checkpoints", { id: `c${at}`, parent_id: null, step: at, source: "loop" }),
    begins(`t${at}`, "n", { input: { at } }),
    ends(`t${at}`, "n"),
  ]);
  fold.take(steps.flat());
  assert.deepEqual([fold.model.tasks[0]?.input, fold.model.tasks[0]?.from], [undefined, "c0"]);
  assert.deepEqual(fold.model.tasks.at(-1)?.input, { at: INPUTS + 4 });
});

test("100 000 events are folded in well under 2 s", () => {
  const events: ThreadEvent[] = [RUNS(9)];
  for (let at = 0; at < 10_000; at += 1) {
    events.push(begins(`s${at}`, "worker", { triggers: ["__pregel_push"] }));
  }
  for (let at = 0; at < 10_000; at += 1) {
    for (let n = 0; n < 6; n += 1) events.push(event("custom", { payload: n }, { node: "worker" }));
    const commit = { id: `c${at}`, parent_id: null, step: at, source: "loop" };
    events.push(event("checkpoints", commit, { namespace: ["x:1"] }));
    events.push(ends(`s${at}`, "worker"));
    events.push(event("trace", { kind: "attempt", id: `s${at}`, name: "worker", attempt: 2 }));
  }
  events.push(DONE(9));
  const fold = new Fold();
  const began = performance.now();
  for (let at = 0; at < events.length; at += 50) fold.take(events.slice(at, at + 50));
  const took = performance.now() - began;
  assert.equal(fold.model.tasks.length, 10_000);
  assert.ok(events.length >= 100_000);
  assert.ok(took < 2000, `${took} ms`);
});
