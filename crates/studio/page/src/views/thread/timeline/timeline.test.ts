// Rows, bars and the axis of the timeline.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ThreadEvent } from "../../../api/events.ts";
import nested from "../../../run/fixtures/nested.json";
import ticker from "../../../run/fixtures/ticker.json";
import { Fold } from "../../../run/fold.ts";
import type { Attempt, RunLife, RunModel, Status, Task } from "../../../run/model.ts";
import { piecesOf, worked } from "./bars.ts";
import { type Row, rowsOf } from "./rows.ts";
import { elapsed, marks, moved, percent, zoomed } from "./scale.ts";
import { axis, placeOf, stretchesOf, wholeOf } from "./stretches.ts";

function folded(events: unknown): RunModel {
  const fold = new Fold();
  fold.take(events as ThreadEvent[]);
  return fold.model;
}

function shown(model: RunModel, wanted: { name?: string; status?: Status | ""; closed?: string[] } = {}): string[] {
  const rows = rowsOf(model, { name: "", status: "", ...wanted, closed: new Set(wanted.closed) });
  const name = ({ task, call }: Row) => task?.node ?? call?.graph ?? "";
  return rows.map((row) => " ".repeat(row.depth) + name(row) + (row.open === false ? " +" : ""));
}

test("tasks of a subgraph are below the task that calls it, and close with it", () => {
  const model = folded(nested);
  assert.deepEqual(shown(model), ["prepare", "child", " upper", " confirm", "wrap"]);
  const child = model.tasks.find((task) => task.node === "child")?.id ?? "";
  assert.deepEqual(shown(model, { closed: [child] }), ["prepare", "child +", "wrap"]);
});

test("what is not wanted is there where a task below it is", () => {
  const model = folded(nested);
  assert.deepEqual(shown(model, { name: "CONF" }), ["child", " confirm"]);
  assert.deepEqual(shown(model, { status: "failed" }), []);
  assert.deepEqual(shown(folded(ticker), { status: "stopped" }), ["tick"]);
});

test("a subgraph call whose task was never told has a row of its own", () => {
  const model = folded(nested);
  const tasks = model.tasks.filter((task) => task.node !== "child");
  assert.deepEqual(shown({ ...model, tasks }), ["prepare", "wrap", "child", " upper", " confirm"]);
});

function attempt(number: number, run: number, began: number, ended: number | undefined, status: Status): Attempt {
  return { number, run, began, ended, status, error: status === "failed" ? "why" : undefined, waits: undefined };
}

function task(status: Status, attempts: Attempt[]): Task {
  return { status, attempts } as Task;
}

test("attempts are pieces with the waits between them", () => {
  const retried = task("asking", [attempt(1, 0, 0, 5, "failed"), attempt(2, 0, 8, 9, "asking")]);
  assert.deepEqual(
    piecesOf(retried, new Set([0])).map(({ kind, from, to }) => [kind, from, to]),
    [
      ["attempt", 0, 5],
      ["retry", 5, 8],
      ["attempt", 8, 9],
      ["question", 9, undefined],
    ],
  );
  assert.equal(worked(retried, 20), 6);
  const answered = task("running", [attempt(1, 0, 0, 5, "asking"), attempt(2, 1, 90, undefined, "running")]);
  assert.deepEqual(
    piecesOf(answered, new Set([0, 1])).map(({ kind, status }) => `${kind} ${status}`),
    ["attempt asking", "question asking", "attempt running"],
  );
  assert.deepEqual(
    piecesOf(answered, new Set([1])).map(({ kind, from }) => [kind, from]),
    [["attempt", 90]],
  );
});

test("zoom stays around its point and within the whole", () => {
  const whole = { from: 0, to: 1000 };
  assert.deepEqual(zoomed(whole, whole, 2, 500), { from: 250, to: 750 });
  assert.deepEqual(zoomed({ from: 250, to: 750 }, whole, 2, 250), { from: 250, to: 500 });
  assert.deepEqual(zoomed({ from: 250, to: 750 }, whole, 0.1, 500), whole);
  assert.deepEqual(moved({ from: 800, to: 1000 }, whole, 0.5), { from: 800, to: 1000 });
  assert.deepEqual(moved({ from: 400, to: 600 }, whole, -0.5), { from: 300, to: 500 });
  const deep = zoomed({ from: 0, to: 6 }, whole, 100, 3);
  assert.equal(deep.to - deep.from, 5);
  assert.deepEqual([percent(whole, -1e9), percent(whole, 500), percent(whole, 1e12)], [-1, 50, 101]);
});

test("marks are at times that a person can count in", () => {
  const texts = (to: number, width = 900) => marks({ from: 0, to }, 0, width, 90).map((mark) => mark.text);
  assert.deepEqual(texts(10).slice(0, 3), ["0", "1 ms", "2 ms"]);
  assert.deepEqual(texts(4000).slice(0, 3), ["0", "500 ms", "1.0 s"]);
  assert.deepEqual(texts(600_000).slice(0, 3), ["0", "1 min", "2 min"]);
  assert.deepEqual(texts(86_400_000).slice(0, 3), ["0", "3 h", "6 h"]);
  assert.equal(elapsed(90_061_000, 1000), "1 d 1 h 1 min 1 s");
  assert.ok(texts(1e13).length < 20);
});

test("a time in which nothing ran takes little room, and every run counts from its own beginning", () => {
  const day = 86_400_000;
  const runs = [
    { index: 0, began: 1000, ended: 2000 },
    { index: 1, began: 2000 + day, ended: undefined },
  ] as RunLife[];
  const stretches = stretchesOf(runs, 3000 + day);
  const whole = wholeOf(stretches);
  assert.ok(whole.to < 2200);
  assert.equal(placeOf(stretches, 1500), 500);
  assert.equal(placeOf(stretches, 2500 + day), (stretches[1]?.at ?? 0) + 500);
  const between = placeOf(stretches, 2000 + day / 2);
  assert.ok(between > 1000 && between < (stretches[1]?.at ?? 0));
  const names = axis(stretches, whole, 1000).flatMap((mark) => (mark.isStart ? [mark.text] : []));
  assert.deepEqual(names, ["run 1", "run 2, 24 h 0 min later"]);
});
