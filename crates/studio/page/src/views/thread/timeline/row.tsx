// One row of the timeline: a task with its attempts and waits as bars, or a subgraph call.

import type { JSX } from "preact";
import { duration } from "../../../parts/basics.tsx";
import { visible } from "../../../parts/text.ts";
import type { Status } from "../../../run/model.ts";
import { type Piece, piecesOf, worked } from "./bars.ts";
import type { Row } from "./rows.ts";
import { percent, type Span } from "./scale.ts";
import { placeOf, type Stretch } from "./stretches.ts";

export const ROW_HEIGHT = 28;

/** What a status looks like, beside its colour. */
export const SIGNS: Record<Status, string> = {
  waiting: "…",
  running: "▶",
  done: "✓",
  failed: "✕",
  asking: "?",
  stopped: "■",
};

const WORDS: Record<Status, string> = {
  waiting: "waits to be tried again",
  running: "running",
  done: "done",
  failed: "failed",
  asking: "asks",
  stopped: "stopped",
};

export interface RowProps {
  id: string;
  row: Row;
  index: number;
  count: number;
  active: boolean;
  chosen: boolean;
  shown: Span;
  stretches: readonly Stretch[];
  now: number;
  runs: ReadonlySet<number>;
}

export function TimelineRow(props: RowProps): JSX.Element {
  const { id, row, index, count, active, chosen, shown, stretches, now, runs } = props;
  const { task, call } = row;
  const status = task?.status ?? call?.status ?? "waiting";
  const name = visible(task?.node ?? call?.graph ?? "");
  const pieces = task === undefined ? [] : piecesOf(task, runs);
  const took = task === undefined ? (call?.ended ?? now) - (call?.began ?? now) : worked(task, now);
  const attempts = task?.attempts.length ?? 1;
  const inside = row.open !== undefined && call !== undefined && task !== undefined ? `, graph ${visible(call.graph)}` : "";
  const said = `${name}${inside}, ${WORDS[status]}, ${duration(took)}${attempts > 1 ? `, ${attempts} attempts` : ""}`;
  const end = pieces.at(-1);
  const at = (time: number) => percent(shown, placeOf(stretches, time));
  const endsAt = at(end?.to ?? (end === undefined ? (call?.ended ?? now) : now));
  const startsAt = at(pieces[0]?.from ?? call?.began ?? now);
  const isSeen = endsAt >= 0 && startsAt <= 100;
  const indent = 0.4 + Math.min(row.depth, 8) * 0.9;
  const label = duration(took) + (attempts > 1 ? ` · ×${attempts}` : "");
  return (
    <div
      id={id}
      role="treeitem"
      aria-level={row.depth + 1}
      aria-posinset={index + 1}
      aria-setsize={count}
      aria-expanded={row.open}
      aria-selected={chosen}
      class={`tl-row${active ? " is-active" : ""}${chosen ? " is-chosen" : ""}`}
      style={{ top: `${index * ROW_HEIGHT}px`, height: `${ROW_HEIGHT}px` }}
      data-index={index}
    >
      <span class="hidden">{said}</span>
      <span aria-hidden="true" class="tl-name" style={{ paddingLeft: `${indent}rem` }} title={said}>
        <span class="tl-open" data-open={row.open === undefined ? undefined : "1"}>
          {row.open === undefined ? "" : row.open ? "▾" : "▸"}
        </span>
        <span class={`tl-sign is-${status}`}>{SIGNS[status]}</span>
        <span class="tl-node">{name}</span>
      </span>
      <span aria-hidden="true" class="tl-track">
        {task === undefined && call !== undefined && (
          <Bar at={at} now={now} piece={{ kind: "attempt", status, from: call.began, to: call.ended, text: said }} />
        )}
        {pieces.map((piece, index) => (
          <Bar key={index} at={at} now={now} piece={piece} />
        ))}
        {isSeen &&
          (endsAt < 82 ? (
            <span class="tl-label" style={{ left: `${Math.max(0, endsAt)}%` }}>
              {label}
            </span>
          ) : startsAt > 18 ? (
            <span class="tl-label" style={{ right: `${100 - startsAt}%` }}>
              {label}
            </span>
          ) : (
            <span class="tl-label is-inside" style={{ left: `${Math.max(0, startsAt)}%` }}>
              {label}
            </span>
          ))}
      </span>
    </div>
  );
}

interface BarProps {
  piece: Piece;
  at: (time: number) => number;
  now: number;
}

function Bar({ piece, at, now }: BarProps): JSX.Element | null {
  const left = at(piece.from);
  const right = at(piece.to ?? Math.max(now, piece.from));
  if (right < 0 || left > 100) return null;
  const style = { left: `${left}%`, width: `${right - left}%` };
  return <span class={`tl-bar is-${piece.kind} is-${piece.status}`} style={style} title={piece.text} />;
}
