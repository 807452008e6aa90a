// The sign of a type of task: a pen, a lamp, a lens. Its shape tells it, the colour only helps.

import type { JSX } from "preact";
import type { TaskType } from "./node.ts";

const SHAPES: Record<TaskType, JSX.Element> = {
  write: <path d="M3 13l.8-3.2L11 2.6a1.2 1.2 0 0 1 1.7 0l.7.7a1.2 1.2 0 0 1 0 1.7L6.2 12.2Zm7-9.4 2.4 2.4" />,
  think: <path d="M6 11.6c0-1.2-2-2.3-2-4.8a4 4 0 0 1 8 0c0 2.5-2 3.6-2 4.8Zm.3 2.4h3.4" />,
  search: <path d="M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9Zm3.3 7.8 3.7 3.7" />,
};

export function TypeSign({ type }: { type: TaskType }): JSX.Element {
  return (
    <svg class={`type-sign is-${type}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      {SHAPES[type]}
    </svg>
  );
}
