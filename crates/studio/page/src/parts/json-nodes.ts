// What a JSON value shows when it is open: its parts, and pages of them where there are many.

import type { Json } from "../api/types.ts";
import { counted, short, visible } from "./text.ts";

/** Parts at most that are shown below one another. */
export const PAGE = 100;
/** A longer text is folded. */
export const LONG = 160;

/** What stands below an open value. */
export type Node =
  | { is: "part"; key: string; /** Whether the key is a place in a list. */ place: boolean; value: Json }
  | { is: "page"; key: string; first: number; last: number };

/** Whether a value has parts or is folded, so that it can be opened. */
export function opens(value: Json): boolean {
  if (typeof value === "string") return isLong(value);
  return typeof value === "object" && value !== null && size(value) > 0;
}

export function isLong(text: string): boolean {
  return text.length > LONG || text.includes("\n");
}

/** How many parts a value has. */
export function size(value: Json): number {
  if (Array.isArray(value)) return value.length;
  return typeof value === "object" && value !== null ? Object.keys(value).length : 0;
}

/** What is below a value, or below a page of it: at most a hundred parts, or pages of them. */
export function below(value: Json, page?: { first: number; last: number }): Node[] {
  if (typeof value !== "object" || value === null) return [];
  const keys = Array.isArray(value) ? undefined : Object.keys(value);
  const all = keys?.length ?? (value as Json[]).length;
  const { first, last } = page ?? { first: 0, last: all - 1 };
  const number = last - first + 1;
  if (number <= PAGE) {
    return Array.from({ length: Math.max(0, number) }, (_, at): Node => {
      if (keys === undefined) {
        return { is: "part", key: String(first + at), place: true, value: (value as Json[])[first + at] ?? null };
      }
      const key = keys[first + at] ?? "";
      return { is: "part", key, place: false, value: (value as { [key: string]: Json })[key] ?? null };
    });
  }
  let step = PAGE;
  while (step * PAGE < number) step *= PAGE;
  return Array.from({ length: Math.ceil(number / step) }, (_, at): Node => {
    const from = first + at * step;
    return { is: "page", key: `${from}-`, first: from, last: Math.min(from + step - 1, last) };
  });
}

/** A value on one line: a text in quotes, a number as it is, how much a list or an object has. */
export function summary(value: Json, most = LONG): string {
  if (typeof value === "string") {
    return quoted(short(value, most));
  }
  if (Array.isArray(value)) return value.length === 0 ? "[]" : `[ ${counted(value.length, "item")} ]`;
  if (typeof value === "object" && value !== null) {
    const number = size(value);
    return number === 0 ? "{}" : `{ ${counted(number, "field")} }`;
  }
  return String(value);
}

/** A text in quotes, in which everything is seen. */
export function quoted(text: string): string {
  const escaped = visible(text).replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\t", "\\t");
  return `"${escaped}"`;
}

/** Whether a number has more digits than are kept: it may be another one than was sent. */
export function isRounded(value: number): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

/** Whether a value has at most so many parts in all. */
export function isSmall(value: Json, most: number): boolean {
  let left = most;
  const waiting: Json[] = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    left -= 1;
    if (left < 0) return false;
    if (typeof next === "string" && isLong(next)) return false;
    if (typeof next === "object" && next !== null) {
      if (size(next) > left) return false;
      waiting.push(...(Array.isArray(next) ? next : Object.values(next)));
    }
  }
  return true;
}
