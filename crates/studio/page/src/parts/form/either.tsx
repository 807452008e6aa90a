// A value as the fields of its schema or as JSON text, whichever a person likes better.

import type { JSX } from "preact";
import { useId, useMemo, useRef, useState } from "preact/hooks";
import type { Json, JsonObject } from "../../api/types.ts";
import { initial } from "./fields.ts";
import { SchemaForm } from "./form.tsx";
import { spoken } from "./pointer.ts";
import { JsonText } from "./raw.tsx";
import { saysNothing } from "./schema.ts";
import { validate } from "./validate.ts";

/** A value while it is written. */
export interface Draft {
  value: Json | undefined;
  as: "fields" | "json";
  /** Texts that are meant as JSON and are none, by place: the value is not what the person wrote. */
  unreadable: ReadonlyMap<string, string>;
}

const NOTHING: ReadonlyMap<string, string> = new Map();

/** The draft with which a schema begins. */
export function draftOf(schema: JsonObject | null | undefined, value?: Json): Draft {
  const hasFields = schema !== null && schema !== undefined && !saysNothing(schema);
  const first = value ?? (hasFields ? initial(schema, schema) : undefined);
  return { value: first, as: hasFields ? "fields" : "json", unreadable: NOTHING };
}

/** What is wrong with a draft, by place. */
export function problemsOf(schema: JsonObject | null | undefined, draft: Draft): ReadonlyMap<string, string> {
  if (draft.unreadable.size > 0) return draft.unreadable;
  return validate(schema ?? true, draft.value);
}

export function EitherForm({
  schema,
  draft,
  problems,
  label,
  onChange,
}: {
  schema: JsonObject | null | undefined;
  draft: Draft;
  /** What is wrong, as far as it is to be shown. */
  problems: ReadonlyMap<string, string>;
  label: string;
  onChange: (draft: Draft) => void;
}): JSX.Element {
  const id = useId();
  const [filled, setFilled] = useState(0);
  const hasFields = schema !== null && schema !== undefined && !saysNothing(schema);
  const fields = hasFields && draft.as === "fields";
  // A text that is no JSON says so itself.
  const { unreadable } = draft;
  const others = useMemo(
    () => new Map([...problems].filter(([place]) => !unreadable.has(place))),
    [problems, unreadable],
  );
  // What is told of a text comes after the next key may have been pressed: it is put to the newest draft, not to the one that
  // was drawn.
  const newest = useRef(draft);
  newest.current = draft;
  const give = (change: Partial<Draft>) => {
    newest.current = { ...newest.current, ...change };
    onChange(newest.current);
  };
  const turn = (as: Draft["as"]) => {
    setFilled(filled + 1);
    give({ as, unreadable: NOTHING });
  };
  return (
    <div class="either">
      {hasFields && (
        <div class="row" role="group" aria-label={`${label} as`}>
          <button type="button" aria-pressed={fields} onClick={() => turn("fields")}>
            Fields
          </button>
          <button type="button" aria-pressed={!fields} onClick={() => turn("json")}>
            JSON
          </button>
        </div>
      )}
      {fields ? (
        <SchemaForm
          key={filled}
          schema={schema}
          value={draft.value}
          label={label}
          problems={others}
          onChange={(value) => give({ value })}
          onUnreadable={(unreadable) => give({ unreadable })}
        />
      ) : (
        <div class="field" data-place="">
          <label for={id}>{label} as JSON</label>
          <JsonText
            key={filled}
            ties={{
              id,
              "aria-invalid": problems.size > 0,
              "aria-describedby": others.size > 0 ? `${id}-problems` : undefined,
            }}
            value={draft.value}
            onChange={(value) => give({ value, unreadable: NOTHING })}
            onUnreadable={(message) => {
              const unreadable = message === undefined ? NOTHING : new Map([["", message]]);
              if (newest.current.unreadable.get("") !== message) give({ unreadable });
            }}
          />
          {others.size > 0 && (
            <div id={`${id}-problems`}>
              {[...others].map(([place, message]) => (
                <p key={place} class="field-problem">
                  {place !== "" && <code>{spoken(place)} </code>}
                  {message}
                </p>
              ))}
            </div>
          )}
        </div>
      )}
    </div>
  );
}
