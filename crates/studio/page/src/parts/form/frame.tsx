// What stands around a field: its name, what it is for, what is wrong with it.

import type { ComponentChildren, JSX } from "preact";
import type { Field } from "./fields.ts";
import { idOf, type Part, useWhole } from "./part.ts";

/** Attributes that tie a control to its name, its hint and its problem. */
export interface Ties {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": boolean;
  "aria-required": boolean;
  "aria-label": string | undefined;
}

function hintOf(field: Field, more: string | undefined): string | undefined {
  const isPreset = field.default !== undefined && field.default !== null;
  const preset = isPreset ? `unless said, ${JSON.stringify(field.default)}` : undefined;
  const parts = [field.description, field.limits, preset, more].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(" · ");
}

/** What is wrong at a place. It can be focused where no control stands for it. */
export function FieldProblem({ place, focusable = false }: { place: string; focusable?: boolean }): JSX.Element | null {
  const whole = useWhole();
  const message = whole.problems.get(place);
  if (message === undefined) return null;
  return (
    <p
      id={idOf(whole, place, "problem")}
      class="field-problem"
      tabIndex={focusable ? -1 : undefined}
      data-focus={focusable}
    >
      {message}
    </p>
  );
}

/** A control of one value with its name. */
export function ControlFrame({
  part,
  field,
  hint,
  children,
}: {
  part: Part;
  field: Field;
  /** What is said beside what the schema says. */
  hint?: string | undefined;
  children: (ties: Ties) => ComponentChildren;
}): JSX.Element {
  const whole = useWhole();
  const id = idOf(whole, part.place);
  const told = hintOf(field, hint);
  const wrong = whole.problems.has(part.place);
  const hintId = told === undefined ? undefined : idOf(whole, part.place, "hint");
  const problemId = wrong ? idOf(whole, part.place, "problem") : undefined;
  const described = [hintId, problemId].filter((one) => one !== undefined);
  const ties: Ties = {
    id,
    "aria-describedby": described.length === 0 ? undefined : described.join(" "),
    "aria-invalid": wrong,
    "aria-required": part.required,
    "aria-label": part.bare ? part.label : undefined,
  };
  return (
    <div class="field" data-place={part.place}>
      {!part.bare && (
        <label for={id}>
          {part.label} {part.required && <Needed />}
        </label>
      )}
      {children(ties)}
      {told !== undefined && (
        <p id={idOf(whole, part.place, "hint")} class="hint">
          {told}
        </p>
      )}
      <FieldProblem place={part.place} />
    </div>
  );
}

export function Needed(): JSX.Element {
  return <span class="needed">needed</span>;
}

/** Several fields with a name together. `actions` stand beside the name. */
export function GroupFrame({
  part,
  field,
  actions,
  isAround = false,
  children,
}: {
  part: Part;
  field: Field;
  /** Whether a field inside is of the same place, and says what is wrong there. */
  isAround?: boolean;
  actions?: ComponentChildren;
  children?: ComponentChildren;
}): JSX.Element {
  const told = hintOf(field, undefined);
  const body = (
    <>
      {told !== undefined && <p class="hint">{told}</p>}
      {!isAround && <FieldProblem place={part.place} focusable />}
      {children}
    </>
  );
  if (part.bare) {
    return (
      <div class="form-fields" data-place={part.place}>
        {body}
        {actions && <div class="row">{actions}</div>}
      </div>
    );
  }
  return (
    <fieldset class="group" data-place={part.place}>
      <legend>
        {part.label} {part.required && <Needed />}
      </legend>
      {body}
      {actions && <div class="row">{actions}</div>}
    </fieldset>
  );
}
