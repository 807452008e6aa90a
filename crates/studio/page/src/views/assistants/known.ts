// All assistants of the server, for choices and for names.

import type { Api } from "../../api/http.ts";
import type { Assistant } from "../../api/types.ts";
import { type Asked, useAsked } from "../start/asked.ts";
import { together } from "../listing/together.ts";
import { isOfServer, nameAndGraph } from "./names.ts";

/** The server answers so many at once; more than ten times as many are no choice. */
const PAGE = 1000;
const MOST = 10 * PAGE;

async function all(api: Api, signal: AbortSignal): Promise<readonly Assistant[]> {
  let known: readonly Assistant[] = [];
  for (let offset = 0; offset < MOST; offset += PAGE) {
    const body = { limit: PAGE, offset, sort_by: "name", sort_order: "asc" };
    const page = await api.post<Assistant[]>("/assistants/search", body, signal);
    known = together(known, page, (assistant) => assistant.assistant_id);
    if (page.length < PAGE) break;
  }
  return known;
}

export function useAssistants(): Asked<readonly Assistant[]> {
  return useAsked(all, []).value;
}

export function known(asked: Asked<readonly Assistant[]>): readonly Assistant[] {
  return asked.state === "answered" ? asked.answer : [];
}

/** The graphs that assistants are of, by name. */
export function graphsOf(assistants: readonly Assistant[]): string[] {
  return [...new Set(assistants.map((assistant) => assistant.graph_id))].sort();
}

/** The one that is chosen before a person chooses: what the server made of a graph, where there is such. */
export function firstOf(assistants: readonly Assistant[]): Assistant | undefined {
  return assistants.find(isOfServer) ?? assistants[0];
}

/** The name of an assistant, or the first part of its id where it is not known. */
export function nameOf(assistants: readonly Assistant[], id: string): string {
  const one = assistants.find((assistant) => assistant.assistant_id === id);
  return one === undefined ? `…${id.slice(-8)}` : nameAndGraph(one);
}
