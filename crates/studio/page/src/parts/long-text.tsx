// A text as it is written. A long one is shown in parts.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { count, visible } from "./text.ts";

/** Characters that are shown first, and with every step. */
const STEP = 20_000;

export function LongText({ text }: { text: string }): JSX.Element {
  const [shown, show] = useState(STEP);
  const rest = text.length - shown;
  return (
    <div class="long-text">
      <pre>{visible(text.slice(0, shown))}</pre>
      {rest > 0 && (
        <button type="button" onClick={() => show(shown + 10 * STEP)}>
          Show more ({count(rest)} characters are left)
        </button>
      )}
    </div>
  );
}
