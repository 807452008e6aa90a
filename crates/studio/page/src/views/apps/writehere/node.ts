// A task of the tree (crates/apps/writehere/src/task.rs and crates/state-machine/src/task/node.rs).

import type { Json, JsonObject } from "../../../api/types.ts";
import { isObject } from "../../../parts/json-values.ts";
import { causeOf } from "./cause.ts";
import { numberOf, objectsOf, textOf, textsOf } from "../read.ts";

export type TaskType = "write" | "think" | "search";

export const TASK_TYPES: readonly TaskType[] = ["write", "think", "search"];

export interface Node {
  /** `root`, or the places that lead to it: `2.1`. */
  key: string;
  /** Whether it does its work in one action, and nothing is inside. */
  isLeaf: boolean;
  /** `NOT_READY`, `READY`, `DOING`, `FINISH`, `FAILED` and others between them. */
  status: string;
  failure: string | undefined;
  /** The keys of the tasks beside it that it waits for. */
  parents: string[];
  /** The keys of the tasks inside, in the order of the plan. */
  inner: string[];
  /** The same in the order in which they are carried out. */
  queue: string[];
  goal: string;
  earlierGoals: string[];
  type: TaskType;
  length: string | undefined;
  /** What was thought when it was judged whether it is planned. */
  thought: string | undefined;
  plan: NodePlan | undefined;
  results: Result[];
}

/** The plan that was made for a task. */
export interface NodePlan {
  /** The tasks as they were written. */
  tasks: JsonObject[];
  /** What was put right, in words. */
  repairs: string[];
}

/** What came of an action. */
export interface Result {
  action: string;
  text: string;
  /** The ids of the evidence that the text rests on. */
  evidence: string[];
  agent: string;
  time: string | undefined;
  words: number | undefined;
  notes: string[];
}

export function nodeIn(node: JsonObject): Node {
  const payload = isObject(node.payload) ? node.payload : {};
  const info = isObject(payload.info) ? payload.info : {};
  const inner = isObject(node.inner) ? node.inner : {};
  const batches = Array.isArray(inner.batches) ? inner.batches : [];
  const results = isObject(payload.results) ? Object.entries(payload.results) : [];
  return {
    key: textOf(node.key),
    isLeaf: node.node_type === "EXECUTE_NODE",
    status: textOf(node.status),
    failure: isObject(node.failure) ? causeOf(node.failure.cause) : undefined,
    parents: textsOf(node.parents),
    inner: textsOf(inner.nodes),
    queue: batches.flatMap(textsOf),
    goal: textOf(info.goal),
    earlierGoals: textsOf(payload.earlier_goals),
    type: typeIn(info.task_type),
    length: textOf(info.length) || undefined,
    thought: textOf(payload.candidate_think) || undefined,
    plan: isObject(payload.planning) ? planIn(payload.planning) : undefined,
    results: results.flatMap(([action, result]) => (isObject(result) ? [resultIn(action, result)] : [])),
  };
}

export function typeIn(value: Json | undefined): TaskType {
  return TASK_TYPES.find((type) => type === value) ?? "think";
}

function planIn(planning: JsonObject): NodePlan {
  const repairs = objectsOf(planning.repairs).map(({ task, found, done }) => {
    const about = textOf(task) === "" ? "" : `task ${textOf(task)}: `;
    return `${about}${textOf(found)}; ${textOf(done)}`;
  });
  return { tasks: objectsOf(planning.raw), repairs };
}

function resultIn(action: string, result: JsonObject): Result {
  const length = isObject(result.length) ? result.length : {};
  return {
    action,
    text: textOf(result.text),
    evidence: textsOf(result.evidence),
    agent: textOf(result.agent),
    time: textOf(result.time) || undefined,
    words: numberOf(length.words),
    notes: textsOf(result.notes),
  };
}
