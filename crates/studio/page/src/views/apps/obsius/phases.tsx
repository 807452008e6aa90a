// The phases of a work, a row for each iteration.

import type { JSX } from "preact";
import { visible } from "../../../parts/text.ts";
import { iterationsOf, type Visit } from "./work.ts";

const ENDS = ["complete", "error"];

export interface PhasesProps {
  visits: readonly Visit[];
  /** Whether the newest phase is under way. */
  isRunning: boolean;
  isAsking: boolean;
}

export function Phases({ visits, isRunning, isAsking }: PhasesProps): JSX.Element | null {
  if (visits.length === 0) return null;
  const newest = visits.at(-1);
  return (
    <ol class="phases" aria-label="Phases">
      {iterationsOf(visits).map(({ number, visits: own }, at) => (
        <li key={at}>
          <span class="phases-number">{number === 0 ? "before" : `iteration ${number}`}</span>
          <ol class="stages">
            {own.map((visit, place) => {
              const isNow = visit === newest && !ENDS.includes(visit.phase);
              const status = visit.phase === "error" ? "failed" : !isNow ? "done" : isAsking ? "asking" : "running";
              const now = isNow && !isRunning && !isAsking ? "stopped" : status;
              return (
                <li key={place} class={`badge is-${now}`} title={visit.by === "" ? undefined : visible(visit.by)}>
                  {visible(visit.phase)}
                  {now === "asking" && <span>· asks you</span>}
                  <span class="hidden">{now === "done" ? ": done" : now === "running" ? ": under way" : ""}</span>
                </li>
              );
            })}
          </ol>
        </li>
      ))}
    </ol>
  );
}
