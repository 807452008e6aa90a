// The run that is asked for, and the part of it that a refusal names.

import type { Json, JsonObject } from "../../api/types.ts";
import { keysOf, placeOfPath } from "../../parts/form/pointer.ts";

export const STRATEGIES = ["enqueue", "reject", "interrupt", "rollback"] as const;
export type Strategy = (typeof STRATEGIES)[number];

export interface Breakpoints {
  before: ReadonlySet<string>;
  after: ReadonlySet<string>;
}

export interface Wanted {
  assistant: string;
  input: Json | undefined;
  context: Json | undefined;
  breakpoints: Breakpoints;
  strategy: Strategy;
}

export function bodyOf(wanted: Wanted): JsonObject {
  const body: JsonObject = { assistant_id: wanted.assistant, multitask_strategy: wanted.strategy };
  if (wanted.input !== undefined) body.input = wanted.input;
  const { context, breakpoints } = wanted;
  // An empty context is none.
  const isEmpty = typeof context === "object" && context !== null && Object.keys(context).length === 0;
  if (context !== undefined && context !== null && !isEmpty) body.context = context;
  if (breakpoints.before.size > 0) body.interrupt_before = [...breakpoints.before];
  if (breakpoints.after.size > 0) body.interrupt_after = [...breakpoints.after];
  return body;
}

/** The part of the request that a refusal names, and the place in it: ``… at `input.items[0]`: …``. */
export function refusedAt(message: string): { part: string; place: string } | undefined {
  const path = /\bat `([^`]+)`/.exec(message)?.[1];
  if (path === undefined) return undefined;
  const [part, ...rest] = keysOf(placeOfPath(path));
  return part === undefined ? undefined : { part, place: placeOfPath(rest.join(".")) };
}

/** Inputs of earlier runs, newest first, each once. */
export function earlierInputs<R extends { kwargs?: JsonObject }>(
  runs: readonly R[],
  most: number,
): { input: Json; run: R }[] {
  const found = new Map<string, { input: Json; run: R }>();
  for (const run of runs) {
    const input = run.kwargs?.input;
    if (input === undefined || input === null) continue;
    const text = JSON.stringify(input);
    if (!found.has(text)) found.set(text, { input, run });
    if (found.size === most) break;
  }
  return [...found.values()];
}
