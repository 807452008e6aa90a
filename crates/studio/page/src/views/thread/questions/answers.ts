// Answers that were given: in this tab, and by the thread's runs.

import type { Json, JsonObject, Run } from "../../../api/types.ts";
import { isObject } from "../../../parts/json-values.ts";

export interface Given {
  /** The question; none for a bare answer to the only one that was open. */
  id: string | undefined;
  answer: Json;
  /** Milliseconds since 1970. */
  time: number;
  run: string;
  /** Whether the run failed that took it, or did not take it. */
  failed: boolean;
  /** What was asked, where this tab knows it. */
  asked: Json | undefined;
}

const ID = /^[0-9a-f]{32}$/i;

/** The answers with which runs of a thread began, newest first. */
export function givenBy(runs: readonly Run[], asked: ReadonlyMap<string, Json>): Given[] {
  const given: Given[] = [];
  for (const run of runs) {
    const command = run.kwargs?.command;
    const resume = isObject(command) ? command.resume : undefined;
    if (resume === undefined || resume === null) continue;
    const about = { time: Date.parse(run.created_at), run: run.run_id, failed: run.status === "error" };
    if (isObject(resume) && Object.keys(resume).some((key) => ID.test(key))) {
      for (const [id, answer] of Object.entries(resume)) given.push({ id, answer, ...about, asked: asked.get(id) });
    } else {
      given.push({ id: undefined, answer: resume, ...about, asked: undefined });
    }
  }
  return given.sort((a, b) => b.time - a.time);
}

/** The questions that were answered in this tab, by their ids. */
export function askedIn(storage: Storage, thread: string): Map<string, Json> {
  const kept = keptIn(storage, `graphloom.asked.${thread}`);
  return new Map(isObject(kept) ? Object.entries(kept) : []);
}

export function keepAsked(storage: Storage, thread: string, questions: readonly { id: string; value: Json }[]): void {
  const all = askedIn(storage, thread);
  for (const { id, value } of questions) all.set(id, value);
  keep(storage, `graphloom.asked.${thread}`, Object.fromEntries(all) as JsonObject);
}

export function keptIn(storage: Storage, name: string): Json | undefined {
  try {
    const text = storage.getItem(name);
    return text === null ? undefined : (JSON.parse(text) as Json);
  } catch {
    return undefined;
  }
}

/** Keeps a value as long as the tab is open; `undefined` forgets it. A storage that is full keeps nothing. */
export function keep(storage: Storage, name: string, value: Json | undefined): void {
  try {
    if (value === undefined) storage.removeItem(name);
    else storage.setItem(name, JSON.stringify(value));
  } catch {
    storage.removeItem(name);
  }
}
