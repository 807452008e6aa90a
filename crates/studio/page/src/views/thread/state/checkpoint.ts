// A checkpoint as a list shows it, and how checkpoints follow one another.

import type { CheckpointRef, Json, JsonObject, StateTask } from "../../../api/types.ts";
import { difference } from "../../../parts/diff.ts";
import { summary } from "../../../parts/json-nodes.ts";
import { count, visible } from "../../../parts/text.ts";

export interface Checkpoint {
  /** Ids of later checkpoints are greater as texts. */
  id: string;
  parent: string | undefined;
  /** `input`, `loop`, `update` or `fork`. */
  source: string;
  step: number;
  time: string;
  run: string | undefined;
  assistant: string | undefined;
  graph: string | undefined;
  next: string[];
  tasks: CheckpointTask[];
}

export interface CheckpointTask {
  name: string;
  /** What it wrote, in short; nothing where that is not known. */
  wrote: string | undefined;
  asks: boolean;
  failed: boolean;
}

/** A task of a state, with what it wrote. */
export type TaskOnWire = StateTask & { result?: Json };

/** A state of a history, without its values. */
export interface StateOnWire {
  checkpoint_id: string;
  parent_checkpoint_id: string | null;
  next: string[];
  tasks: TaskOnWire[];
  metadata: JsonObject;
  created_at: string;
}

/** The parts of a state that the list needs. */
export const SELECT = ["checkpoint_id", "parent_checkpoint_id", "next", "tasks", "metadata", "created_at"];

const text = (value: Json | undefined): string | undefined => (typeof value === "string" ? value : undefined);

export function read(state: StateOnWire): Checkpoint {
  const { metadata } = state;
  return {
    id: state.checkpoint_id,
    parent: state.parent_checkpoint_id ?? undefined,
    source: text(metadata.source) ?? "",
    step: typeof metadata.step === "number" ? metadata.step : 0,
    time: state.created_at,
    run: text(metadata.run_id),
    assistant: text(metadata.assistant_id),
    graph: text(metadata.graph_id),
    next: state.next,
    tasks: state.tasks.map((task) => ({
      name: task.name,
      wrote: written(task.result),
      asks: task.interrupts.length > 0 && task.result == null,
      failed: task.error != null,
    })),
  };
}

/** What a task wrote, in short: `items ["a"], count 3`. */
export function written(result: Json | undefined): string | undefined {
  if (result === undefined || result === null) return undefined;
  if (typeof result !== "object" || Array.isArray(result)) return summary(result, 40);
  const fields = Object.entries(result).slice(0, 4);
  return fields.map(([field, value]) => `${visible(field)} ${inShort(value)}`).join(", ");
}

function inShort(value: Json): string {
  if (Array.isArray(value)) {
    const [only] = value;
    const isPlain = only !== undefined && (typeof only !== "object" || only === null);
    if (value.length === 1 && isPlain) return `[ ${summary(only, 24)} ]`;
  }
  return summary(value, 32);
}

/** The checkpoints by their ids. */
export function byId(list: readonly Checkpoint[]): Map<string, Checkpoint> {
  return new Map(list.map((checkpoint) => [checkpoint.id, checkpoint]));
}

/** The newest branch that a checkpoint is on, oldest first. `list` is newest first. */
export function branch(list: readonly Checkpoint[], id: string): Checkpoint[] {
  const known = byId(list);
  const newest = new Map<string, Checkpoint>();
  for (const checkpoint of list) {
    if (checkpoint.parent !== undefined && !newest.has(checkpoint.parent)) newest.set(checkpoint.parent, checkpoint);
  }
  const here = known.get(id);
  if (here === undefined) return [];
  const line: Checkpoint[] = [];
  for (let at: Checkpoint | undefined = here; at !== undefined; at = known.get(at.parent ?? "")) line.push(at);
  line.reverse();
  for (let at = newest.get(id); at !== undefined; at = newest.get(at.id)) line.push(at);
  return line;
}

/** The nodes that made a checkpoint, each once with how often: those that were to run at the one before. */
export function makers(checkpoint: Checkpoint, parent: Checkpoint | undefined): string {
  if (checkpoint.source !== "loop" || parent === undefined || parent.source === "input") return "";
  return grouped(parent.tasks.length > 0 ? parent.tasks.map((task) => task.name) : parent.next);
}

const SOURCES: Record<string, string> = { input: "before an input", update: "edit", fork: "fork" };

/** What a checkpoint is called: the nodes that made it, or what else did. */
export function nameOf(checkpoint: Checkpoint, parent: Checkpoint | undefined): string {
  const nodes = makers(checkpoint, parent);
  if (nodes !== "") return nodes;
  if (checkpoint.source === "loop") return parent?.source === "input" ? "input" : "step";
  return Object.hasOwn(SOURCES, checkpoint.source) ? (SOURCES[checkpoint.source] ?? "") : visible(checkpoint.source);
}

/** What differs between two states, in short: `items +1, count 3`. */
export function differing(before: JsonObject, after: JsonObject): string {
  const change = difference(before, after);
  if (change.is !== "object") return "nothing";
  const fields = change.fields.flatMap(({ key, change }): string[] => {
    if (change.is === "same") return [];
    if (change.is === "removed") return [`${visible(key)} is gone`];
    if (change.is === "array" && change.appended > 0) return [`${visible(key)} +${count(change.appended)}`];
    return [`${visible(key)} ${inShort(after[key] ?? null)}`];
  });
  return fields.slice(0, 4).join(", ") + (fields.length > 4 ? ", …" : "");
}

/** Names, each once: `worker ×3, join`. */
export function grouped(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, number]) => visible(name) + (number > 1 ? ` ×${number}` : "")).join(", ");
}

/** A page of a namespace, as the levels that lead to it: the node, and the namespace of its graph. */
export function levels(ns: string): { node: string; ns: string }[] {
  if (ns === "") return [];
  const parts = ns.split("|");
  return parts.map((part, at) => ({ node: part.split(":", 1)[0] ?? part, ns: parts.slice(0, at + 1).join("|") }));
}

/** How a request names a checkpoint. */
export function reference(ns: string, id: string | undefined): Partial<CheckpointRef> {
  return { checkpoint_ns: ns, ...(id === undefined ? {} : { checkpoint_id: id }) };
}
