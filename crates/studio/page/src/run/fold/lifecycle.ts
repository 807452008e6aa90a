// Runs and subgraph calls that begin and end.

import type { JsonObject } from "../../api/types.ts";
import { namespaceKey, type RunLife, type Status, type Task, taskOf } from "../model.ts";
import type { Here, Known } from "./known.ts";
import { errorText, text, textOr, Unexpected } from "./read.ts";
import { finish } from "./tasks.ts";

/** Ends of graphs. One that is interrupted asks where it left a question, and else was stopped. */
const ENDS: Record<string, Status> = { completed: "done", failed: "failed", interrupted: "stopped" };

export function lifecycleEvent(known: Known, here: Here, data: JsonObject): void {
  const event = text(data, "event");
  const end = ENDS[event];
  const begins = event === "running" || event === "started";
  if (!begins && end === undefined) throw new Unexpected(`this page does not know the event \`${event}\` of a graph`);
  if (here.namespace.length === 0) {
    if (begins) runBegan(known, here, textOr(data, "graph_name", ""));
    else runEnded(known, here, end ?? "stopped", errorText(data.error));
  } else {
    if (begins) callBegan(known, here, textOr(data, "graph_name", ""));
    else callEnded(known, here, textOr(data, "graph_name", ""), end ?? "stopped", errorText(data.error));
  }
}

/** The id of an event of a run has that of the run: `synth:RUN:THREAD:NUMBER`. */
function runOf(event_id: string): string {
  const parts = event_id.split(":");
  return parts.length === 4 && parts[0] === "synth" ? (parts[1] ?? "") : "";
}

function runBegan(known: Known, here: Here, graph: string): void {
  const id = runOf(here.event_id);
  const before = known.run;
  // A run that goes on after its process died is the same run.
  if (before !== undefined && before.id === id && id !== "") {
    before.status = "running";
    before.ended = undefined;
    before.error = undefined;
    return;
  }
  const index = known.model.runs.length;
  const run: RunLife = {
    index,
    id,
    graph,
    status: "running",
    began: here.time,
    ended: undefined,
    error: undefined,
    goesOn: index > 0,
  };
  known.model.runs.push(run);
  known.heads.clear();
  known.hasCommitted = false;
}

function runEnded(known: Known, here: Here, status: Status, error: string | undefined): void {
  const run = known.run;
  if (run === undefined || run.ended !== undefined) throw new Unexpected("no run is under way that could end");
  for (const call of known.openCalls) {
    call.status = asks(known, call.namespace) ? "asking" : "stopped";
    call.ended = here.time;
  }
  known.openCalls.clear();
  for (const task of [...known.open.values()].flatMap((tasks) => [...tasks])) {
    finish(known, task, asks(known, inside(task)) ? "asking" : "stopped", here.time, undefined);
  }
  for (const { message } of known.writing.values()) {
    message.done = true;
    message.version += 1;
  }
  known.writing.clear();
  run.status = status === "stopped" && known.questions.size > 0 ? "asking" : status;
  run.ended = here.time;
  run.error = error;
}

function callBegan(known: Known, here: Here, graph: string): void {
  const call = known.callsByKey.get(here.key);
  if (call !== undefined && call.run === known.runIndex && call.ended === undefined) return;
  const began = {
    namespace: here.namespace,
    graph,
    run: known.runIndex,
    status: "running" as const,
    began: here.time,
    ended: undefined,
    error: undefined,
  };
  known.model.calls.push(began);
  known.callsByKey.set(here.key, began);
  known.openCalls.add(began);
}

function callEnded(known: Known, here: Here, graph: string, status: Status, error: string | undefined): void {
  if (known.callsByKey.get(here.key)?.ended !== undefined || !known.callsByKey.has(here.key)) {
    callBegan(known, here, graph);
  }
  const call = known.callsByKey.get(here.key);
  if (call === undefined) return;
  call.status = status === "stopped" && asks(known, here.namespace) ? "asking" : status;
  call.ended = here.time;
  call.error = error;
  known.openCalls.delete(call);
  const caller = known.byId.get(taskOf(here.namespace) ?? "");
  if (caller !== undefined) caller.version += 1;
}

/** The namespace of the subgraph in a task. */
function inside(task: Task): string[] {
  return [...task.namespace, `${task.node}:${task.id}`];
}

/** Whether a question is open in a namespace or below it. */
function asks(known: Known, namespace: readonly string[]): boolean {
  if (known.questions.size === 0) return false;
  const prefix = namespaceKey(namespace);
  for (const question of known.questions.values()) {
    const key = namespaceKey(question.namespace);
    if (key === prefix || key.startsWith(`${prefix}|`)) return true;
  }
  return false;
}
