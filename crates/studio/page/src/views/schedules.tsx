// Schedules: runs that start by the calendar. All of them, one of them, or a new one.

import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { Assistant, JsonObject } from "../api/types.ts";
import { api, readOnly } from "../connection.ts";
import { Empty, Id } from "../parts/basics.tsx";
import { type Column, VirtualList } from "../parts/virtual.tsx";
import { choose, go, link, route } from "../route.ts";
import { known as knownOf, nameOf, useAssistants } from "./assistants/known.ts";
import { nameAndGraph } from "./assistants/names.ts";
import { Pages } from "./listing/pages.ts";
import { MoreFailed, NotYet, Standing } from "./listing/standing.tsx";
import { useNarrow } from "./runs/narrow.ts";
import type { Cron } from "./schedules/cron.ts";
import { NewSchedule } from "./schedules/new.tsx";
import { OneSchedule } from "./schedules/one.tsx";
import { NextRun, StandingBadge, When } from "./schedules/when.tsx";

const COLUMNS: Column[] = [
  { name: "When", class: "schedule-when" },
  { name: "State", class: "schedule-state" },
  { name: "Next run", class: "schedule-next" },
  { name: "Graph or assistant", class: "schedule-assistant" },
  { name: "Thread", class: "schedule-thread" },
];

export function Schedules({ id }: { id: string | undefined }): JSX.Element {
  if (id === "new") return <NewSchedule />;
  if (id !== undefined) return <OneSchedule key={id} id={id} />;
  return <List />;
}

interface Filter {
  enabled: boolean | undefined;
  assistant: string | undefined;
}

function List(): JSX.Element {
  const { query } = route.value;
  const state = query.get("state");
  const filter: Filter = {
    enabled: state === "on" ? true : state === "off" ? false : undefined,
    assistant: query.get("assistant") || undefined,
  };
  const known = knownOf(useAssistants());
  const isKnown = filter.assistant === undefined || known.some((one) => one.assistant_id === filter.assistant);
  return (
    <div class="fills schedules">
      <div class="row apart">
        <h1>Schedules</h1>
        {!readOnly.value && <a href={link(["schedules", "new"], { assistant: filter.assistant })}>Make one</a>}
      </div>
      <search class="filters">
        <label>
          <span>State</span>
          <select value={state ?? ""} onChange={(event) => choose({ state: event.currentTarget.value }, true)}>
            <option value="">any</option>
            <option value="on">on</option>
            <option value="off">off</option>
          </select>
        </label>
        <label>
          <span>Graph or assistant</span>
          <select
            value={filter.assistant ?? ""}
            onChange={(event) => choose({ assistant: event.currentTarget.value }, true)}
          >
            <option value="">any</option>
            {!isKnown && <option value={filter.assistant}>{filter.assistant}</option>}
            {known.map((one) => (
              <option key={one.assistant_id} value={one.assistant_id}>
                {nameAndGraph(one)}
              </option>
            ))}
          </select>
        </label>
      </search>
      <Found key={JSON.stringify([filter, api.value.base, api.value.key])} filter={filter} assistants={known} />
    </div>
  );
}

function Found({ filter, assistants }: { filter: Filter; assistants: readonly Assistant[] }): JSX.Element {
  const list = useMemo(() => {
    const asked = api.value;
    const body: JsonObject = {};
    if (filter.enabled !== undefined) body.enabled = filter.enabled;
    if (filter.assistant !== undefined) body.assistant_id = filter.assistant;
    return new Pages<Cron>(
      asked,
      ["crons"],
      (limit, offset, signal) => asked.search<Cron>("/runs/crons/search", { ...body, limit, offset }, signal),
      (cron) => cron.cron_id,
    );
  }, []);
  useEffect(() => list.start(), [list]);
  const isNarrow = useNarrow();
  const crons = list.items.value;
  if (list.refused.value !== undefined || crons === undefined) return <NotYet list={list} />;
  const isFiltered = filter.enabled !== undefined || filter.assistant !== undefined;
  return (
    <>
      <Standing list={list} one="schedule" />
      {crons.length === 0 ? (
        <Empty>
          {isFiltered ? "No schedule is like this." : "No run is to start by the calendar. "}
          {!isFiltered && !readOnly.value && <a href={link(["schedules", "new"])}>Make a schedule</a>}
        </Empty>
      ) : (
        <VirtualList<Cron>
          label="Schedules, newest first: the arrow keys go from row to row, Enter opens one"
          items={crons}
          total={list.total.value}
          columns={COLUMNS}
          rowHeight={isNarrow ? 90 : 42}
          keyOf={(cron) => cron.cron_id}
          onOpen={(cron) => go(link(["schedules", cron.cron_id]))}
          onNearEnd={() => void list.loadMore()}
          render={(cron) => <Row cron={cron} assistant={nameOf(assistants, cron.assistant_id)} />}
        />
      )}
      <MoreFailed list={list} />
    </>
  );
}

function Row({ cron, assistant }: { cron: Cron; assistant: string }): JSX.Element {
  return (
    <div class="schedule-row" role="presentation">
      <div role="gridcell" class="schedule-when" title={cron.schedule}>
        <a href={link(["schedules", cron.cron_id])} tabIndex={-1}>
          <When cron={cron} />
        </a>
      </div>
      <div role="gridcell" class="schedule-state">
        <StandingBadge cron={cron} />
      </div>
      <div role="gridcell" class="schedule-next">
        <span class="schedule-unit">next </span>
        <NextRun cron={cron} />
      </div>
      <div role="gridcell" class="schedule-assistant" title={assistant}>
        {assistant}
      </div>
      <div role="gridcell" class="schedule-thread">
        {cron.thread_id === null ? <span class="quiet">a new one each</span> : <Id of={cron.thread_id} />}
      </div>
    </div>
  );
}
