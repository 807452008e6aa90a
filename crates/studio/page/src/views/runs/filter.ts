// Which runs are shown: what the address says, as the server is asked for it.

import type { Json, JsonObject } from "../../api/types.ts";

export const STATUSES = ["pending", "running", "success", "error", "timeout", "interrupted"] as const;

export interface Filter {
  status: string | undefined;
  graph: string | undefined;
  /** `key=value`, several with blanks between. */
  metadata: string | undefined;
  text: string | undefined;
}

export function filterOf(query: URLSearchParams): Filter {
  const named = (name: string) => query.get(name)?.trim() || undefined;
  return { status: named("status"), graph: named("graph"), metadata: named("metadata"), text: named("q") };
}

export function isFiltered(filter: Filter): boolean {
  return Object.values(filter).some((value) => value !== undefined);
}

/** Metadata as it is written: `user=ada n=3 tag="3" name="two words"`. A value is JSON, or a text as it is. */
export function metadataOf(text: string): { fields: JsonObject } | { problem: string } {
  const found: [string, Json][] = [];
  const parts = /\s*([^\s=]+)=("(?:[^"\\]|\\.)*"|\S*)(?:\s+|$)/y;
  while (parts.lastIndex < text.length) {
    const part = parts.exec(text);
    if (part === null) return { problem: "Metadata is asked for as key=value, several with blanks between." };
    const [, key = "", written = ""] = part;
    found.push([key, valueOf(written)]);
  }
  return { fields: Object.fromEntries(found) };
}

function valueOf(written: string): Json {
  try {
    return JSON.parse(written) as Json;
  } catch {
    return written;
  }
}

/** The body of a search for a page of runs, or what is wrong with the filter. */
export function searchOf(filter: Filter, limit: number, offset: number): { body: JsonObject } | { problem: string } {
  const asked = metadataOf(filter.metadata ?? "");
  if ("problem" in asked) return asked;
  const body: JsonObject = { limit, offset, sort_by: "created_at", sort_order: "desc" };
  if (filter.status !== undefined) body.status = filter.status;
  if (filter.graph !== undefined) body.graph_id = filter.graph;
  if (filter.text !== undefined) body.query = filter.text;
  if (Object.keys(asked.fields).length > 0) body.metadata = asked.fields;
  return { body };
}
