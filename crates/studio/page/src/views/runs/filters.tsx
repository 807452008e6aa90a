// What narrows the list of runs down. All of it is kept in the address.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Assistant } from "../../api/types.ts";
import { api } from "../../connection.ts";
import { choose } from "../../route.ts";
import { GraphChoice } from "../listing/graph-choice.tsx";
import { Typed } from "../listing/typed.tsx";
import { type Filter, isFiltered, STATUSES } from "./filter.ts";

const STATUS_NAMES: Record<(typeof STATUSES)[number], string> = {
  pending: "in the queue",
  running: "running",
  success: "done",
  error: "failed",
  timeout: "timed out",
  interrupted: "stopped",
};

export function Filters({ filter }: { filter: Filter }): JSX.Element {
  const graphs = useGraphs();
  const search = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
      if ((event.target as Element).closest("input, textarea, select, dialog, [contenteditable]") !== null) return;
      event.preventDefault();
      search.current?.focus();
      search.current?.select();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
  const known = filter.graph === undefined || graphs.includes(filter.graph) ? graphs : [filter.graph, ...graphs];
  return (
    <search class="filters">
      <label>
        <span>
          Search <kbd>/</kbd>
        </span>
        <Typed field={search} value={filter.text} placeholder="id or metadata" onTyped={(q) => choose({ q }, true)} />
      </label>
      <label>
        <span>Status</span>
        <select value={filter.status ?? ""} onChange={(event) => choose({ status: event.currentTarget.value }, true)}>
          <option value="">any</option>
          {STATUSES.map((status) => (
            <option key={status} value={status}>
              {STATUS_NAMES[status]}
            </option>
          ))}
        </select>
      </label>
      <GraphChoice graph={filter.graph} known={known} />
      <label>
        <span>Metadata</span>
        <Typed value={filter.metadata} placeholder="key=value" onTyped={(metadata) => choose({ metadata }, true)} />
      </label>
      {isFiltered(filter) && (
        <button
          type="button"
          onClick={() => choose({ q: undefined, status: undefined, graph: undefined, metadata: undefined }, true)}
        >
          Show all
        </button>
      )}
    </search>
  );
}

/** The graphs of the server, by name. Without them the filter has those only that are chosen. */
function useGraphs(): string[] {
  const [graphs, setGraphs] = useState<string[]>([]);
  useEffect(() => {
    const asking = new AbortController();
    api.value.post<Assistant[]>("/assistants/search", { limit: 1000 }, asking.signal).then(
      (assistants) => setGraphs([...new Set(assistants.map((assistant) => assistant.graph_id))].sort()),
      () => undefined,
    );
    return () => asking.abort();
  }, [api.value]);
  return graphs;
}
