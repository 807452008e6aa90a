// The sign of a status: its shape tells it, the colour only helps.

import type { JSX } from "preact";
import type { Standing } from "./tally.ts";

const SHAPES: Record<Standing | "none", JSX.Element> = {
  waiting: <path d="M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2ZM8 5v3.3l2.2 1.4" />,
  running: <path class="turns" d="M8 2a6 6 0 1 1-5.6 3.8" />,
  done: <path d="m2.5 8.5 3.6 3.7 7.4-8.4" />,
  failed: <path d="m3.5 3.5 9 9m0-9-9 9" />,
  asking: <path d="M5 5.6a3 3 0 1 1 4.4 2.7c-.9.5-1.4 1-1.4 2v.3M8 13.4v.2" />,
  stopped: <path d="M3.5 3.5h9v9h-9Z" />,
  skipped: <path d="m3 3.5 4.5 4.5L3 12.5m5.5-9L13 8l-4.5 4.5" />,
  none: <path d="M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11Z" stroke-dasharray="2 2.3" />,
};

/** `undefined` is a node that was not reached. */
export function Sign({ status }: { status: Standing | undefined }): JSX.Element {
  return (
    <svg class="graph-sign" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      {SHAPES[status ?? "none"]}
    </svg>
  );
}
