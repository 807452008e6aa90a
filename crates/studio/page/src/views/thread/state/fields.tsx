// The fields of a state, or what differs in them.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { JsonObject } from "../../../api/types.ts";
import { Empty } from "../../../parts/basics.tsx";
import { difference } from "../../../parts/diff.ts";
import { counted, visible } from "../../../parts/text.ts";
import { ChangedField, Field } from "./field.tsx";

export function Fields({ values }: { values: JsonObject }): JSX.Element {
  const fields = Object.entries(values);
  if (fields.length === 0) return <Empty>No field has a value yet.</Empty>;
  return (
    <>
      {fields.map(([name, value]) => (
        <Field key={name} name={name} value={value} />
      ))}
    </>
  );
}

/** What leads from one state to another. */
export function ChangedFields({ before, after }: { before: JsonObject; after: JsonObject }): JSX.Element {
  const change = useMemo(() => difference(before, after), [before, after]);
  const fields = change.is === "object" ? change.fields : [];
  const differ = fields.filter((field) => field.change.is !== "same");
  const unchanged = fields.filter((field) => field.change.is === "same").map((field) => field.key);
  const same = change.is === "same" ? Object.keys(after) : unchanged;
  return (
    <>
      {differ.length === 0 && <Empty>No field differs.</Empty>}
      {differ.map((field) => (
        <ChangedField key={field.key} name={field.key} change={field.change} />
      ))}
      {same.length > 0 && (
        <p class="quiet">
          {counted(same.length, "field")} unchanged: {same.map(visible).join(", ")}
        </p>
      )}
    </>
  );
}
