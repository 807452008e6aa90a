// Makes a schedule.

import type { JSX } from "preact";
import type { Schemas } from "../../api/types.ts";
import { readOnly, whyReadOnly } from "../../connection.ts";
import { Empty, Problem } from "../../parts/basics.tsx";
import { choose, go, link, route } from "../../route.ts";
import { firstOf, known as knownOf, useAssistants } from "../assistants/known.ts";
import { nameAndGraph } from "../assistants/names.ts";
import { useAsked } from "../start/asked.ts";
import type { Cron } from "./cron.ts";
import { ScheduleForm } from "./form.tsx";

export function NewSchedule(): JSX.Element {
  const assistants = useAssistants();
  const known = knownOf(assistants);
  const chosen = route.value.query.get("assistant") || firstOf(known)?.assistant_id;
  return (
    <div class="start">
      <p>
        <a href={link(["schedules"])}>All schedules</a>
      </p>
      <h1>Make a schedule</h1>
      {assistants.state === "failed" && <Problem>{assistants.reason}</Problem>}
      {assistants.state === "asking" && !readOnly.value && <Empty>Reading …</Empty>}
      {assistants.state === "answered" && chosen === undefined && <Empty>The server has no assistant.</Empty>}
      {readOnly.value && <Empty>{whyReadOnly.value}</Empty>}
      {assistants.state === "answered" && chosen !== undefined && !readOnly.value && (
        <>
          <section class="card">
            <div class="field">
              <label for="schedule-assistant">Graph or assistant</label>
              <select
                id="schedule-assistant"
                value={chosen}
                onChange={(event) => choose({ assistant: event.currentTarget.value }, true)}
              >
                {!known.some((one) => one.assistant_id === chosen) && <option value={chosen}>{chosen}</option>}
                {known.map((one) => (
                  <option key={one.assistant_id} value={one.assistant_id}>
                    {nameAndGraph(one)}
                  </option>
                ))}
              </select>
            </div>
          </section>
          <OfAssistant key={chosen} assistant={chosen} />
        </>
      )}
    </div>
  );
}

function OfAssistant({ assistant }: { assistant: string }): JSX.Element {
  const path = `/assistants/${encodeURIComponent(assistant)}/schemas`;
  const schemas = useAsked((api, signal) => api.get<Schemas>(path, signal), [path]).value;
  if (schemas.state === "asking") return <Empty>Reading what it takes …</Empty>;
  if (schemas.state === "failed") return <Problem>{schemas.reason}</Problem>;
  const show = (cron: Cron) => go(link(["schedules", cron.cron_id]));
  return <ScheduleForm assistant={assistant} schemas={schemas.answer} onDone={show} />;
}
