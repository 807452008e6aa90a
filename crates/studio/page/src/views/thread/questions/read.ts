// What a question says: its readable texts first, then everything else it brings.

import type { Interrupt, Json, JsonObject } from "../../../api/types.ts";
import { saysNothing } from "../../../parts/form/schema.ts";
import { isObject } from "../../../parts/json-values.ts";
import { planAsked } from "../../apps/writehere/review/asked.ts";

/** Fields that ask, then those that show what is asked about. */
const ASKS = ["question", "message", "prompt", "title", "description", "instructions"];
const SHOWS = ["draft", "reply", "text", "content", "outline", "plan", "proposal", "report", "summary", "body"];
/** Fields that describe the answer: they are its form. */
const SCHEMAS = ["response_schema", "schema"];
const CHOICES = ["options", "choices"];

export interface Reading {
  /** What is asked. */
  asks: string[];
  /** Texts that it is about, by their names. */
  texts: [name: string, text: string][];
  /** Everything else. */
  rest: [name: string, value: Json][];
  /** The whole, where it is neither a text nor an object. */
  whole: Json | undefined;
}

export function read(value: Json): Reading {
  const reading: Reading = { asks: [], texts: [], rest: [], whole: undefined };
  if (typeof value === "string") return { ...reading, asks: [value] };
  if (!isObject(value)) return { ...reading, whole: value };
  const known = new Set<string>();
  const text = (name: string) => {
    const field = value[name];
    if (typeof field !== "string" || field.trim() === "") return undefined;
    known.add(name);
    return field;
  };
  for (const name of ASKS) {
    const found = text(name);
    if (found !== undefined) reading.asks.push(found);
  }
  for (const name of SHOWS) {
    const found = text(name);
    if (found !== undefined) reading.texts.push([name, found]);
  }
  for (const [name, field] of Object.entries(value)) {
    if (known.has(name) || (SCHEMAS.includes(name) && isObject(field))) continue;
    // A text of several lines is to be read, whatever its name is.
    if (typeof field === "string" && field.includes("\n")) reading.texts.push([name, field]);
    else reading.rest.push([name, field]);
  }
  return reading;
}

/** The first line of a question, for lists. */
export function headline(value: Json): string {
  const { asks, texts, rest, whole } = read(value);
  const line = (text: string) => text.split("\n").find((one) => one.trim() !== "")?.replace(/^#+\s*/, "").trim() ?? "";
  const plan = planAsked(value);
  if (plan !== undefined) return `Review the plan: ${line(plan.goal)}`;
  const said = asks[0] ?? texts[0]?.[1];
  if (said !== undefined) return line(said);
  if (whole !== undefined) return JSON.stringify(whole);
  const told = (field: Json) => (typeof field === "string" ? field : JSON.stringify(field));
  return rest.map(([name, field]) => `${name}: ${told(field)}`).join(", ");
}

/** The beginning of what a question is about, beside its first line. */
export function subject(value: Json): string {
  const { asks, texts } = read(value);
  const text = asks.length > 0 ? texts[0]?.[1] : undefined;
  return text?.split("\n").find((one) => one.trim() !== "")?.trim() ?? "";
}

/** The schema of the answer: the node's own, or one that the question brings. */
export function answerSchema(question: Interrupt): JsonObject | undefined {
  const brought = isObject(question.value) ? SCHEMAS.map((name) => (question.value as JsonObject)[name]) : [];
  const schema = [question.response_schema, ...brought].find(isObject);
  return schema === undefined || saysNothing(schema) ? undefined : schema;
}

/** Answers that the question names, where it names some. */
export function choicesOf(value: Json): Json[] {
  if (!isObject(value)) return [];
  const named = CHOICES.map((name) => value[name]).find(Array.isArray);
  return named?.filter((one) => typeof one === "string" || typeof one === "number") ?? [];
}

/** The text that a person may want to change and send back. */
export function draftIn(value: Json): string {
  return read(value).texts[0]?.[1] ?? "";
}
