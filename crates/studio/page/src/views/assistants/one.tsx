// The page of one assistant: what it is, its versions, and the form that changes it.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Assistant, Schemas } from "../../api/types.ts";
import { readOnly } from "../../connection.ts";
import { Empty, Problem, Time } from "../../parts/basics.tsx";
import { Copy } from "../../parts/copy.tsx";
import { JsonTree } from "../../parts/json.tsx";
import { visible } from "../../parts/text.ts";
import { Tabs } from "../../parts/tabs.tsx";
import { choose, go, link, route } from "../../route.ts";
import { useKept } from "../listing/kept.ts";
import { useAsked } from "../start/asked.ts";
import { configOf } from "./body.ts";
import { DeleteAssistant } from "./delete.tsx";
import { AssistantForm } from "./form.tsx";
import { isOfServer, nameShown } from "./names.ts";
import { Versions } from "./versions.tsx";

const TABS = [
  { id: "overview", name: "What it is" },
  { id: "versions", name: "Versions" },
  { id: "change", name: "Change" },
];

export function OneAssistant({ id }: { id: string }): JSX.Element {
  const path = `/assistants/${encodeURIComponent(id)}`;
  const kept = useKept(["assistants"], (api, signal) => api.get<Assistant>(path, signal), [path]);
  return (
    <div class="assistant">
      <p>
        <a href={link(["assistants"])}>All assistants</a>
      </p>
      {kept.answer === undefined && kept.problem === undefined && <Empty>Reading …</Empty>}
      {kept.problem !== undefined && (
        <Problem>
          {kept.problem}{" "}
          <button type="button" onClick={kept.refresh}>
            Try again
          </button>
        </Problem>
      )}
      {kept.answer !== undefined && <Shown assistant={kept.answer} onChange={kept.refresh} />}
    </div>
  );
}

function Shown({ assistant, onChange }: { assistant: Assistant; onChange: () => void }): JSX.Element {
  const [isDeleting, setDeleting] = useState(false);
  const tab = route.value.query.get("tab");
  const tabs = TABS.filter((one) => one.id !== "change" || !readOnly.value);
  const chosen = tabs.some((one) => one.id === tab) && tab !== null ? tab : "overview";
  return (
    <>
      <div class="row apart">
        <h1>{nameShown(assistant)}</h1>
        {!readOnly.value && (
          <p class="row">
            <a href={link(["start", assistant.assistant_id])}>Start a run with it</a>
            <button type="button" class="danger" onClick={() => setDeleting(true)}>
              Delete …
            </button>
          </p>
        )}
      </div>
      {assistant.description && <p class="assistant-words">{visible(assistant.description)}</p>}
      <Tabs label="Of the assistant" tabs={tabs} chosen={chosen}>
        {chosen === "overview" && <Overview assistant={assistant} />}
        {chosen === "versions" && <Versions assistant={assistant} onChange={onChange} />}
        {chosen === "change" && <ChangeForm assistant={assistant} onChange={onChange} />}
      </Tabs>
      {isDeleting && !readOnly.value && (
        <DeleteAssistant
          assistant={assistant}
          onDeleted={() => go(link(["assistants"]))}
          onClose={() => setDeleting(false)}
        />
      )}
    </>
  );
}

function Overview({ assistant }: { assistant: Assistant }): JSX.Element {
  const config = configOf(assistant);
  const versions = link(["assistants", assistant.assistant_id], { tab: "versions" });
  const parts = [
    { name: "Context", value: assistant.context },
    { name: "Configuration", value: config },
    { name: "Metadata", value: assistant.metadata },
  ];
  return (
    <>
      <section class="card">
        <dl class="facts">
          <dt>Graph</dt>
          <dd>
            {visible(assistant.graph_id)} · <a href={link(["runs"], { graph: assistant.graph_id })}>its runs</a>
          </dd>
          <dt>Version</dt>
          <dd>
            {assistant.version} · <a href={versions}>all versions</a>
          </dd>
          <dt>Made</dt>
          <dd>
            <Time at={assistant.created_at} />
            {isOfServer(assistant) && " by the server; a run that names the graph is of it"}
          </dd>
          <dt>Changed</dt>
          <dd>
            <Time at={assistant.updated_at} />
          </dd>
          <dt>Id</dt>
          <dd>
            <code>{assistant.assistant_id}</code> <Copy text={() => assistant.assistant_id} />
          </dd>
        </dl>
      </section>
      {parts.map(({ name, value }) => (
        <section key={name} class="card" aria-label={name}>
          <h2>{name}</h2>
          {Object.keys(value).length === 0 ? <p class="quiet">nothing</p> : <JsonTree value={value} label={name} />}
        </section>
      ))}
    </>
  );
}

function ChangeForm({ assistant, onChange }: { assistant: Assistant; onChange: () => void }): JSX.Element {
  const path = `/assistants/${assistant.assistant_id}/schemas`;
  const schemas = useAsked((api, signal) => api.get<Schemas>(path, signal), [path]).value;
  if (schemas.state === "asking") return <Empty>Reading what its graph takes …</Empty>;
  const end = () => choose({ tab: undefined });
  return (
    <div class="start">
      {schemas.state === "failed" && <Problem>What the graph takes is not known: {schemas.reason}</Problem>}
      <AssistantForm
        graph={assistant.graph_id}
        schemas={schemas.state === "answered" ? schemas.answer : undefined}
        before={assistant}
        onDone={() => {
          end();
          onChange();
        }}
        onCancel={end}
      />
    </div>
  );
}
