// The timeline of a thread's runs: a row a task, a bar an attempt. Only the rows that are seen are in the page.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useId, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { Empty } from "../../parts/basics.tsx";
import { counted } from "../../parts/text.ts";
import type { RunModel, Status } from "../../run/model.ts";
import { type Clock, useNow } from "./clock.ts";
import { ROW_HEIGHT, TimelineRow } from "./timeline/row.tsx";
import { type Row, rowsOf } from "./timeline/rows.ts";
import { moved, type Span, zoomed } from "./timeline/scale.ts";
import { useSize } from "./timeline/size.ts";
import { axis, stretchesOf, wholeOf } from "./timeline/stretches.ts";

const STATUSES: [Status, string][] = [
  ["running", "running"],
  ["waiting", "waits to be tried again"],
  ["done", "done"],
  ["failed", "failed"],
  ["asking", "asks"],
  ["stopped", "stopped"],
];

/** Rows that are drawn above and below those that are seen. */
const SPARE = 6;
const ZOOM = 1.5;

export interface TimelineProps {
  /** The runs that are shown, and what they did. */
  model: RunModel;
  clock: Clock;
  /** The task whose page is open. */
  chosen: string | undefined;
  onTask: (id: string) => void;
}

export function Timeline({ model, clock, chosen, onTask }: TimelineProps): JSX.Element {
  const id = useId();
  const name = useSignal("");
  const status = useSignal<Status | "">("");
  const closed = useSignal<ReadonlySet<string>>(new Set());
  const active = useSignal<string | undefined>(undefined);
  const zoom = useSignal<Span | undefined>(undefined);
  const top = useSignal(0);
  const scroller = useRef<HTMLDivElement>(null);
  const size = useSize(scroller);
  const live = model.runs.some((run) => run.ended === undefined);
  const now = useNow(live, clock, model.time);
  const runs = useMemo(() => new Set(model.runs.map((run) => run.index)), [model]);
  const rows = useMemo(
    () => rowsOf(model, { name: name.value, status: status.value, closed: closed.value }),
    [model, name.value, status.value, closed.value],
  );
  const stretches = stretchesOf(model.runs, now);
  const whole = wholeOf(stretches);
  const shown = zoom.value ?? whole;
  const activeAt = rows.findIndex((row) => row.key === active.value);
  const first = Math.max(0, Math.floor(top.value / ROW_HEIGHT) - SPARE);
  const last = Math.min(rows.length, Math.ceil((top.value + size.height) / ROW_HEIGHT) + SPARE);
  // Elements of rows that went out of sight are those of the rows that come.
  const slots = Math.ceil(size.height / ROW_HEIGHT) + 2 * SPARE + 2;

  // Who looks at the last row of a run that goes on sees the rows that come.
  const count = useRef(0);
  useLayoutEffect(() => {
    const element = scroller.current;
    const before = count.current * ROW_HEIGHT;
    count.current = rows.length;
    if (element === null || !live || rows.length * ROW_HEIGHT <= before || before < element.clientHeight) return;
    if (element.scrollTop + element.clientHeight >= before) element.scrollTop = element.scrollHeight;
  }, [rows.length]);

  const zoomBy = (factor: number, around: number = (shown.from + shown.to) / 2) => {
    const next = zoomed(shown, whole, factor, around);
    zoom.value = next.from <= whole.from && next.to >= whole.to ? undefined : next;
  };
  const moveBy = (share: number) => {
    if (zoom.value !== undefined) zoom.value = moved(zoom.value, whole, share);
  };
  const activate = (index: number) => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, index))];
    if (row === undefined) return;
    active.value = row.key;
    reveal(scroller.current, rows.indexOf(row));
  };
  const toggle = (row: Row, open: boolean) => {
    const next = new Set(closed.value);
    if (open) next.delete(row.key);
    else next.add(row.key);
    closed.value = next;
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const row = rows[activeAt];
    const page = Math.max(1, Math.floor(size.height / ROW_HEIGHT) - 2);
    const at = Math.max(0, activeAt);
    const keys: Record<string, () => void> = {
      ArrowDown: () => activate(activeAt + 1),
      ArrowUp: () => activate(at - 1),
      PageDown: () => activate(at + page),
      PageUp: () => activate(at - page),
      Home: () => activate(0),
      End: () => activate(rows.length - 1),
      ArrowRight: () => {
        if (event.shiftKey) moveBy(0.2);
        else if (row?.open === false) toggle(row, true);
        else if (row?.open === true) activate(at + 1);
      },
      ArrowLeft: () => {
        if (event.shiftKey) moveBy(-0.2);
        else if (row?.open === true) toggle(row, false);
        else if (row !== undefined && row.depth > 0) activate(parentOf(rows, at));
      },
      Enter: () => {
        if (row?.task !== undefined) onTask(row.task.id);
      },
      " ": () => {
        if (row?.open !== undefined) toggle(row, !row.open);
      },
      "+": () => zoomBy(ZOOM),
      "=": () => zoomBy(ZOOM),
      "-": () => zoomBy(1 / ZOOM),
      "0": () => (zoom.value = undefined),
    };
    const action = keys[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  };
  const onFocus = () => {
    // Whoever comes by keyboard is at the first row that is seen; a click says itself where it is.
    if (activeAt < 0 && scroller.current?.matches(":focus-visible")) activate(Math.ceil(top.value / ROW_HEIGHT));
  };
  const onWheel = (event: WheelEvent) => {
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (event.ctrlKey) {
      event.preventDefault();
      zoomBy(event.deltaY < 0 ? 1.2 : 1 / 1.2, timeAt(event, scroller.current, shown));
    } else if (zoom.value !== undefined && Math.abs(sideways) > (event.shiftKey ? 0 : Math.abs(event.deltaY))) {
      event.preventDefault();
      moveBy(sideways / 1000);
    }
  };
  const onClick = (event: MouseEvent) => {
    const target = event.target instanceof Element ? event.target : undefined;
    const row = rows[Number(target?.closest("[data-index]")?.getAttribute("data-index") ?? Number.NaN)];
    if (row === undefined) return;
    active.value = row.key;
    if (target?.closest("[data-open]") || row.task === undefined) toggle(row, row.open === false);
    else onTask(row.task.id);
  };

  const rowId = (index: number) => `${id}-${index}`;
  const trackWidth = Math.max(0, size.width - nameWidth(size.width));
  return (
    <div class="tl">
      <div class="row tl-tools">
        <label>
          <span class="hidden">Nodes with this in their name</span>
          <input
            type="search"
            placeholder="node"
            value={name.value}
            onInput={(event) => (name.value = event.currentTarget.value)}
          />
        </label>
        <label>
          <span class="hidden">Tasks of this status</span>
          <select value={status.value} onChange={(event) => (status.value = event.currentTarget.value as Status | "")}>
            <option value="">any status</option>
            {STATUSES.map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <span class="quiet" role="status">
          {counted(rows.length, "row")}
        </span>
        <span class="grow" />
        <span class="row tl-zoom" role="group" aria-label="Time that is shown">
          <button type="button" onClick={() => moveBy(-0.5)} disabled={zoom.value === undefined} aria-label="Earlier">
            ◂
          </button>
          <button type="button" onClick={() => moveBy(0.5)} disabled={zoom.value === undefined} aria-label="Later">
            ▸
          </button>
          <button
            type="button"
            onClick={() => zoomBy(1 / ZOOM)}
            disabled={zoom.value === undefined}
            aria-label="Zoom out"
          >
            −
          </button>
          <button type="button" onClick={() => zoomBy(ZOOM)} aria-label="Zoom in">
            +
          </button>
          <button type="button" onClick={() => (zoom.value = undefined)} disabled={zoom.value === undefined}>
            Fit
          </button>
        </span>
      </div>
      <div class="tl-axis" aria-hidden="true">
        <span class="tl-name quiet">task</span>
        <span class="tl-track">
          {axis(stretches, shown, trackWidth).map((mark, index) => (
            <span key={index} class={`tl-mark${mark.isStart ? " is-start" : ""}`} style={{ left: `${mark.at}%` }}>
              {mark.text}
            </span>
          ))}
        </span>
      </div>
      <div
        ref={scroller}
        class="tl-rows"
        role="tree"
        tabIndex={0}
        aria-label="Tasks in the order in which they began"
        aria-activedescendant={activeAt >= first && activeAt < last ? rowId(activeAt) : undefined}
        onScroll={(event) => (top.value = event.currentTarget.scrollTop)}
        onKeyDown={onKeyDown}
        onWheel={onWheel}
        onClick={onClick}
        onFocus={onFocus}
      >
        <div role="presentation" class="tl-all" style={{ height: `${rows.length * ROW_HEIGHT}px` }}>
          {rows.slice(first, last).map((row, at) => (
            <TimelineRow
              key={(first + at) % slots}
              id={rowId(first + at)}
              row={row}
              index={first + at}
              count={rows.length}
              active={row.key === active.value}
              chosen={row.key === chosen}
              shown={shown}
              stretches={stretches}
              now={now}
              runs={runs}
            />
          ))}
        </div>
      </div>
      {rows.length === 0 && (
        <Empty>
          {model.tasks.length === 0 ? "No task has been told of yet." : "No task is of this name and status."}
        </Empty>
      )}
      <p class="quiet tl-help">
        Arrow keys move and open, Enter shows a task, + and − zoom, 0 fits, Shift and an arrow key moves in time.
      </p>
    </div>
  );
}

function nameWidth(width: number): number {
  return width < 600 ? 120 : 220;
}

/** The time under the pointer. */
function timeAt(event: MouseEvent, element: HTMLElement | null, shown: Span): number {
  if (element === null) return (shown.from + shown.to) / 2;
  const { left } = element.getBoundingClientRect();
  const names = nameWidth(element.clientWidth);
  const share = (event.clientX - left - names) / Math.max(1, element.clientWidth - names);
  return shown.from + Math.min(1, Math.max(0, share)) * (shown.to - shown.from);
}

function reveal(element: HTMLElement | null, index: number): void {
  if (element === null) return;
  const top = index * ROW_HEIGHT;
  if (top < element.scrollTop) element.scrollTop = top;
  else if (top + ROW_HEIGHT > element.scrollTop + element.clientHeight) {
    element.scrollTop = top + ROW_HEIGHT - element.clientHeight;
  }
}

function parentOf(rows: readonly Row[], index: number): number {
  const depth = rows[index]?.depth ?? 0;
  for (let at = index - 1; at >= 0; at -= 1) if ((rows[at]?.depth ?? 0) < depth) return at;
  return index;
}
