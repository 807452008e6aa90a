import assert from "node:assert/strict";
import { test } from "node:test";
import { byline, workOf } from "./work.ts";

test("a work is read at its publisher, else as a preprint, else where its source says", () => {
  const place = (record: object) => workOf({ title: "On tides", ...record }).place;
  const doi = "10.1000/a#b?c";
  assert.deepEqual(place({ doi, url: "https://x.org/" }), { href: "https://doi.org/10.1000/a%23b%3Fc" });
  assert.deepEqual(place({ arxiv: "2101.00001" }), { href: "https://arxiv.org/abs/2101.00001" });
  assert.deepEqual(place({ pmid: 29456894 }), { href: "https://pubmed.ncbi.nlm.nih.gov/29456894" });
  assert.deepEqual(place({ url: "https://x.org/a" }), { href: "https://x.org/a" });
  assert.equal(place({}), undefined);
});

test("what is no address of the web is words and no link", () => {
  const others = ["papers/tides.md", "javascript:alert(1)", "data:text/html,x", "https://x.org/a b", "mailto:a@b.c"];
  for (const url of others) {
    assert.deepEqual(workOf({ url }).place, { words: url });
  }
  assert.deepEqual(workOf({ doi: "10.1/a b", url: "file" }).place, { words: "file" });
});

test("authors are named as far as they fit", () => {
  const of = (...names: string[]) => byline(workOf({ authors: names.map((name) => ({ name })) }));
  assert.deepEqual([of(), of("A"), of("A", "B"), of("A", "B", "C", "D")], ["", "A", "A and B", "A, B, C and D"]);
  assert.equal(of("A", "B", "C", "D", "E"), "A, B, C and 2 others");
});

test("a record of another form is a work without what it lacks", () => {
  const work = workOf({ title: 3, authors: "A", provenance: null, year: "2020", retracted: "true" });
  assert.deepEqual([work.title, work.authors, work.engines], ["without a title", [], []]);
  assert.deepEqual([work.year, work.isRetracted], [undefined, false]);
});
