// The page of one schedule: when it runs and with what, the runs that it made, and the form that changes it.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Assistant, JsonObject, Schemas } from "../../api/types.ts";
import { api, readOnly } from "../../connection.ts";
import { Empty, Problem, Time } from "../../parts/basics.tsx";
import { Copy } from "../../parts/copy.tsx";
import { JsonTree } from "../../parts/json.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { visible } from "../../parts/text.ts";
import { choose, go, link, route } from "../../route.ts";
import { nameAndGraph } from "../assistants/names.ts";
import { useDoing } from "../listing/doing.ts";
import { useKept } from "../listing/kept.ts";
import { useAsked } from "../start/asked.ts";
import { Confirm } from "../thread/confirm.tsx";
import { type Cron, standingOf } from "./cron.ts";
import { ScheduleForm } from "./form.tsx";
import { MadeRuns } from "./runs.tsx";
import { NextRun, StandingBadge, When } from "./when.tsx";

const TABS = [
  { id: "overview", name: "What it is" },
  { id: "runs", name: "Runs" },
  { id: "change", name: "Change" },
];

export function OneSchedule({ id }: { id: string }): JSX.Element {
  const path = `/runs/crons/${encodeURIComponent(id)}`;
  const kept = useKept(["crons"], (api, signal) => api.get<Cron>(path, signal), [path]);
  return (
    <div class="schedule">
      <p>
        <a href={link(["schedules"])}>All schedules</a>
      </p>
      {kept.problem !== undefined && (
        <Problem>
          {kept.problem}{" "}
          <button type="button" onClick={kept.refresh}>
            Try again
          </button>
        </Problem>
      )}
      {kept.answer === undefined && kept.problem === undefined && <Empty>Reading …</Empty>}
      {kept.answer !== undefined && <Shown cron={kept.answer} onChange={kept.refresh} />}
    </div>
  );
}

function Shown({ cron, onChange }: { cron: Cron; onChange: () => void }): JSX.Element {
  const doing = useDoing();
  const [isDeleting, setDeleting] = useState(false);
  const path = `/runs/crons/${cron.cron_id}`;
  const turn = () => doing.run("turn", () => api.value.json("PATCH", path, { enabled: !cron.enabled }), onChange);
  const remove = () => doing.run("delete", () => api.value.send("DELETE", path), () => go(link(["schedules"])));
  const tab = route.value.query.get("tab");
  const tabs = TABS.filter((one) => one.id !== "change" || !readOnly.value);
  const chosen = tab !== null && tabs.some((one) => one.id === tab) ? tab : "overview";
  return (
    <>
      <div class="row apart">
        <h1>
          <When cron={cron} />
        </h1>
        <p class="row">
          <StandingBadge cron={cron} />
          {!readOnly.value && (
            <>
              <button type="button" disabled={doing.at !== undefined} onClick={turn}>
                {doing.at === "turn" ? "Switching …" : cron.enabled ? "Switch it off" : "Switch it on"}
              </button>
              <button type="button" class="danger" disabled={doing.at !== undefined} onClick={() => setDeleting(true)}>
                {doing.at === "delete" ? "Deleting …" : "Delete …"}
              </button>
            </>
          )}
        </p>
      </div>
      {doing.problem !== undefined && <Problem>{doing.problem}</Problem>}
      <Tabs label="Of the schedule" tabs={tabs} chosen={chosen}>
        {chosen === "overview" && <Overview cron={cron} />}
        {chosen === "runs" && <MadeRuns cron={cron} />}
        {chosen === "change" && <ChangeForm cron={cron} onChange={onChange} />}
      </Tabs>
      {isDeleting && !readOnly.value && (
        <Confirm title="Delete this schedule?" action="Delete it" onConfirm={remove} onClose={() => setDeleting(false)}>
          <p>
            <When cron={cron} />
          </p>
          <p>It starts no more runs. The runs that it started, and their threads, stay as they are.</p>
        </Confirm>
      )}
    </>
  );
}

function Overview({ cron }: { cron: Cron }): JSX.Element {
  const name = cron.assistant_id;
  const assistant = useAsked((api, signal) => api.get<Assistant>(`/assistants/${name}`, signal), [name]).value;
  const called = assistant.state === "answered" ? nameAndGraph(assistant.answer) : name;
  const standing = standingOf(cron);
  const { input, context, ...rest } = cron.payload;
  const parts: [name: string, value: JsonObject[string]][] = [["Input", input ?? null]];
  if (context !== undefined && context !== null) parts.push(["Context", context]);
  if (Object.keys(rest).length > 0) parts.push(["More of its runs' requests", rest]);
  if (Object.keys(cron.metadata).length > 0) parts.push(["Metadata", cron.metadata]);
  return (
    <>
      <section class="card">
        <dl class="facts">
          <dt>Schedule</dt>
          <dd>
            <code>{visible(cron.schedule)}</code> in {visible(cron.timezone ?? "UTC")}
          </dd>
          <dt>Next run</dt>
          <dd>
            {standing === "on" ? (
              <NextRun cron={cron} withZone />
            ) : (
              <span class="quiet">{standing === "off" ? "none while it is off" : "none: it has reached its end"}</span>
            )}
          </dd>
          <dt>Ends</dt>
          <dd>{cron.end_time === null ? <span class="quiet">never</span> : <Time at={cron.end_time} />}</dd>
          <dt>Assistant</dt>
          <dd>
            <a href={link(["assistants", name])}>
              {called}
            </a>
            {assistant.state === "failed" && <span class="field-problem">{assistant.reason}</span>}
          </dd>
          <dt>Thread</dt>
          <dd>
            {cron.thread_id !== null ? (
              <a href={link(["threads", cron.thread_id])}>
                <code>{cron.thread_id}</code>
              </a>
            ) : cron.on_run_completed === "keep" ? (
              "a new one for each run, which stays"
            ) : (
              "a new one for each run, which is deleted when the run has ended"
            )}
          </dd>
          <dt>Made</dt>
          <dd>
            <Time at={cron.created_at} />
          </dd>
          <dt>Changed</dt>
          <dd>
            <Time at={cron.updated_at} />
          </dd>
          <dt>Id</dt>
          <dd>
            <code>{cron.cron_id}</code> <Copy text={() => cron.cron_id} />
          </dd>
        </dl>
      </section>
      {parts.map(([name, value]) => (
        <section key={name} class="card" aria-label={name}>
          <h2>{name}</h2>
          {value === null ? <p class="quiet">none</p> : <JsonTree value={value} label={name} />}
        </section>
      ))}
    </>
  );
}

function ChangeForm({ cron, onChange }: { cron: Cron; onChange: () => void }): JSX.Element {
  // What is read again while a person writes does not take away what was written.
  const [before] = useState(cron);
  const path = `/assistants/${cron.assistant_id}/schemas`;
  const schemas = useAsked((api, signal) => api.get<Schemas>(path, signal), [path]).value;
  const end = () => choose({ tab: undefined });
  if (schemas.state === "asking") return <Empty>Reading what its graph takes …</Empty>;
  if (schemas.state === "failed") return <Problem>{schemas.reason}</Problem>;
  return (
    <div class="start">
      <ScheduleForm
        assistant={cron.assistant_id}
        schemas={schemas.answer}
        before={before}
        onDone={() => {
          end();
          onChange();
        }}
        onCancel={end}
      />
    </div>
  );
}
