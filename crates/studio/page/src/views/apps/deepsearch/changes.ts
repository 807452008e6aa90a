// What a person has changed in a report that is done: a passage of it, or its whole text.

import type { JsonObject } from "../../../api/types.ts";

export const ACTIONS = [
  ["expand", "Longer", "says more of it"],
  ["shorten", "Shorter", "says less of it"],
  ["polish", "Better", "says it better"],
  ["supplementary_search", "Search for it", "searches for it and works in what is found"],
  ["new_task", "Work on it", "does what you say to this part of the report"],
] as const;

export type Action = (typeof ACTIONS)[number][0];

/** A passage of the report, by the places of its characters as the page counts them. */
export interface Passage {
  start: number;
  end: number;
}

/** The change of a passage. Places are told in UTF-16, which is how the page counts. */
export function changeOf(report: string, { start, end }: Passage, action: Action, instruction: string): JsonObject {
  return {
    action,
    selected_text: report.slice(start, end),
    start_offset: start,
    end_offset: end,
    offset_unit: "utf16",
    user_instruction: instruction.trim(),
  };
}

/** The report as the person has written it. */
export function syncOf(report: string): JsonObject {
  return { action: "sync", selected_text: report };
}

export const FINISHED: JsonObject = { action: "finish" };

/** A passage without blanks at its ends; nothing where nothing is left, or half a character would be cut off. */
export function trimmed(report: string, { start, end }: Passage): Passage | undefined {
  const text = report.slice(start, end);
  const from = start + (text.length - text.trimStart().length);
  const to = end - (text.length - text.trimEnd().length);
  const isCut = (at: number) =>
    /[\ud800-\udbff]/.test(report[at - 1] ?? "") && /[\udc00-\udfff]/.test(report[at] ?? "");
  return from >= to || isCut(from) || isCut(to) ? undefined : { start: from, end: to };
}
