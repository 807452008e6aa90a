// The runs that a schedule started, newest first.

import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { api } from "../../connection.ts";
import { Badge, Empty, Id, Time } from "../../parts/basics.tsx";
import { type Column, VirtualList } from "../../parts/virtual.tsx";
import { go } from "../../route.ts";
import { Pages } from "../listing/pages.ts";
import { MoreFailed, NotYet, Standing } from "../listing/standing.tsx";
import type { ListedRun } from "../runs/merge.ts";
import { runLink } from "../runs/row.tsx";
import type { Cron } from "./cron.ts";

const COLUMNS: Column[] = [
  { name: "Start", class: "made-start" },
  { name: "Status", class: "made-status" },
  { name: "Thread", class: "made-thread" },
];

export function MadeRuns({ cron }: { cron: Cron }): JSX.Element {
  const id = cron.cron_id;
  const list = useMemo(() => {
    const asked = api.value;
    const body = { metadata: { cron_id: id }, sort_by: "created_at", sort_order: "desc" };
    return new Pages<ListedRun>(
      asked,
      ["runs"],
      (limit, offset, signal) => asked.search<ListedRun>("/runs/search", { ...body, limit, offset }, signal),
      (run) => run.run_id,
    );
  }, [id, api.value]);
  useEffect(() => list.start(), [list]);
  const runs = list.items.value;
  const isDeleted = cron.thread_id === null && cron.on_run_completed !== "keep";
  if (list.refused.value !== undefined || runs === undefined) return <NotYet list={list} />;
  return (
    <div class="made">
      {isDeleted && (
        <p class="quiet">
          Its runs are deleted with their threads when they have ended: those are listed that have not.
        </p>
      )}
      <Standing list={list} one="run" />
      {runs.length === 0 ? (
        <Empty>{isDeleted ? "No run of it is under way." : "No run of it is there."}</Empty>
      ) : (
        <VirtualList<ListedRun>
          label="Runs of the schedule: the arrow keys go from row to row, Enter opens one"
          items={runs}
          total={list.total.value}
          columns={COLUMNS}
          rowHeight={42}
          keyOf={(run) => run.run_id}
          onOpen={(run) => go(runLink(run))}
          onNearEnd={() => void list.loadMore()}
          render={(run) => (
            <div class="made-row" role="presentation">
              <div role="gridcell">
                <a href={runLink(run)} tabIndex={-1}>
                  <Time at={run.started_at ?? run.created_at} />
                </a>
              </div>
              <div role="gridcell">
                <Badge status={run.status === "interrupted" ? "stopped" : run.status} />
              </div>
              <div role="gridcell">
                <Id of={run.thread_id} />
              </div>
            </div>
          )}
        />
      )}
      <MoreFailed list={list} />
    </div>
  );
}
