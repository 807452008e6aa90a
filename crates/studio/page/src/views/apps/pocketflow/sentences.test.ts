import assert from "node:assert/strict";
import { test } from "node:test";
import { announced, edits, newTopic, reject, search, several, single, tooLong } from "./sentences.ts";

test("changes of a list are told by the places before any change", () => {
  const before = ["one", "two", "three"];
  assert.deepEqual(edits(before, before, []), []);
  assert.deepEqual(edits(before, ["one", undefined, " other "], ["", " more  words "]), [
    { is: "remove", at: 2 },
    { is: "replace", at: 3, text: "other" },
    { is: "add", text: "more words" },
  ]);
  assert.deepEqual(edits(before, ["one", "  ", "three"], []), [{ is: "remove", at: 2 }]);
});

test("one change is a command that takes any text, several are lines of which a semicolon would make two", () => {
  assert.deepEqual(several([{ is: "replace", at: 2, text: "a; b" }]), { say: "/edit 2 a; b" });
  const both = several([
    { is: "replace", at: 2, text: "a b" },
    { is: "remove", at: 3 },
    { is: "add", text: "c" },
  ]);
  assert.deepEqual(both, { say: "edit 2: a b\nremove 3\nadd: c" });
  const parted = several([
    { is: "remove", at: 1 },
    { is: "add", text: "a; b" },
  ]);
  assert.ok("problem" in parted);
  assert.equal(single({ is: "replace", at: 1, text: " first\n\nsecond " }), "/edit 1 first\n\nsecond");
});

test("a reason may be missing, and a topic is one line", () => {
  assert.deepEqual([reject(" "), reject(" why "), search("")], ["/reject", "/reject why", "/search"]);
  assert.equal(newTopic(" tides\nand ebbs "), "new topic: tides and ebbs");
});

test("a message is as long as the application reads, in bytes", () => {
  assert.equal(tooLong("é".repeat(8 * 1024)), undefined);
  assert.notEqual(tooLong(`${"é".repeat(8 * 1024)}x`), undefined);
});

test("of a message that shows something for review, the first line, the notes and what is asked are known", () => {
  const said =
    "These are the queries for tides:\n\n1. spring tides\n\nI take this as: take out number 2, add “x”. Is that right? " +
    "(`yes` or `no`)\n\nTo know:\n- there is no query on limits\n- more";
  assert.deepEqual(announced(said), {
    first: "These are the queries for tides:",
    notes: ["there is no query on limits", "more"],
    confirm: "I take this as: take out number 2, add “x”. Is that right?",
  });
  assert.deepEqual(announced("hello"), { first: "hello", notes: [], confirm: undefined });
});
