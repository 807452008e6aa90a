import assert from "node:assert/strict";
import { test } from "node:test";
import type { ThreadEvent } from "../../../api/events.ts";
import { Fold } from "../../../run/fold.ts";
import session from "./fixtures/session.json";
// What a server told of two turns, without the states that tasks began with and wrote.
import turns from "./fixtures/turns.json";
import { turnsOf } from "./log.ts";
import { sessionOf } from "./session.ts";

function model(events: readonly unknown[]) {
  const fold = new Fold();
  fold.take(events as ThreadEvent[]);
  return fold.model;
}

const journey = sessionOf(session)?.journey ?? [];

test("each turn has what was said, what was decided and why, and what was done", () => {
  const [first, second, ...more] = turnsOf(model(turns), journey);
  assert.equal(more.length, 0);
  assert.deepEqual([first?.said, second?.said], ["how web frameworks handle errors", "/approve"]);
  const told = second?.entries.map((entry) => {
    if (entry.is === "decision") return [`${entry.rule}: ${entry.why}`, ...entry.evidence].join(" ");
    return entry.is === "action" ? `${entry.name} (${entry.thoughts.length})` : entry.text;
  });
  assert.deepEqual(told, [
    "queries-approved: The queries are approved. `/approve`",
    "Search and read the literature (7)",
    "literature-read: There is at least one record to reason from.",
    "Find the gap (0)",
    "gap-found: The proposal fills the gap.",
    "Write the proposal (0)",
    "proposal-written: A person sees the proposal before it is delivered.",
    "Show the proposal for review (0)",
  ]);
});

test("a turn that is under way tells what it does", () => {
  const at = turns.findIndex((event) => JSON.stringify(event).includes("searching: middleware"));
  const [, second] = turnsOf(model(turns.slice(0, at + 1)), []);
  const last = second?.entries.at(-1);
  assert.ok(last?.is === "action" && last.task.ended === undefined);
  assert.equal(last.thoughts.at(-1), "searching: middleware and errors");
});

test("a journey of other decisions explains none of these", () => {
  const other = [{ action: undefined, rule: "new-topic", evidence: ["`/new`"] }];
  const entries = turnsOf(model(turns), other).flatMap((turn) => turn.entries);
  assert.ok(entries.every((entry) => entry.is !== "decision" || entry.evidence.length === 0));
});
