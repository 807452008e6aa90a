import assert from "node:assert/strict";
import { test } from "node:test";
import { type Document, documentsOf, mannerOf, pathOf } from "./list.ts";

const listed = {
  name: "report.md",
  media_type: "text/markdown; charset=utf-8",
  size: 3,
  path: "artifacts/report.md",
  hash: "6f",
};

test("documents are what the state lists, and a list of anything else is none", () => {
  const report = { name: "report.md", mediaType: "text/markdown; charset=utf-8", size: 3, hash: "6f" };
  assert.deepEqual(documentsOf({ artifacts: [listed] }), [report]);
  for (const artifacts of [[], null, "report.md", [listed, {}], [{ ...listed, size: "3" }], [null], { ...listed }]) {
    assert.deepEqual(documentsOf({ artifacts }), [], JSON.stringify(artifacts));
  }
  assert.deepEqual([documentsOf(null), documentsOf(undefined), documentsOf({})], [[], [], []]);
});

test("a name leads to a document of the thread, whatever is in it", () => {
  const named = (name: string): Document => ({ name, mediaType: "text/plain", size: 0, hash: "" });
  assert.equal(pathOf("t1", named("Bärte & Co?.md")), "/threads/t1/artifacts/B%C3%A4rte%20%26%20Co%3F.md");
  assert.equal(pathOf("t1", named("../../store/items")), "/threads/t1/artifacts/..%2F..%2Fstore%2Fitems");
});

test("how a document is shown follows its media type; a page of HTML and a drawing are text", () => {
  const manner = (mediaType: string, name = "a") => mannerOf({ name, mediaType, size: 0, hash: "" });
  assert.equal(manner("text/markdown; charset=utf-8"), "markdown");
  assert.equal(manner("text/plain", "notes.md"), "markdown");
  assert.equal(manner("application/json"), "json");
  assert.equal(manner("application/vnd.citationstyles.csl+json"), "json");
  const texts = ["text/html", "TEXT/HTML; charset=utf-8", "text/vnd.mermaid", "application/x-bibtex", "image/svg+xml"];
  for (const mediaType of texts) {
    assert.equal(manner(mediaType), "text", mediaType);
  }
  for (const mediaType of ["application/pdf", "image/png", "application/octet-stream"]) {
    assert.equal(manner(mediaType), "other", mediaType);
  }
});
