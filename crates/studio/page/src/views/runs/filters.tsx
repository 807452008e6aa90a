// What narrows the list of runs down. All of it is kept in the address.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Assistant } from "../../api/types.ts";
import { api } from "../../connection.ts";
import { choose } from "../../route.ts";
import { type Filter, isFiltered, STATUSES } from "./filter.ts";

/** After this long without a key the search begins, in milliseconds. */
const TYPED = 350;

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

/** A text that counts when a person stops to type. */
export function Typed({
  value = "",
  placeholder,
  onTyped,
  field,
}: {
  value: string | undefined;
  placeholder: string;
  onTyped: (text: string) => void;
  field?: { current: HTMLInputElement | null };
}): JSX.Element {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const given = useRef(value);
  useEffect(() => {
    // The address changed by something else than this field.
    if (value !== given.current) setText(value);
    given.current = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const give = (to: string) => {
    clearTimeout(timer.current);
    given.current = to.trim();
    onTyped(to.trim());
  };
  return (
    <input
      ref={field ?? null}
      type="search"
      autocomplete="off"
      spellcheck={false}
      placeholder={placeholder}
      value={text}
      onInput={(event) => {
        const to = event.currentTarget.value;
        setText(to);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => give(to), TYPED);
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter") give(event.currentTarget.value);
      }}
    />
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

/** The graph that a list is narrowed down to, as the address has it. */
export function GraphChoice({ graph, known }: { graph: string | undefined; known: readonly string[] }): JSX.Element {
  return (
    <label>
      <span>Graph</span>
      <select value={graph ?? ""} onChange={(event) => choose({ graph: event.currentTarget.value }, true)}>
        <option value="">any</option>
        {known.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
