// The question whether changes may be written, and the verdicts that answer it.

import type { Json } from "../../../api/types.ts";
import { objectOf, objectsOf, textOf } from "../read.ts";

/** Changes that only make sense together. */
export interface ReviewItem {
  id: string;
  title: string;
  diff: string;
}

export interface Review {
  summary: string;
  items: ReviewItem[];
}

/** The review that a question is; nothing for any other. */
export function reviewOf(value: Json): Review | undefined {
  const { summary, items } = objectOf(value);
  if (typeof summary !== "string" || !Array.isArray(items)) return undefined;
  const read = objectsOf(items);
  const isWhole = read.length === items.length && read.every((item) => typeof item.diff === "string");
  if (!isWhole) return undefined;
  return {
    summary,
    items: read.map(({ id, title, diff }) => ({ id: String(id), title: textOf(title), diff: textOf(diff) })),
  };
}

/** The verdict that approves these items, all or some. */
export function approving({ items }: Review, ids: ReadonlySet<string>): Json {
  const chosen = items.map((item) => item.id).filter((id) => ids.has(id));
  return chosen.length === items.length ? "approve" : { some: { ids: chosen } };
}

export function rejecting(reason: string): Json {
  return { reject: { reason: reason.trim() } };
}
