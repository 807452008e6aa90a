// What was thought and done in each turn of a conversation, made of the tasks of its runs and what they told.

import type { Json } from "../../../api/types.ts";
import { isObject } from "../../../parts/json-values.ts";
import type { RunLife, RunModel, Task } from "../../../run/model.ts";
import type { Step } from "./session.ts";

/** What the nodes that do something are called. */
const ACTIONS: Record<string, string> = {
  generate_queries: "Make queries",
  literature_review: "Search and read the literature",
  synthesize_gap: "Find the gap",
  write_proposal: "Write the proposal",
  follow_up: "Ask or answer",
  result_notification: "Deliver the proposal",
  review_queries: "Show the queries for review",
  review_report: "Show the proposal for review",
};

/** The nodes that decide, and begin or end a turn. */
const HUBS = new Set(["open", "listen", "router", "save"]);

export type Entry =
  /** What follows, why, by which rule, and by which words a message was read so. */
  | { is: "decision"; why: string; rule: string; evidence: string[]; task: Task }
  | { is: "action"; name: string; thoughts: string[]; task: Task }
  | { is: "thought"; text: string; task: Task };

export interface Turn {
  /** Counts from 1. */
  number: number;
  run: RunLife;
  /** What the person said, where that is known. */
  said: string | undefined;
  entries: Entry[];
}

/** A thought of the hub that tells a decision: why, and the name of the rule. */
const DECISION = /^([^]*) \(`([a-z0-9-]+)`\)$/;

export function turnsOf(model: RunModel, journey: readonly Step[]): Turn[] {
  const turns = model.runs.map((run, at): Turn => ({ number: at + 1, run, said: undefined, entries: [] }));
  for (const task of model.tasks) {
    const turn = turns[task.run];
    if (turn === undefined) continue;
    turn.said ??= saidIn(task);
    if (Object.hasOwn(ACTIONS, task.node)) {
      turn.entries.push({ is: "action", name: ACTIONS[task.node] ?? task.node, thoughts: thoughtsOf(task), task });
    } else if (HUBS.has(task.node)) {
      for (const text of thoughtsOf(task)) turn.entries.push(entryOf(text, task));
    }
  }
  explain(turns, journey);
  return turns;
}

function thoughtsOf(task: Task): string[] {
  return task.told.flatMap(({ name, payload }) => (name === "thought" && typeof payload === "string" ? [payload] : []));
}

function entryOf(text: string, task: Task): Entry {
  const [, why, rule] = task.node === "router" ? (DECISION.exec(text) ?? []) : [];
  if (why === undefined || rule === undefined) return { is: "thought", text, task };
  return { is: "decision", why, rule, evidence: [], task };
}

/** The journey says by which words messages were read; its last step is the last decision. */
function explain(turns: readonly Turn[], journey: readonly Step[]): void {
  const decisions = turns.flatMap((turn) => turn.entries).filter((entry) => entry.is === "decision");
  for (let back = 1; back <= Math.min(decisions.length, journey.length); back += 1) {
    const [decision, step] = [decisions.at(-back), journey.at(-back)];
    // A journey of which this thread saw only a part.
    if (decision === undefined || step === undefined || decision.rule !== step.rule) return;
    decision.evidence = step.evidence;
  }
}

/** What the person said, as the first node of the graph around the conversation, or of its own, was given it. */
function saidIn({ node, input }: Task): string | undefined {
  if (!isObject(input)) return undefined;
  if (node === "receive") return plain(input.message) ?? plain(lastOf(input.messages));
  if (node === "open" && isObject(input.turn)) return plain(input.turn.query);
  return undefined;
}

function lastOf(messages: Json | undefined): Json | undefined {
  const last = Array.isArray(messages) ? messages.at(-1) : undefined;
  return isObject(last) ? last.content : undefined;
}

function plain(value: Json | undefined): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}
