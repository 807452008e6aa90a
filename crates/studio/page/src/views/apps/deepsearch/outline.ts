// An outline that a person edits: its sections are added, taken away, moved, renamed. An answer is made of it.

import type { Json, JsonObject } from "../../../api/types.ts";
import { isObject } from "../../../parts/json-values.ts";
import { objectsOf, textOf, textsOf } from "../read.ts";
import type { Outline, Section } from "./research.ts";

/** A section with a name of its own that it keeps wherever it is moved. */
export interface Row extends Section {
  key: string;
}

export interface OutlineDraft {
  title: string;
  rows: Row[];
}

export function draftOf(outline: Outline): OutlineDraft {
  return { title: outline.title, rows: outline.sections.map((section) => ({ ...section, key: section.id })) };
}

/** The draft as it survives a reload. */
export function keptDraft({ title, rows }: OutlineDraft): JsonObject {
  return { title, rows: rows.map((row) => ({ ...row })) };
}

export function draftFrom(kept: Json | undefined): OutlineDraft | undefined {
  if (!isObject(kept) || !Array.isArray(kept.rows)) return undefined;
  const rows = objectsOf(kept.rows).map((row) => ({
    key: textOf(row.key),
    id: textOf(row.id),
    title: textOf(row.title),
    description: textOf(row.description),
    isCore: row.isCore === true,
    parents: textsOf(row.parents),
    relationships: textsOf(row.relationships),
  }));
  return { title: textOf(kept.title), rows };
}

/** A new section at the end. Its id is one that no other has, so that others can build on it. */
export function added(draft: OutlineDraft): OutlineDraft {
  const numbers = draft.rows.map((row) => Number(row.id)).filter(Number.isFinite);
  const id = String(Math.max(0, ...numbers) + 1);
  const row = { key: id, id, title: "", description: "", isCore: false, parents: [], relationships: [] };
  return { ...draft, rows: [...draft.rows, row] };
}

export function removed(draft: OutlineDraft, key: string): OutlineDraft {
  return { ...draft, rows: draft.rows.filter((row) => row.key !== key) };
}

export function moved(draft: OutlineDraft, key: string, by: 1 | -1): OutlineDraft {
  const at = draft.rows.findIndex((row) => row.key === key);
  const to = at + by;
  const [row, other] = [draft.rows[at], draft.rows[to]];
  if (row === undefined || other === undefined) return draft;
  const rows = [...draft.rows];
  rows[at] = other;
  rows[to] = row;
  return { ...draft, rows };
}

export function changed(draft: OutlineDraft, key: string, change: Partial<Section>): OutlineDraft {
  return { ...draft, rows: draft.rows.map((row) => (row.key === key ? { ...row, ...change } : row)) };
}

/** A section builds on another, or does no longer. */
export function built(row: Row, on: string, does: boolean): Partial<Section> {
  const kept = row.parents.map((parent, at): [string, string] => [parent, row.relationships[at] ?? USUAL]);
  const pairs = kept.filter(([parent]) => parent !== on);
  if (does) pairs.push([on, USUAL]);
  return { parents: pairs.map(([parent]) => parent), relationships: pairs.map(([, how]) => how) };
}

/** What a relationship is when nobody said. */
const USUAL = "Basic Dependence";

/** What is missing, by `title` or by the key of a section and its field. */
export function missingIn(draft: OutlineDraft): Map<string, string> {
  const missing = new Map<string, string>();
  if (draft.title.trim() === "") missing.set("title", "The report needs a title.");
  if (draft.rows.length === 0) missing.set("rows", "The report needs a section.");
  for (const { key, title, description } of draft.rows) {
    if (title.trim() === "") missing.set(`${key} title`, "The section needs a title.");
    if (description.trim() === "") missing.set(`${key} description`, "Say what the section is about.");
  }
  return missing;
}

/** Whether a draft is the outline as it was shown. */
export function isChanged(draft: OutlineDraft, outline: Outline): boolean {
  return outlineJson(draft) !== outlineJson(draftOf(outline));
}

/** The outline as the graph takes it: sections are numbered in their order, and build only on those before them. */
export function outlineJson(draft: OutlineDraft): string {
  const numbers = new Map(draft.rows.map((row, at) => [row.id, at + 1]));
  const sections = draft.rows.map((row, at) => {
    const parents = row.parents.flatMap((parent, place) => {
      const number = numbers.get(parent);
      return number === undefined || number > at ? [] : [[String(number), row.relationships[place] ?? USUAL]];
    });
    return {
      id: String(at + 1),
      title: row.title.trim(),
      description: row.description.trim(),
      is_core_section: row.isCore,
      parent_ids: parents.map(([parent]) => parent),
      relationships: parents.map(([, how]) => how),
    };
  });
  return JSON.stringify({ title: draft.title.trim(), sections });
}

/** The answers to an outline. */
export const ACCEPTED: JsonObject = { interrupt_feedback: "accepted", feedback: "" };
export const CANCELLED: JsonObject = { interrupt_feedback: "cancel", feedback: "" };

export function commented(comment: string): JsonObject {
  return { interrupt_feedback: "revise_comment", feedback: comment.trim() };
}

export function revised(draft: OutlineDraft): JsonObject {
  return { interrupt_feedback: "revise_outline", feedback: outlineJson(draft) };
}
