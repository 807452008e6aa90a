// Commits, and the questions that they leave behind.

import type { JsonObject } from "../../api/types.ts";
import { namespaceKey } from "../model.ts";
import type { Here, Known } from "./known.ts";
import { number, text, textOr } from "./read.ts";
import { finish } from "./tasks.ts";

/** Questions of a namespace and of those below it are gone when it does not go on from where they were asked. */
function dropQuestions(known: Known, namespace: readonly string[], time: number): void {
  const prefix = namespaceKey(namespace);
  for (const question of known.questions.values()) {
    const key = namespaceKey(question.namespace);
    if (prefix !== "" && key !== prefix && !key.startsWith(`${prefix}|`)) continue;
    known.answered(question.id);
    const task = question.task === undefined ? undefined : known.byId.get(question.task);
    if (task === undefined) continue;
    task.interrupts = task.interrupts.filter((interrupt) => interrupt.id !== question.id);
    if (task.status === "asking") finish(known, task, "stopped", time, undefined);
  }
}

export function checkpointEvent(known: Known, here: Here, data: JsonObject): void {
  const id = text(data, "id");
  const parent = textOr(data, "parent_id", undefined);
  const source = text(data, "source");
  const isRoot = here.namespace.length === 0;
  const commit = { id, parent, namespace: here.namespace, step: number(data, "step"), source, time: here.time };
  known.model.commits.push({ ...commit, run: known.runIndex });
  known.heads.set(here.key, id);
  known.lastCommits.set(here.key, id);
  const goesOn = source === "loop" && (!isRoot || parent === known.head);
  if (!goesOn && known.questions.size > 0) dropQuestions(known, here.namespace, here.time);
  if (!isRoot) return;
  const run = known.run;
  if (run !== undefined && !known.hasCommitted) {
    if (!goesOn) run.goesOn = false;
    known.hasCommitted = true;
  }
  known.head = id;
}
