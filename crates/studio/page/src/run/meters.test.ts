import assert from "node:assert/strict";
import { test } from "node:test";
import type { ThreadEvent } from "../api/events.ts";
import type { JsonObject } from "../api/types.ts";
import { dollars } from "../parts/money.ts";
import { Fold } from "./fold.ts";
import { budgetOf, byModel, byNode, byRun, costText, latencyOf, nodeName, sumOf } from "./meters.ts";
import type { ModelCall } from "./model.ts";

function call(more: Partial<ModelCall> = {}): ModelCall {
  const used = { input: 100, output: 10, cached: 40, cost: 7 };
  const base = { seq: 1, time: 1, run: 0, task: "t", node: "n", namespace: [], model: "a:one", role: undefined };
  return { ...base, kind: "chat", source: "model", took: 5, used, error: undefined, budget: [], ...more };
}

test("answers that were there already used nothing, and failed calls are counted", () => {
  const unpriced = { input: 1, output: 1, cached: 0, cost: undefined };
  const calls = [call(), call({ used: unpriced }), call({ used: undefined, error: "busy" }), call({ source: "record" })];
  assert.deepEqual(sumOf(calls), {
    calls: 3,
    failed: 1,
    reused: 1,
    input: 101,
    output: 11,
    cached: 40,
    cost: 7,
    unpriced: 1,
  });
});

test("a cost that is not known is said, and is not nothing", () => {
  const cost = (calls: number, failed: number, cost: number, unpriced: number) =>
    costText({ calls, failed, cost, unpriced });
  assert.equal(cost(2, 0, 0, 0), "$0");
  assert.equal(cost(2, 0, 12_300, 0), "$0.0123");
  assert.equal(cost(2, 0, 0, 2), "not known");
  assert.equal(cost(2, 0, 7, 1), "$0.000007 + unknown");
  assert.equal(cost(1, 1, 0, 0), "–");
  assert.deepEqual([0, 1, 123_456, 500_000, 2_000_000, 12_345_678].map(dollars), [
    "$0",
    "$0.000001",
    "$0.1235",
    "$0.5",
    "$2.00",
    "$12.35",
  ]);
});

test("latency is that of answers of models", () => {
  const calls = Array.from({ length: 100 }, (_, at) => call({ took: at + 1 }));
  const latency = latencyOf([...calls, call({ took: 9000, source: "record" }), call({ took: 9000, used: undefined })]);
  assert.deepEqual([latency?.mean, latency?.p95, latency?.slowest.took], [50.5, 95, 100]);
  assert.equal(latencyOf([call({ took: 3 })])?.p95, 3);
  assert.equal(latencyOf([call({ source: "cache" })]), undefined);
});

test("calls are told apart by node, model and role, and run", () => {
  const inside = (task: string) => ({ namespace: [`write:${task}`], node: "turn" });
  const calls = [
    call({ node: "take" }),
    call(inside("1")),
    call(inside("2")),
    call({ ...inside("2"), model: "b:two", role: "plan", run: 1 }),
  ];
  const nodes = byNode(calls).map((group) => [nodeName(group.calls[0] as ModelCall), group.sum.calls]);
  assert.deepEqual(nodes, [
    ["write › turn", 3],
    ["take", 1],
  ]);
  assert.deepEqual(
    byModel(calls).map((group) => [group.key, group.sum.calls]),
    [
      ['["a:one",null]', 3],
      ['["b:two","plan"]', 1],
    ],
  );
  const life = (index: number) => ({
    index,
    id: `run-${index}`,
    graph: "g",
    status: "done" as const,
    began: 1,
    ended: 2,
    error: undefined,
    goesOn: false,
  });
  const runs = byRun(calls, [life(0), life(1), life(2)]);
  assert.deepEqual(
    runs.map((group) => [group.run.id, group.sum.calls]),
    [
      ["run-0", 3],
      ["run-1", 1],
    ],
  );
});

test("the budget is as the newest call tells it", () => {
  const budget = (spent: number) => [{ unit: "calls", spent, limit: 9 }];
  assert.deepEqual(budgetOf([call({ budget: budget(1) }), call({ budget: budget(2) }), call()]), budget(2));
  assert.deepEqual(budgetOf([call()]), []);
});

function event(seq: number, method: string, data: JsonObject): ThreadEvent {
  const id = method === "lifecycle" ? `synth:run:thread:${seq}` : `thread:${seq}`;
  return { seq: seq * 4096, event_id: id, method, params: { namespace: [], timestamp: seq, data, node: "n" } };
}

test("calls are those of their task, and one that cannot be read is a notice", () => {
  const told = (seq: number, more: JsonObject) =>
    event(seq, "trace", { kind: "model_call", id: "t", name: "n", model: "a:one", ...more });
  const fold = new Fold();
  fold.take([
    event(1, "lifecycle", { event: "running", graph_name: "g" }),
    event(2, "tasks", { id: "t", name: "n", input: {}, triggers: [] }),
    told(3, {
      call: "choose",
      source: "model",
      millis: 12,
      role: "plan",
      usage: { input: 5, output: 2, cache_read: 1, cost: 3 },
      budget: [{ unit: "tokens", spent: 7, limit: 10 }],
    }),
    told(4, { source: "model", millis: 3, usage: { input: 1, output: 1 } }),
    told(5, { source: "model", millis: 1, error: "busy" }),
    event(6, "trace", { kind: "model_call", id: "t", name: "n" }),
    event(7, "trace", { kind: "model_call", id: "gone", name: "n", model: "a:one" }),
  ]);
  const { model } = fold;
  const task = model.byId.get("t");
  assert.equal(task?.modelCalls.length, 3);
  assert.equal(model.modelCalls.length, 4);
  const [first, second, third] = task?.modelCalls ?? [];
  assert.deepEqual(first?.used, { input: 5, output: 2, cached: 1, cost: 3 });
  assert.deepEqual([first?.kind, first?.role, first?.took, first?.budget[0]?.spent], ["choose", "plan", 12, 7]);
  assert.equal(second?.used?.cost, undefined);
  assert.deepEqual([third?.used, third?.error], [undefined, "busy"]);
  assert.match(model.notices[0]?.text ?? "", /`model` is no text/);
});
