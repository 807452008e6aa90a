// What of a text stays the same object when it is read again.

import assert from "node:assert/strict";
import { test } from "node:test";
import { BLOCK, blocksOf } from "./blocks.ts";
import type { Part } from "./document.ts";

function part(at: number, text = ""): Part {
  return { key: String(at), work: `${at}.0`, goal: "g", length: undefined, text, state: "open" };
}

test("blocks that say the same are those of before", () => {
  const parts = (change: number | undefined, count = 2 * BLOCK + 1) =>
    Array.from({ length: count }, (_, at) => part(at, at === change ? "new" : ""));
  const first = blocksOf(parts(undefined), []);
  assert.deepEqual(first.map((block) => block.length), [BLOCK, BLOCK, 1]);
  const second = blocksOf(parts(BLOCK), first);
  assert.equal(second[0], first[0]);
  assert.notEqual(second[1], first[1]);
  assert.equal(second[2], first[2]);
  const longer = blocksOf(parts(BLOCK, 2 * BLOCK + 2), second);
  assert.equal(longer[1], second[1]);
  assert.deepEqual(longer[2]?.map((one) => one.key), [String(2 * BLOCK), String(2 * BLOCK + 1)]);
});
