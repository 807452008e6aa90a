// The documents of a thread, as its state lists them, and how each can be shown.

import type { JsonObject } from "../../../api/types.ts";
import { isObject } from "../../../parts/json-values.ts";

/** A document, of which the state has all but the bytes. */
export interface Document {
  name: string;
  /** Its media type, with parameters. */
  mediaType: string;
  /** Its size in bytes. */
  size: number;
  /** The hash of its bytes; empty where the state does not have it. */
  hash: string;
}

/** What the field `artifacts` of a state lists; nothing where that is no list of documents. */
export function documentsOf(values: JsonObject | null | undefined): Document[] {
  const listed = values?.artifacts;
  if (!Array.isArray(listed)) return [];
  const documents = listed.map((one): Document | undefined => {
    if (!isObject(one)) return undefined;
    const { name, media_type: mediaType, size, path, hash } = one;
    if (typeof name !== "string" || typeof mediaType !== "string" || typeof size !== "number") return undefined;
    return typeof path === "string" ? { name, mediaType, size, hash: typeof hash === "string" ? hash : "" } : undefined;
  });
  return documents.every((one) => one !== undefined) ? documents : [];
}

/** Where the bytes of a document are. The server looks the name up in the state, so that it leads nowhere else. */
export function pathOf(thread: string, { name }: Document): string {
  return `/threads/${encodeURIComponent(thread)}/artifacts/${encodeURIComponent(name)}`;
}

/** `markdown` and `json` can be read better than as their text, `other` is no text. */
export type Manner = "markdown" | "json" | "text" | "other";

const TEXTS = /^application\/(.*\+)?(json|xml|yaml|x-bibtex|javascript|toml|sql|jsonl|x-ndjson)$/;

export function mannerOf({ mediaType, name }: Document): Manner {
  const essence = (mediaType.split(";", 1)[0] ?? "").trim().toLowerCase();
  if (/^text\/(x-)?markdown$/.test(essence)) return "markdown";
  if (/^application\/(.*\+)?json$/.test(essence)) return "json";
  if (essence === "text/plain" && /\.(md|markdown)$/i.test(name)) return "markdown";
  if (essence.startsWith("text/") || TEXTS.test(essence) || essence === "image/svg+xml") return "text";
  return "other";
}
