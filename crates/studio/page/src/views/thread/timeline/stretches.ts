// Where real times are on the timeline. Between runs nothing happens, often for days: such a time takes little room.

import { duration } from "../../../parts/basics.tsx";
import type { RunModel } from "../../../run/model.ts";
import { marks as marksOf, type Mark, percent, type Span } from "./scale.ts";

/** A run's time, and where it begins on the timeline. Both are in milliseconds. */
export interface Stretch {
  from: number;
  to: number;
  at: number;
  /** The place of the run among those of the thread. */
  run: number;
  /** How long nothing happened before it, where that takes less room than time. */
  after: number | undefined;
}

/** A time between runs takes this share of all runs at most. */
const GAP = 0.04;

/** The stretches of the runs that are shown, in their order. */
export function stretchesOf(runs: RunModel["runs"], now: number): Stretch[] {
  const ends = runs.map((run) => Math.max(run.began + 1, run.ended ?? now));
  const busy = runs.reduce((sum, run, at) => sum + (ends[at] ?? now) - run.began, 0);
  const most = Math.max(1, busy * GAP);
  const stretches: Stretch[] = [];
  let before: Stretch | undefined;
  runs.forEach((run, at) => {
    const pause = before === undefined ? 0 : Math.max(0, run.began - before.to);
    const gap = Math.min(pause, most);
    const start = before === undefined ? 0 : before.at + (before.to - before.from) + gap;
    const after = gap < pause ? pause : undefined;
    before = { from: run.began, to: ends[at] ?? now, at: start, run: run.index, after };
    stretches.push(before);
  });
  return stretches;
}

/** All of the timeline, with some room behind it. */
export function wholeOf(stretches: readonly Stretch[]): Span {
  const last = stretches.at(-1);
  const length = last === undefined ? 1000 : Math.max(10, last.at + last.to - last.from);
  return { from: 0, to: length * 1.02 };
}

/** Where a real time is on the timeline. */
export function placeOf(stretches: readonly Stretch[], time: number): number {
  let low = 0;
  let high = stretches.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((stretches[middle]?.from ?? 0) <= time) low = middle;
    else high = middle - 1;
  }
  const stretch = stretches[low];
  if (stretch === undefined) return 0;
  const end = stretch.at + stretch.to - stretch.from;
  if (time <= stretch.to) return stretch.at + time - stretch.from;
  const next = stretches[low + 1];
  if (next === undefined) return end + time - stretch.to;
  return end + ((time - stretch.to) / Math.max(1, next.from - stretch.to)) * (next.at - end);
}

/** The marks of the axis: every run counts from its own beginning. */
export function axis(stretches: readonly Stretch[], shown: Span, width: number): Mark[] {
  const found: Mark[] = [];
  for (const stretch of stretches) {
    const end = stretch.at + stretch.to - stretch.from;
    const part = { from: Math.max(shown.from, stretch.at), to: Math.min(shown.to, end) };
    const isLast = stretch === stretches.at(-1);
    if (isLast) part.to = shown.to;
    if (part.to <= part.from) continue;
    const share = (part.to - part.from) / (shown.to - shown.from);
    for (const mark of marksOf(part, stretch.at, width * share, 90)) {
      const at = percent(shown, part.from + (mark.at / 100) * (part.to - part.from));
      const isStart = mark.text === "0";
      const before = found.at(-1);
      const fits = (words: string) => (1 - at / 100) * width > 12 + words.length * 7;
      const short = isStart && stretches.length > 1 ? `run ${stretch.run + 1}` : mark.text;
      const long = isStart && stretch.after !== undefined ? `${short}, ${duration(stretch.after)} later` : short;
      const text = fits(long) ? long : fits(short) ? short : "";
      // Marks that would lie over each other are lines without words.
      const room = before === undefined ? 0 : 12 + before.text.length * 7;
      const isNear = before !== undefined && ((at - before.at) / 100) * width < room;
      // The beginning of a run is worth more than a time before it.
      if (isNear && isStart && before !== undefined && !before.isStart) before.text = "";
      const isLost = isNear && before !== undefined && before.text !== "";
      found.push({ at, text: isLost ? "" : text, isStart });
    }
  }
  return found;
}
