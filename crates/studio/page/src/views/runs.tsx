// All runs over all threads, newest first.

import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { api, readOnly } from "../connection.ts";
import { Empty, Problem, Time } from "../parts/basics.tsx";
import { counted } from "../parts/text.ts";
import { type Column, VirtualList } from "../parts/virtual.tsx";
import { go, link, route } from "../route.ts";
import { DeleteThread } from "./runs/delete.tsx";
import { type Filter, filterOf, isFiltered } from "./runs/filter.ts";
import { Filters } from "./runs/filters.tsx";
import { RunList } from "./runs/list.ts";
import type { ListedRun } from "./runs/merge.ts";
import { useNarrow } from "./runs/narrow.ts";
import { RunRow, runLink } from "./runs/row.tsx";

const KEYS = "the arrow keys go from row to row, Enter opens one";

const COLUMNS: Column[] = [
  { name: "Graph", class: "run-graph" },
  { name: "Status", class: "run-status" },
  { name: "Start", class: "run-start" },
  { name: "Duration", class: "run-duration" },
  { name: "Steps", class: "run-steps" },
  { name: "Tokens", class: "run-tokens" },
  { name: "Cost", class: "run-cost" },
  { name: "Thread", class: "run-thread" },
  { name: "Metadata", class: "run-metadata" },
  { name: "Delete", class: "run-delete" },
];

export function Runs(): JSX.Element {
  const filter = filterOf(route.value.query);
  return (
    <div class="fills runs">
      <div class="row apart">
        <h1>Runs</h1>
        {!readOnly.value && <a href={link(["start"])}>Start a run</a>}
      </div>
      <Filters filter={filter} />
      <Found key={JSON.stringify([filter, api.value.base, api.value.key])} filter={filter} />
    </div>
  );
}

/** The runs that a filter finds; another filter is another list. */
function Found({ filter }: { filter: Filter }): JSX.Element {
  const list = useMemo(() => new RunList(api.value, filter), []);
  useEffect(() => list.start(), [list]);
  const [deleting, setDeleting] = useState<string>();
  const isNarrow = useNarrow();
  const runs = list.runs.value;
  const waiting = list.waiting.value;
  const withUsage = runs?.some((run) => (run.usage ?? null) !== null) ?? false;
  const withSteps = withUsage || (runs?.some((run) => typeof run.steps === "number") ?? false);
  if (list.refused.value !== undefined) return <Problem>{list.refused.value}</Problem>;
  if (runs === undefined) {
    if (list.lost.value === undefined) return <Empty>Reading …</Empty>;
    return <Problem>{list.lost.value} Trying again.</Problem>;
  }
  const hidden = [...(withSteps ? [] : ["run-steps"]), ...(withUsage ? [] : ["run-tokens", "run-cost"])];
  const columns = COLUMNS.filter((column) => !hidden.includes(column.class));
  return (
    <>
      <Standing list={list} shown={runs.length} />
      {runs.length === 0 ? (
        <Empty>
          {isFiltered(filter) ? "No run is like this." : "No run yet. "}
          {!isFiltered(filter) && !readOnly.value && <a href={link(["start"])}>Start one</a>}
        </Empty>
      ) : (
        <VirtualList<ListedRun>
          label={readOnly.value ? `Runs: ${KEYS}` : `Runs: ${KEYS}, Delete deletes its thread`}
          items={runs}
          total={list.total.value}
          columns={columns}
          rowHeight={isNarrow ? 84 : 42}
          keyOf={(run) => run.run_id}
          onOpen={(run) => go(runLink(run))}
          {...(readOnly.value ? {} : { onDelete: (run: ListedRun) => setDeleting(run.thread_id) })}
          onNearEnd={() => void list.loadMore()}
          render={(run) => (
            <RunRow
              run={run}
              waits={waiting.has(run.thread_id)}
              withSteps={withSteps}
              withUsage={withUsage}
              onDelete={() => setDeleting(run.thread_id)}
            />
          )}
        />
      )}
      {list.more.value !== undefined && (
        <p class="problem" role="alert">
          Older runs could not be read: {list.more.value}{" "}
          <button type="button" onClick={() => void list.loadMore()}>
            Try again
          </button>
        </p>
      )}
      {deleting !== undefined && !readOnly.value && (
        <DeleteThread
          key={deleting}
          thread={deleting}
          onDeleted={() => {
            list.forget(deleting);
            setDeleting(undefined);
          }}
          onClose={() => setDeleting(undefined)}
        />
      )}
    </>
  );
}

/** How many runs there are, and whether what is shown is of now. */
function Standing({ list, shown }: { list: RunList; shown: number }): JSX.Element {
  const total = list.total.value;
  const of = total === undefined ? `${counted(shown, "run")} shown` : counted(total, "run");
  return (
    <div class="row standing">
      <span role="status" class="quiet">
        {of}
      </span>
      {list.lost.value !== undefined && list.readAt.value !== undefined && (
        <span class="badge is-failed">
          <span>
            {list.lost.value} This is from <Time at={list.readAt.value} />.
          </span>
        </span>
      )}
      <span class="grow" />
      <button type="button" onClick={() => list.refresh()}>
        Refresh
      </button>
    </div>
  );
}
