// What DeepSearch researches with in tests: documents that the repository holds, and a model that answers by rules.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL("../../../../tests/page/", import.meta.url));

/** The folder with the documents. */
export const CORPUS = `${FOLDER}corpus`;

const section = (id, title) => ({
  ...{ id, title, description: `what is known about ${title}`, is_core_section: true },
  ...{ parent_ids: [], relationships: [] },
});
const outline = (title, ...titles) => {
  const sections = titles.map((one, at) => section(String(at + 1), one));
  return { language: "en", thought: "so", title, sections };
};

/** The rules of the model; the last one refuses what no other answers. */
export const SCRIPT = [
  { when: "you may ask them exactly three questions", reply: "1. Which log?\n2. Which disk?\n3. For whom?" },
  {
    when: ["has rewritten its outline", "The sync of the disk"],
    json: outline("On commits", "The sync of the disk", "The log", "The end"),
  },
  { when: ["You change the outline", "less about the log"], json: outline("Less of the log", "The sync") },
  { when: ["You shorten a passage", "in one word"], reply: "Then the sync." },
  ...readFileSync(`${FOLDER}script.jsonl`, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line)),
];

/** A small run: it takes a second. */
const SMALL = {
  outliner_max_section_num: 3,
  workflow_max_plan_executed_num: 1,
  planner_max_step_num: 1,
  info_collector_max_research_loops: 1,
  info_collector_initial_search_query_count: 1,
};

/** What a run begins with. */
export const QUERY = { query: "How does a log keep a transaction safe when the power fails?" };
const context = (config) => ({ context: { config: { ...SMALL, ...config } } });
const ACCEPTED = { interrupt_feedback: "accepted", feedback: "" };

/** Begins a research, which asks its questions, or for a review of its outline; answers its thread. */
export function research(served, config = {}) {
  return served.run("deepsearch", QUERY, context(config));
}

/** Accepts the outline of a thread, and waits until the run asks again or ends, or until it is `begun`. */
export function accept(served, thread, how) {
  return served.answer("deepsearch", thread, ACCEPTED, how);
}

/** A thread that waits for a review of its outline. */
export function outlined(served, config = {}) {
  return research(served, { workflow_human_in_the_loop: false, ...config });
}

/** A thread with a report. */
export async function reported(served, config) {
  const thread = await outlined(served, config);
  await accept(served, thread);
  return thread;
}
