// What every part of a form is given, and what the whole form knows.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Json, JsonObject } from "../../api/types.ts";
import type { Field } from "./fields.ts";
import type { Schema } from "./schema.ts";

/** What the parts of a form share. */
export interface Whole {
  /** The schema in which references are looked up. */
  root: Schema;
  /** Begins the ids of the form's elements. */
  id: string;
  /** What is wrong, by place. */
  problems: ReadonlyMap<string, string>;
  /** Says that the text at a place is no JSON, or that it is JSON again. */
  unreadable(place: string, message: string | undefined): void;
}

export const WholeForm = createContext<Whole>({ root: true, id: "", problems: new Map(), unreadable: () => undefined });

export function useWhole(): Whole {
  return useContext(WholeForm);
}

/** A part of a form: the field of one value. */
export interface Part {
  schema: Schema;
  /** References that lead to the part. */
  refs: readonly string[];
  place: string;
  label: string;
  value: Json | undefined;
  /** Whether the value must be there. */
  required: boolean;
  /** `undefined` takes the value away. */
  onChange: (value: Json | undefined) => void;
  /** Takes a part away that was opened. */
  onRemove?: () => void;
  /** Without a frame and a name of its own: what is around it has them. */
  bare?: boolean;
}

/** A part whose field is known. */
export type PartOf<K extends Field["kind"]> = Part & { field: Extract<Field, { kind: K }> };

/** What an empty control stands for. */
export function emptyOf(part: Part, field: Field): Json | undefined {
  if (!part.required) return undefined;
  if (field.nullable) return null;
  return field.kind === "text" ? "" : undefined;
}

/** An object with one member changed, in its order; `undefined` takes it away. */
export function withMember(of: JsonObject, name: string, value: Json | undefined): JsonObject {
  const entries: [string, Json][] = [];
  for (const [key, member] of Object.entries(of)) {
    if (key !== name) entries.push([key, member]);
    else if (value !== undefined) entries.push([key, value]);
  }
  if (!Object.hasOwn(of, name) && value !== undefined) entries.push([name, value]);
  return Object.fromEntries(entries);
}

/** The id of the element of a place. */
export function idOf(whole: Whole, place: string, what = "control"): string {
  const safe = place.replaceAll(/[^\w-]/g, (character) => `.${character.charCodeAt(0).toString(16)}`);
  return `${whole.id}-${what}${safe}`;
}
