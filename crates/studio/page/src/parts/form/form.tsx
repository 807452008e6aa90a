// A form for the value of a JSON Schema.

import type { JSX } from "preact";
import { useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Json, JsonObject } from "../../api/types.ts";
import { FormPart } from "./any.tsx";
import { WholeForm } from "./part.ts";
import { spoken } from "./pointer.ts";

const NO_REFS: readonly string[] = [];

/**
 * A form for a value. `problems` are shown at the fields of their places, JSON pointers. `onUnreadable` is told of
 * texts that are meant as JSON and are none, by place: as long as there is one the value is not what was written.
 */
export function SchemaForm({
  schema,
  value,
  onChange,
  problems,
  label = "Value",
  onUnreadable,
}: {
  schema: JsonObject;
  value: Json | undefined;
  onChange: (value: Json) => void;
  problems: ReadonlyMap<string, string>;
  label?: string;
  onUnreadable?: (texts: ReadonlyMap<string, string>) => void;
}): JSX.Element {
  const id = useId();
  const texts = useRef<ReadonlyMap<string, string>>(new Map());
  const told = useRef(onUnreadable);
  told.current = onUnreadable;
  const unreadable = (place: string, message: string | undefined) => {
    if (texts.current.get(place) === message) return;
    const next = new Map(texts.current);
    if (message === undefined) next.delete(place);
    else next.set(place, message);
    texts.current = next;
    told.current?.(next);
  };
  const whole = useMemo(() => ({ root: schema, id, problems, unreadable }), [schema, id, problems]);
  const form = useRef<HTMLDivElement>(null);
  const [elsewhere, setElsewhere] = useState<string[]>([]);
  // What is wrong where no field is shown is said above the fields.
  useLayoutEffect(() => {
    const shown = new Set<string>();
    for (const element of form.current?.querySelectorAll<HTMLElement>("[data-place]") ?? []) {
      shown.add(element.dataset.place ?? "");
    }
    const missed = [...problems.keys()].filter((place) => !shown.has(place));
    if (missed.join("\n") !== elsewhere.join("\n")) setElsewhere(missed);
  });
  return (
    <div ref={form} class="form" data-form={id}>
      {elsewhere.map((place) => (
        <p key={place} class="field-problem" tabIndex={-1} data-focus="true">
          {place !== "" && <code>{spoken(place)} </code>}
          {problems.get(place)}
        </p>
      ))}
      <WholeForm.Provider value={whole}>
        <FormPart
          schema={schema}
          refs={NO_REFS}
          place=""
          label={label}
          value={value}
          required
          bare
          onChange={(to) => onChange(to ?? null)}
        />
      </WholeForm.Provider>
    </div>
  );
}

/** Leads whoever sent a form to the first thing that is wrong in it. */
export function focusProblem(within: HTMLElement | null): void {
  requestAnimationFrame(() => {
    const first = within?.querySelector<HTMLElement>('[aria-invalid="true"], [data-focus="true"]');
    first?.focus({ preventScroll: true });
    first?.scrollIntoView({ block: "center" });
  });
}
