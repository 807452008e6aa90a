import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, Run } from "../../../api/types.ts";
import { askedIn, givenBy, keep, keepAsked, keptIn } from "./answers.ts";

const ID = "bee5e64ebf703c6c4c09e76c774f5012";

function run(number: number, resume: Json): Run {
  const at = new Date(number * 1000).toISOString();
  const ids = { run_id: `run-${number}`, thread_id: "t", assistant_id: "a" };
  return { ...ids, status: "success", created_at: at, updated_at: at, metadata: {}, kwargs: { command: { resume } } };
}

test("runs tell the answers they began with, newest first", () => {
  const runs = [run(1, "approve"), run(3, { [ID]: { some: 1 } }), run(2, null), run(4, { decision: "approve" })];
  assert.deepEqual(
    givenBy(runs, new Map([[ID, "Really?"]])).map(({ id, answer, asked }) => [id, answer, asked]),
    [
      [undefined, { decision: "approve" }, undefined],
      [ID, { some: 1 }, "Really?"],
      [undefined, "approve", undefined],
    ],
  );
});

function storage(limit = 1000): Storage {
  const held = new Map<string, string>();
  return {
    length: 0,
    clear: () => held.clear(),
    key: () => null,
    getItem: (name) => held.get(name) ?? null,
    removeItem: (name) => void held.delete(name),
    setItem: (name, text) => {
      if (text.length > limit) throw new Error("full");
      held.set(name, text);
    },
  };
}

test("the tab keeps what was asked, and drafts", () => {
  const held = storage();
  keepAsked(held, "t", [{ id: "a", value: 1 }]);
  keepAsked(held, "t", [{ id: "b", value: { x: 2 } }]);
  assert.deepEqual([...askedIn(held, "t")], [["a", 1], ["b", { x: 2 }]]);
  assert.equal(askedIn(held, "u").size, 0);
  keep(held, "draft", "x".repeat(2000));
  assert.equal(keptIn(held, "draft"), undefined);
  keep(held, "draft", null);
  assert.equal(keptIn(held, "draft"), null);
  keep(held, "draft", undefined);
  assert.equal(keptIn(held, "draft"), undefined);
});
