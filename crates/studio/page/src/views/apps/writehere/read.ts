// Fields of JSON that may be of another kind than is expected.

import type { Json, JsonObject } from "../../../api/types.ts";
import { isObject } from "../../../parts/json-values.ts";

export function text(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

export function number(value: Json | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}

export function list(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

/** The texts of a list. */
export function texts(value: Json | undefined): string[] {
  return list(value).filter((one) => typeof one === "string");
}

/** The objects of a list. */
export function objects(value: Json | undefined): JsonObject[] {
  return list(value).filter(isObject);
}
