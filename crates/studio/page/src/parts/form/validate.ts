// Whether a value fits a JSON Schema, and where it does not.

import type { Json, JsonObject } from "../../api/types.ts";
import { equal, isObject } from "../json-values.ts";
import { fitsFormat } from "./formats.ts";
import { inside } from "./pointer.ts";
import { type Schema, schemaOf, schemasOf, stringsOf, target, typesOf } from "./schema.ts";

/** What is wrong with a value, by the place in it: of each place the first thing. It is empty where the value fits. */
export function validate(schema: Schema, value: Json | undefined): Map<string, string> {
  const problems = new Map<string, string>();
  if (value === undefined) problems.set("", NEEDED);
  else check({ root: schema, problems, followed: [] }, schema, value, "");
  return problems;
}

/** How a value fits a part of a schema. */
export function validatePart(root: Schema, schema: Schema, value: Json): Map<string, string> {
  const problems = new Map<string, string>();
  check({ root, problems, followed: [] }, schema, value, "");
  return problems;
}

const NEEDED = "A value is needed.";

interface Check {
  root: Schema;
  problems: Map<string, string>;
  /** References that were followed at the same place. */
  followed: readonly string[];
}

function typeOf(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

function isOfType(value: Json, type: string): boolean {
  return type === "integer" ? Number.isInteger(value) : typeOf(value) === type;
}

const TYPES: Record<string, string> = {
  string: "a text",
  integer: "a whole number",
  number: "a number",
  boolean: "yes or no",
  array: "a list",
  object: "an object",
  null: "nothing (null)",
};

function add(to: Check, place: string, message: string): void {
  if (!to.problems.has(place)) to.problems.set(place, message);
}

function check(at: Check, schema: Schema, value: Json, place: string): void {
  if (schema === true) return;
  if (schema === false) return add(at, place, "No value may be here.");
  if (typeof schema.$ref === "string" && !at.followed.includes(schema.$ref)) {
    const named = target(at.root, schema.$ref);
    if (named !== undefined) check({ ...at, followed: [...at.followed, schema.$ref] }, named, value, place);
  }
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) {
    return add(at, place, `This must be ${types.map((type) => TYPES[type] ?? type).join(" or ")}.`);
  }
  if (schema.const !== undefined && !equal(schema.const, value)) {
    add(at, place, `This must be ${JSON.stringify(schema.const)}.`);
  }
  if (Array.isArray(schema.enum) && !schema.enum.some((one) => equal(one, value))) {
    add(at, place, `This must be one of ${schema.enum.map((one) => JSON.stringify(one)).join(", ")}.`);
  }
  if (typeof value === "string") checkText(at, schema, value, place);
  else if (typeof value === "number") checkNumber(at, schema, value, place);
  else if (Array.isArray(value)) checkArray(at, schema, value, place);
  else if (isObject(value)) checkObject(at, schema, value, place);
  checkTogether(at, schema, value, place);
}

function number(schema: JsonObject, keyword: string): number | undefined {
  const value = schema[keyword];
  return typeof value === "number" ? value : undefined;
}

function checkText(at: Check, schema: JsonObject, value: string, place: string): void {
  const length = [...value].length;
  const [least, most] = [number(schema, "minLength"), number(schema, "maxLength")];
  if (least !== undefined && length < least) {
    const told = `At least ${least} characters are needed; these are ${length}.`;
    add(at, place, length === 0 ? "This must not be empty." : told);
  }
  if (most !== undefined && length > most) add(at, place, `At most ${most} characters are taken; these are ${length}.`);
  if (typeof schema.pattern === "string" && !matches(schema.pattern, value)) {
    add(at, place, `This must match the pattern ${schema.pattern}`);
  }
  if (typeof schema.format === "string") {
    const wanted = fitsFormat(schema.format, value);
    if (wanted !== undefined) add(at, place, `This must be ${wanted}.`);
  }
}

/** Whether a text has what a pattern describes. A pattern that the browser cannot read is left to the server. */
function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    return true;
  }
}

function checkNumber(at: Check, schema: JsonObject, value: number, place: string): void {
  const [least, most] = [number(schema, "minimum"), number(schema, "maximum")];
  const [above, below] = [number(schema, "exclusiveMinimum"), number(schema, "exclusiveMaximum")];
  const step = number(schema, "multipleOf");
  if (least !== undefined && value < least) add(at, place, `This must be ${least} or more.`);
  if (most !== undefined && value > most) add(at, place, `This must be ${most} or less.`);
  if (above !== undefined && value <= above) add(at, place, `This must be more than ${above}.`);
  if (below !== undefined && value >= below) add(at, place, `This must be less than ${below}.`);
  if (step !== undefined && step > 0 && Math.abs(value / step - Math.round(value / step)) > 1e-9) {
    add(at, place, `This must be a multiple of ${step}.`);
  }
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    add(at, place, "A browser cannot keep a whole number of this size exactly.");
  }
}

function checkArray(at: Check, schema: JsonObject, value: Json[], place: string): void {
  const [least, most] = [number(schema, "minItems"), number(schema, "maxItems")];
  if (least !== undefined && value.length < least) {
    add(at, place, `At least ${counted(least, "item", "items")} needed; here: ${value.length}.`);
  }
  if (most !== undefined && value.length > most) {
    add(at, place, `At most ${counted(most, "item", "items")} taken; here: ${value.length}.`);
  }
  if (schema.uniqueItems === true) {
    value.forEach((item, index) => {
      if (value.slice(0, index).some((before) => equal(before, item))) {
        add(at, inside(place, index), "This item is there twice.");
      }
    });
  }
  const first = schemasOf(schema.prefixItems);
  value.forEach((item, index) => {
    const part = first[index] ?? (schema.items === undefined ? true : schemaOf(schema.items));
    check({ ...at, followed: [] }, part, item, inside(place, index));
  });
  if (schema.contains !== undefined) {
    const fitting = value.filter((item) => validatePart(at.root, schemaOf(schema.contains), item).size === 0).length;
    const wanted = number(schema, "minContains") ?? 1;
    const limit = number(schema, "maxContains");
    if (fitting < wanted) add(at, place, `Too few items are of the kind that is needed: ${fitting} of ${wanted}.`);
    if (limit !== undefined && fitting > limit) {
      add(at, place, `Too many items are of one kind: ${fitting}, at most ${limit}.`);
    }
  }
}

function counted(count: number, one: string, several: string): string {
  return count === 1 ? `1 ${one} is` : `${count} ${several} are`;
}

function checkObject(at: Check, schema: JsonObject, value: JsonObject, place: string): void {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const patterns = isObject(schema.patternProperties) ? Object.entries(schema.patternProperties) : [];
  const names = Object.keys(value);
  for (const name of stringsOf(schema.required)) {
    if (!Object.hasOwn(value, name)) add(at, inside(place, name), NEEDED);
  }
  if (isObject(schema.dependentRequired)) {
    for (const [name, needs] of Object.entries(schema.dependentRequired)) {
      if (!Object.hasOwn(value, name)) continue;
      for (const need of stringsOf(needs)) {
        if (!Object.hasOwn(value, need)) add(at, inside(place, need), `A value is needed where \`${name}\` has one.`);
      }
    }
  }
  const [least, most] = [number(schema, "minProperties"), number(schema, "maxProperties")];
  if (least !== undefined && names.length < least) {
    add(at, place, `At least ${counted(least, "entry", "entries")} needed.`);
  }
  if (most !== undefined && names.length > most) {
    add(at, place, `At most ${counted(most, "entry", "entries")} taken.`);
  }
  for (const name of names) {
    const inner = inside(place, name);
    const item = value[name] ?? null;
    const fresh = { ...at, followed: [] };
    const fitting = patterns.filter(([pattern]) => matches(pattern, name));
    if (schema.propertyNames !== undefined) {
      const [wrong] = validatePart(at.root, schemaOf(schema.propertyNames), name).values();
      if (wrong !== undefined) add(at, inner, `The name does not fit: ${wrong}`);
    }
    if (Object.hasOwn(properties, name)) check(fresh, schemaOf(properties[name]), item, inner);
    for (const [, part] of fitting) check(fresh, schemaOf(part), item, inner);
    if (!Object.hasOwn(properties, name) && fitting.length === 0 && schema.additionalProperties !== undefined) {
      if (schema.additionalProperties === false) add(at, inner, `There is no field \`${name}\` here.`);
      else check(fresh, schemaOf(schema.additionalProperties), item, inner);
    }
  }
}

/** The keywords that put schemas together. */
function checkTogether(at: Check, schema: JsonObject, value: Json, place: string): void {
  for (const part of schemasOf(schema.allOf)) check(at, part, value, place);
  if (schema.anyOf !== undefined) checkVariants(at, schemasOf(schema.anyOf), value, place, false);
  if (schema.oneOf !== undefined) checkVariants(at, schemasOf(schema.oneOf), value, place, true);
  if (schema.not !== undefined && fits(at, schemaOf(schema.not), value)) {
    add(at, place, "This value is not taken here.");
  }
  if (schema.if !== undefined) {
    const then = fits(at, schemaOf(schema.if), value) ? schema.then : schema.else;
    if (then !== undefined) check(at, schemaOf(then), value, place);
  }
}

function problemsOf(at: Check, schema: Schema, value: Json): Map<string, string> {
  const problems = new Map<string, string>();
  check({ ...at, problems }, schema, value, "");
  return problems;
}

function fits(at: Check, schema: Schema, value: Json): boolean {
  return problemsOf(at, schema, value).size === 0;
}

function checkVariants(at: Check, variants: Schema[], value: Json, place: string, exactlyOne: boolean): void {
  if (variants.length === 0) return;
  const found = variants.map((variant) => problemsOf(at, variant, value));
  const fitting = found.filter((problems) => problems.size === 0).length;
  if (fitting > 1 && exactlyOne) add(at, place, "This fits several of the variants; it must fit exactly one.");
  if (fitting > 0) return;
  const wholes = found.map((problems) => problems.get(""));
  if (wholes.every((whole) => whole !== undefined)) {
    const distinct = [...new Set(wholes)];
    const all = `This fits none of the variants. ${distinct.join(" Or: ")}`;
    add(at, place, distinct.length === 1 ? (distinct[0] ?? all) : all);
    return;
  }
  // The variant that is meant says what is wrong, at the field where it is wrong.
  for (const [inner, message] of found[closest(found)] ?? []) add(at, place + inner, message);
}

/** Which variant is meant, by the problems of each: a wrong type of the whole says that it is another. */
export function closest(found: readonly ReadonlyMap<string, string>[]): number {
  const weigh = (problems: ReadonlyMap<string, string>) => {
    const whole = problems.has("") ? 1000 : 0;
    const all = [...problems];
    const tags = all.filter(([, message]) => message.startsWith('This must be "')).length;
    const missing = all.filter(([place, message]) => message === NEEDED && place.lastIndexOf("/") === 0).length;
    return whole + tags * 100 + missing * 10 + problems.size;
  };
  const weights = found.map(weigh);
  return weights.indexOf(Math.min(...weights));
}
