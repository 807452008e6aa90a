// One line that says how far the text is: tasks done of all, words written of those wanted.

import type { JSX } from "preact";
import { Badge } from "../../../parts/basics.tsx";
import { count } from "../../../parts/text.ts";
import type { Progress } from "./document.ts";

/** What the result of a run is called, and the status whose colour it has. */
const RESULTS: Record<string, [status: string, words: string]> = {
  done: ["done", "The text is finished"],
  partial: ["stopped", "A part of the text is written"],
  failed: ["failed", "The text failed"],
  stuck: ["failed", "The text could not go on"],
};

const STANDS = {
  asks: ["asking", "It waits for an answer"],
  goesOn: ["running", "It is written"],
  stopped: ["stopped", "It stands still"],
} as const;

export interface ProgressLineProps {
  progress: Progress;
  /** That of the result, once there is one. */
  status: string | undefined;
  goesOn: boolean;
  /** Whether it waits for an answer. */
  asks: boolean;
}

export function ProgressLine({ progress, status, goesOn, asks }: ProgressLineProps): JSX.Element {
  const { done, failed, tasks, words, wanted } = progress;
  const [colour, text] = RESULTS[status ?? ""] ?? STANDS[asks ? "asks" : goesOn ? "goesOn" : "stopped"];
  return (
    <div class="row wh-progress">
      <span class={`badge is-${colour}`}>{text}</span>
      <span class="row">
        <meter class="wh-meter" min={0} max={Math.max(1, tasks)} value={done} aria-label="Tasks done" />
        <span>
          {count(done)} of {count(tasks)} tasks done
        </span>
        {failed > 0 && <Badge status="failed" />}
        {failed > 0 && <span>{count(failed)}</span>}
      </span>
      <span class="row">
        {wanted !== undefined && (
          <meter class="wh-meter" min={0} max={wanted} value={Math.min(words, wanted)} aria-label="Words written" />
        )}
        <span>
          {count(words)} {wanted === undefined ? "words" : `of ${count(wanted)} words`}
        </span>
      </span>
    </div>
  );
}
