import assert from "node:assert/strict";
import { test } from "node:test";
import { readJson } from "./json-text.ts";

test("what is JSON is read", () => {
  for (const text of ['{"a": [1, -2.5e3, true, null, "x\\n\\u00e4"]}', " [] ", '""', "0", '{"a":{}}']) {
    assert.deepEqual(readJson(text), { value: JSON.parse(text) }, text);
  }
});

test("what is none says where and what", () => {
  const cases: [string, string][] = [
    ["", "Line 1, column 1: A value is needed."],
    ['{\n  "a": 1,\n}', "Line 2, column 9: Nothing follows this comma; take it away."],
    ['{"a" 1}', "Line 1, column 6: A colon is needed; here is `1`."],
    ["{a: 1}", "Line 1, column 2: A name in double quotes is needed; here is `a`."],
    ["[1 2]", "Line 1, column 4: A comma or `]` is needed; here is `2`."],
    ["[1", "Line 1, column 3: A comma or `]` is needed; here is the end of the text."],
    ['"abc', "Line 1, column 1: This text has no end."],
    ['"a\nb"', "Line 1, column 3: A text ends in its line; a line break in it is written \\n."],
    ['"\\x"', "Line 1, column 2: A backslash in a text is written \\\\."],
    ["approve", "Line 1, column 1: `approve` is no value; a text stands in double quotes."],
    ["'a'", "Line 1, column 1: A text stands in double quotes."],
    ["1 2", "Line 1, column 3: Nothing may follow the value; here is `2`."],
    ["[12345678901234567890]", "Line 1, column 2: A browser cannot keep a whole number of this size exactly."],
    ["[".repeat(200), "Line 1, column 129: This is nested too deeply."],
  ];
  for (const [text, expected] of cases) {
    const read = readJson(text);
    assert.equal("problem" in read ? read.problem.message : "read", expected, text.slice(0, 20));
  }
});

test("any text is read as the browser reads it, or refused as it refuses it", () => {
  // A generator of its own: the texts are the same in every run.
  let state = 7;
  const next = (below: number) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state % below;
  };
  const marks = ["{", "}", "[", "]", ",", ":", '"', "-", ".", "\\"];
  const pieces = [...marks, '"a"', "1", "0", "e", "true", "null", " ", "\n", "\t", "x"];
  for (let round = 0; round < 20_000; round += 1) {
    const text = Array.from({ length: 1 + next(8) }, () => pieces[next(pieces.length)]).join("");
    let valid = true;
    try {
      JSON.parse(text);
    } catch {
      valid = false;
    }
    assert.equal("value" in readJson(text), valid, JSON.stringify(text));
  }
});
