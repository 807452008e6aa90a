// Pages of runs as one list, newest first.

import type { Run, Usage } from "../../api/types.ts";

/** A run as a search over all threads answers it. Servers of before have less of it. */
export interface ListedRun extends Run {
  graph_id?: string;
  started_at?: string | null;
  ended_at?: string | null;
  steps?: number | null;
  usage?: Usage | null;
}

export function graphOf(run: ListedRun): string {
  const named = run.graph_id ?? run.metadata.graph_id;
  return typeof named === "string" ? named : run.assistant_id;
}

export function isUnderWay(run: ListedRun): boolean {
  return run.status === "pending" || run.status === "running";
}

/** The list with a page behind it. New runs may have moved the page: what is there twice stays once. */
export function withPage(known: readonly ListedRun[], page: readonly ListedRun[]): ListedRun[] {
  const there = new Set(known.map((run) => run.run_id));
  return [...known, ...page.filter((run) => !there.has(run.run_id))];
}

/**
 * The list after its first page was asked for again. What is older than the page stays; runs that it should have and
 * has not are gone. Where nothing of the page was known, runs between are missing: only the page stays.
 */
export function withFirstPage(known: readonly ListedRun[], page: readonly ListedRun[], isWhole: boolean): ListedRun[] {
  const oldest = page.at(-1);
  if (isWhole || oldest === undefined) return [...page];
  const inPage = new Set(page.map((run) => run.run_id));
  if (!known.some((run) => inPage.has(run.run_id))) return [...page];
  const older = known.filter((run) => isOlder(run, oldest) && !inPage.has(run.run_id));
  return [...page, ...older];
}

function isOlder(run: ListedRun, than: ListedRun): boolean {
  const [at, other] = [Date.parse(run.created_at), Date.parse(than.created_at)];
  return at === other ? run.run_id < than.run_id : at < other;
}

/** Metadata without what every run has, in short. */
export function metadataInShort(run: ListedRun): string {
  const own = Object.entries(run.metadata).filter(([key]) => key !== "graph_id" && key !== "assistant_id");
  return own.map(([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`).join(" ");
}
