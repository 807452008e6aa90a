// Which field a form shows for a schema, and with what value it begins.

import type { Json, JsonObject } from "../../api/types.ts";
import { equal, isObject } from "../json-values.ts";
import { flatten, saysNothing, type Schema, schemaOf, schemasOf, stringsOf, text, typesOf } from "./schema.ts";
import { closest, validatePart } from "./validate.ts";

export interface Option {
  label: string;
  value: Json;
  about: string | undefined;
}

export interface Variant {
  label: string;
  schema: Schema;
}

export interface Property {
  name: string;
  schema: Schema;
  required: boolean;
}

export type Kind =
  | { kind: "text"; long: boolean; format: string | undefined }
  | { kind: "number"; whole: boolean }
  | { kind: "boolean" }
  | { kind: "choice"; options: Option[] }
  | { kind: "object"; properties: Property[]; more: Schema | undefined }
  | { kind: "array"; first: Schema[]; items: Schema; least: number; most: number }
  | { kind: "variants"; variants: Variant[] }
  | { kind: "raw"; reason: string | undefined };

/** What a form shows for a schema. */
export type Field = Kind & {
  title: string | undefined;
  description: string | undefined;
  /** Whether `null` is a value. */
  nullable: boolean;
  default: Json | undefined;
  /** What the value must be, in words: `1 to 10`, `at most 80 characters`. */
  limits: string | undefined;
  /** The references that lead here; one that is there twice leads in a circle. */
  refs: readonly string[];
};

/** The field for a schema. */
export function fieldOf(root: Schema, schema: Schema, refs: readonly string[] = []): Field {
  const flat = flatten(root, schema, refs);
  const about = (of: Schema) => ({
    title: text(of, "title"),
    description: text(of, "description"),
    default: isObject(of) ? of.default : undefined,
  });
  if ("reason" in flat) {
    return { kind: "raw", reason: flat.reason, nullable: true, limits: undefined, refs, ...about(schema) };
  }
  const { kind, nullable, refs: inner } = kindOf(root, flat.schema, flat.refs);
  return { ...kind, nullable, limits: limitsOf(flat.schema), refs: inner, ...about(flat.schema) };
}

interface Found {
  kind: Kind;
  nullable: boolean;
  refs: readonly string[];
}

/** Keywords that no field shows. */
const NOT_SHOWN = [
  "patternProperties",
  "if",
  "not",
  "dependentSchemas",
  "contains",
  "propertyNames",
  "unevaluatedProperties",
];

function kindOf(root: Schema, schema: JsonObject, refs: readonly string[]): Found {
  const found = (kind: Kind, nullable = false): Found => ({ kind, nullable, refs });
  if (schema.const !== undefined) {
    return found({ kind: "choice", options: [option(schema.const, schema)] }, schema.const === null);
  }
  if (Array.isArray(schema.enum)) {
    const values = schema.enum.filter((value) => value !== null);
    const options = values.map((value) => option(value, {}));
    return found({ kind: "choice", options }, values.length < schema.enum.length);
  }
  const hidden = NOT_SHOWN.find((keyword) => schema[keyword] !== undefined);
  if (hidden !== undefined) return found({ kind: "raw", reason: `The schema has \`${hidden}\`, which has no field.` });
  if (schema.oneOf !== undefined && schema.anyOf !== undefined) {
    return found({ kind: "raw", reason: "The schema has `oneOf` and `anyOf` for one value." });
  }
  const several = schema.oneOf ?? schema.anyOf;
  if (several !== undefined) return variantsOf(root, schema, schemasOf(several), refs);
  const types = typesOf(schema);
  const nullable = types.includes("null");
  const named = types.filter((type) => type !== "null");
  if (named.length > 1) {
    const variants = named.map((type) => ({ label: KINDS[type] ?? type, schema: { ...schema, type } }));
    return found({ kind: "variants", variants }, nullable);
  }
  const type = named[0] ?? (nullable ? "null" : implied(schema));
  switch (type) {
    case "string":
      return found({ kind: "text", long: isLong(schema), format: formatOf(schema) }, nullable);
    case "integer":
    case "number":
      return found({ kind: "number", whole: type === "integer" }, nullable);
    case "boolean":
      return found({ kind: "boolean" }, nullable);
    case "object":
      return found(objectOf(schema), nullable);
    case "array":
      return found(arrayOf(schema), nullable);
    case "null":
      return found({ kind: "choice", options: [] }, true);
  }
  return found({ kind: "raw", reason: undefined }, true);
}

const KINDS: Record<string, string> = {
  string: "text",
  integer: "whole number",
  number: "number",
  boolean: "yes or no",
  array: "list",
  object: "object",
};

/** The type that keywords are of, where none is named. */
function implied(schema: JsonObject): string | undefined {
  if (isObject(schema.properties) || isObject(schema.additionalProperties)) return "object";
  if (schema.items !== undefined || schema.prefixItems !== undefined) return "array";
  return undefined;
}

function formatOf(schema: JsonObject): string | undefined {
  return typeof schema.format === "string" ? schema.format : undefined;
}

const LONG_NAMES = /text|content|body|description|prompt|draft|message|query|request|notes?$|comment|feedback|reason/i;

/** A text of more than a line: by its limit, or by what the schema calls it. */
function isLong(schema: JsonObject): boolean {
  if (typeof schema.maxLength === "number") return schema.maxLength > 120;
  if (schema.format !== undefined) return schema.format === "textarea" || schema.format === "markdown";
  if (schema.pattern !== undefined) return false;
  return LONG_NAMES.test(text(schema, "title") ?? "");
}

/** Whether a property of this name has a text of more than a line. */
export function namesLongText(name: string): boolean {
  return LONG_NAMES.test(name);
}

function objectOf(schema: JsonObject): Kind {
  const required = stringsOf(schema.required);
  const named = isObject(schema.properties) ? schema.properties : {};
  const properties = Object.entries(named).map(([name, property]) => ({
    name,
    schema: schemaOf(property),
    required: required.includes(name),
  }));
  for (const name of required) {
    if (!Object.hasOwn(named, name)) {
      properties.push({ name, schema: schemaOf(schema.additionalProperties), required: true });
    }
  }
  const open = schema.additionalProperties;
  // An object without any named field is one of any fields.
  const isOpen = open === undefined ? properties.length === 0 : open !== false;
  const more = isOpen ? schemaOf(open) : undefined;
  return { kind: "object", properties, more };
}

function arrayOf(schema: JsonObject): Kind {
  const first = schemasOf(schema.prefixItems);
  const items = schema.items === undefined ? true : schemaOf(schema.items);
  const least = typeof schema.minItems === "number" ? schema.minItems : 0;
  let most = typeof schema.maxItems === "number" ? schema.maxItems : Number.POSITIVE_INFINITY;
  if (items === false) most = Math.min(most, first.length);
  return { kind: "array", first, items, least, most };
}

function option(value: Json, schema: Schema): Option {
  return {
    label: text(schema, "title") ?? (typeof value === "string" && value !== "" ? value : JSON.stringify(value)),
    value,
    about: text(schema, "description"),
  };
}

/** The values of a schema that has a few only. */
function constants(schema: JsonObject): Option[] | undefined {
  if (schema.const !== undefined) return [option(schema.const, schema)];
  const values = schema.enum;
  if (!Array.isArray(values)) return undefined;
  const about = values.length === 1 ? schema : {};
  return values.map((value) => option(value, about));
}

function variantsOf(root: Schema, schema: JsonObject, several: Schema[], refs: readonly string[]): Found {
  const { oneOf: _one, anyOf: _any, ...base } = schema;
  const { title: _title, description: _description, default: _default, $defs: _defs, ...rules } = base;
  const hasRules = Object.keys(rules).some((keyword) => !keyword.startsWith("$"));
  let nullable = false;
  const variants: { whole: Schema; flat: JsonObject }[] = [];
  for (const part of several) {
    const whole: Schema = hasRules ? { allOf: [rules, part] } : part;
    const flat = flatten(root, whole, refs);
    if ("reason" in flat) {
      variants.push({ whole, flat: {} });
    } else if (flat.schema.const === null || flat.schema.type === "null") {
      nullable = true;
    } else {
      variants.push({ whole, flat: flat.schema });
    }
  }
  const constant = variants.map(({ flat }) => constants(flat));
  if (variants.length > 0 && constant.every((options) => options !== undefined)) {
    const options = constant.flat().filter((one) => one.value !== null);
    const holdsNull = constant.flat().some((one) => one.value === null);
    return { kind: { kind: "choice", options }, nullable: nullable || holdsNull, refs };
  }
  const [only] = variants;
  if (only !== undefined && variants.length === 1) {
    const flat = flatten(root, only.whole, refs);
    if (!("reason" in flat)) {
      const inner = kindOf(root, flat.schema, flat.refs);
      return { ...inner, nullable: nullable || inner.nullable };
    }
  }
  const labelled = variants.map(({ whole, flat }, index) => ({ label: labelOf(whole, flat, index), schema: whole }));
  return { kind: { kind: "variants", variants: labelled }, nullable, refs };
}

/** A variant by its title, its tag, its only value, its only field, its reference or its type. */
function labelOf(whole: Schema, flat: JsonObject, index: number): string {
  const title = text(flat, "title");
  if (title !== undefined) return title;
  const options = constants(flat);
  if (options !== undefined) return options.map((one) => one.label).join(" or ");
  const properties = isObject(flat.properties) ? flat.properties : {};
  for (const [name, property] of Object.entries(properties)) {
    const tags = isObject(property) ? constants(property) : undefined;
    if (tags?.length === 1 && tags[0] !== undefined) return `${name}: ${tags[0].label}`;
  }
  const required = stringsOf(flat.required);
  if (required.length === 1 && required[0] !== undefined && Object.keys(properties).length === 1) return required[0];
  if (isObject(whole) && typeof whole.$ref === "string") return whole.$ref.split("/").pop() ?? whole.$ref;
  const [type] = typesOf(flat);
  if (type !== undefined) return KINDS[type] ?? type;
  return saysNothing(flat) ? "any value" : `variant ${index + 1}`;
}

/** The variant that a value is of, or is closest to. */
export function variantOf(root: Schema, variants: readonly Variant[], value: Json): number {
  return closest(variants.map((variant) => validatePart(root, variant.schema, value)));
}

/** What a value must be, in words. */
function limitsOf(schema: JsonObject): string | undefined {
  const parts: string[] = [];
  const range = (least: Json | undefined, most: Json | undefined, what: string) => {
    const of = (count: number) => (what === "" ? String(count) : `${count} ${what}${count === 1 ? "" : "s"}`);
    // Of a length, 0 or more says nothing.
    const from = typeof least === "number" && (least > 0 || what === "") ? least : undefined;
    if (from !== undefined && from === most) parts.push(of(from));
    else if (from !== undefined && typeof most === "number") parts.push(`${from} to ${of(most)}`);
    else if (from !== undefined) parts.push(`${of(from)} or more`);
    else if (typeof most === "number") parts.push(`at most ${of(most)}`);
  };
  range(schema.minLength, schema.maxLength, "character");
  range(schema.minItems, schema.maxItems, "item");
  range(schema.minimum, schema.maximum, "");
  if (typeof schema.exclusiveMinimum === "number") parts.push(`more than ${schema.exclusiveMinimum}`);
  if (typeof schema.exclusiveMaximum === "number") parts.push(`less than ${schema.exclusiveMaximum}`);
  if (typeof schema.multipleOf === "number") parts.push(`a multiple of ${schema.multipleOf}`);
  if (schema.uniqueItems === true) parts.push("none twice");
  if (typeof schema.pattern === "string") parts.push(`pattern ${schema.pattern}`);
  return parts.length === 0 ? undefined : parts.join(", ");
}

/** Whether a field has a control of one value, which is empty where there is none. */
export function isPlain(field: Field): boolean {
  return field.kind === "text" || field.kind === "number" || field.kind === "boolean" || field.kind === "choice";
}

/**
 * The value with which a part of a form begins: the schema's default, else the least that has the fields which are
 * needed. It is `undefined` where a person has to say it, and where the schema leads in a circle.
 */
export function initial(root: Schema, schema: Schema, refs: readonly string[] = []): Json | undefined {
  const field = fieldOf(root, schema, refs);
  if (field.default !== undefined) return field.default;
  if (new Set(field.refs).size < field.refs.length) return undefined;
  switch (field.kind) {
    case "object": {
      const value: JsonObject = {};
      for (const property of field.properties) {
        const first = property.required ? initial(root, property.schema, field.refs) : undefined;
        if (first !== undefined) value[property.name] = first;
      }
      return value;
    }
    case "array": {
      const items: Json[] = [];
      while (items.length < Math.min(field.least, 20)) {
        items.push(initial(root, field.first[items.length] ?? field.items, field.refs) ?? null);
      }
      return items;
    }
    case "text":
      return field.nullable ? null : "";
    case "choice":
      if (field.options.length === 0) return null;
      return field.options.length === 1 && !field.nullable ? field.options[0]?.value : undefined;
    case "boolean":
      return field.nullable ? null : false;
    case "variants": {
      const [first] = field.variants;
      return field.nullable ? null : first && initial(root, first.schema, field.refs);
    }
    case "number":
      return field.nullable ? null : undefined;
    case "raw":
      return undefined;
  }
}

/** The place of a value among options; -1 where it is none of them. */
export function optionOf(options: readonly Option[], value: Json | undefined): number {
  return value === undefined ? -1 : options.findIndex((one) => equal(one.value, value));
}
