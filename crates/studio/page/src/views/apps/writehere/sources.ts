// What a text rests on: passages that were found, and the sources that they are from (crates/retrieval/src/evidence.rs).

import type { JsonObject } from "../../../api/types.ts";
import { isObject } from "../../../parts/json-values.ts";
import { number, text, texts } from "./read.ts";

/** A passage that was found. */
export interface Evidence {
  id: string;
  title: string;
  /** The document, as a list of references names it. */
  source: string;
  /** The address of the document, where it has one. */
  url: string | undefined;
  /** The address of the copy that was read, where that is another. */
  copy: string | undefined;
  /** The headings above the passage, outermost first. */
  heading: string[];
  /** Where in the document it is: `lines 3-9`. */
  place: string;
  text: string;
}

/** A numbered source. */
export interface Reference {
  number: number;
  evidence: string[];
  title: string;
  places: string[];
}

export function evidenceIn(one: JsonObject): Evidence {
  const source = isObject(one.source) ? one.source : {};
  const name = sourceName(source);
  return {
    id: text(one.id),
    title: text(one.title) || name,
    source: name,
    url: text(source.url) || undefined,
    copy: text(one.copy) || undefined,
    heading: texts(one.heading),
    place: placeName(isObject(one.locator) ? one.locator : {}),
    text: text(one.text),
  };
}

function sourceName(source: JsonObject): string {
  const root = text(source.root).replace(/[/\\]+$/, "");
  switch (source.kind) {
    case "local":
      return root === "" ? text(source.path) : `${root}/${text(source.path)}`;
    case "literature":
      return text(source.work);
    case "mcp":
      return `${text(source.uri)} of the MCP server ${text(source.server)}`;
  }
  return text(source.url);
}

function placeName(locator: JsonObject): string {
  const range = (one: string, first: number | undefined, last: number | undefined) =>
    first === last ? `${one} ${first ?? ""}` : `${one}s ${first ?? ""}-${last ?? ""}`;
  switch (locator.kind) {
    case "lines":
      return range("line", number(locator.first_line), number(locator.last_line));
    case "pages":
      return range("page", number(locator.first_page), number(locator.last_page));
    case "passage":
      return `passage ${number(locator.number) ?? ""}`;
  }
  return "";
}

export function referenceIn(one: JsonObject): Reference {
  return {
    number: number(one.number) ?? 0,
    evidence: texts(one.evidence),
    title: text(one.title),
    places: texts(one.places),
  };
}
