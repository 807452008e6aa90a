// A plan while it is edited. A task keeps its identity wherever it stands; its id is made of its place when the plan is
// written, so that what waits for it goes on to wait for it.

import type { Json, JsonObject } from "../../../../api/types.ts";
import { isObject } from "../../../../parts/json-values.ts";
import { listOf, numberOf, objectsOf, textOf, textsOf } from "../../read.ts";

export interface PlanTask {
  /** What it is known by in the plan; the id changes with the place. */
  at: number;
  goal: string;
  /** One of the types of tasks, or another word that was written. */
  type: string;
  length: string;
  /** The tasks beside it that it waits for. One of them may have been removed. */
  waits: number[];
  /** Ids that it was to wait for and that no task has. */
  unknown: string[];
  /** Whether it is carried out without further planning. */
  atom: boolean;
  /** The plan that it was given. */
  tasks: PlanTask[];
}

export interface Plan {
  tasks: PlanTask[];
  /** What the next task is known by. */
  next: number;
  /** What the ids of its tasks begin with. */
  prefix: string;
}

/** A plan as it is written. */
export function readPlan(raw: readonly JsonObject[], node: string): Plan {
  const plan: Plan = { tasks: [], next: 0, prefix: prefixOf(raw, node) };
  const layer = (tasks: readonly JsonObject[]): PlanTask[] => {
    const ids = new Map<string, number>();
    const numbers = tasks.map((task) => {
      plan.next += 1;
      ids.set(textOf(task.id), plan.next);
      return plan.next;
    });
    return tasks.map((task, index) => {
      const waits = textsOf(task.dependency);
      return {
        at: numbers[index] ?? 0,
        goal: textOf(task.goal),
        type: textOf(task.task_type),
        length: textOf(task.length),
        waits: [...new Set(waits.flatMap((id) => ids.get(id) ?? []))],
        unknown: waits.filter((id) => !ids.has(id)),
        atom: task.atom === true,
        tasks: layer(objectsOf(task.sub_tasks)),
      };
    });
  };
  plan.tasks = layer(raw);
  return plan;
}

function prefixOf(raw: readonly JsonObject[], node: string): string {
  const first = textOf(raw[0]?.id);
  if (first !== "") return first.slice(0, first.lastIndexOf(".") + 1);
  return node === "root" ? "" : `${node}.`;
}

/** The plan as it is sent: ids by the places of the tasks. */
export function writePlan(plan: Plan): JsonObject[] {
  return written(plan.tasks, plan.prefix);
}

function written(tasks: readonly PlanTask[], prefix: string): JsonObject[] {
  const ids = new Map(tasks.map((task, index) => [task.at, `${prefix}${index + 1}`]));
  return tasks.map((task) => {
    const id = ids.get(task.at) ?? "";
    const { waits } = task;
    const made: JsonObject = {
      id,
      goal: task.goal.trim(),
      task_type: task.type,
      dependency: tasks.flatMap((other) => (waits.includes(other.at) ? [ids.get(other.at) ?? ""] : [])),
    };
    if (task.type === "write" && task.length.trim() !== "") made.length = task.length.trim();
    if (task.atom) made.atom = true;
    if (task.tasks.length > 0) made.sub_tasks = written(task.tasks, `${id}.`);
    return made;
  });
}

/** Whether nothing was changed in it. */
export function isSame(plan: Plan, other: Plan): boolean {
  return JSON.stringify([plan.tasks]) === JSON.stringify([other.tasks]);
}

/** A plan that was kept as JSON. */
export function keptPlan(kept: Json | undefined): Plan | undefined {
  if (!isObject(kept) || !Array.isArray(kept.tasks) || typeof kept.next !== "number") return undefined;
  return { tasks: keptTasks(kept.tasks), next: kept.next, prefix: textOf(kept.prefix) };
}

function keptTasks(tasks: Json): PlanTask[] {
  return objectsOf(tasks).map((task) => ({
    at: numberOf(task.at) ?? 0,
    goal: textOf(task.goal),
    type: textOf(task.type),
    length: textOf(task.length),
    waits: listOf(task.waits).filter((one) => typeof one === "number"),
    unknown: textsOf(task.unknown),
    atom: task.atom === true,
    tasks: keptTasks(task.tasks ?? []),
  }));
}
