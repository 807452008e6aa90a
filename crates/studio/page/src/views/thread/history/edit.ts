// What a person writes to change a state, checked before it is sent; and which field a refusal of the server is about.

import type { JsonObject } from "../../../api/types.ts";
import { readJson } from "../../../parts/form/json-text.ts";
import { keysOf } from "../../../parts/form/pointer.ts";
import { validate } from "../../../parts/form/validate.ts";

/** What is wrong, by field; that of the whole is under the empty name. */
export type Problems = ReadonlyMap<string, string>;

export type Edit =
  | { values: JsonObject; problems: Problems }
  /** What is no object of fields; `offset` is where the text is no JSON. */
  | { values: undefined; problems: Problems; offset: number | undefined };

/** Reads the fields to change. `schema` is that of the state; of a change no field is required. */
export function readEdit(text: string, schema: JsonObject | undefined): Edit {
  const read = readJson(text);
  if ("problem" in read) {
    return { values: undefined, problems: new Map([["", read.problem.message]]), offset: read.problem.offset };
  }
  const { value } = read;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const problems = new Map([["", "Give an object with the fields to change."]]);
    return { values: undefined, problems, offset: undefined };
  }
  const problems = new Map<string, string>();
  if (schema !== undefined) {
    const { required: _, ...rest } = schema;
    for (const [place, message] of validate(rest, value)) {
      const [field = "", ...inner] = keysOf(place);
      if (problems.has(field)) continue;
      problems.set(field, inner.length === 0 ? message : `at ${inner.join(" › ")}: ${message}`);
    }
    const known = schema.properties;
    if (typeof known === "object" && known !== null && !Array.isArray(known)) {
      for (const field of Object.keys(value)) {
        if (!Object.hasOwn(known, field)) problems.set(field, "The graph has no field of this name.");
      }
    }
  }
  return { values: value, problems };
}

/** The field that a refusal is about, as the server names it. */
export function fieldOf(refusal: string, values: JsonObject): string {
  const named = [...refusal.matchAll(/`([^`]+)`/g)].map((found) => found[1] ?? "");
  return named.find((name) => Object.hasOwn(values, name)) ?? "";
}

/** Where a field begins in the text, as its name in quotes. */
export function placeOf(text: string, field: string): number | undefined {
  const at = text.indexOf(JSON.stringify(field));
  return at < 0 ? undefined : at;
}
