// A value as JSON text: what no field shows, and whatever a person would rather write.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Json } from "../../api/types.ts";
import type { Field } from "./fields.ts";
import { ControlFrame, type Ties } from "./frame.tsx";
import { jsonText, readJson } from "./json-text.ts";
import { type Part, useWhole } from "./part.ts";
import { isWithin, spoken } from "./pointer.ts";

export function RawField({
  part,
  field,
  reason,
}: {
  part: Part;
  field: Field;
  reason: string | undefined;
}): JSX.Element {
  const whole = useWhole();
  const { place, value } = part;
  useEffect(() => () => whole.unreadable(place, undefined), [place]);
  const inner = [...whole.problems].filter(([at]) => at !== place && isWithin(at, place));
  return (
    <>
      <ControlFrame part={part} field={field} hint={reason}>
        {(ties) => (
          <JsonText
            ties={{ ...ties, "aria-invalid": ties["aria-invalid"] || inner.length > 0 }}
            value={value}
            onChange={(to) => part.onChange(to)}
            onUnreadable={(message) => whole.unreadable(place, message)}
          />
        )}
      </ControlFrame>
      {inner.map(([at, message]) => (
        <p key={at} class="field-problem" data-place={at}>
          <code>{spoken(at)}</code> {message}
        </p>
      ))}
    </>
  );
}

/** A text field of JSON. An empty text is no value; one that is no JSON says where it is wrong. */
export function JsonText({
  ties,
  value,
  onChange,
  onUnreadable,
}: {
  ties: Partial<Ties> & { id: string };
  value: Json | undefined;
  onChange: (value: Json | undefined) => void;
  onUnreadable: (message: string | undefined) => void;
}): JSX.Element {
  const area = useRef<HTMLTextAreaElement>(null);
  // What was written, and the value that it gave: another value from outside takes its place.
  const [draft, setDraft] = useState({ text: jsonText(value), gave: value });
  const current = draft.gave === value ? draft.text : jsonText(value);
  const read = current.trim() === "" ? undefined : readJson(current);
  const problem = read !== undefined && "problem" in read ? read.problem : undefined;
  useEffect(() => onUnreadable(problem?.message), [problem?.message]);
  const write = (text: string) => {
    const to = text.trim() === "" ? undefined : readJson(text);
    if (to !== undefined && "problem" in to) {
      setDraft({ text, gave: value });
      return;
    }
    setDraft({ text, gave: to?.value });
    onChange(to?.value);
  };
  const show = () => {
    if (problem === undefined || area.current === null) return;
    area.current.focus();
    area.current.setSelectionRange(problem.offset, problem.offset + 1);
  };
  return (
    <>
      <textarea
        {...ties}
        ref={area}
        class="mono"
        spellcheck={false}
        autocomplete="off"
        rows={Math.min(16, Math.max(3, current.split("\n").length + 1))}
        value={current}
        aria-invalid={problem !== undefined || ties["aria-invalid"] === true}
        onInput={(event) => write(event.currentTarget.value)}
      />
      {problem !== undefined && (
        <p class="field-problem">
          {problem.message}{" "}
          <button type="button" class="plain" onClick={show}>
            Show the place
          </button>
        </p>
      )}
    </>
  );
}
