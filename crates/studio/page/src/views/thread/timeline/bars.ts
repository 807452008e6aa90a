// The pieces of a task's row: attempts, and the waits between them.

import type { Status, Task } from "../../../run/model.ts";

/** A piece of a row. `to` is `undefined` while it goes on. */
export interface Piece {
  kind: "attempt" | "retry" | "question" | "pause";
  status: Status;
  from: number;
  to: number | undefined;
  /** What it is, in words. */
  text: string;
}

/** The pieces of a task in the runs that are shown. */
export function piecesOf(task: Task, runs: ReadonlySet<number>): Piece[] {
  const pieces: Piece[] = [];
  let before: Task["attempts"][number] | undefined;
  for (const attempt of task.attempts) {
    if (!runs.has(attempt.run)) {
      before = undefined;
      continue;
    }
    if (before !== undefined) {
      const after = before.status === "failed" && before.run !== attempt.run ? "stopped" : before.status;
      pieces.push(wait(after, before.ended ?? attempt.began, attempt.began));
    }
    const text = `attempt ${attempt.number}${attempt.error === undefined ? "" : `: ${attempt.error}`}`;
    pieces.push({ kind: "attempt", status: attempt.status, from: attempt.began, to: attempt.ended, text });
    before = attempt;
  }
  const isLast = before !== undefined && before === task.attempts.at(-1);
  if (isLast && before?.ended !== undefined && (task.status === "asking" || task.status === "waiting")) {
    pieces.push(wait(before.status, before.ended, undefined));
  }
  return pieces;
}

function wait(after: Status, from: number, to: number | undefined): Piece {
  if (after === "asking") return { kind: "question", status: "asking", from, to, text: "waits for an answer" };
  if (after === "failed") return { kind: "retry", status: "waiting", from, to, text: "waits to be tried again" };
  return { kind: "pause", status: "stopped", from, to, text: "nothing ran" };
}

/** How long a task worked, without its waits, in milliseconds. */
export function worked(task: Task, now: number): number {
  return task.attempts.reduce((sum, attempt) => sum + Math.max(0, (attempt.ended ?? now) - attempt.began), 0);
}
