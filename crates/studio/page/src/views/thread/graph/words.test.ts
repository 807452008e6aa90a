import assert from "node:assert/strict";
import { test } from "node:test";
import { type NodeTally, noCounts } from "./tally.ts";
import { isSpread, nodeWords } from "./words.ts";

function tally(some: Partial<NodeTally>): NodeTally {
  return { place: "n", visits: 1, counts: noCounts(), sent: 0, inside: noCounts(), status: "running", ...some };
}

test("a node is told by its status, its visits, and what differs", () => {
  assert.equal(nodeWords(undefined), "not reached");
  assert.equal(nodeWords(tally({ status: "asking", counts: { ...noCounts(), asking: 1 } })), "asks");
  const loop = tally({ visits: 3, counts: { ...noCounts(), running: 1, done: 2 } });
  assert.equal(isSpread(loop), false);
  assert.equal(nodeWords(loop), "running, 3 tasks");
  const fan = tally({ visits: 4, sent: 4, counts: { ...noCounts(), running: 1, done: 2, failed: 1 } });
  assert.equal(nodeWords(fan), "running, 4 tasks, 1 running, 1 failed, 2 done");
});

test("a subgraph is told with what goes on inside", () => {
  const inside = { ...noCounts(), asking: 1, done: 1 };
  assert.equal(nodeWords(tally({ status: "asking", inside })), "asks, inside: 1 asking, 1 done");
  assert.equal(nodeWords(tally({ status: undefined, inside })), "inside: 1 asking, 1 done");
});
