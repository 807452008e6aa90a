// Which nodes without a task were skipped, and which may still be reached.
//
// While a run is under way, asks or was stopped, it may come to every node. When it has ended well, it came by the nodes that
// had no task. Of one run among others, a node that had its task earlier since the same input was not skipped.

import { place, type RunModel } from "../../../run/model.ts";

/** Whether a node that has no task was skipped. */
export type SkippedIn = (id: string) => boolean;

const EVERY: SkippedIn = () => true;

/** `undefined` while every node may still be reached. `before` is the last answer for the same run. */
export function skippedIn(
  model: RunModel,
  run: number | undefined,
  before: SkippedIn | undefined,
): SkippedIn | undefined {
  const last = run === undefined ? model.runs.at(-1) : model.runs[run];
  if (last?.status !== "done") return undefined;
  if (run === undefined) return EVERY;
  return before ?? unlessIn(earlier(model, run));
}

function unlessIn(places: ReadonlySet<string>): SkippedIn {
  return (id) => !places.has(id);
}

/** The nodes that had tasks in the runs before, back to the one that began with the input. */
function earlier(model: RunModel, run: number): Set<string> {
  const inputs = model.commits.filter((commit) => commit.namespace.length === 0 && commit.source === "input");
  const first = inputs.findLast((commit) => commit.run <= run)?.run ?? 0;
  const tasks = model.tasks.filter((task) => task.attempts.some((attempt) => attempt.run >= first && attempt.run < run));
  return new Set(tasks.map(({ namespace, node }) => (namespace.length === 0 ? node : `${place(namespace)}:${node}`)));
}
