import assert from "node:assert/strict";
import { test } from "node:test";
import { type ListedRun, graphOf, metadataInShort, withFirstPage, withPage } from "./merge.ts";

function run(number: number, change: Partial<ListedRun> = {}): ListedRun {
  const at = new Date(number * 1000).toISOString();
  const ids = { run_id: `run-${String(number).padStart(4, "0")}`, thread_id: "t", assistant_id: "a" };
  return { ...ids, status: "success", created_at: at, updated_at: at, metadata: {}, ...change };
}

const numbers = (runs: readonly ListedRun[]) => runs.map((one) => Number(one.run_id.slice(4))).join(" ");

test("a page that moved is put behind without doubles", () => {
  assert.equal(numbers(withPage([run(9), run(8)], [run(8), run(7)])), "9 8 7");
});

test("the first page again brings what is new and takes away what has gone", () => {
  const known = [9, 8, 7, 6, 5, 4].map((number) => run(number));
  assert.equal(numbers(withFirstPage(known, [run(10), run(9), run(7)], false)), "10 9 7 6 5 4");
  assert.equal(numbers(withFirstPage(known, [run(9)], true)), "9");
  assert.equal(numbers(withFirstPage(known, [run(30), run(29)], false)), "30 29");
  assert.equal(numbers(withFirstPage([], [run(2), run(1)], false)), "2 1");
  const [first] = withFirstPage([run(9, { status: "running" }), run(8)], [run(9), run(8)], false);
  assert.equal(first?.status, "success");
});

test("a run tells its graph and its own metadata", () => {
  assert.equal(graphOf(run(1, { metadata: { graph_id: "pipeline" } })), "pipeline");
  assert.equal(graphOf(run(1)), "a");
  const metadata = { graph_id: "g", assistant_id: "a", user: "ada", n: 3 };
  assert.equal(metadataInShort(run(1, { metadata })), "user=ada n=3");
});
