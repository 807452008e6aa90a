// Plans while they are edited. The plan is that of a real run: a report on the built-in model over the guides of axum.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "../../../../api/types.ts";
import report from "../fixtures/report.json";
import { changed, planAsked } from "./asked.ts";
import { adviceOn, placeOf, problemsOf } from "./check.ts";
import { besideOf, moved, withFields, withoutTask, withTask } from "./edit.ts";
import { isSame, keptPlan, type Plan, readPlan, writePlan } from "./plan.ts";

const TASKS = report.tree.nodes.root.payload.planning.raw as JsonObject[];
const ALL = ["write", "think", "search"] as const;

function question(tasks: Json = TASKS): Json {
  const goal = report.request.goal;
  return { review: "plan", node: "root", goal, length: "250 words", round: 1, tasks, put_right: ["so"], most_tasks: 4 };
}

/** Tasks as `2 write 1 3` says: an id, a type, and the ids it depends on. */
function plan(...tasks: string[]): Plan {
  const raw = tasks.map((task) => {
    const [id = "", task_type = "", ...dependency] = task.split(" ");
    return { id, goal: `goal ${id}`, task_type, dependency };
  });
  return readPlan(raw, "root");
}

const waits = (of: Plan) => writePlan(of).map((task) => `${task.id} ${task.goal}: ${(task.dependency as string[]).join()}`);

test("a question of a review is told from others", () => {
  const asked = planAsked(question());
  assert.deepEqual([asked?.node, asked?.round, asked?.mostTasks, asked?.putRight], ["root", 1, 4, ["so"]]);
  assert.deepEqual(asked?.types, ALL);
  assert.deepEqual(planAsked({ ...(question() as JsonObject), types: ["search", "think"] })?.types, ["think", "search"]);
  for (const other of [null, "plan", { review: "plan" }, { review: "outline", tasks: [] }, { question: "Approve?" }]) {
    assert.equal(planAsked(other), undefined);
  }
});

test("a plan that is not changed is written as it was", () => {
  const read = readPlan(TASKS, "root");
  assert.deepEqual(writePlan(read), TASKS);
  assert.ok(isSame(read, readPlan(TASKS, "root")));
  const nested = [
    {
      id: "2.1",
      goal: "all",
      task_type: "write",
      dependency: [],
      length: "100 words",
      atom: true,
      sub_tasks: [
        { id: "2.1.1", goal: "one", task_type: "think", dependency: [] },
        { id: "2.1.2", goal: "two", task_type: "write", dependency: ["2.1.1"] },
      ],
    },
  ];
  assert.deepEqual(writePlan(readPlan(nested, "2")), nested);
  assert.deepEqual(keptPlan(JSON.parse(JSON.stringify(read)) as Json), read);
  assert.equal(keptPlan({ tasks: 1 }), undefined);
});

test("who waits for a task that is moved goes on to wait for it", () => {
  const begun = plan("1 search", "2 think 1", "3 write 1 2");
  const up = moved(begun, 2, -1);
  assert.deepEqual(waits(up), ["1 goal 2: 2", "2 goal 1: ", "3 goal 3: 1,2"]);
  assert.ok(isSame(moved(up, 2, 1), begun));
  assert.ok(isSame(moved(begun, 1, -1), begun));
  assert.ok(isSame(moved(begun, 3, 1), begun));
});

test("tasks are added and removed in any layer", () => {
  const begun = plan("1 search", "2 write 1");
  const added = withTask(begun, "write");
  assert.deepEqual([added.tasks.length, added.tasks.at(-1)?.at, begun.tasks.length], [3, 3, 2]);
  const inside = withTask(withTask(withFields(begun, 2, { atom: true }), "search", 2), "write", 2);
  assert.deepEqual(inside.tasks[1]?.tasks.map((task) => task.at), [3, 4]);
  assert.equal(inside.tasks[1]?.atom, false);
  const named = withFields(withFields(inside, 3, { goal: "find" }), 4, { goal: "tell", waits: [3] });
  assert.deepEqual(writePlan(named)[1]?.sub_tasks, [
    { id: "2.1", goal: "find", task_type: "search", dependency: [] },
    { id: "2.2", goal: "tell", task_type: "write", dependency: ["2.1"] },
  ]);
  assert.deepEqual(waits(moved(named, 4, -1)).length, 2);
  assert.deepEqual(writePlan(withoutTask(named, 3))[1]?.sub_tasks, [
    { id: "2.1", goal: "tell", task_type: "write", dependency: [] },
  ]);
  assert.deepEqual([besideOf(named, 1), besideOf(named, 2), besideOf(named, 4)], [2, 1, 3]);
  assert.equal(besideOf(withoutTask(begun, 1), 2), undefined);
});

test("what keeps a plan from being used is said at its field", () => {
  const at = (of: Plan, task: number, field: "goal" | "type" | "waits") => problemsOf(of, ALL).get(placeOf(task, field));
  const begun = plan("1 search", "2 think 1", "3 write 1 2");
  assert.deepEqual(problemsOf(begun, ALL).size, 0);
  assert.match(at(withFields(begun, 1, { goal: " \n" }), 1, "goal") ?? "", /needs a goal/);
  assert.match(at(withFields(begun, 1, { type: "paint" }), 1, "type") ?? "", /“paint”/);
  assert.match(at(withFields(begun, 1, { waits: [1] }), 1, "waits") ?? "", /itself/);
  assert.match(at(withoutTask(begun, 2), 3, "waits") ?? "", /removed/);
  assert.match(at(plan("1 search 7"), 1, "waits") ?? "", /task 7/);
  const circle = withFields(begun, 1, { waits: [3] });
  for (const task of [1, 2, 3]) assert.match(at(circle, task, "waits") ?? "", /directly or through others/);
  assert.match(problemsOf(begun, ["search", "think"]).get(placeOf(3, "type")) ?? "", /“write”.*search, think/);
});

test("texts are written in order, so one cannot wait for a later one", () => {
  const begun = plan("1 write 2", "2 write");
  assert.deepEqual([...problemsOf(begun, ALL).keys()], [placeOf(1, "waits")]);
  assert.equal(problemsOf(plan("1 search 2", "2 search"), ALL).size, 0);
  assert.equal(problemsOf(moved(begun, 1, 1), ALL).size, 0);
});

test("what may stand inside a task depends on its type", () => {
  const inside = withFields(withTask(plan("1 think", "2 write 1"), "write", 1), 3, { goal: "tell" });
  assert.match(problemsOf(inside, ALL).get(placeOf(3, "type")) ?? "", /“write”/);
  assert.equal(problemsOf(withFields(inside, 3, { type: "search" }), ALL).size, 0);
});

test("what will be put right is said before", () => {
  const asked = planAsked(question());
  assert.ok(asked);
  const said = (of: Plan) => adviceOn(of, asked).join("\n");
  assert.match(said(readPlan(TASKS, "root")), /no length/);
  const lengths = (one: string, other: string) =>
    withFields(withFields(readPlan(TASKS, "root"), 3, { length: one }), 4, { length: other });
  assert.equal(said(lengths("100 words", "150 words")), "");
  assert.match(said(lengths("400", "100")), /500 of 250 words/);
  assert.match(said(plan("1 search")), /No task writes/);
  assert.match(said(plan("1 write", "2 search")), /moved behind/);
  assert.match(said(withTask(lengths("100", "150"), "search")), /at most 4/);
  assert.equal(said(plan()), "");
});

test("the answer is the plan as it is written", () => {
  const tasks = writePlan(plan("1 write"));
  assert.deepEqual(changed(tasks), {
    decision: "change",
    tasks: [{ id: "1", goal: "goal 1", task_type: "write", dependency: [] }],
  });
  assert.deepEqual(writePlan(readPlan([], "root")), []);
});
