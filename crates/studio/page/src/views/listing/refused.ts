// The part of a request that a refusal of the server is about, so that it can be shown at its field.

import { refusedAt } from "../start/body.ts";

export interface Refusal {
  /** The field of the request; nothing where the refusal names none. */
  part: string;
  /** The place in the field, as a JSON pointer. */
  place: string;
  message: string;
}

/** Sentences of the server that say what they are about in words, and the field. */
const IN_WORDS: [RegExp, string][] = [
  [/^Graph '.*' not found/, "graph_id"],
  [/^Cannot specify both configurable and context/, "context"],
  [/^Thread with ID .* not found/, "thread_id"],
  [/^Assistant with ID .* not found/, "assistant_id"],
  [/ cannot be a label of a namespace/, "namespace"],
];

export function refusalOf(message: string): Refusal {
  const at = refusedAt(message);
  if (at !== undefined) return { ...at, message };
  const named = /^`(\w+)(?:\.\w+)*` (?:is|names|has)\b/.exec(message)?.[1];
  const part = named ?? IN_WORDS.find(([words]) => words.test(message))?.[1] ?? "";
  return { part, place: "", message };
}

/** What is shown at a part: what is wrong with it, and what the server refused about it. */
export function shownAt(
  part: string,
  problems: ReadonlyMap<string, string>,
  refusal: Refusal | undefined,
): ReadonlyMap<string, string> {
  return refusal?.part === part ? new Map([...problems, [refusal.place, refusal.message]]) : problems;
}
