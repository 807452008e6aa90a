import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../api/types.ts";
import { type Change, difference, type Item, tally } from "./diff.ts";
import { equal } from "./json-values.ts";

/** A difference on one line. */
function shown(change: Change): string {
  switch (change.is) {
    case "same":
      return "=";
    case "added":
      return `+${JSON.stringify(change.value)}`;
    case "removed":
      return `-${JSON.stringify(change.value)}`;
    case "changed":
      return `${JSON.stringify(change.before)}→${JSON.stringify(change.after)}`;
    case "text":
      return change.parts.map((part) => `${{ same: "=", added: "+", removed: "-" }[part.is]}${part.text}`).join("|");
    case "object":
      return `{${change.fields.map((field) => `${field.key}${shown(field.change)}`).join(" ")}}`;
    case "array":
      return `[${change.items.map(shownItem).join(" ")}]`;
  }
}

function shownItem(item: Item): string {
  if (item.is === "run") return `${item.length}=`;
  return `${item.before ?? ""}:${item.after ?? ""}${shown(item.change)}`;
}

/** The value that a difference leads to. */
function applied(change: Change): Json | undefined {
  switch (change.is) {
    case "same":
    case "added":
      return change.value;
    case "removed":
      return undefined;
    case "changed":
      return change.after;
    case "text":
      return change.parts.map((part) => (part.is === "removed" ? "" : part.text)).join("");
    case "object": {
      const fields = change.fields.map(({ key, change }): [string, Json | undefined] => [key, applied(change)]);
      return Object.fromEntries(fields.filter((field): field is [string, Json] => field[1] !== undefined));
    }
    case "array":
      return change.items.flatMap((item): Json[] => {
        if (item.is === "run") return item.values;
        const value = applied(item.change);
        return value === undefined ? [] : [value];
      });
  }
}

test("values, fields and items", () => {
  const cases: [Json | undefined, Json | undefined, string][] = [
    [1, 1, "="],
    [1, "1", '1→"1"'],
    [undefined, null, "+null"],
    [null, undefined, "-null"],
    [undefined, undefined, "="],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, "="],
    [{ a: 1, b: 2, c: 3 }, { b: 2, c: 4, d: 5 }, "{b= c3→4 d+5 a-1}"],
    [{ a: { b: [1] } }, { a: { b: [1, 2] } }, "{a{b[1= :1+2]}}"],
    [[1, 2, 3], [1, 2, 3, 4, 5], "[3= :3+4 :4+5]"],
    [[1, 2, 3], [0, 1, 2, 3], "[:0+0 3=]"],
    [[1, 2, 3, 4], [1, 3, 4, 5], "[1= 1:-2 2= :3+5]"],
    [[1, 1], [1], "[1= 1:-1]"],
    [[{ id: "a", n: 1 }, { id: "b", n: 1 }], [{ id: "a", n: 1 }, { id: "b", n: 2 }], "[1= 1:1{id= n1→2}]"],
    [[{ id: "b", n: 1 }], [{ id: "a" }, { id: "b", n: 2 }], '[:0+{"id":"a"} 0:1{id= n1→2}]'],
    [[{ id: "a" }, { id: "b", n: 1 }], [{ id: "b", n: 2 }], '[0:-{"id":"a"} 1:0{id= n1→2}]'],
    [["a"], ["b"], '[0:-"a" :0+"b"]'],
    [[[1]], [[2]], "[0:0[0:-1 :0+2]]"],
    [{}, [], "{}→[]"],
    [{ constructor: 1 }, {}, "{constructor-1}"],
    [{}, { toString: 1 }, "{toString+1}"],
  ];
  for (const [before, after, expected] of cases) {
    assert.equal(shown(difference(before, after)), expected, JSON.stringify([before, after]));
  }
});

test("items that are put at the end are told", () => {
  const appended = (before: Json[], after: Json[]) => {
    const change = difference(before, after);
    return change.is === "array" ? change.appended : undefined;
  };
  assert.equal(appended([1], [1, 2, 3]), 2);
  assert.equal(appended([], [1]), 1);
  assert.equal(appended([1], [2, 3]), 0);
  assert.equal(appended([1, 2], [1]), 0);
});

test("long texts by words and by lines", () => {
  const words = "one two three four five six seven eight";
  assert.equal(shown(difference(words, words.replace("four", "4"))), "=one two three |-four|+4|= five six seven eight");
  assert.equal(shown(difference(words, `${words} nine`)), `=${words}|+ nine`);
  assert.equal(difference("a b", "a c").is, "changed");
  assert.equal(difference(words, "x".repeat(40)).is, "changed");
  const lines = Array.from({ length: 40 }, (_, at) => `line ${at}`).join("\n");
  const change = difference(lines, lines.replace("line 20\n", "line 20\nline 20a\n"));
  assert.ok(change.is === "text" && change.by === "lines");
  assert.equal(change.parts.find((part) => part.is === "added")?.text, "line 20a\n");
});

test("a difference leads to the value after", () => {
  let state = 42;
  const random = (most: number) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * most);
  };
  const value = (depth: number): Json => {
    const kind = random(depth > 0 ? 7 : 5);
    if (kind === 0) return random(3);
    if (kind === 1) return "ab c".slice(0, random(5));
    if (kind === 2) return random(2) === 0;
    if (kind === 3) return null;
    if (kind === 4) return "some longer text of words that goes on ".repeat(random(3));
    if (kind === 5) return Array.from({ length: random(6) }, () => value(depth - 1));
    return Object.fromEntries(Array.from({ length: random(5) }, () => ["abcde"[random(5)] ?? "", value(depth - 1)]));
  };
  for (let round = 0; round < 3000; round += 1) {
    const [before, after] = [value(3), value(3)];
    assert.deepEqual(applied(difference(before, after)), after);
    const { added, removed, changed } = tally(difference(before, after));
    assert.equal(added + removed + changed === 0, equal(before, after));
  }
});

test("large values do not take long", () => {
  const began = performance.now();
  const many = Array.from({ length: 200_000 }, (_, at) => ({ id: at, text: `item ${at}` }));
  const change = difference(many, [...many, { id: -1, text: "new" }]);
  assert.ok(change.is === "array" && change.items.length === 2 && change.appended === 1);
  const others = Array.from({ length: 50_000 }, (_, at) => -at - 1);
  difference(Array.from({ length: 50_000 }, (_, at) => at), others);
  const shuffled = Array.from({ length: 3000 }, (_, at) => (at * 7919) % 3000);
  difference(Array.from({ length: 3000 }, (_, at) => at), shuffled);
  const text = "word ".repeat(200_000);
  difference(text, `x${text}`);
  difference("a b ".repeat(100_000), "b c ".repeat(100_000));
  assert.ok(performance.now() - began < 8000, `${Math.round(performance.now() - began)} ms`);
});
