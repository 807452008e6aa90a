// The open questions of a thread, as its record tells them.

import type { Thread } from "../../api/types.ts";
import type { RunModel } from "../../run/model.ts";

/** A record tells which task asks, and not in which subgraph that is. */
export function openQuestions(thread: Thread): RunModel["questions"] {
  const time = Date.parse(thread.updated_at);
  return Object.entries(thread.interrupts).flatMap(([task, interrupts]) =>
    interrupts.map((interrupt) => ({ ...interrupt, namespace: [], task, time })),
  );
}
