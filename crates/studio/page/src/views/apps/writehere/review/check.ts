// What is wrong with a plan while it is edited, and what WriteHERE will put right in it (crates/apps/writehere/src/plan).

import { wordsIn } from "../length.ts";
import { TASK_TYPES, type TaskType } from "../node.ts";
import type { PlanAsked } from "./asked.ts";
import type { Plan, PlanTask } from "./plan.ts";

export type Field = "goal" | "type" | "waits";

/** The place of a field, as problems are kept by it. */
export function placeOf(at: number, field: Field): string {
  return `${at}/${field}`;
}

/** What may stand inside a task of a type. */
const INSIDE: Record<TaskType, readonly TaskType[]> = {
  write: TASK_TYPES,
  think: ["think", "search"],
  search: ["search"],
};

export function typesInside(type: string): readonly TaskType[] {
  return Object.hasOwn(INSIDE, type) ? INSIDE[type as TaskType] : TASK_TYPES;
}

/** What keeps the plan from being used, by the places of the fields. */
export function problemsOf(plan: Plan, types: readonly TaskType[]): Map<string, string> {
  const problems = new Map<string, string>();
  checkLayer(plan.tasks, plan.prefix, types, problems);
  return problems;
}

function checkLayer(tasks: readonly PlanTask[], prefix: string, types: readonly TaskType[], problems: Map<string, string>) {
  const ids = new Map(tasks.map((task, index) => [task.at, `${prefix}${index + 1}`]));
  for (const task of tasks) {
    if (task.goal.trim() === "") problems.set(placeOf(task.at, "goal"), "A task needs a goal.");
    if (!types.some((type) => type === task.type)) {
      const word = task.type === "" ? "It has no type" : `No task can be “${task.type}” here`;
      problems.set(placeOf(task.at, "type"), `${word}: choose one of ${types.join(", ")}.`);
    }
    const waits = waitProblem(task, tasks, ids);
    if (waits !== undefined) problems.set(placeOf(task.at, "waits"), waits);
    if (task.tasks.length > 0) checkLayer(task.tasks, `${ids.get(task.at)}.`, typesInside(task.type), problems);
  }
}

function waitProblem(task: PlanTask, tasks: readonly PlanTask[], ids: Map<number, string>): string | undefined {
  if (task.waits.includes(task.at)) return "It cannot wait for itself.";
  if (task.waits.some((at) => !ids.has(at))) return "It waits for a task that was removed: choose another, or none.";
  const [unknown] = task.unknown;
  if (unknown !== undefined) return `It waits for task ${unknown}, which is not in this plan.`;
  const circle = task.waits.find((at) => reaches(tasks, at, task.at));
  if (circle === undefined) return undefined;
  const other = ids.get(circle);
  return `It waits for task ${other}, and task ${other} waits for it, directly or through others.`;
}

/** Whether a task waits for another, directly or through others. */
function reaches(tasks: readonly PlanTask[], from: number, to: number): boolean {
  const seen = new Set<number>();
  const open = [from];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at === to) return true;
    if (seen.has(at)) continue;
    seen.add(at);
    const place = tasks.findIndex((task) => task.at === at);
    const task = tasks[place];
    if (task !== undefined) open.push(...task.waits, ...before(tasks, place));
  }
  return false;
}

/** The tasks that one waits for without being told: texts are written in order, and so is what is thought. */
function before(tasks: readonly PlanTask[], place: number): number[] {
  const type = tasks[place]?.type;
  if (type !== "write" && type !== "think") return [];
  return tasks.slice(0, place).flatMap((task) => (task.type === type ? [task.at] : []));
}

/** How far the sum of lengths may be from the whole before they are scaled. */
const TOLERANCE = 0.2;

/** What is put right when the plan is used. It is shown once more then. */
export function adviceOn(plan: Plan, asked: PlanAsked): string[] {
  const advice: string[] = [];
  const { tasks } = plan;
  if (tasks.length === 0) return advice;
  const writes = tasks.filter((task) => task.type === "write");
  if (asked.node === "root" && writes.length === 0) {
    advice.push("No task writes: one that writes the whole will be added.");
  } else if (asked.node === "root" && tasks.at(-1)?.type !== "write") {
    advice.push("The last task does not write: nothing uses what it finds, so a writing task will be moved behind it.");
  }
  if (asked.mostTasks !== undefined && tasks.length > asked.mostTasks) {
    advice.push(`These are ${tasks.length} tasks of at most ${asked.mostTasks}: some will be joined.`);
  }
  const whole = wordsIn(asked.length);
  if (whole !== undefined && writes.length > 0) {
    const lengths = writes.map((task) => wordsIn(task.length));
    const sum = lengths.reduce((all: number, one) => all + (one ?? 0), 0);
    if (lengths.includes(undefined) && writes.length > 1) {
      advice.push("A writing task has no length in words: it will be given one.");
    } else if (!lengths.includes(undefined) && Math.abs(sum - whole) > whole * TOLERANCE) {
      advice.push(`The lengths add up to ${sum} of ${whole} words: all will be scaled.`);
    }
  }
  return advice;
}
