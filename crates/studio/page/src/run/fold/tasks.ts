// Tasks that begin, write, fail, ask, and are tried again.

import type { Interrupt, Json, JsonObject } from "../../api/types.ts";
import { isObject } from "../../parts/json-values.ts";
import type { Attempt, Status, Task } from "../model.ts";
import { entryOf, type Here, type Known } from "./known.ts";
import { errorText, text, textOr, Unexpected } from "./read.ts";

/** The trigger of a task that was sent for with an input of its own. */
const PUSH = "__pregel_push";

/**
 * An event of the channel `tasks`: the beginning of a task has triggers, its end has not. The input is not told where it is
 * the state of a checkpoint.
 */
export function taskEvent(known: Known, here: Here, data: JsonObject): void {
  const id = text(data, "id");
  const node = text(data, "name");
  if ("triggers" in data || "input" in data) {
    const triggers = Array.isArray(data.triggers) ? data.triggers : [];
    const task = begin(known, here, id, node);
    task.sent = triggers.includes(PUSH);
    // Of a task of a subgraph that goes on, the server does not tell the input again.
    if (data.input !== null || task.input === undefined) task.input = data.input;
    task.from = task.sent ? undefined : known.heads.get(here.key);
    if (task.from !== undefined) known.keepInput(task);
    return;
  }
  if (!("interrupts" in data) && !("error" in data) && !("result" in data)) {
    throw new Unexpected("it neither begins nor ends a task");
  }
  // The beginning may be missing: it is no reason to lose the end.
  const task = known.byId.get(id) ?? begin(known, here, id, node);
  const interrupts = Array.isArray(data.interrupts) ? data.interrupts : [];
  if (interrupts.length > 0) asked(known, here, task, interrupts);
  else ended(known, here, task, data);
  known.latest = { task, entry: entryOf(here.seq) };
}

function ended(known: Known, here: Here, task: Task, data: JsonObject): void {
  const error = errorText(data.error);
  task.error = error;
  if (error === undefined) task.result = data.result ?? null;
  finish(known, task, error === undefined ? "done" : "failed", here.time, error);
  forgetQuestions(known, task);
}

function asked(known: Known, here: Here, task: Task, interrupts: Json[]): void {
  for (const one of interrupts) {
    const interrupt = interruptOf(one);
    task.interrupts.push(interrupt);
    // A task asks what is asked in its subgraph as well: the question is that of the task within.
    if (known.questions.has(interrupt.id)) continue;
    known.ask({ ...interrupt, namespace: task.namespace, task: task.id, time: here.time });
  }
  finish(known, task, "asking", here.time, undefined);
}

function interruptOf(value: Json): Interrupt {
  if (!isObject(value)) throw new Unexpected("a question is no object");
  const interrupt: Interrupt = { id: text(value, "id"), value: value.value ?? null };
  if (isObject(value.response_schema)) interrupt.response_schema = value.response_schema;
  return interrupt;
}

/** The channel `input`: a question, which the task that asks has told with its schema, or else not. */
export function inputRequested(known: Known, here: Here, data: JsonObject): void {
  const id = text(data, "interrupt_id");
  if (known.questions.has(id)) return;
  const value = data.payload ?? data.value ?? null;
  known.ask({ id, value, namespace: here.namespace, task: undefined, time: here.time });
}

/** The channel `updates` says what tasks wrote, which `tasks` says as well. */
export function updateEvent(_: Known, __: Here, data: JsonObject): void {
  text(data, "node");
}

export function customEvent(known: Known, here: Here, data: JsonObject): void {
  if (!("payload" in data)) throw new Unexpected("it has no `payload`");
  const told = { seq: here.seq, time: here.time, name: textOr(data, "name", undefined), payload: data.payload ?? null };
  const task = known.teller(here);
  if (task !== undefined) {
    task.told.push(told);
    task.version += 1;
  } else {
    known.sharedOf(here, here.node ?? "").told.push(told);
  }
}

/** A task begins, or goes on with another attempt. */
export function begin(known: Known, here: Here, id: string, node: string): Task {
  let task = known.byId.get(id);
  if (task === undefined) {
    task = {
      id,
      node,
      namespace: here.namespace,
      run: known.runIndex,
      status: "running",
      began: here.time,
      ended: undefined,
      input: undefined,
      from: undefined,
      after: known.lastCommits.get(here.key),
      result: null,
      error: undefined,
      interrupts: [],
      attempts: [],
      told: [],
      messages: [],
      tools: [],
      modelCalls: [],
      sent: false,
      version: 0,
    };
    known.byId.set(id, task);
    known.model.tasks.push(task);
  }
  const last = task.attempts.at(-1);
  // Two channels tell the beginning of an attempt.
  const isTold = known.latest?.task === task && known.latest.entry === entryOf(here.seq) && last?.ended === undefined;
  if (!isTold) {
    // An attempt that never ended was cut off: its process died.
    if (last?.ended === undefined) stop(last, here.time);
    task.attempts.push(attemptOf(known, here, task));
    known.latest = { task, entry: entryOf(here.seq) };
  }
  forgetQuestions(known, task);
  task.run = known.runIndex;
  task.status = "running";
  task.ended = undefined;
  task.error = undefined;
  task.version += 1;
  known.opened(task);
  return task;
}

function attemptOf(known: Known, here: Here, task: Task): Attempt {
  return {
    number: task.attempts.length + 1,
    run: known.runIndex,
    began: here.time,
    ended: undefined,
    status: "running",
    error: undefined,
    waits: undefined,
  };
}

function stop(attempt: Attempt | undefined, time: number): void {
  if (attempt === undefined) return;
  attempt.ended = time;
  attempt.status = "stopped";
}

/** A task is no longer under way. */
export function finish(known: Known, task: Task, status: Status, time: number, error: string | undefined): void {
  const attempt = task.attempts.at(-1);
  if (attempt !== undefined) {
    // What was told to be cut off may have had a result that waited for its commit.
    if (attempt.ended === undefined || attempt.status === "stopped") attempt.status = status;
    attempt.ended ??= time;
    attempt.error ??= error;
  }
  task.status = status;
  task.ended = attempt?.ended ?? time;
  task.version += 1;
  known.closed(task);
}

function forgetQuestions(known: Known, task: Task): void {
  for (const { id } of task.interrupts) {
    if (known.questions.get(id)?.task === task.id) known.answered(id);
  }
  task.interrupts = [];
}
