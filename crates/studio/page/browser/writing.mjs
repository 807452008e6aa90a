// What WriteHERE writes with in tests: a small corpus, and a model that answers by rules.

import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A passage that the corpus has, and the id by which texts cite it: it is made of the passage and its place. */
export const PASSAGE = "Pages go to the log first, and to the database file only when the log is taken over.";
const EVIDENCE = "wal#1c01d817";

/** A folder with two documents. */
export function corpus() {
  const folder = join(mkdtempSync(join(tmpdir(), "studio-corpus-")), "papers");
  mkdirSync(folder);
  writeFileSync(join(folder, "wal.md"), `# The write-ahead log\n\n${PASSAGE}\n`);
  writeFileSync(join(folder, "locks.md"), "# Locks\n\nA reader holds a shared lock while it reads pages.\n");
  return folder;
}

const result = (text) => `<think>so</think><result>${text}</result>`;
const judged = (verdict) =>
  result(`<goal_updating></goal_updating><atomic_task_determination>${verdict}</atomic_task_determination>`);
const search = (queries) =>
  `<observation>It is found.</observation><current_turn_search_querys>${queries}</current_turn_search_querys>`;
const article = (text) => `<think>so</think><article>${text}</article>`;
const task = (id, task_type, goal, dependency, more = {}) => ({ id, task_type, goal, dependency, ...more });

/** The plan of every text. The goal of each of its tasks has the word SQLite, by which the rules tell it from the whole. */
const PLAN = {
  id: "",
  task_type: "write",
  goal: "the whole",
  dependency: [],
  length: "40 words",
  sub_tasks: [
    task("1", "search", "Find how SQLite writes its log", []),
    task("2", "think", "Order what was found on SQLite", ["1"]),
    task("3", "write", "Tell how SQLite writes its log", ["2"], { length: "20 words" }),
    task("4", "write", "Tell how SQLite recovers", ["1", "2"], { length: "20 words" }),
  ],
};

/** What a text has that must not run. */
const HARM = "<img src=x onerror=\"canary('article')\">";

/** The rules of the model. A text ends with a number in code, which is no citation, and with `more`. */
export const script = (more = "") => [
  { when: ["<atomic_task_determination>", "SQLite"], reply: judged("atomic") },
  { when: "<atomic_task_determination>", reply: judged("complex") },
  { when: ["<current_turn_search_querys>", "this is round 1 of"], reply: search('["write-ahead log"]') },
  { when: "<current_turn_search_querys>", reply: search("[]") },
  { when: "You plan for a team", reply: result(JSON.stringify(PLAN)) },
  {
    when: ["<article>", "SQLite recovers :**You Need To Write**"],
    reply: article(
      "## Recovery\n\nAfter a power failure the log is read again, as `log[1]` shows, and the rest is left out." + more,
    ),
  },
  { when: "<article>", reply: article(`## The log\n\nPages go to the log first [reference:${EVIDENCE}].`) },
  // All other tasks.
  { when: "<result>", reply: result(`The log comes first [reference:${EVIDENCE}].`) },
];

/** The rules with a text that has what must not run. */
export const SCRIPT = script(` ${HARM}`);

/** What a text is about. */
export const GOAL = "How a write-ahead log works";

/** A thread on which a text was written, or waits for a `review` of its plan. */
export function write(served, review) {
  return served.run("writehere", { request: GOAL }, { context: { words: 40, review } });
}
