// What is known of the runs of a thread, made of its events. `fold.ts` builds it; views only read it.
//
// The lists and what is in them grow in place. Whenever something changed there is a new `RunModel` around them, and
// a higher `version` in each task and message that changed.

import type { Interrupt, Json, JsonObject } from "../api/types.ts";

/** Where a task, a node or a run stands. A task that waits to be tried again is `waiting`. */
export type Status = "waiting" | "running" | "done" | "failed" | "asking" | "stopped";

/** One attempt of a task: from where it begins to where it ends, fails, asks or is stopped. */
export interface Attempt {
  /** Counts from 1 over all of the task's runs. */
  number: number;
  /** The run that it belongs to. */
  run: number;
  /** Milliseconds since 1970. */
  began: number;
  ended: number | undefined;
  /** How it ended; `running` while it has not. */
  status: Status;
  error: string | undefined;
  /** How long the next attempt waits, in milliseconds. */
  waits: number | undefined;
}

/** What a node told while it worked. */
export interface Told {
  seq: number;
  time: number;
  name: string | undefined;
  payload: Json;
}

/** What a call of a model used, in tokens, and millionths of a dollar where that is known. */
export interface Used {
  input: number;
  output: number;
  /** Of `input`, those that the provider had in its cache. */
  cached: number;
  cost: number | undefined;
}

/** One limit of a budget, and what is spent of it. */
export interface BudgetUse {
  /** `calls`, `tokens`, `usd_micros` or `millis`. */
  unit: string;
  spent: number;
  limit: number;
}

/** A call of a model, as the node told it that made it. */
export interface ModelCall {
  seq: number;
  time: number;
  run: number;
  /** The id of the task that made it. */
  task: string;
  node: string;
  namespace: readonly string[];
  model: string;
  /** The role that the model plays, where it is known. */
  role: string | undefined;
  /** `chat` or `choose`. */
  kind: string;
  /** `model` where the model was asked; `record` and `cache` where an answer was there already. */
  source: string;
  /** How long the answer took, in milliseconds. */
  took: number;
  /** Nothing of a call that failed. */
  used: Used | undefined;
  error: string | undefined;
  /** What is spent of the budget after it. */
  budget: readonly BudgetUse[];
}

/** A call of a tool that a message asks for, as far as it has come. */
export interface AskedCall {
  id: string | undefined;
  name: string | undefined;
  /** The arguments as they were written. */
  args: string;
  /** Why the arguments cannot be read. */
  error: string | undefined;
}

/** A message, as far as it has come. */
export interface Spoken {
  id: string;
  role: string;
  text: string;
  reasoning: string;
  calls: AskedCall[];
  done: boolean;
  /** Why it was not written to its end. */
  error: string | undefined;
  /** Tokens and the like, as the model's message says them. */
  usage: JsonObject | undefined;
  time: number;
  version: number;
}

/** A call of a tool. */
export interface ToolRun {
  id: string;
  name: string;
  /** The subgraph it is in. */
  namespace: readonly string[];
  input: Json;
  /** What it put out before it ended. */
  deltas: Json[];
  output: Json;
  error: string | undefined;
  status: Status;
  began: number;
  ended: number | undefined;
}

/** A task: one execution of a node. */
export interface Task {
  /** Its id on the wire. A task that asks is the same task when it goes on. */
  id: string;
  node: string;
  /** The subgraph it is in, as `node:task` a level; empty for the graph itself. */
  namespace: readonly string[];
  /** The run in which it was last under way. */
  run: number;
  status: Status;
  began: number;
  ended: number | undefined;
  /** What it began with. `undefined` where it is the state of the checkpoint `from` and was not kept. */
  input: Json | undefined;
  /** The checkpoint of its namespace on which it began. */
  from: string | undefined;
  /** The last commit of its namespace before it began, which tasks of one super-step share; also of an earlier run. */
  after: string | undefined;
  /** What it wrote. */
  result: Json;
  error: string | undefined;
  /** What it asks now. */
  interrupts: Interrupt[];
  attempts: Attempt[];
  told: Told[];
  messages: Spoken[];
  /** Calls of tools that its messages asked for, or that ran in it. */
  tools: ToolRun[];
  modelCalls: ModelCall[];
  /** Whether it was sent here with an input of its own (a fan-out). */
  sent: boolean;
  version: number;
}

/** What tasks of one node told while several were under way, where the event does not say which. */
export interface Shared {
  node: string;
  namespace: readonly string[];
  told: Told[];
  messages: Spoken[];
}

/** A commit. */
export interface Commit {
  /** The id of its checkpoint on the wire. */
  id: string;
  parent: string | undefined;
  namespace: readonly string[];
  step: number;
  source: string;
  time: number;
  run: number;
}

/** A subgraph call. */
export interface Call {
  namespace: readonly string[];
  graph: string;
  run: number;
  status: Status;
  began: number;
  ended: number | undefined;
  error: string | undefined;
}

/** One run. */
export interface RunLife {
  /** Its place among the runs of the thread, from 0. */
  index: number;
  id: string;
  graph: string;
  status: Status;
  began: number;
  ended: number | undefined;
  error: string | undefined;
  /** Whether it went on where the thread stood, rather than with an input or from another checkpoint. */
  goesOn: boolean;
}

/** An open question. */
export type Question = Interrupt & {
  namespace: readonly string[];
  /** The task that asks, where it is known. */
  task: string | undefined;
  time: number;
};

/** What is worth a look: warnings, events that were lost, events that this page does not know. */
export interface Notice {
  seq: number;
  time: number;
  text: string;
  /** How often it was told. */
  count: number;
}

export interface RunModel {
  /** Rises with every change. */
  version: number;
  /** The number of the last event. */
  seq: number;
  /** When the last event was told; 0 before the first. */
  time: number;
  runs: RunLife[];
  /** In the order in which they began. */
  tasks: Task[];
  byId: ReadonlyMap<string, Task>;
  commits: Commit[];
  calls: Call[];
  modelCalls: ModelCall[];
  /** Open questions, oldest first. */
  questions: Question[];
  notices: Notice[];
  /** Messages that no task told. */
  messages: Spoken[];
  /** What cannot be said of one task, by `nodeKey`. */
  shared: ReadonlyMap<string, Shared>;
}

/** A namespace as a key of maps. */
export function namespaceKey(namespace: readonly string[]): string {
  return namespace.join("|");
}

/** A node of a namespace as a key of maps. */
export function nodeKey(namespace: readonly string[], node: string): string {
  return `${namespaceKey(namespace)}>${node}`;
}

/** The id of the task that a namespace is in; `undefined` for the graph itself. */
export function taskOf(namespace: readonly string[]): string | undefined {
  const last = namespace.at(-1);
  const colon = last?.indexOf(":") ?? -1;
  return last === undefined || colon < 0 ? undefined : last.slice(colon + 1);
}

/** The name of a namespace's graph as the drawing has it: the nodes without their tasks, joined by `:`. */
export function place(namespace: readonly string[]): string {
  return namespace.map((segment) => segment.split(":", 1)[0]).join(":");
}
