// A run as a row of the list.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Usage } from "../../api/types.ts";
import { readOnly } from "../../connection.ts";
import { Badge, duration, Time } from "../../parts/basics.tsx";
import { count, counted, visible } from "../../parts/text.ts";
import { link } from "../../route.ts";
import { costText, unknownCost } from "../../run/meters.ts";
import { graphOf, isUnderWay, type ListedRun, metadataInShort } from "./merge.ts";

export function runLink(run: ListedRun): string {
  return link(["threads", run.thread_id], { run: run.run_id });
}

export function RunRow({
  run,
  waits,
  withSteps,
  withUsage,
  onDelete,
}: {
  run: ListedRun;
  /** Whether its thread waits: for an answer, or at a breakpoint. */
  waits: boolean;
  withSteps: boolean;
  withUsage: boolean;
  onDelete: () => void;
}): JSX.Element {
  const graph = graphOf(run);
  const metadata = visible(metadataInShort(run));
  // The keys of the list go from row to row, open and delete: Tab need not stop at each link and button.
  return (
    <div class="run-row" role="presentation">
      <div role="gridcell" class="run-graph">
        <a href={runLink(run)} tabIndex={-1} title={graph}>
          {graph}
        </a>
      </div>
      <div role="gridcell" class="run-status">
        {run.status === "interrupted" ? <span class="badge is-stopped">stopped</span> : <Badge status={run.status} />}
      </div>
      <div role="gridcell" class="run-start">
        <Time at={run.started_at ?? run.created_at} />
      </div>
      <div role="gridcell" class="run-duration">
        <Took run={run} />
      </div>
      {withSteps && (
        <div role="gridcell" class="run-steps">
          {typeof run.steps === "number" && (
            <>
              {run.steps}
              <span class="run-unit"> step{run.steps === 1 ? "" : "s"}</span>
            </>
          )}
        </div>
      )}
      {withUsage && <UsageCells usage={run.usage ?? undefined} />}
      <div role="gridcell" class="run-thread">
        <code title={run.thread_id}>…{run.thread_id.slice(-8)}</code>
        {waits && (
          <span class="badge is-asking" title="The thread waits for an answer, or at a breakpoint">
            waits
          </span>
        )}
      </div>
      <div role="gridcell" class="run-metadata quiet" title={metadata}>
        {metadata}
      </div>
      <div role="gridcell" class="run-delete">
        {!readOnly.value && (
          <button
            type="button"
            class="plain"
            tabIndex={-1}
            aria-label={`Delete thread ${run.thread_id}`}
            title="Delete the thread"
            onClick={onDelete}
          >
            ✕
          </button>
        )}
      </div>
    </div>
  );
}

/** Tokens and cost of a run; nothing of one that called no model. */
function UsageCells({ usage }: { usage: Usage | undefined }): JSX.Element {
  if (usage === undefined) {
    return (
      <>
        <div role="gridcell" class="run-tokens" />
        <div role="gridcell" class="run-cost" />
      </>
    );
  }
  const { calls, failed, unpriced, cost_usd_micros: cost } = usage;
  const tokens = `${count(usage.input_tokens)} tokens in, ${count(usage.output_tokens)} out, ${counted(calls, "call")}`;
  return (
    <>
      <div role="gridcell" class="run-tokens" title={tokens}>
        {count(usage.input_tokens + usage.output_tokens)}
      </div>
      <div role="gridcell" class="run-cost" title={unknownCost({ unpriced })}>
        {costText({ calls, failed, unpriced, cost })}
      </div>
    </>
  );
}

/** How long a run took, or has taken until now; nothing where the server does not say when it began. */
function Took({ run }: { run: ListedRun }): JSX.Element | null {
  const began = run.started_at ? Date.parse(run.started_at) : undefined;
  const ended = run.ended_at ? Date.parse(run.ended_at) : undefined;
  const [now, setNow] = useState(Date.now());
  const isOn = isUnderWay(run) && began !== undefined && ended === undefined;
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isOn]);
  if (began === undefined || (ended === undefined && !isOn)) return null;
  return <>{duration((ended ?? now) - began)}</>;
}
