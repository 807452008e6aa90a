// What is said of a thread as a whole, and which of its runs are shown.

import type { JSX } from "preact";
import type { Thread } from "../../api/types.ts";
import { Badge, duration, Problem, Time } from "../../parts/basics.tsx";
import { Copy } from "../../parts/copy.tsx";
import { count, counted, visible } from "../../parts/text.ts";
import { choose } from "../../route.ts";
import { TRACE } from "../../run/fold.ts";
import { costText, sumOf, unknownCost } from "../../run/meters.ts";
import type { ModelCall, RunLife, RunModel } from "../../run/model.ts";
import { type Clock, useNow } from "./clock.ts";
import type { ListedRun } from "./follow.ts";
import { standing } from "./now.ts";
import { leftOut } from "./streamed.tsx";

export interface HeaderProps {
  record: Thread;
  model: RunModel;
  /** The runs as the server lists them; `undefined` until it has. */
  listed: ListedRun[] | undefined;
  /** The runs that are shown. */
  runs: RunLife[];
  graph: string | undefined;
  /** How many tasks they had. */
  tasks: number;
  /** The calls of models that they made. */
  calls: readonly ModelCall[];
  questions: number;
  clock: Clock;
}

export function Header(props: HeaderProps): JSX.Element {
  const { record, model, listed, runs, graph, tasks, calls, questions, clock } = props;
  const isOne = runs.length === 1 && model.runs.length > 1;
  const last = runs.at(-1);
  const status = isOne ? (last?.status ?? "waiting") : standing(record, questions, model.runs.at(-1));
  const queued = listed?.filter((run) => run.status === "pending").length ?? 0;
  const failure = isOne ? last?.error : failureOf(record);
  return (
    <>
      <header class="row apart thread-title">
        <h1>{visible(graph ?? "Thread")}</h1>
        {model.runs.length > 1 && <RunChoice model={model} listed={listed} chosen={isOne ? last?.id : undefined} />}
      </header>
      <dl class="facts is-row">
        <div>
          <dt>Status</dt>
          <dd>
            <span role="status">
              <Badge status={status} />
            </span>
            {queued > 0 && <span class="quiet"> {counted(queued, "run")} in the queue</span>}
          </dd>
        </div>
        <div>
          <dt>Thread</dt>
          <dd class="row">
            <code>{record.thread_id}</code>
            <Copy text={() => record.thread_id} name="Copy id" />
          </dd>
        </div>
        <div>
          <dt>Started</dt>
          <dd>
            <Time at={runs[0]?.began ?? record.created_at} />
          </dd>
        </div>
        {runs.length > 0 && <Took runs={runs} clock={clock} told={model.time} />}
        <div>
          <dt>Tasks</dt>
          <dd>{count(tasks)}</dd>
        </div>
        {calls.length > 0 && <Used calls={calls} />}
        {leftOut.value.has(TRACE) && (
          <div>
            <dt>Tokens and cost</dt>
            <dd class="quiet">{calls.length > 0 ? "not all: left out of the stream" : "left out of the stream"}</dd>
          </div>
        )}
      </dl>
      {failure !== undefined && (
        <Problem>
          <span class="error-text">{visible(failure)}</span>
        </Problem>
      )}
    </>
  );
}

/** Tokens and cost of the calls of models. */
function Used({ calls }: { calls: readonly ModelCall[] }): JSX.Element {
  const sum = sumOf(calls);
  return (
    <>
      <div>
        <dt>Tokens</dt>
        <dd>
          {count(sum.input)} in, {count(sum.output)} out
        </dd>
      </div>
      <div>
        <dt>Cost</dt>
        <dd title={unknownCost(sum)}>{costText(sum)}</dd>
      </div>
    </>
  );
}

/** How long the runs took, without the time between them. It counts on while one is under way. */
function Took({ runs, clock, told }: { runs: RunLife[]; clock: Clock; told: number }): JSX.Element {
  const now = useNow(runs.some((run) => run.ended === undefined), clock, told);
  const took = runs.reduce((sum, run) => sum + Math.max(0, (run.ended ?? now) - run.began), 0);
  return (
    <div>
      <dt>{runs.length > 1 ? "All runs took" : "Took"}</dt>
      <dd>{duration(took)}</dd>
    </div>
  );
}

interface RunChoiceProps {
  model: RunModel;
  listed: ListedRun[] | undefined;
  chosen: string | undefined;
}

function RunChoice({ model, listed, chosen }: RunChoiceProps): JSX.Element {
  const there = listed && new Set(listed.map((run) => run.run_id));
  const name = (run: RunLife) => {
    const isGone = there !== undefined && run.ended !== undefined && !there.has(run.id);
    return `${run.index + 1}: ${isGone ? "taken back" : run.status}, ${new Date(run.began).toLocaleTimeString()}`;
  };
  return (
    <label>
      Run{" "}
      <select
        value={chosen ?? ""}
        onChange={(event) => choose({ run: event.currentTarget.value || undefined })}
      >
        <option value="">all {model.runs.length}</option>
        {model.runs.map((run) => (
          <option key={run.id} value={run.id}>
            {name(run)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Why the last run failed, as the record of the thread says it. */
function failureOf(record: Thread): string | undefined {
  const { error } = record;
  if (error === undefined || error === null) return undefined;
  if (typeof error === "string") return error;
  if (typeof error === "object" && !Array.isArray(error) && typeof error.message === "string") {
    return typeof error.error === "string" ? `${error.error}: ${error.message}` : error.message;
  }
  return JSON.stringify(error);
}
