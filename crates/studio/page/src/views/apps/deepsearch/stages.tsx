// The stages of a research in a row: what is done, what is under way, what is to come.

import type { JSX } from "preact";
import type { Stage } from "./place.ts";

const WORDS: Record<string, string> = {
  waiting: "waits",
  running: "under way",
  done: "done",
  failed: "failed",
  asking: "asks you",
  stopped: "stopped",
};

export function Stages({ stages }: { stages: readonly Stage[] }): JSX.Element {
  return (
    <ol class="stages" aria-label="Stages">
      {stages.map(({ id, name, status }) => (
        <li key={id} class={status === undefined ? "is-ahead" : `badge is-${status}`}>
          {name}
          {status !== undefined && status !== "done" && <span>· {WORDS[status]}</span>}
          {(status === undefined || status === "done") && (
            <span class="hidden">: {status === undefined ? "not yet" : "done"}</span>
          )}
        </li>
      ))}
    </ol>
  );
}
