// A checkpoint in the list of a history: its place in the tree, what made it, what changed.

import type { JSX } from "preact";
import { Time } from "../../../parts/basics.tsx";
import { type Checkpoint, nameOf } from "../state/checkpoint.ts";
import { Edited } from "./edited.tsx";
import type { Lanes } from "./lanes.ts";

export const ROW_HEIGHT = 46;
const LANE = 14;
/** Further lanes are drawn over the last one. */
const LANES = 10;

export interface Row {
  checkpoint: Checkpoint;
  parent: Checkpoint | undefined;
  lanes: Lanes;
  /** `A` and `B` of two that are compared. */
  mark: string | undefined;
  isNewest: boolean;
}

export function HistoryRow({ thread, row, lanes }: { thread: string; row: Row; lanes: number }): JSX.Element {
  const { checkpoint, parent, mark, isNewest } = row;
  const asks = checkpoint.tasks.some((task) => task.asks);
  const failed = checkpoint.tasks.some((task) => task.failed);
  return (
    <div class="history-row">
      <Drawing lanes={row.lanes} width={lanes} source={checkpoint.source} />
      <div class="history-words">
        <div class="history-line">
          {mark !== undefined && <span class="history-mark">{mark}</span>}
          <span class="quiet">{checkpoint.step}</span>
          <strong class="history-name">{nameOf(checkpoint, parent)}</strong>
          {isNewest && <span class="history-newest">newest</span>}
          {asks && <span class="badge is-asking">asks</span>}
          {failed && <span class="badge is-failed">failed</span>}
          <span class="grow" />
          <span class="quiet">
            <Time at={checkpoint.time} />
          </span>
        </div>
        <div class="history-line quiet">
          <span class="history-wrote">
            {checkpoint.source === "update" && checkpoint.parent !== undefined ? (
              <Edited thread={thread} id={checkpoint.id} parent={checkpoint.parent} />
            ) : (
              changes(checkpoint, parent)
            )}
          </span>
        </div>
      </div>
    </div>
  );
}

/** What changed, in short: what the tasks at the checkpoint before wrote. */
function changes(checkpoint: Checkpoint, parent: Checkpoint | undefined): string {
  if (checkpoint.source === "fork") return "branches off here";
  if (checkpoint.source === "input") {
    const given = checkpoint.tasks.find((task) => task.name === "__start__")?.wrote;
    return given ? `is given ${given}` : "";
  }
  const written = parent?.tasks.map((task) => task.wrote).filter((wrote) => wrote !== undefined && wrote !== "") ?? [];
  if (written.length > 0) return written.slice(0, 3).join("; ") + (written.length > 3 ? "; …" : "");
  return parent === undefined ? "" : "nothing";
}

function Drawing({ lanes, width, source }: { lanes: Lanes; width: number; source: string }): JSX.Element {
  const shown = Math.min(width, LANES);
  const x = (lane: number) => Math.min(lane, LANES - 1) * LANE + LANE / 2;
  const middle = ROW_HEIGHT / 2;
  const own = x(lanes.lane);
  return (
    <svg class="history-lanes" width={shown * LANE} height={ROW_HEIGHT} aria-hidden="true">
      {lanes.through.map((lane) => (
        <path key={`t${lane}`} class={`lane-${lane % 4}`} d={`M${x(lane)} 0V${ROW_HEIGHT}`} />
      ))}
      {lanes.joining.map((lane) => {
        const from = x(lane);
        const curve = `M${from} 0C${from} ${middle} ${own} 4 ${own} ${middle}`;
        return <path key={`j${lane}`} class={`lane-${lane % 4}`} d={curve} />;
      })}
      {lanes.above && <path class={`lane-${lanes.lane % 4}`} d={`M${own} 0V${middle}`} />}
      {lanes.below && <path class={`lane-${lanes.lane % 4}`} d={`M${own} ${middle}V${ROW_HEIGHT}`} />}
      {source === "loop" || source === "input" ? (
        <circle class={`dot lane-${lanes.lane % 4}`} cx={own} cy={middle} r={source === "input" ? 3 : 4.5} />
      ) : (
        <rect class={`dot lane-${lanes.lane % 4}`} x={own - 4} y={middle - 4} width={8} height={8} />
      )}
    </svg>
  );
}
