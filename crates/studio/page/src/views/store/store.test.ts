import assert from "node:assert/strict";
import { test } from "node:test";
import { found, inside, type Item, itemPath } from "./items.ts";
import { minutesOf } from "./minutes.ts";
import { isBelow, isNameable, labelsOf, nameable, readKey, readNamespace, written, writtenKey } from "./names.ts";
import { around, NamespaceTree } from "./tree.ts";

test("names come back from the address as they were", () => {
  for (const namespace of [[], ["a"], ["a/b", "c%2F", "ä ?&#"]]) {
    assert.deepEqual(readNamespace(written(namespace)), namespace);
  }
  for (const key of ["", "a", '"', '"a"', "a b/c?"]) assert.equal(readKey(writtenKey(key)), key);
  assert.equal(readKey(""), undefined);
  assert.equal(readKey('"open'), '"open');
  assert.deepEqual(readNamespace("%"), ["%"]);
});

test("a label with a dot ends what a request can name", () => {
  assert.deepEqual(nameable(["memories", "ada@example.org", "x"]), ["memories"]);
  assert.deepEqual(nameable(["a", "b"]), ["a", "b"]);
  assert.ok(!isNameable(["a.b"]));
  assert.ok(isNameable([]));
  assert.ok(isBelow(["a", "b"], ["a"]));
  assert.ok(!isBelow(["ab"], ["a"]));
});

test("a namespace is written a label in a line", () => {
  assert.deepEqual(labelsOf("a\nb c\n\n"), { labels: ["a", "b c"] });
  for (const wrong of ["", "\n", "a\n\nb", "a\nb.c"]) assert.ok("problem" in labelsOf(wrong), wrong);
});

test("a tree shows what is open", () => {
  const tree = new NamespaceTree([["a", "b"], ["a", "c", "d"], ["e"]]);
  const shown = (open: string[]) => {
    const rows = tree.rows(new Set(open));
    return rows.map((row) => `${row.level}${row.label}${row.isOpen ?? ""} ${row.position}/${row.beside}`);
  };
  assert.deepEqual(shown([]), ["1afalse 1/2", "1e 2/2"]);
  assert.deepEqual(shown(["a"]), ["1atrue 1/2", "2b 1/2", "2cfalse 2/2", "1e 2/2"]);
  assert.deepEqual(shown(["a/c"]), ["1afalse 1/2", "1e 2/2"]);
  assert.deepEqual(around(["a", "c", "d"]), ["a", "a/c"]);
});

test("items are found by namespace and text", () => {
  const times = { created_at: "", updated_at: "" };
  const item = (namespace: string[], key: string, value: Item["value"] = {}) => ({ namespace, key, value, ...times });
  const items = [item(["a"], "one"), item(["a", "x.y"], "two", { note: "Three" }), item(["b"], "one")];
  const keys = (namespace: string[], text?: string) =>
    found(items, namespace, text).map((one) => `${inside(one, namespace)}:${one.key}`);
  assert.deepEqual(keys(["a"]), [":one", "x.y:two"]);
  assert.deepEqual(keys(["a", "x.y"]), [":two"]);
  assert.deepEqual(keys([], "THREE"), ["a / x.y:two"]);
  assert.deepEqual(keys(["b"], "two"), []);
  assert.equal(itemPath(["a", "b"], "k&"), "/store/items?namespace=a.b&key=k%26");
});

test("minutes are a number above 0, or none", () => {
  assert.deepEqual(minutesOf(" "), { minutes: undefined });
  assert.deepEqual(minutesOf("1,5"), { minutes: 1.5 });
  for (const wrong of ["0", "-1", "a", "1e400", "Infinity"]) assert.ok("problem" in minutesOf(wrong), wrong);
});
