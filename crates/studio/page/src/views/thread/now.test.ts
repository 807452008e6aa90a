// Which questions are open, which runs are shown, and what messages took.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ThreadEvent } from "../../api/events.ts";
import type { Thread } from "../../api/types.ts";
import approval from "../../run/fixtures/approval.json";
import fanout from "../../run/fixtures/fanout.json";
import { Fold } from "../../run/fold.ts";
import type { RunModel } from "../../run/model.ts";
import { chosenRuns, isBusy, ofRuns, openQuestions, standing } from "./now.ts";
import { usageOf } from "./task/usage.ts";

function folded(events: unknown[]): RunModel {
  const fold = new Fold();
  fold.take(events as ThreadEvent[]);
  return fold.model;
}

function record(more: Partial<Thread>): Thread {
  return { status: "interrupted", interrupts: {}, updated_at: "2026-11-26T20:00:00Z", ...more } as Thread;
}

test("the record says which questions are open where it is newer than what was told", () => {
  const model = folded(approval.slice(0, 10));
  assert.equal(model.questions.length, 1);
  assert.deepEqual(openQuestions(model, record({}), false, true), []);
  assert.deepEqual(openQuestions(model, record({}), true, true), model.questions);
  assert.deepEqual(openQuestions(model, undefined, false, true), model.questions);
  const { id = "" } = model.questions[0] ?? {};
  const open = record({ interrupts: { t: [{ id: "other", value: 2 }, { id, value: 1 }] } });
  const found = openQuestions(model, open, false, true);
  assert.deepEqual(
    found.map((question) => [question.id, question.value]),
    [
      [id, 1],
      ["other", 2],
    ],
  );
  assert.equal(found[0]?.task, model.questions[0]?.task);
});

test("a stopped thread is told from one that asks", () => {
  assert.equal(standing(record({}), 1, undefined), "asking");
  assert.equal(standing(record({}), 0, undefined), "stopped");
  assert.equal(standing(record({ status: "idle" }), 0, undefined), "idle");
  assert.equal(standing(record({ status: "idle" }), 0, folded(approval).runs.at(-1)), "done");
});

test("a run whose end was not read yet is over where the record is newer", () => {
  const begun = folded(approval.slice(0, 4)).runs.at(-1);
  assert.ok(begun !== undefined && begun.ended === undefined);
  const at = (by: number) => new Date(begun.began + by).toISOString();
  assert.ok(isBusy(record({ status: "idle", updated_at: at(-1) }), begun));
  assert.ok(!isBusy(record({ status: "idle", updated_at: at(1) }), begun));
  assert.ok(isBusy(record({ status: "busy", updated_at: at(1) }), begun));
  assert.ok(!isBusy(record({ status: "idle", updated_at: at(-1) }), folded(approval).runs.at(-1)));
  assert.ok(!isBusy(record({}), undefined));
});

test("one run is shown with the tasks that had a part in it", () => {
  const model = folded(fanout);
  assert.equal(ofRuns(model, chosenRuns(model, undefined)), model);
  assert.equal(ofRuns(model, chosenRuns(model, "no such run")), model);
  const second = ofRuns(model, chosenRuns(model, model.runs[1]?.id));
  assert.deepEqual(
    second.tasks.map((task) => task.input),
    [{ name: "b", ask: true }],
  );
  assert.equal(second.runs.length, 1);
});

test("tokens are summed over messages, each once", () => {
  const said = (id: string, usage: { [key: string]: number } | undefined) => ({ id, usage }) as never;
  const result = {
    messages: [
      { type: "ai", id: "a", usage_metadata: { input_tokens: 5, output_tokens: 1 } },
      { type: "ai", id: "b", usage_metadata: { input_tokens: 7, output_tokens: 2 } },
      { type: "human", id: "c" },
    ],
  };
  assert.deepEqual(usageOf({ messages: [said("a", { input_tokens: 5, output_tokens: 1 })], result }), {
    input_tokens: 12,
    output_tokens: 3,
  });
  assert.equal(usageOf({ messages: [said("a", undefined)], result: null }), undefined);
});
