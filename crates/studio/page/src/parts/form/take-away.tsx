// Takes a part of a form away that may be missing.

import type { JSX } from "preact";
import type { Part } from "./part.ts";
import type { Field } from "./fields.ts";

export function TakeAway({ part, field }: { part: Part; field: Field }): JSX.Element | null {
  const isThere = part.value !== undefined && part.value !== null;
  if (part.place === "" || !isThere || part.onRemove === undefined || (part.required && !field.nullable)) return null;
  return (
    <button type="button" aria-label={`Remove ${part.label}`} onClick={() => part.onRemove?.()}>
      Remove
    </button>
  );
}
