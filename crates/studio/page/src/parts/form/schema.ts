// JSON Schema as `schemars` and pydantic write it: its references, and schemas that hold together.

import type { Json, JsonObject } from "../../api/types.ts";
import { isObject } from "../json-values.ts";
import { keysOf } from "./pointer.ts";

/** A schema: an object of keywords, or `true` for any value and `false` for none. */
export type Schema = JsonObject | boolean;

/** A part of a schema that should be a schema; any value where it is not one. */
export function schemaOf(value: Json | undefined): Schema {
  return isObject(value) || value === false ? value : true;
}

export function schemasOf(value: Json | undefined): Schema[] {
  return Array.isArray(value) ? value.map(schemaOf) : [];
}

export function stringsOf(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

/** What a reference within the schema names, `#/$defs/Name`; nothing for one that leads elsewhere. */
export function target(root: Schema, ref: string): Schema | undefined {
  if (!ref.startsWith("#")) return undefined;
  let at: Json | undefined = root;
  let pointer: string;
  try {
    pointer = decodeURIComponent(ref.slice(1));
  } catch {
    return undefined;
  }
  if (pointer !== "" && !pointer.startsWith("/")) return undefined;
  for (const key of keysOf(pointer)) {
    if (Array.isArray(at)) at = at[Number(key)];
    else if (isObject(at) && Object.hasOwn(at, key)) at = at[key];
    else return undefined;
  }
  return isObject(at) || typeof at === "boolean" ? at : undefined;
}

/** Keywords that tell of a schema and say nothing about values. */
const ABOUT = new Set([
  "title",
  "description",
  "default",
  "examples",
  "$comment",
  "deprecated",
  "readOnly",
  "writeOnly",
]);

/** A schema with its references and its `allOf` written out, or why that cannot be done. */
export type Flat = { schema: JsonObject; refs: readonly string[] } | { reason: string };

/** Writes out the references and the `allOf` of a schema at its first level. `refs` were followed before. */
export function flatten(root: Schema, schema: Schema, refs: readonly string[] = []): Flat {
  if (schema === true) return { schema: {}, refs };
  if (schema === false) return { reason: "The schema takes no value here." };
  const { $ref: ref, allOf, ...own } = schema;
  let flat: Flat = { schema: {}, refs };
  if (typeof ref === "string") {
    if (refs.length > 64) return { reason: "The schema's references lead in a circle." };
    const named = target(root, ref);
    if (named === undefined) return { reason: `The schema refers to ${ref}, which is not in it.` };
    flat = flatten(root, named, [...refs, ref]);
  }
  for (const part of schemasOf(allOf)) {
    if ("reason" in flat) return flat;
    const more = flatten(root, part, flat.refs);
    if ("reason" in more) return more;
    flat = both(flat.schema, more.schema, more.refs);
  }
  return "reason" in flat ? flat : both(flat.schema, own, flat.refs);
}

/** Two schemas that both hold, as one. What the second tells of itself goes before what the first does. */
function both(first: JsonObject, second: JsonObject, refs: readonly string[]): Flat {
  const merged: JsonObject = { ...first };
  for (const [keyword, value] of Object.entries(second)) {
    const known = merged[keyword];
    if (known === undefined || ABOUT.has(keyword) || keyword.startsWith("$")) {
      merged[keyword] = value;
    } else if (keyword === "required") {
      merged[keyword] = [...new Set([...stringsOf(known), ...stringsOf(value)])];
    } else if (keyword === "properties" && isObject(known) && isObject(value)) {
      const properties: JsonObject = { ...known };
      for (const [name, property] of Object.entries(value)) {
        const other = properties[name];
        properties[name] = other === undefined ? property : { allOf: [other, property] };
      }
      merged[keyword] = properties;
    } else if (keyword === "type") {
      const types = stringsOf([known].flat()).filter((type) => stringsOf([value].flat()).includes(type));
      if (types.length === 0) return { reason: "The schema asks for two types at once." };
      merged[keyword] = types.length === 1 ? (types[0] as string) : types;
    } else if (JSON.stringify(known) !== JSON.stringify(value)) {
      return { reason: `The schema has two rules of the kind \`${keyword}\` for one value.` };
    }
  }
  return { schema: merged, refs };
}

/** The types that a schema names; all where it names none. */
export function typesOf(schema: JsonObject): string[] {
  const { type } = schema;
  return typeof type === "string" ? [type] : stringsOf(type);
}

/** Whether a schema says nothing about values. */
export function saysNothing(schema: Schema | undefined): boolean {
  if (schema === undefined || schema === true) return true;
  if (!isObject(schema)) return false;
  return Object.keys(schema).every((name) => ABOUT.has(name) || (name.startsWith("$") && name !== "$ref"));
}

/** The text of a keyword, where there is one. */
export function text(schema: Schema, keyword: "title" | "description"): string | undefined {
  const value = isObject(schema) ? schema[keyword] : undefined;
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}
