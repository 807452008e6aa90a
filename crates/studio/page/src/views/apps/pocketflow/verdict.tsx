// The end of a review: approve, have it made again for a reason, or end the journey.

import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { CANCEL, reject, search } from "./sentences.ts";

export interface VerdictProps {
  /** The button that goes on. */
  children: ComponentChildren;
  /** Whether other literature can be asked for. */
  hasSearch?: boolean;
  say: (text: string) => void;
}

export function Verdict({ children, hasSearch = false, say }: VerdictProps): JSX.Element {
  const [reason, setReason] = useState("");
  return (
    <div class="pf-verdict">
      <div class="row">
        {children}
        <span class="grow" />
        <button type="button" class="danger" onClick={() => say(CANCEL)}>
          End this journey
        </button>
      </div>
      <div class="row">
        <label class="row grow">
          What is wrong
          <input
            class="grow"
            value={reason}
            placeholder="It reaches the next attempt"
            onInput={(event) => setReason(event.currentTarget.value)}
          />
        </label>
        <button type="button" onClick={() => say(reject(reason))}>
          Make it again
        </button>
        {hasSearch && (
          <button type="button" onClick={() => say(search(reason))}>
            Find other literature
          </button>
        )}
      </div>
    </div>
  );
}
