import assert from "node:assert/strict";
import { test } from "node:test";
import { folded } from "./fold.ts";

test("a short message is whole, and a long one ends with a paragraph, a line, a word or anywhere", () => {
  assert.equal(folded("a".repeat(800)), "a".repeat(800));
  const words = "word ".repeat(60);
  assert.equal(folded(`${words}\n\n${words}${words}${words}`), `${words.trim()} …`);
  assert.equal(folded(`${words}\n${words}${words}${words}`), `${words.trim()} …`);
  assert.match(folded(words.repeat(4)), /word …$/);
  assert.equal(folded("a".repeat(2000)).length, 452);
});
