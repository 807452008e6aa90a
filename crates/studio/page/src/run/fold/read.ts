// Reads fields of events. What is not as it should be is said in words, and ends the reading of this one event.

import type { Json, JsonObject } from "../../api/types.ts";
import { isObject } from "../../parts/json-values.ts";

/** An event that is not of the expected shape; the message says why. */
export class Unexpected extends Error {}

export function text(from: JsonObject, field: string): string {
  const value = from[field];
  if (typeof value !== "string") throw new Unexpected(`\`${field}\` is no text`);
  return value;
}

export function textOr<T>(from: JsonObject, field: string, otherwise: T): string | T {
  const value = from[field];
  return typeof value === "string" ? value : otherwise;
}

export function number(from: JsonObject, field: string): number {
  const value = from[field];
  if (typeof value !== "number" || !Number.isFinite(value)) throw new Unexpected(`\`${field}\` is no number`);
  return value;
}

export function object(from: JsonObject, field: string): JsonObject {
  const value = from[field];
  if (!isObject(value)) throw new Unexpected(`\`${field}\` is no object`);
  return value;
}

export function list(from: JsonObject, field: string): Json[] {
  const value = from[field];
  if (!Array.isArray(value)) throw new Unexpected(`\`${field}\` is no list`);
  return value;
}

/** An error as text, however it is told. */
export function errorText(value: Json | undefined): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  if (isObject(value) && typeof value.message === "string") return value.message;
  return JSON.stringify(value);
}
