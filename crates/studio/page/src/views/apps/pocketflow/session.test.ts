import assert from "node:assert/strict";
import { test } from "node:test";
import stored from "./fixtures/session.json";
import { sessionOf } from "./session.ts";

test("a session has what is under review, what was found, and what was made of it", () => {
  const session = sessionOf(stored);
  assert.ok(session !== undefined);
  assert.deepEqual(session.waiting, { for: "report" });
  assert.deepEqual(session.approved, { queries: 1, proposal: undefined });
  assert.deepEqual(session.queries?.value[1], {
    text: "middleware and errors",
    rationale: "errors pass through layers",
    aspect: "methods",
  });
  const [first] = session.review?.value.found ?? [];
  assert.equal(first?.work.title, "axum's error handling model");
  assert.deepEqual([first?.work.place, first?.work.engines], [{ words: "axum/error_handling.md" }, ["local"]]);
  assert.match(first?.claim ?? "", /^Every handler/);
  assert.deepEqual(session.review?.value.answered[0], {
    engine: "local",
    query: "error handling in web frameworks",
    kind: "found",
    pieces: 5,
    fault: "",
    notes: [],
  });
  assert.deepEqual(session.proposal?.value.references.map(({ number }) => number), [1, 2]);
});

test("what is no session is none, and what is not as expected is left out", () => {
  for (const value of [undefined, null, [], "session", {}, { artifacts: [] }]) {
    assert.equal(sessionOf(value), undefined);
  }
  const odd = sessionOf({
    artifacts: {
      queries: { version: "1", value: [] },
      review: { version: 1, value: { records: [null, "x", {}] } },
      gap: 3,
    },
    waiting_for: { for: "something new" },
    history: {},
  });
  assert.deepEqual([odd?.waiting, odd?.queries, odd?.gap, odd?.history], [{ for: "none" }, undefined, undefined, []]);
  assert.equal(odd?.review?.value.found.length, 1);
});

test("why an engine gave no answer is told by its kind and its words", () => {
  const outcome = { kind: "failed", fault: { kind: "rate_limited", until: null } };
  const source = { engine: "openalex", query: "tides", outcome, notes: [] };
  const down = { ...source, outcome: { kind: "failed", fault: { kind: "down", reason: "no route" } } };
  const session = sessionOf({ artifacts: { review: { version: 1, value: { sources: [source, down] } } } });
  const faults = session?.review?.value.answered.map(({ fault }) => fault);
  assert.deepEqual(faults, ["rate limited", "down (no route)"]);
});
