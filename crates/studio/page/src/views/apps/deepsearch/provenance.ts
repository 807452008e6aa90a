// What a report rests on, in three layers: statements without a citation, cited statements, sources.

import type { Basis, Citation, Conclusion, Result, Uncited, Verdict } from "./research.ts";

export interface Source {
  key: string;
  reference: number;
  title: string;
  url: string;
  citations: Citation[];
}

export interface Cited {
  key: string;
  text: string;
  citations: Citation[];
  /** The conclusion that it is. */
  conclusion: Conclusion | undefined;
}

export interface Bare {
  key: string;
  number: number;
  statement: Uncited;
}

/** A line from what is said to what it rests on. */
export interface Edge {
  from: string;
  to: string;
  kind: Verdict | Basis;
}

export interface Provenance {
  bare: Bare[];
  cited: Cited[];
  sources: Source[];
  edges: Edge[];
}

/** Best first: of several citations of one source the best counts. */
const ORDER: Verdict[] = ["supported", "contradicted", "not_found", "not_checked"];

export function provenanceOf({ citations, conclusions, uncited }: Result): Provenance {
  const cited = new Map<string, Cited>();
  const sources = new Map<number, Source>();
  const statementOf = new Map<number, Cited>();
  for (const citation of citations) {
    const same = bare(citation.statement);
    const conclusion = conclusions.find((one) => bare(one.text) === same);
    const fresh: Cited = { key: `t${cited.size}`, text: citation.statement, citations: [], conclusion };
    const statement = cited.get(same) ?? fresh;
    cited.set(same, statement);
    statement.citations.push(citation);
    statementOf.set(citation.id, statement);
    const { reference, title, url } = citation;
    const source = sources.get(reference) ?? { key: `r${reference}`, reference, title, url, citations: [] };
    sources.set(reference, source);
    source.citations.push(citation);
  }
  // A conclusion without a citation of its own is a statement all the same.
  for (const conclusion of conclusions) {
    const same = bare(conclusion.text);
    if (!cited.has(same)) cited.set(same, { key: `t${cited.size}`, text: conclusion.text, citations: [], conclusion });
  }
  const made: Provenance = {
    bare: uncited.map((statement, number) => ({ key: `s${number}`, number, statement })),
    cited: [...cited.values()],
    sources: [...sources.values()].sort((a, b) => a.reference - b.reference),
    edges: [],
  };
  for (const { key, statement } of made.bare) {
    const to = new Set(statement.citations.flatMap((id) => statementOf.get(id)?.key ?? []));
    for (const one of to) made.edges.push({ from: key, to: one, kind: statement.basis });
  }
  for (const { key, citations: own } of made.cited) {
    for (const reference of new Set(own.map((one) => one.reference))) {
      const verdicts = own.filter((one) => one.reference === reference).map((one) => one.verdict);
      made.edges.push({ from: key, to: `r${reference}`, kind: best(verdicts) });
    }
  }
  return made;
}

/** The best of some verdicts. */
export function best(verdicts: readonly Verdict[]): Verdict {
  return ORDER.find((verdict) => verdicts.includes(verdict)) ?? "not_checked";
}

/** A statement without what its end may or may not have. */
function bare(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[.!?。！？]+$/, "");
}

/** Everything that a node is joined with, to both sides and through others, itself too. */
export function joined({ edges }: Provenance, key: string): ReadonlySet<string> {
  const reached = new Set([key]);
  const walk = (from: "from" | "to", to: "from" | "to") => {
    let front = [key];
    while (front.length > 0) {
      front = edges.filter((edge) => front.includes(edge[from])).map((edge) => edge[to]);
      front = front.filter((one) => !reached.has(one));
      for (const one of front) reached.add(one);
    }
  };
  walk("from", "to");
  walk("to", "from");
  return reached;
}

/** Where the nodes of a layer stand: each as near to what it is joined with as the others of its layer let it. */
export function placed(
  keys: readonly string[],
  wanted: (key: string) => number | undefined,
  height: number,
): Map<string, number> {
  const order = keys.map((key, at) => ({ key, want: wanted(key) ?? at * height })).sort((a, b) => a.want - b.want);
  const places = new Map<string, number>();
  let free = 0;
  for (const { key, want } of order) {
    const at = Math.max(free, want);
    places.set(key, at);
    free = at + height;
  }
  return places;
}
