// A work of the literature, or a document of one's own, as a search found it.

import type { Json, JsonObject } from "../../../api/types.ts";
import { isObject } from "../../../parts/json-values.ts";
import { harmless } from "../../../parts/markdown-tree.ts";
import { textOf } from "../read.ts";

export interface Work {
  id: string;
  title: string;
  authors: string[];
  year: number | undefined;
  venue: string;
  abstract: string;
  /** Where a reader finds it: an address of the web that can be opened, or else the words for it, such as a file. */
  place: { href: string } | { words: string } | undefined;
  citedBy: number | undefined;
  isRetracted: boolean;
  /** The engines that found it. */
  engines: string[];
}

export function workOf(record: JsonObject): Work {
  const authors = Array.isArray(record.authors) ? record.authors : [];
  const provenance = Array.isArray(record.provenance) ? record.provenance : [];
  return {
    id: textOf(record.id),
    title: textOf(record.title) || "without a title",
    authors: authors.flatMap((author) => (isObject(author) && textOf(author.name) ? [textOf(author.name)] : [])),
    year: typeof record.year === "number" ? record.year : undefined,
    venue: textOf(record.venue),
    abstract: textOf(record.abstract),
    place: placeOf(record),
    citedBy: typeof record.cited_by === "number" ? record.cited_by : undefined,
    isRetracted: record.retracted === true,
    engines: [...new Set(provenance.flatMap((one) => (isObject(one) && textOf(one.source) ? [textOf(one.source)] : [])))],
  };
}

/** The address of the publisher, else the preprint's, else what the source gives. */
function placeOf({ doi, arxiv, pmid, url }: JsonObject): Work["place"] {
  const named = (id: Json | undefined) => (typeof id === "number" ? String(id) : textOf(id));
  const addresses: [base: string, id: string][] = [
    ["https://doi.org/", named(doi)],
    ["https://arxiv.org/abs/", named(arxiv)],
    ["https://pubmed.ncbi.nlm.nih.gov/", named(pmid)],
  ];
  for (const [base, id] of addresses) {
    const href = id === "" ? undefined : harmless(base + id.replace(/[%#?]/g, encodeURIComponent));
    if (href !== undefined) return { href };
  }
  if (!textOf(url)) return undefined;
  const href = /^https?:/i.test(textOf(url)) ? harmless(textOf(url)) : undefined;
  return href === undefined ? { words: textOf(url) } : { href };
}

/** `Lee`, `Lee and Ray`, `Lee, Ray, Ito and 4 others`. */
export function byline({ authors }: Work): string {
  if (authors.length > 4) return `${authors.slice(0, 3).join(", ")} and ${authors.length - 3} others`;
  if (authors.length < 2) return authors[0] ?? "";
  return `${authors.slice(0, -1).join(", ")} and ${authors.at(-1)}`;
}
