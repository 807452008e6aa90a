import assert from "node:assert/strict";
import { test } from "node:test";
import { linked, numberOf } from "./cites.ts";

test("marks of known references are links, and code and links stay as they are", () => {
  const known = new Set([1, 2]);
  const expected = "Measured [\\[1\\]](#reference:1), [\\[2\\]](#reference:2) and [3].";
  assert.equal(linked("Measured [1], [2] and [3].", known), expected);
  for (const text of ["`a[1]` is code", "```\na[1]\n```", "[1](https://x.org)", "[1]: https://x.org", "[1][2x]"]) {
    assert.equal(linked(text, known), text);
  }
  assert.deepEqual([numberOf("#reference:12"), numberOf("https://x.org/#reference:1")], [12, undefined]);
});
