// What differs between two JSON values: fields, items of lists, words and lines of texts.

import { diffArrays, diffLines, diffWordsWithSpace } from "diff";
import type { Json, JsonObject } from "../api/types.ts";
import { equal, isObject } from "./json-values.ts";

export type Change =
  | { is: "same"; value: Json }
  | { is: "added"; value: Json }
  | { is: "removed"; value: Json }
  /** Another value that has nothing in common with the one before. */
  | { is: "changed"; before: Json; after: Json }
  | { is: "text"; by: "words" | "lines"; parts: TextPart[] }
  | { is: "object"; fields: Field[] }
  /** `appended` is how many items were put at the end, where nothing else changed. */
  | { is: "array"; items: Item[]; appended: number };

export interface TextPart {
  is: "same" | "added" | "removed";
  text: string;
}

export interface Field {
  key: string;
  change: Change;
}

/** One item of a list, or a run of items that are the same. */
export type Item =
  | { is: "run"; before: number; after: number; length: number; values: Json[] }
  | { is: "item"; before: number | undefined; after: number | undefined; change: Change };

/** The search for what two lists or texts have in common stops here, and they count as replaced. */
const EDITS = 4000;
const MILLISECONDS = 300;
/** Texts that are shorter are replaced as a whole. */
const LONG_TEXT = 32;
/** How far another item of the same id is looked for. */
const AHEAD = 200;

/** What differs between two values; a value that is not there is `undefined`. */
export function difference(before: Json | undefined, after: Json | undefined): Change {
  if (before === undefined) return after === undefined ? { is: "same", value: null } : { is: "added", value: after };
  if (after === undefined) return { is: "removed", value: before };
  if (equal(before, after)) return { is: "same", value: after };
  if (typeof before === "string" && typeof after === "string") return texts(before, after);
  if (Array.isArray(before) && Array.isArray(after)) return lists(before, after);
  if (isObject(before) && isObject(after)) return objects(before, after);
  return { is: "changed", before, after };
}

/** A field of an object itself, and nothing that every object inherits. */
function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function objects(before: JsonObject, after: JsonObject): Change {
  const keys = [...Object.keys(after), ...Object.keys(before).filter((key) => !Object.hasOwn(after, key))];
  return { is: "object", fields: keys.map((key) => ({ key, change: difference(own(before, key), own(after, key)) })) };
}

function texts(before: string, after: string): Change {
  const changed: Change = { is: "changed", before, after };
  if (Math.max(before.length, after.length) < LONG_TEXT || before === "" || after === "") return changed;
  const lines = Math.max(before.split("\n").length, after.split("\n").length);
  const by = lines > 20 || before.length + after.length > 20_000 ? "lines" : "words";
  if (after.startsWith(before)) {
    const parts: TextPart[] = [
      { is: "same", text: before },
      { is: "added", text: after.slice(before.length) },
    ];
    return { is: "text", by: "words", parts };
  }
  const options = { maxEditLength: EDITS, timeout: MILLISECONDS };
  const found = by === "lines" ? diffLines(before, after, options) : diffWordsWithSpace(before, after, options);
  if (found === undefined) return changed;
  const parts = found.map(({ added, removed, value }): TextPart => {
    return { is: added ? "added" : removed ? "removed" : "same", text: value };
  });
  const common = parts.reduce((length, part) => length + (part.is === "same" ? part.text.length : 0), 0);
  // Two texts that share a few blanks are two texts.
  return common * 4 < Math.min(before.length, after.length) ? changed : { is: "text", by, parts };
}

/** A text by which equal values are known. */
function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null)}`).join(",")}}`;
}

function lists(before: readonly Json[], after: readonly Json[]): Change {
  let start = 0;
  const shorter = Math.min(before.length, after.length);
  while (start < shorter && equal(before[start] ?? null, after[start] ?? null)) start += 1;
  let end = 0;
  while (
    end < shorter - start &&
    equal(before[before.length - 1 - end] ?? null, after[after.length - 1 - end] ?? null)
  ) {
    end += 1;
  }
  const made = new Items(before, after);
  made.same(start);
  const [left, right] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  for (const part of inCommon(left, right)) {
    if (part.is === "same") made.same(part.length);
    else made.replaced(part.removed, part.added);
  }
  made.same(end);
  return { is: "array", items: made.items, appended: start === before.length ? after.length - before.length : 0 };
}

type Part = { is: "same"; length: number } | { is: "replaced"; removed: number; added: number };

/** What two lists have in common, in their order. */
function inCommon(before: readonly Json[], after: readonly Json[]): Part[] {
  const all: Part[] = [{ is: "replaced", removed: before.length, added: after.length }];
  if (before.length === 0 || after.length === 0) return all;
  // Lists of many items that are all others are not worth the search.
  if (before.length + after.length > 2 * EDITS) return all;
  const ids = new Map<string, number>();
  const numbered = (value: Json): number => {
    const text = canonical(value);
    const id = ids.get(text) ?? ids.size;
    ids.set(text, id);
    return id;
  };
  const options = { maxEditLength: EDITS, timeout: MILLISECONDS };
  const found = diffArrays(before.map(numbered), after.map(numbered), options);
  if (found === undefined) return all;
  const parts: Part[] = [];
  for (const { added, removed, value } of found) {
    if (!added && !removed) {
      parts.push({ is: "same", length: value.length });
      continue;
    }
    const last = parts.at(-1);
    const replaced: Part = last?.is === "replaced" ? last : { is: "replaced", removed: 0, added: 0 };
    if (replaced !== last) parts.push(replaced);
    if (added) replaced.added += value.length;
    else replaced.removed += value.length;
  }
  return parts;
}

/** The items of a difference, gathered in order. */
class Items {
  readonly items: Item[] = [];
  private before = 0;
  private after = 0;

  constructor(
    private readonly old: readonly Json[],
    private readonly now: readonly Json[],
  ) {}

  same(length: number): void {
    if (length === 0) return;
    const values = this.now.slice(this.after, this.after + length);
    this.items.push({ is: "run", before: this.before, after: this.after, length, values });
    this.before += length;
    this.after += length;
  }

  /** So many items are gone, and so many have come: those that seem to be the same one are compared. */
  replaced(removed: number, added: number): void {
    const [oldEnd, nowEnd] = [this.before + removed, this.after + added];
    while (this.before < oldEnd || this.after < nowEnd) {
      const old = this.before < oldEnd ? this.old[this.before] : undefined;
      const now = this.after < nowEnd ? this.now[this.after] : undefined;
      if (old === undefined || now === undefined) {
        if (old !== undefined) this.take(old, undefined);
        else this.take(undefined, now);
      } else if (alike(old, now)) {
        this.take(old, now);
      } else if (follows(this.now, this.after + 1, nowEnd, idOf(old))) {
        this.take(undefined, now);
      } else {
        this.take(old, undefined);
      }
    }
  }

  private take(old: Json | undefined, now: Json | undefined): void {
    const before = old === undefined ? undefined : this.before++;
    const after = now === undefined ? undefined : this.after++;
    this.items.push({ is: "item", before, after, change: difference(old, now) });
  }
}

function idOf(value: Json): string | undefined {
  const id = isObject(value) ? (value.id ?? value.key) : undefined;
  return typeof id === "string" || typeof id === "number" ? String(id) : undefined;
}

function follows(values: readonly Json[], from: number, to: number, id: string | undefined): boolean {
  if (id === undefined) return false;
  return values.slice(from, Math.min(to, from + AHEAD)).some((value) => idOf(value) === id);
}

/** Whether an item may be a later form of another one. */
function alike(old: Json, now: Json): boolean {
  if (isObject(old) && isObject(now)) return idOf(old) === idOf(now);
  if (Array.isArray(old) && Array.isArray(now)) return true;
  return typeof old === "string" && typeof now === "string" && texts(old, now).is === "text";
}

/** How many values were added, removed and changed. */
export interface Tally {
  added: number;
  removed: number;
  changed: number;
}

export function tally(change: Change, into: Tally = { added: 0, removed: 0, changed: 0 }): Tally {
  switch (change.is) {
    case "same":
      break;
    case "added":
      into.added += 1;
      break;
    case "removed":
      into.removed += 1;
      break;
    case "changed":
    case "text":
      into.changed += 1;
      break;
    case "object":
      for (const { change: inner } of change.fields) tally(inner, into);
      break;
    case "array":
      for (const item of change.items) if (item.is === "item") tally(item.change, into);
  }
  return into;
}
