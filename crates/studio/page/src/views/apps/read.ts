// Fields of states, whose form the server vouches for and a saved file does not: what is not there is empty.

import type { Json, JsonObject } from "../../api/types.ts";
import { isObject } from "../../parts/json-values.ts";

export function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

export function objectsOf(value: Json | undefined): JsonObject[] {
  return listOf(value).filter(isObject);
}

export function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

export function textsOf(value: Json | undefined): string[] {
  return listOf(value).filter((one) => typeof one === "string");
}

export function numberOf(value: Json | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** Beginning and end, in bytes of a text. */
export type Span = [start: number, end: number];

export function spanOf(value: Json | undefined): Span | undefined {
  if (!Array.isArray(value)) return undefined;
  const [start, end] = value;
  return typeof start === "number" && typeof end === "number" ? [start, end] : undefined;
}

/** A map of the state: an object, or as an update tells it, a list of keys with their values. */
export function entriesOf(value: Json | undefined): [key: string, value: JsonObject][] {
  const pairs: [Json, Json | undefined][] = Array.isArray(value)
    ? value.flatMap((one): [Json, Json | undefined][] => (Array.isArray(one) ? [[one[0] ?? null, one[1]]] : []))
    : Object.entries(objectOf(value));
  return pairs.flatMap(([key, one]): [string, JsonObject][] => (isObject(one) ? [[String(key), one]] : []));
}
