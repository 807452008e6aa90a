// The working memory: what the run keeps in mind, the newest first.

import type { JSX } from "preact";
import { count, visible } from "../../../parts/text.ts";
import type { Memory } from "./work.ts";

export function MemoryList({ memory }: { memory: readonly Memory[] }): JSX.Element {
  return (
    <ol class="memory" tabIndex={0} aria-label="Working memory, newest first">
      {[...memory].reverse().map((entry) => (
        <li key={entry.id}>
          <div class="row quiet">
            <strong class={`memory-kind is-${entry.kind}`}>{visible(entry.kind)}</strong>
            <span>
              {visible(entry.phase)}
              {entry.iteration > 0 && ` ${entry.iteration}`}
            </span>
            <meter
              min={0}
              max={1}
              value={entry.importance}
              aria-label="importance"
              title={`importance ${entry.importance.toFixed(2)}`}
            />
          </div>
          <p>
            {visible(entry.content)}
            {entry.omitted > 0 && <span class="quiet"> … {count(entry.omitted)} characters left out</span>}
          </p>
          {entry.signal !== "" && <p class="is-done">signals completion: {visible(entry.signal)}</p>}
        </li>
      ))}
    </ol>
  );
}
