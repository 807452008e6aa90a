import assert from "node:assert/strict";
import { test } from "node:test";
import { countWords, wordsIn } from "./length.ts";

test("lengths are read as plans state them", () => {
  for (const [text, words] of [
    ["800 words", 800],
    ["800", 800],
    ["~1,200 words", 1200],
    ["500 to 700 words", 600],
    ["500–700", 600],
    ["2k words", 2000],
    ["1.5k words", 1500],
    ["3000字", 3000],
    ["You should determine itself, according to the question", undefined],
    ["0 words", undefined],
    ["99999999999999999999", undefined],
    ["", undefined],
  ] as const) {
    assert.equal(wordsIn(text), words, text);
  }
});

test("words of any script are counted, and marks of citations are not", () => {
  for (const [text, words] of [
    ["", 0],
    ["  one\n\ttwo ", 2],
    ["# Heading — with *marks*", 3],
    ["don't re-do it", 3],
    ["3.5 ms", 2],
    ["日本語", 3],
    ["Rust言語is ok", 5],
    ["한국어 글", 2],
    ["- - -", 0],
    ["The log comes first [reference:wal#1], [ref: a#1, b#2].", 4],
  ] as const) {
    assert.equal(countWords(text), words, text);
  }
});
