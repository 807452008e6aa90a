// How a node stands, in words: for those who hear the page, and for what does not fit into a box.

import type { Status } from "../../../run/model.ts";
import { type Counts, type NodeTally, type Standing, total } from "./tally.ts";

/** Every status in the order in which it matters, with the word for several tasks. */
export const STATUS_WORDS: [status: Status, word: string][] = [
  ["running", "running"],
  ["asking", "asking"],
  ["waiting", "waiting"],
  ["failed", "failed"],
  ["stopped", "stopped"],
  ["done", "done"],
];

export const NOT_REACHED = "not reached";
export const SKIPPED = "skipped";

/** What there is of counts, in the order in which it matters. */
export function present(counts: Counts): [status: Status, count: number, word: string][] {
  return STATUS_WORDS.filter(([status]) => counts[status] > 0).map(([status, word]) => [status, counts[status], word]);
}

/** `12 running, 27 done`. */
export function countWords(counts: Counts): string {
  return present(counts)
    .map(([, count, word]) => `${count} ${word}`)
    .join(", ");
}

/** Whether the numbers of a node say more than its status and visits. A loop that runs and was done is no news. */
export function isSpread({ visits, sent, counts }: NodeTally): boolean {
  if (present(counts).length < 2) return false;
  return sent > 1 || counts.running > 1 || visits > counts.running + counts.done;
}

/** The word of a status, of one task or node. */
export function statusWord(status: Standing | undefined): string {
  if (status === "asking") return "asks";
  if (status === "skipped") return SKIPPED;
  return STATUS_WORDS.find(([of]) => of === status)?.[1] ?? NOT_REACHED;
}

/** Where a node stands: its tasks and those inside it. */
export function nodeWords(tally: NodeTally | undefined): string {
  if (tally === undefined || tally.status === undefined) {
    return tally !== undefined && total(tally.inside) > 0 ? `inside: ${countWords(tally.inside)}` : NOT_REACHED;
  }
  const parts = [statusWord(tally.status)];
  if (tally.visits > 1) parts.push(`${tally.visits} tasks`);
  if (isSpread(tally)) parts.push(countWords(tally.counts));
  if (total(tally.inside) > 0) parts.push(`inside: ${countWords(tally.inside)}`);
  return parts.join(", ");
}
