// How a field can be shown, by what is in it.

import type { Json } from "../../../api/types.ts";
import { isObject } from "../../../parts/json-values.ts";

export type Kind = "messages" | "markdown" | "text" | "table" | "json";

export const KIND_NAMES: Record<Kind, string> = {
  messages: "conversation",
  markdown: "Markdown",
  text: "source",
  table: "table",
  json: "JSON",
};

/** Values of a list that are looked at. */
const LOOKED_AT = 50;
/** Columns of a table at most, and characters of a value in it. */
const COLUMNS = 24;
const LONG = 2000;

/** The ways to show a value, the best one first. */
export function kindsOf(value: Json): Kind[] {
  if (typeof value === "string") {
    if (isMarkdown(value)) return ["markdown", "text", "json"];
    return ["text", "markdown", "json"];
  }
  if (Array.isArray(value) && value.length > 0) {
    if (value.slice(0, LOOKED_AT).every(isMessage)) return ["messages", "json"];
    if (isTable(value)) return value.length > 1 ? ["table", "json"] : ["json", "table"];
  }
  return ["json"];
}

/** Whether a text has signs that are seldom in plain texts. */
export function isMarkdown(text: string): boolean {
  const part = text.slice(0, 20_000);
  return (
    /^ {0,3}(#{1,6} \S|```|~~~|> \S|\[\^[^\]\s]+\]: )/m.test(part) ||
    /^ {0,3}([-*+]|\d{1,3}[.)]) \S.*\n+ {0,3}([-*+]|\d{1,3}[.)]) \S/m.test(part) ||
    /\*\*\S(.*\S)?\*\*|\[[^\]\n]+\]\([^)\s]+\)/.test(part) ||
    /^ {0,3}\|.+\|[ \t]*\n {0,3}\|[ :|-]+\|[ \t]*$/m.test(part)
  );
}

export function isMessage(value: Json): boolean {
  if (!isObject(value)) return false;
  const role = value.type ?? value.role;
  return typeof role === "string" && "content" in value;
}

function isTable(value: readonly Json[]): boolean {
  const rows = value.slice(0, LOOKED_AT);
  if (!rows.every((row) => isObject(row) && Object.values(row).every(isFlat))) return false;
  const columns = columnsOf(value);
  return columns.length > 0 && columns.length <= COLUMNS;
}

function isFlat(value: Json): boolean {
  return typeof value === "string" ? value.length <= LONG : typeof value !== "object" || value === null;
}

/** The fields of the rows, in their order. */
export function columnsOf(rows: readonly Json[]): string[] {
  const names = new Set<string>();
  for (const row of rows.slice(0, 1000)) if (isObject(row)) for (const name of Object.keys(row)) names.add(name);
  return [...names];
}

/** The order of rows by a column: numbers by size, anything else as text; rows without a value come last. */
export function order(rows: readonly Json[], column: string, down: boolean): number[] {
  const value = (at: number): Json | undefined => {
    const row = rows[at];
    return isObject(row) ? row[column] : undefined;
  };
  const collator = new Intl.Collator(undefined, { numeric: true });
  return rows
    .map((_, at) => at)
    .sort((a, b) => {
      const [left, right] = [value(a), value(b)];
      const isNone = (one: Json | undefined) => one === undefined || one === null;
      if (isNone(left) || isNone(right)) return Number(isNone(left)) - Number(isNone(right)) || a - b;
      const areNumbers = typeof left === "number" && typeof right === "number";
      const byValue = areNumbers ? left - right : collator.compare(String(left), String(right));
      return (down ? -byValue : byValue) || a - b;
    });
}
