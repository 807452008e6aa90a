import assert from "node:assert/strict";
import { test } from "node:test";
import { lanes, width } from "./lanes.ts";

/** A tree as `child<parent`, newest first. */
function list(text: string): { id: string; parent: string | undefined }[] {
  return text.split(" ").map((one) => {
    const [id = "", parent] = one.split("<");
    return { id, parent };
  });
}

function shown(text: string): string[] {
  return lanes(list(text)).map(({ lane, through, joining, above, below }) => {
    return `${lane}${above ? "^" : ""}${below ? "v" : ""} |${through.join(",")} /${joining.join(",")}`;
  });
}

test("one branch is one lane", () => {
  assert.deepEqual(shown("3<2 2<1 1"), ["0v | /", "0^v | /", "0^ | /"]);
});

test("a branch has a lane until its checkpoint", () => {
  // 4 was forked from 2, on which 3 followed before.
  assert.deepEqual(shown("5<4 4<2 3<2 2<1 1"), ["0v | /", "0^v | /", "1v |0 /", "0^v | /1", "0^ | /"]);
});

test("lanes are used again", () => {
  assert.deepEqual(shown("6<5 5<4 4<1 3<2 2<1 1"), ["0v | /", "0^v | /", "0^v | /", "1v |0 /", "1^v |0 /", "0^ | /1"]);
  const four = ["0v | /", "0^v | /", "1v |0 /", "1^v |0 /", "2v |0,1 /", "3v |0,1,2 /", "0^ | /1,2,3"];
  assert.deepEqual(shown("7<6 6<1 5<4 4<1 3<1 2<1 1"), four);
});

test("trees without a common root, and parents on the next page", () => {
  assert.deepEqual(shown("4<3 2<1"), ["0v | /", "1v |0 /"]);
  assert.deepEqual(shown("2 1"), ["0 | /", "0 | /"]);
  assert.equal(width(lanes(list("4<3 2<1"))), 2);
  assert.equal(width([]), 1);
});

test("thousands of checkpoints", () => {
  const many = Array.from({ length: 20_000 }, (_, at) => {
    const id = 20_000 - at;
    return { id: String(id), parent: id === 1 ? undefined : String(id % 100 === 0 ? id - 50 : id - 1) };
  });
  const began = performance.now();
  const rows = lanes(many);
  assert.equal(rows.length, 20_000);
  assert.ok(performance.now() - began < 2000);
});
