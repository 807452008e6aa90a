// Small parts that every view uses.

import type { ComponentChildren, JSX } from "preact";
import type { Status } from "../run/model.ts";

/** What a status is called, and the class that colours it. */
const NAMES: Record<string, string> = {
  waiting: "waiting",
  running: "running",
  done: "done",
  failed: "failed",
  asking: "asks",
  stopped: "stopped",
  pending: "in the queue",
  success: "done",
  error: "failed",
  timeout: "timed out",
  interrupted: "asks or stopped",
  idle: "idle",
  busy: "running",
};

const COLOURS: Record<string, string> = {
  pending: "waiting",
  success: "done",
  error: "failed",
  timeout: "failed",
  interrupted: "asking",
  idle: "stopped",
  busy: "running",
};

/** A status as a word with its colour and a sign, so that it is not told by colour alone. */
export function Badge({ status }: { status: Status | string }): JSX.Element {
  const colour = COLOURS[status] ?? status;
  return <span class={`badge is-${colour}`}>{NAMES[status] ?? status}</span>;
}

/** An error, as a sentence that a screen reader says at once. */
export function Problem({ children }: { children: ComponentChildren }): JSX.Element {
  return (
    <p class="problem" role="alert">
      {children}
    </p>
  );
}

/** A place where nothing is yet, and why. */
export function Empty({ children }: { children: ComponentChildren }): JSX.Element {
  return <p class="empty">{children}</p>;
}

// A formatter is made once: making one takes longer than a row of a list may take.
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "short" });

/** An instant, short; the whole of it on hover. */
export function Time({ at }: { at: string | number }): JSX.Element {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return <span>{String(at)}</span>;
  const today = new Date().toDateString() === date.toDateString();
  const time = CLOCK.format(date);
  const text = today ? time : `${DAY.format(date)} ${time}`;
  return (
    <time dateTime={date.toISOString()} title={date.toISOString()}>
      {text}
    </time>
  );
}

/** Milliseconds in words: `12 ms`, `3.4 s`, `2 min 5 s`, `1 h 3 min`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 0) return "0 ms";
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** The end of an id, as ids of one day begin alike; the whole of it on hover. */
export function Id({ of }: { of: string }): JSX.Element {
  return (
    <code class="id" title={of}>
      …{of.slice(-8)}
    </code>
  );
}
