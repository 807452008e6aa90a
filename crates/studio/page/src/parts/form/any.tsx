// A part of a form: the field that its schema and its value ask for.

import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Json } from "../../api/types.ts";
import { isObject } from "../json-values.ts";
import { ArrayField } from "./array.tsx";
import { type Field, fieldOf, initial, isPlain } from "./fields.ts";
import { GroupFrame } from "./frame.tsx";
import { ObjectField } from "./object.tsx";
import { emptyOf, type Part, useWhole, type Whole } from "./part.ts";
import { BooleanField, ChoiceField, NumberField, TextField } from "./plain.tsx";
import { RawField } from "./raw.tsx";
import { type Schema, text } from "./schema.ts";
import { VariantsField } from "./variants.tsx";

/** Lists longer than this are text: nobody edits so many items one by one. */
const MOST_ITEMS = 200;

/** Why the field of a schema cannot show a value. */
function unfit(field: Field, value: Json): string | undefined {
  switch (field.kind) {
    case "text":
      return typeof value === "string" ? undefined : "Shown as JSON: the value is no text.";
    case "number":
      if (typeof value === "number" || typeof value === "string") return undefined;
      return "Shown as JSON: the value is no number.";
    case "boolean":
      return typeof value === "boolean" ? undefined : "Shown as JSON: the value is neither yes nor no.";
    case "object":
      return isObject(value) ? undefined : "Shown as JSON: the value is no object.";
    case "array":
      if (!Array.isArray(value)) return "Shown as JSON: the value is no list.";
      if (value.length <= MOST_ITEMS) return undefined;
      return `Shown as JSON: the list has ${value.length} items, too many for fields.`;
    default:
      return undefined;
  }
}

export function FormPart(part: Part): JSX.Element {
  const { root } = useWhole();
  const field = useMemo(() => fieldOf(root, part.schema, part.refs), [root, part.schema, part.refs]);
  const [isOpened, setOpened] = useState(false);
  const label = titled(part.schema, field, part.label);
  const onRemove = () => {
    setOpened(false);
    part.onChange(emptyOf(part, field));
  };
  const given = { ...part, label, onRemove };
  const { value } = part;
  if (field.kind === "raw") return <RawField part={given} field={field} reason={field.reason ?? "any JSON value"} />;
  if (value === undefined || value === null) {
    const canBegin = value === undefined && (part.place === "" || beginsEmpty(root, field));
    const isHere = isPlain(field) || isOpened || canBegin;
    if (!isHere) return <Missing part={given} field={field} onOpen={() => setOpened(true)} />;
    // An item that was added and has no value yet is an empty field.
    const isEmpty = part.required && isPlain(field);
    if (value === null && !field.nullable && !isOpened && !isEmpty) {
      return <RawField part={given} field={field} reason="Shown as JSON: the value is nothing (null)." />;
    }
  } else {
    const reason = unfit(field, value);
    if (reason !== undefined) return <RawField part={given} field={field} reason={reason} />;
  }
  switch (field.kind) {
    case "text":
      return <TextField {...given} field={field} />;
    case "number":
      return <NumberField {...given} field={field} />;
    case "boolean":
      return <BooleanField {...given} field={field} />;
    case "choice":
      return <ChoiceField {...given} field={field} />;
    case "object":
      return <ObjectField {...given} field={field} />;
    case "array":
      return <ArrayField {...given} field={field} />;
    case "variants":
      return <VariantsField {...given} field={field} />;
  }
}

/** A part by its own name; a title that says more stands beside it. */
function titled(schema: Schema, field: Field, label: string): string {
  const title = text(schema, "title");
  const same = (title ?? "").replaceAll(/[\s_-]/g, "").toLowerCase() === label.replaceAll(/[\s_-]/g, "").toLowerCase();
  return title === undefined || same || field.kind === "raw" ? label : `${label} (${title})`;
}

/** Whether a field can be shown before there is a value: lists, and values whose first kind has one control. */
function beginsEmpty(root: Schema, field: Field): boolean {
  if (field.kind === "array") return true;
  const first = field.kind === "variants" ? field.variants[0] : undefined;
  return first !== undefined && isPlain(fieldOf(root, first.schema, field.refs));
}

/** A part that is not there: it is opened when it is asked for, so that schemas which lead in a circle end. */
function Missing({ part, field, onOpen }: { part: Part; field: Field; onOpen: () => void }): JSX.Element {
  const whole = useWhole();
  const add = () => {
    onOpen();
    // What may be nothing begins with what is there when it is not.
    const schema = field.kind === "variants" ? (field.variants[0]?.schema ?? true) : part.schema;
    const first = initial(whole.root, schema) ?? EMPTY[field.kind];
    if (first !== undefined) part.onChange(first);
    requestAnimationFrame(() => focusIn(whole, part.place));
  };
  return (
    <GroupFrame part={part} field={field}>
      <div>
        <button type="button" class="add" onClick={add}>
          Add {part.label}
        </button>
      </div>
    </GroupFrame>
  );
}

const EMPTY: Partial<Record<Field["kind"], Json>> = { object: {}, array: [] };

function focusIn(whole: Whole, place: string): void {
  const here = document.querySelector(`[data-form="${CSS.escape(whole.id)}"] [data-place="${CSS.escape(place)}"]`);
  here?.querySelector<HTMLElement>("input, select, textarea, button")?.focus();
}
