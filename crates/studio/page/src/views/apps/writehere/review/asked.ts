// The question that a plan is reviewed by (crates/apps/writehere/src/review.rs), and the answers to it.

import type { Json, JsonObject } from "../../../../api/types.ts";
import { isObject } from "../../../../parts/json-values.ts";
import { TASK_TYPES, type TaskType } from "../node.ts";
import { numberOf, objectsOf, textOf, textsOf } from "../../read.ts";

export interface PlanAsked {
  /** The key of the task that is planned. */
  node: string;
  goal: string;
  length: string | undefined;
  /** Counts from 1: a changed plan in which something was put right is shown once more. */
  round: number;
  /** The tasks as plans are written. */
  tasks: JsonObject[];
  /** What was put right, in words. */
  putRight: string[];
  /** The types that its tasks may have. */
  types: TaskType[];
  mostTasks: number | undefined;
}

/** The plan that a question is about; nothing for other questions. */
export function planAsked(value: Json): PlanAsked | undefined {
  if (!isObject(value) || value.review !== "plan" || !Array.isArray(value.tasks)) return undefined;
  const types = TASK_TYPES.filter((type) => textsOf(value.types).includes(type));
  return {
    node: textOf(value.node) || "root",
    goal: textOf(value.goal),
    length: textOf(value.length) || undefined,
    round: numberOf(value.round) ?? 1,
    tasks: objectsOf(value.tasks),
    putRight: textsOf(value.put_right),
    types: types.length > 0 ? types : [...TASK_TYPES],
    mostTasks: numberOf(value.most_tasks),
  };
}

export const ACCEPT: Json = { decision: "accept" };

/** The answer that has these tasks carried out; without any the task is carried out as a whole. */
export function changed(tasks: JsonObject[]): Json {
  return { decision: "change", tasks };
}
