// Fields of one value: a text, a number, yes or no, a choice.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Json } from "../../api/types.ts";
import { namesLongText, optionOf } from "./fields.ts";
import { ControlFrame } from "./frame.tsx";
import { emptyOf, type PartOf } from "./part.ts";

const INPUTS: Record<string, string> = { date: "date", email: "email", uri: "url", url: "url", password: "password" };

export function TextField(part: PartOf<"text">): JSX.Element {
  const { field, value, onChange } = part;
  const text = typeof value === "string" ? value : "";
  const give = (to: string) => onChange(to === "" ? emptyOf(part, field) : to);
  // A text with line breaks would lose them in a field of one line.
  const long = field.long || namesLongText(part.place.split("/").pop() ?? "") || text.includes("\n");
  const format = field.format !== undefined && !(field.format in INPUTS) ? field.format : undefined;
  return (
    <ControlFrame part={part} field={field} hint={format}>
      {(ties) =>
        long && field.format === undefined ? (
          <textarea
            {...ties}
            rows={Math.min(12, Math.max(2, text.split("\n").length + 1))}
            value={text}
            onInput={(event) => give(event.currentTarget.value)}
          />
        ) : (
          <input
            {...ties}
            type={(INPUTS[field.format ?? ""] ?? "text") as "text"}
            autocomplete="off"
            value={text}
            onInput={(event) => give(event.currentTarget.value)}
          />
        )
      }
    </ControlFrame>
  );
}

/** A number as it is written. What is none is given as its text, so that it is refused and not lost. */
function read(text: string): Json {
  const trimmed = text.trim();
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(trimmed) ? Number(trimmed) : text;
}

export function NumberField(part: PartOf<"number">): JSX.Element {
  const { field, value, onChange } = part;
  // `1.0` is on its way to `1.05`: what is written stays as long as it means the value.
  const [draft, setDraft] = useState("");
  const kept = draft !== "" && read(draft) === value;
  const text = kept ? draft : value === undefined || value === null ? "" : String(value);
  return (
    <ControlFrame part={part} field={field} hint={field.whole ? "a whole number" : "a number"}>
      {(ties) => (
        <input
          {...ties}
          type="text"
          inputMode={field.whole ? "numeric" : "decimal"}
          autocomplete="off"
          value={text}
          onInput={(event) => {
            const written = event.currentTarget.value;
            setDraft(written);
            onChange(written.trim() === "" ? emptyOf(part, field) : read(written));
          }}
        />
      )}
    </ControlFrame>
  );
}

export function BooleanField(part: PartOf<"boolean">): JSX.Element {
  const { field, value, onChange } = part;
  const given = value === true ? "yes" : value === false ? "no" : "";
  return (
    <ControlFrame part={part} field={field}>
      {(ties) => (
        <select
          {...ties}
          value={given}
          onChange={(event) => {
            const to = event.currentTarget.value;
            onChange(to === "" ? emptyOf(part, field) : to === "yes");
          }}
        >
          {(given === "" || !part.required || field.nullable) && <option value="">not said</option>}
          <option value="yes">yes</option>
          <option value="no">no</option>
        </select>
      )}
    </ControlFrame>
  );
}

export function ChoiceField(part: PartOf<"choice">): JSX.Element {
  const { field, value, onChange } = part;
  const chosen = optionOf(field.options, value);
  const other = chosen < 0 && value !== undefined && value !== null;
  return (
    <ControlFrame part={part} field={field} hint={field.options[chosen]?.about}>
      {(ties) => (
        <select
          {...ties}
          value={String(chosen)}
          onChange={(event) => {
            const option = field.options[Number(event.currentTarget.value)];
            onChange(option === undefined ? emptyOf(part, field) : option.value);
          }}
        >
          {other ? (
            <option value="-1">{JSON.stringify(value)}</option>
          ) : (
            (chosen < 0 || !part.required || field.nullable) && (
              <option value="-1">{value === null && field.nullable ? "nothing (null)" : "not said"}</option>
            )
          )}
          {field.options.map((option, index) => (
            <option key={index} value={String(index)}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </ControlFrame>
  );
}
