// Whether the tree is a list or a drawing.

import type { JSX } from "preact";

export interface TreeFormProps {
  isDrawn: boolean;
  onChange: (isDrawn: boolean) => void;
}

export function TreeForm({ isDrawn, onChange }: TreeFormProps): JSX.Element {
  return (
    <div class="row" role="group" aria-label="The tree as">
      <button type="button" aria-pressed={!isDrawn} onClick={() => onChange(false)}>
        List
      </button>
      <button type="button" aria-pressed={isDrawn} onClick={() => onChange(true)}>
        Drawing
      </button>
    </div>
  );
}
