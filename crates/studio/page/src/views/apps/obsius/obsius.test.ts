import assert from "node:assert/strict";
import { test } from "node:test";
import { approving, rejecting, reviewOf } from "./review.ts";
import { countsOf, notesOf } from "./unified.ts";
import { iterationsOf, workOf } from "./work.ts";

const DIFF =
  "new note `A.md` (+3)\n  link `B` is new\n@@ -0,0 +1,3 @@\n+# A\n+\n+  [[B]]\n" +
  "\nnote `B.md` (+1 -2)\n@@ -1,3 +1,2 @@\n one\n-two\n--- three\n+@@ 2 @@\n\\ No newline at end of file\n@@ -9 +8 @@\n same\n" +
  "\nmoved `C.md` to `D.md`\n";

test("the difference of several notes is read line by line", () => {
  const notes = notesOf(DIFF);
  assert.deepEqual(
    notes.map((note) => [note.title, note.meanings, note.hunks.length]),
    [
      ["new note `A.md` (+3)", ["link `B` is new"], 1],
      ["note `B.md` (+1 -2)", [], 2],
      ["moved `C.md` to `D.md`", [], 0],
    ],
  );
  // What a note says passes for nothing but what it says.
  assert.deepEqual(notes[1]?.hunks[0]?.lines, [
    { sign: "same", text: "one" },
    { sign: "removed", text: "two" },
    { sign: "removed", text: "-- three" },
    { sign: "added", text: "@@ 2 @@" },
  ]);
  assert.equal(notes[0]?.hunks[0]?.lines[2]?.text, "  [[B]]");
  assert.deepEqual(countsOf(notes), { added: 4, removed: 2 });
  assert.deepEqual(notesOf("anything"), [{ title: "anything", meanings: [], hunks: [] }]);
});

test("a verdict approves all, some or none", () => {
  const items = [
    { id: "1", title: "a", diff: "" },
    { id: "2", title: "b", diff: "" },
  ];
  const review = reviewOf({ summary: "two", items });
  assert.ok(review !== undefined);
  assert.equal(approving(review, new Set(["2", "1"])), "approve");
  assert.deepEqual(approving(review, new Set(["2"])), { some: { ids: ["2"] } });
  assert.deepEqual(rejecting(" too short "), { reject: { reason: "too short" } });
  assert.deepEqual(rejecting(""), { reject: { reason: "" } });
  for (const other of [null, "two", { summary: "two" }, { summary: "two", items: [{ id: "1" }] }, { items }]) {
    assert.equal(reviewOf(other), undefined);
  }
});

test("a state is read: criteria with what confirms them, and notes as they were before", () => {
  const searched = { check: "searched", strategy: "keyword" };
  const work = workOf({
    session: { original_request: "Write it" },
    phases: {
      visits: [
        { phase: "assess", iteration: 0, time: 1 },
        { phase: "analyze", iteration: 1, time: 2, by: "x" },
      ],
    },
    task_plan: {
      decomposed_tasks: [{ id: "1", goal: "find", kind: "search", criteria: [searched, { check: "answered" }] }],
    },
    objectives: { completed: [], evidence: [{ subtask: "1", criterion: searched, holds: true, evidence: "3 notes" }] },
    changes: {
      files: {
        "A.md": { before: null, after: "new" },
        "B.md": { before: "hash", after: "äb2d", was: { now: { start: 3, end: 4 }, before: "one " } },
        "C.md": { before: "hash", after: null },
        "D.md": { before: "hash", after: "text", moved_from: "E.md" },
      },
    },
    executed_actions: [{ tool: "read_note", arguments: { path: "A.md" }, result: { success: false, message: "no" } }],
  });
  assert.deepEqual(
    work.subtasks[0]?.criteria.map(({ words, holds, evidence }) => [words, holds, evidence]),
    [
      ["the search by keyword was run", true, "3 notes"],
      ["the person got an answer", undefined, ""],
    ],
  );
  assert.deepEqual(
    work.changes.map(({ path, before, after }) => [path, before, after]),
    [
      ["A.md", null, "new"],
      ["B.md", "äbone d", "äb2d"],
      ["C.md", undefined, null],
      ["D.md", undefined, "text"],
    ],
  );
  assert.deepEqual([work.actions[0]?.about, work.actions[0]?.isDone], ["A.md", false]);
  assert.deepEqual(
    iterationsOf(work.visits).map(({ number }) => number),
    [0, 1],
  );
});

test("a state that says nothing is an empty work", () => {
  const work = workOf({ phases: 3, changes: [], working_memory: null });
  assert.deepEqual([work.visits, work.changes, work.memory, work.applied], [[], [], [], undefined]);
});
