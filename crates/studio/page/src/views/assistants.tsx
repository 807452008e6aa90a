// Assistants: graphs with a context and a configuration, in versions. All of them, one of them, or a new one.

import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { Assistant, JsonObject } from "../api/types.ts";
import { api, readOnly } from "../connection.ts";
import { Empty, Time } from "../parts/basics.tsx";
import { short, visible } from "../parts/text.ts";
import { type Column, VirtualList } from "../parts/virtual.tsx";
import { choose, go, link, route } from "../route.ts";
import { graphsOf, known as knownOf, useAssistants } from "./assistants/known.ts";
import { NewAssistant } from "./assistants/new.tsx";
import { isOfServer, nameShown } from "./assistants/names.ts";
import { OneAssistant } from "./assistants/one.tsx";
import { GraphChoice } from "./listing/graph-choice.tsx";
import { Pages } from "./listing/pages.ts";
import { MoreFailed, NotYet, Standing } from "./listing/standing.tsx";
import { Typed } from "./listing/typed.tsx";
import { useNarrow } from "./runs/narrow.ts";

const COLUMNS: Column[] = [
  { name: "Graph", class: "assistant-graph" },
  { name: "Name", class: "assistant-name" },
  { name: "Version", class: "assistant-version" },
  { name: "Changed", class: "assistant-changed" },
  { name: "Description", class: "assistant-description" },
];

const ORDERS = {
  graph: { name: "by graph", body: { sort_by: "graph_id", sort_order: "asc" } },
  name: { name: "by name", body: { sort_by: "name", sort_order: "asc" } },
  changed: { name: "changed last", body: { sort_by: "updated_at", sort_order: "desc" } },
} as const;

export function Assistants({ id }: { id: string | undefined }): JSX.Element {
  if (id === "new") return <NewAssistant />;
  if (id !== undefined) return <OneAssistant key={id} id={id} />;
  return <List />;
}

interface Filter {
  graph: string | undefined;
  name: string | undefined;
  order: keyof typeof ORDERS;
}

function filterOf(query: URLSearchParams): Filter {
  const order = query.get("order") ?? "";
  return {
    graph: query.get("graph") || undefined,
    name: query.get("q") || undefined,
    order: Object.hasOwn(ORDERS, order) ? (order as Filter["order"]) : "graph",
  };
}

function List(): JSX.Element {
  const filter = filterOf(route.value.query);
  const graphs = graphsOf(knownOf(useAssistants()));
  const known = filter.graph === undefined || graphs.includes(filter.graph) ? graphs : [filter.graph, ...graphs];
  return (
    <div class="fills assistants">
      <div class="row apart">
        <h1>Assistants</h1>
        {!readOnly.value && <a href={link(["assistants", "new"], { graph: filter.graph })}>Make one</a>}
      </div>
      <search class="filters">
        <label>
          <span>Name</span>
          <Typed value={filter.name} placeholder="a part of it" onTyped={(q) => choose({ q }, true)} />
        </label>
        <GraphChoice graph={filter.graph} known={known} />
        <label>
          <span>Order</span>
          <select value={filter.order} onChange={(event) => choose({ order: event.currentTarget.value }, true)}>
            {Object.entries(ORDERS).map(([id, order]) => (
              <option key={id} value={id}>
                {order.name}
              </option>
            ))}
          </select>
        </label>
      </search>
      <Found key={JSON.stringify([filter, api.value.base, api.value.key])} filter={filter} />
    </div>
  );
}

function Found({ filter }: { filter: Filter }): JSX.Element {
  const list = useMemo(() => {
    const asked = api.value;
    const body: JsonObject = { ...ORDERS[filter.order].body };
    if (filter.graph !== undefined) body.graph_id = filter.graph;
    if (filter.name !== undefined) body.name = filter.name;
    return new Pages<Assistant>(
      asked,
      ["assistants"],
      (limit, offset, signal) => asked.search<Assistant>("/assistants/search", { ...body, limit, offset }, signal),
      (assistant) => assistant.assistant_id,
    );
  }, []);
  useEffect(() => list.start(), [list]);
  const isNarrow = useNarrow();
  const assistants = list.items.value;
  const isFiltered = filter.graph !== undefined || filter.name !== undefined;
  if (list.refused.value !== undefined || assistants === undefined) return <NotYet list={list} />;
  return (
    <>
      <Standing list={list} one="assistant" />
      {assistants.length === 0 ? (
        <Empty>{isFiltered ? "No assistant is like this." : "The server has no assistant."}</Empty>
      ) : (
        <VirtualList<Assistant>
          label="Assistants: the arrow keys go from row to row, Enter opens one"
          items={assistants}
          total={list.total.value}
          columns={COLUMNS}
          rowHeight={isNarrow ? 66 : 42}
          keyOf={(assistant) => assistant.assistant_id}
          onOpen={(assistant) => go(link(["assistants", assistant.assistant_id]))}
          onNearEnd={() => void list.loadMore()}
          render={(assistant) => <Row assistant={assistant} />}
        />
      )}
      <MoreFailed list={list} />
    </>
  );
}

function Row({ assistant }: { assistant: Assistant }): JSX.Element {
  const description = visible(short(assistant.description ?? "", 300));
  return (
    <div class="assistant-row" role="presentation">
      <div role="gridcell" class="assistant-graph" title={assistant.graph_id}>
        {visible(assistant.graph_id)}
      </div>
      <div role="gridcell" class="assistant-name">
        <a href={link(["assistants", assistant.assistant_id])} tabIndex={-1}>
          {nameShown(assistant)}
        </a>
        {isOfServer(assistant) && <span class="quiet"> made by the server</span>}
      </div>
      <div role="gridcell" class="assistant-version">
        <span class="assistant-unit">version </span>
        {assistant.version}
      </div>
      <div role="gridcell" class="assistant-changed">
        <Time at={assistant.updated_at} />
      </div>
      <div role="gridcell" class="assistant-description quiet" title={description}>
        {description}
      </div>
    </div>
  );
}
