// Makes an assistant of a graph.

import type { JSX } from "preact";
import type { Schemas } from "../../api/types.ts";
import { readOnly, whyReadOnly } from "../../connection.ts";
import { Empty, Problem } from "../../parts/basics.tsx";
import { choose, go, link, route } from "../../route.ts";
import { useAsked } from "../start/asked.ts";
import { AssistantForm } from "./form.tsx";
import { graphsOf, known, useAssistants } from "./known.ts";

export function NewAssistant(): JSX.Element {
  const asked = useAssistants();
  const all = known(asked);
  const graphs = graphsOf(all);
  const chosen = route.value.query.get("graph") || graphs[0];
  // The schemas are asked for by an assistant that is there: the one of the graph's own name may be deleted.
  const one = all.find((assistant) => assistant.graph_id === chosen);
  return (
    <div class="start">
      <p>
        <a href={link(["assistants"])}>All assistants</a>
      </p>
      <h1>Make an assistant</h1>
      {asked.state === "failed" && <Problem>{asked.reason}</Problem>}
      {asked.state === "asking" && !readOnly.value && <Empty>Reading …</Empty>}
      {asked.state === "answered" && chosen === undefined && (
        <Empty>The server has no assistant of which a graph is known.</Empty>
      )}
      {readOnly.value && <Empty>{whyReadOnly.value}</Empty>}
      {asked.state === "answered" && chosen !== undefined && !readOnly.value && (
        <>
          <section class="card">
            <div class="field">
              <label for="assistant-graph">Graph</label>
              <select
                id="assistant-graph"
                value={chosen}
                onChange={(event) => choose({ graph: event.currentTarget.value }, true)}
              >
                {!graphs.includes(chosen) && <option value={chosen}>{chosen}</option>}
                {graphs.map((graph) => (
                  <option key={graph} value={graph}>
                    {graph}
                  </option>
                ))}
              </select>
            </div>
          </section>
          <OfGraph key={chosen} graph={chosen} one={one?.assistant_id ?? chosen} />
        </>
      )}
    </div>
  );
}

function OfGraph({ graph, one }: { graph: string; one: string }): JSX.Element {
  const path = `/assistants/${encodeURIComponent(one)}/schemas`;
  const schemas = useAsked((api, signal) => api.get<Schemas>(path, signal), [path]).value;
  if (schemas.state === "asking") return <Empty>Reading what it takes …</Empty>;
  return (
    <>
      {schemas.state === "failed" && <Problem>What the graph takes is not known: {schemas.reason}</Problem>}
      <AssistantForm
        graph={graph}
        schemas={schemas.state === "answered" ? schemas.answer : undefined}
        onDone={(made) => go(link(["assistants", made.assistant_id]))}
      />
    </>
  );
}
