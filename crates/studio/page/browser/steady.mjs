// The times and places of pictures. What a server answers is timed anew on its way to the page: runs begin minutes apart in the order
// in which they began, and a commit comes a moment after the one before. Folders of this
// machine have short names. So a picture is the same each time it is made.

import { between, everywhere } from "./between.mjs";

/** When the pictures are made, by the clock of the page. */
export const NOW = Date.UTC(2026, 2, 2, 10, 30);
const FIRST = Date.UTC(2026, 2, 2, 9, 0);
const BETWEEN_RUNS = 150_000;
const BETWEEN_STEPS = 400;
/** Numbers of events go up by this at least with each commit. */
const COMMIT = 4096;
const BETWEEN_COMMITS = 40;
const CALL = 35;

/** Stands before a server whose runs are all there. `folders` are those of this machine with the names that are shown. */
export async function steady(served, folders) {
  const runs = await served.ask("POST", "/runs/search", { limit: 1000 });
  runs.sort((one, other) => Date.parse(one.created_at) - Date.parse(other.created_at));
  const begins = new Map();
  for (const [at, { run_id: run, thread_id: thread }] of runs.entries()) {
    begins.set(run, FIRST + at * BETWEEN_RUNS);
    if (!begins.has(thread)) begins.set(thread, begins.get(run));
  }
  const beginOf = (value) => begins.get(value.run_id) ?? begins.get(value.thread_id) ?? FIRST;
  const iso = (milliseconds) => new Date(milliseconds).toISOString();

  const timed = (thread) => (value) => {
    const run = thread === undefined ? beginOf(value) : begins.get(thread);
    const begin = run + Math.max(0, value.metadata?.step ?? 0) * BETWEEN_STEPS;
    const changed = { ...value };
    for (const name of ["created_at", "updated_at", "state_updated_at", "started_at"]) {
      if (typeof value[name] === "string") changed[name] = iso(begin);
    }
    if (typeof value.ended_at === "string") changed.ended_at = iso(run + 800 + ((run / BETWEEN_RUNS) % 7) * 300);
    if (typeof value.millis === "number") changed.millis = CALL;
    if (typeof value.seq === "number" && typeof value.params?.timestamp === "number") {
      changed.params = { ...value.params, timestamp: run + Math.round((value.seq / COMMIT) * BETWEEN_COMMITS) };
    }
    return changed;
  };
  const placed = (value) => {
    const text = folders.reduce((text, [folder, name]) => text.replaceAll(folder, name), JSON.stringify(value));
    return JSON.parse(text);
  };
  return between(served, (value, path) => {
    const thread = /^\/threads\/([^/]+)\//.exec(path)?.[1];
    return everywhere(placed(value), timed(begins.has(thread) ? thread : undefined));
  });
}
