// What a text rests on: passages that were found, and the sources that they are from (crates/retrieval/src/evidence.rs).

import type { JsonObject } from "../../../api/types.ts";
import { isObject } from "../../../parts/json-values.ts";
import { numberOf, textOf, textsOf } from "../read.ts";

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
    id: textOf(one.id),
    title: textOf(one.title) || name,
    source: name,
    url: textOf(source.url) || undefined,
    copy: textOf(one.copy) || undefined,
    heading: textsOf(one.heading),
    place: placeName(isObject(one.locator) ? one.locator : {}),
    text: textOf(one.text),
  };
}

function sourceName(source: JsonObject): string {
  const root = textOf(source.root).replace(/[/\\]+$/, "");
  switch (source.kind) {
    case "local":
      return root === "" ? textOf(source.path) : `${root}/${textOf(source.path)}`;
    case "literature":
      return textOf(source.work);
    case "mcp":
      return `${textOf(source.uri)} of the MCP server ${textOf(source.server)}`;
  }
  return textOf(source.url);
}

function placeName(locator: JsonObject): string {
  const range = (one: string, first: number | undefined, last: number | undefined) =>
    first === last ? `${one} ${first ?? ""}` : `${one}s ${first ?? ""}-${last ?? ""}`;
  switch (locator.kind) {
    case "lines":
      return range("line", numberOf(locator.first_line), numberOf(locator.last_line));
    case "pages":
      return range("page", numberOf(locator.first_page), numberOf(locator.last_page));
    case "passage":
      return `passage ${numberOf(locator.number) ?? ""}`;
  }
  return "";
}

export function referenceIn(one: JsonObject): Reference {
  return {
    number: numberOf(one.number) ?? 0,
    evidence: textsOf(one.evidence),
    title: textOf(one.title),
    places: textsOf(one.places),
  };
}
