// What part of the time the timeline shows, and the marks of its axis. Times are in milliseconds.

export interface Span {
  from: number;
  to: number;
}

/** Nothing shorter is shown. */
const SHORTEST = 5;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Distances between marks that a person can count in. */
const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 7, 14, 30, 90, 365].map((n) => n * DAY),
];

/** A part of `whole` that is shorter by a factor above 1, or longer by one below 1, around a point of time. */
export function zoomed(shown: Span, whole: Span, factor: number, around: number): Span {
  const length = Math.max(SHORTEST, (shown.to - shown.from) / factor);
  const share = (around - shown.from) / Math.max(1, shown.to - shown.from);
  return within({ from: around - share * length, to: around + (1 - share) * length }, whole);
}

/** A part of `whole` that is moved by a share of its length. */
export function moved(shown: Span, whole: Span, share: number): Span {
  const by = (shown.to - shown.from) * share;
  return within({ from: shown.from + by, to: shown.to + by }, whole);
}

function within(span: Span, whole: Span): Span {
  const length = span.to - span.from;
  if (length >= whole.to - whole.from) return whole;
  const from = Math.min(Math.max(span.from, whole.from), whole.to - length);
  return { from, to: from + length };
}

/** Where a time is in what is shown, in percent. What is outside is just outside. */
export function percent(shown: Span, time: number): number {
  const share = (time - shown.from) / Math.max(1, shown.to - shown.from);
  return Math.min(101, Math.max(-1, share * 100));
}

export interface Mark {
  /** Where it is, in percent. */
  at: number;
  text: string;
  /** Whether something begins here. */
  isStart: boolean;
}

/** Marks of the axis, counted from `zero`, about `distance` pixels from each other in `width`. */
export function marks(shown: Span, zero: number, width: number, distance: number): Mark[] {
  const length = shown.to - shown.from;
  if (length <= 0 || width <= 0) return [];
  const wanted = (length * distance) / width;
  const step = STEPS.find((one) => one >= wanted) ?? Math.ceil(wanted / (365 * DAY)) * 365 * DAY;
  const found: Mark[] = [];
  for (let count = Math.ceil((shown.from - zero) / step); zero + count * step <= shown.to; count += 1) {
    found.push({ at: percent(shown, zero + count * step), text: elapsed(count * step, step), isStart: count === 0 });
  }
  return found;
}

/** A time since the beginning, as exact as the step between marks asks for. */
export function elapsed(time: number, step: number): string {
  if (time === 0) return "0";
  const sign = time < 0 ? "−" : "";
  const left = Math.abs(time);
  if (left < SECOND) return `${sign}${Math.round(left)} ms`;
  if (left < MINUTE) {
    const digits = step >= SECOND ? 0 : step >= 100 ? 1 : step >= 10 ? 2 : 3;
    return `${sign}${(left / SECOND).toFixed(digits)} s`;
  }
  const days = Math.floor(left / DAY);
  const hours = Math.floor((left % DAY) / HOUR);
  const minutes = Math.floor((left % HOUR) / MINUTE);
  const seconds = (left % MINUTE) / SECOND;
  const parts = [
    days > 0 ? `${days} d` : "",
    hours > 0 ? `${hours} h` : "",
    minutes > 0 && step < DAY ? `${minutes} min` : "",
    seconds > 0 && step < MINUTE ? `${seconds.toFixed(step >= SECOND ? 0 : step >= 100 ? 1 : 3)} s` : "",
  ];
  return sign + parts.filter((part) => part !== "").join(" ");
}
