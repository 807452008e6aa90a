import assert from "node:assert/strict";
import { test } from "node:test";
import {
  added,
  built,
  changed,
  draftFrom,
  draftOf,
  isChanged,
  keptDraft,
  missingIn,
  moved,
  outlineJson,
  removed,
  revised,
} from "./outline.ts";
import { outlineOf } from "./research.ts";

const OUTLINE = outlineOf({
  title: "Logs",
  sections: [
    { id: "1", title: "The log", description: "of logs", is_core_section: true, parent_ids: [], relationships: [] },
    { id: "2", title: "The sync", description: "of syncs", parent_ids: ["1"], relationships: ["Framework Support"] },
    { id: "3", title: "The end", description: "of ends", parent_ids: ["2", "1"], relationships: ["Basic Dependence"] },
  ],
});

const titles = (json: string) => (JSON.parse(json).sections as { title: string }[]).map((section) => section.title);

test("an outline that nobody touched is the one that was shown", () => {
  assert.ok(!isChanged(draftOf(OUTLINE), OUTLINE));
  const back = draftFrom(JSON.parse(JSON.stringify(keptDraft(draftOf(OUTLINE)))));
  assert.ok(back !== undefined && !isChanged(back, OUTLINE));
  assert.ok(isChanged({ ...draftOf(OUTLINE), title: "Others" }, OUTLINE));
});

test("sections are renamed, moved, taken away and added, and numbered in their order", () => {
  let draft = draftOf(OUTLINE);
  draft = changed(draft, "2", { title: "Syncing " });
  draft = moved(draft, "3", -1);
  draft = removed(draft, "1");
  draft = added(draft);
  draft = changed(draft, draft.rows.at(-1)?.key ?? "", { title: "New", description: "what is new" });
  assert.deepEqual(titles(outlineJson(draft)), ["The end", "Syncing", "New"]);
  const { sections } = JSON.parse(outlineJson(draft));
  assert.deepEqual(
    sections.map((section: { id: string }) => section.id),
    ["1", "2", "3"],
  );
  // What was taken away, and what comes later now, can no longer be built on.
  assert.deepEqual(
    sections.map((section: { parent_ids: string[] }) => section.parent_ids),
    [[], [], []],
  );
});

test("what a section builds on goes with the section, and keeps how", () => {
  const draft = changed(draftOf(OUTLINE), "2", built(draftOf(OUTLINE).rows[1]!, "1", false));
  const { sections } = JSON.parse(outlineJson(moved(draft, "1", 1)));
  assert.deepEqual(sections[2].parent_ids, ["1", "2"], "the sections 2 and 1 have changed their places");
  assert.deepEqual(sections[2].relationships, ["Basic Dependence", "Basic Dependence"]);
  assert.deepEqual(sections[0].parent_ids, []);
});

test("an outline without titles or sections is told at its place", () => {
  const draft = added({ title: " ", rows: [] });
  assert.deepEqual([...missingIn(draft).keys()], ["title", "1 title", "1 description"]);
  assert.deepEqual([...missingIn({ title: "A", rows: [] }).keys()], ["rows"]);
  assert.equal(missingIn(draftOf(OUTLINE)).size, 0);
});

test("ends of the list move nowhere, and a new id is no old one", () => {
  const draft = draftOf(OUTLINE);
  assert.equal(moved(draft, "1", -1), draft);
  assert.equal(moved(draft, "3", 1), draft);
  assert.equal(added(removed(draft, "2")).rows.at(-1)?.id, "4");
});

test("the answer holds the outline as a text", () => {
  const answer = revised(draftOf(OUTLINE));
  assert.equal(answer.interrupt_feedback, "revise_outline");
  assert.equal(JSON.parse(String(answer.feedback)).sections.length, 3);
});
