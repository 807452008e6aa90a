// A field with a control that is not made of a schema: its name, what it is for, what is wrong with it.

import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";

export interface Tied {
  id: string;
  "aria-invalid": boolean;
  "aria-describedby": string | undefined;
}

export function Box({
  label,
  hint,
  problem,
  children,
}: {
  label: string;
  hint?: ComponentChildren;
  problem?: string | undefined;
  children: (tied: Tied) => ComponentChildren;
}): JSX.Element {
  const id = useId();
  const hasHint = hint !== undefined && hint !== false;
  const described = [hasHint && `${id}-hint`, problem !== undefined && `${id}-problem`].filter((one) => one !== false);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        "aria-invalid": problem !== undefined,
        "aria-describedby": described.length === 0 ? undefined : described.join(" "),
      })}
      {hasHint && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
      {problem !== undefined && (
        <p id={`${id}-problem`} class="field-problem">
          {problem}
        </p>
      )}
    </div>
  );
}
