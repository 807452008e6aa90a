// What is read of the state of a real run: a report on the built-in model over the guides of axum.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../api/types.ts";
import type { Task } from "../../../run/model.ts";
import { causeOf } from "./cause.ts";
import { bodyOf, citedIn, idsOf, numbered, partsOf, progressOf } from "./document.ts";
import report from "./fixtures/report.json";
import { rowKey, rowsOf, standingOf, tasksOf } from "./rows.ts";
import { callsIn, changesIn, type Writing, writingIn } from "./state.ts";
import { carriedOut } from "./work.ts";

const NO_WORK = new Map<string, Task[]>();
const NONE = new Set<string>();

function written(): Writing {
  const writing = writingIn(report as unknown as JsonObject);
  assert.ok(writing);
  return writing;
}

/** The same run before these tasks were finished. */
function before(...keys: string[]): Writing {
  const values = structuredClone(report) as unknown as { tree: { nodes: Record<string, JsonObject> }; finished: null };
  values.finished = null;
  for (const key of keys) {
    const node = values.tree.nodes[key] as { status: string; payload: { results: object } };
    node.status = key === "root" ? "DOING" : "NOT_READY";
    node.payload.results = {};
  }
  const writing = writingIn(values as unknown as JsonObject);
  assert.ok(writing);
  return writing;
}

function work(node: string, key: string, status: string): Map<string, Task[]> {
  const task = { id: key, node, status, input: { node: key }, attempts: [] } as unknown as Task;
  return new Map([[key, [task]]]);
}

test("the tree has a row a task, with the one that carries it out", () => {
  const { nodes } = written();
  const rows = rowsOf(nodes, new Set());
  assert.deepEqual(
    rows.map(({ key, execution, depth, place, beside, open }) => [key, execution?.key, depth, place, beside, open]),
    [
      ["root", undefined, 0, 1, 1, true],
      ["1", "1.0", 1, 1, 4, undefined],
      ["2", "2.0", 1, 2, 4, undefined],
      ["3", "3.0", 1, 3, 4, undefined],
      ["4", "4.0", 1, 4, 4, undefined],
    ],
  );
  assert.deepEqual(rowsOf(nodes, new Set(["root"])).map((row) => row.key), ["root"]);
  assert.deepEqual(["root", "3", "3.0", "9.0"].map((key) => rowKey(nodes, key)), ["root", "3", "3", "9.0"]);
  assert.deepEqual(nodes.get("root")?.plan?.repairs, [
    "task 3: several write tasks of the plan state no length; given `125 words`",
    "task 4: several write tasks of the plan state no length; given `125 words`",
  ]);
});

test("a row says what is done about it now", () => {
  const writing = before("root", "3", "3.0", "4", "4.0");
  const standing = (key: string, works: Map<string, Task[]>, goesOn = true) => {
    const row = rowsOf(writing.nodes, new Set()).find((one) => one.key === key);
    assert.ok(row);
    return standingOf(row, tasksOf(works, row), goesOn);
  };
  assert.deepEqual(standing("1", NO_WORK), { status: "done", words: "done" });
  assert.deepEqual(standing("root", NO_WORK), { status: "running", words: "under way" });
  assert.deepEqual(standing("root", NO_WORK, false), { status: "stopped", words: "open" });
  assert.deepEqual(standing("4", NO_WORK), { status: "waiting", words: "waits" });
  assert.deepEqual(standing("3", work("execute", "3.0", "running")), { status: "running", words: "is written" });
  assert.deepEqual(standing("3", work("plan", "3", "asking")), { status: "asking", words: "asks" });
});

test("the text grows in the order of its parts", () => {
  const whole = partsOf(written(), NONE);
  assert.deepEqual(whole.map(({ key, state }) => [key, state]), [["3", "written"], ["4", "out"]]);
  assert.match(whole[0]?.text ?? "", /^## axum's error handling model/);
  const now = new Set(carriedOut(work("execute", "3.0", "running")));
  const growing = partsOf(before("root", "3", "3.0", "4", "4.0"), now);
  assert.deepEqual(growing.map(({ key, state }) => [key, state]), [["3", "writing"], ["4", "open"]]);
  assert.deepEqual(carriedOut(work("plan", "3", "running")), []);
  assert.deepEqual(partsOf({ nodes: new Map() }, NONE), []);
});

test("progress counts each task once, and words without marks", () => {
  const writing = written();
  assert.deepEqual(progressOf(writing, partsOf(writing, NONE), writing.wanted), {
    done: 5,
    failed: 0,
    tasks: 5,
    words: 40,
    wanted: 250,
  });
  const growing = before("root", "4", "4.0");
  const { done, words } = progressOf(growing, partsOf(growing, NONE), 250);
  assert.deepEqual([done, words], [3, 40]);
});

test("marks cite sources, which are numbered as they come", () => {
  const writing = written();
  const parts = partsOf(writing, NONE);
  assert.deepEqual(citedIn(parts[0]?.text ?? ""), ["error-handling#63f46b00", "middleware#46a114c6"]);
  const sources = numbered(parts, writing.evidence);
  assert.deepEqual(sources.get("middleware#46a114c6"), {
    number: 2,
    evidence: ["middleware#46a114c6"],
    title: "Intro",
    places: ["axum/middleware.md", "lines 289-324"],
  });
  assert.deepEqual(idsOf("[ref: a#1, `b#2`; c]"), ["a#1", "b#2", "c"]);
  assert.deepEqual(citedIn("[Ref: Smith 2020], [ref:] and [7]"), []);
  const same = [{ text: "A [ref:error-handling#944d2393]. B [ref:error-handling#34f32965, no#0]." }];
  assert.deepEqual([...numbered(same, writing.evidence).values()].map((one) => one.number), [1, 1]);
});

test("the finished text stands without the list of its references", () => {
  const { finished } = written();
  assert.ok(finished);
  assert.ok(bodyOf(finished).endsWith("closed without sending a response [2]."));
  assert.equal(bodyOf({ ...finished, references: [] }), finished.text);
  assert.deepEqual(finished.references[0]?.evidence, ["error-handling#63f46b00"]);
});

test("what failed says why", () => {
  assert.equal(causeOf({ Action: { action: "execute", error: "no answer" } }), "no answer");
  assert.equal(causeOf({ Failure: { Input: { node: "1" } } }), "task 1, which it needs, failed");
  assert.equal(causeOf({ Inner: { nodes: ["1", "2"] } }), "what is inside failed: 1, 2");
  assert.equal(causeOf({ Exam: { condition: "always" } }), "always");
});

test("the state of another graph is none of a text, and one that is broken is read as far as it goes", () => {
  assert.equal(writingIn({ messages: [] }), undefined);
  const values = { tree: { nodes: { root: { key: "root", payload: 3, inner: [] } }, log: null }, calls: 7 };
  const broken = writingIn(values);
  assert.equal(broken?.nodes.get("root")?.goal, "");
  assert.deepEqual([callsIn(values), changesIn(values), broken?.finished], [[], [], undefined]);
});
