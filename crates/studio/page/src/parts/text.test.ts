import assert from "node:assert/strict";
import { test } from "node:test";
import { bytes, count, counted, short, visible } from "./text.ts";

test("what cannot be seen is named", () => {
  const cases: [string, string][] = [
    ["plain\n\ttext", "plain\n\ttext"],
    ["a\r\nb", "a\nb"],
    ["\u001b[31mred\u001b[0m", "⟨ESC⟩[31mred⟨ESC⟩[0m"],
    ["a\u0000\u0007\u007f", "a⟨NUL⟩⟨BEL⟩⟨DEL⟩"],
    ["\u009b31m", "⟨U+009B⟩31m"],
    ["user\u202eexe.txt", "user⟨U+202E⟩exe.txt"],
    ["\u2066x\u2069", "⟨U+2066⟩x⟨U+2069⟩"],
    ["a\u200bb\ufeff", "a⟨U+200B⟩b⟨U+FEFF⟩"],
    ["\u{e0041}", "⟨U+E0041⟩"],
    ["\ud800", "⟨U+D800⟩"],
    ["👩‍👧 שלום नमस्ते 🇩🇪", "👩‍👧 שלום नमस्ते 🇩🇪"],
  ];
  for (const [text, expected] of cases) assert.equal(visible(text), expected);
});

test("texts are cut between characters", () => {
  assert.equal(short("abc", 3), "abc");
  assert.equal(short("abcd", 3), "abc…");
  assert.equal(short("a😀b", 2), "a…");
});

test("counts and bytes are words", () => {
  assert.equal(counted(1, "item"), "1 item");
  assert.equal(counted(12345, "item"), "12\u202f345 items");
  assert.equal(counted(2, "entry", "entries"), "2 entries");
  assert.equal(count(999), "999");
  assert.deepEqual([0, 999, 1000, 3449, 12_300_000].map(bytes), ["0 B", "999 B", "1.0 kB", "3.4 kB", "12 MB"]);
});
