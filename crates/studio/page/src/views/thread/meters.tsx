// What the runs used of models: tokens, cost and time, of all calls, by node, by model and by run, and what is left of the budget.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { duration, Empty } from "../../parts/basics.tsx";
import { count, counted, visible } from "../../parts/text.ts";
import { budgetOf, byModel, byNode, byRun, costText, latencyOf, nodeName, sumOf, unknownCost } from "../../run/meters.ts";
import { TRACE } from "../../run/fold.ts";
import type { ModelCall, RunModel } from "../../run/model.ts";
import { Budget } from "./meters/budget.tsx";
import { MeterTable, type Row } from "./meters/table.tsx";
import { LeftOut, leftOut } from "./streamed.tsx";

export interface MetersProps {
  /** The runs that are shown. */
  model: RunModel;
  onTask: (id: string) => void;
}

export function Meters({ model, onTask }: MetersProps): JSX.Element {
  const calls = model.modelCalls;
  const standing = model.runs.map((run) => run.status).join();
  const views = useMemo(() => viewsOf(model), [calls, calls.length, standing]);
  if (calls.length === 0 && leftOut.value.has(TRACE)) return <LeftOut channels={[TRACE]} />;
  if (calls.length === 0) {
    return (
      <Empty>
        No call of a model was told. Graphs that call none, and runs of servers before this version, have nothing to
        count.
      </Empty>
    );
  }
  return (
    <div class="meters">
      <LeftOut channels={[TRACE]} />
      <Total calls={calls} />
      <Budget budget={budgetOf(calls)} />
      <MeterTable title="By node" of="Node" rows={views.nodes} onTask={onTask} />
      <MeterTable title="By model" of="Model" rows={views.models} onTask={onTask} />
      {views.runs.length > 1 && <MeterTable title="By run" of="Run" rows={views.runs} onTask={onTask} />}
    </div>
  );
}

function viewsOf({ modelCalls, runs }: RunModel): { nodes: Row[]; models: Row[]; runs: Row[] } {
  return {
    nodes: byNode(modelCalls).map((group) => ({ ...group, name: visible(nameOf(group.calls)) })),
    models: byModel(modelCalls).map((group) => {
      const { model, role } = group.calls[0] as ModelCall;
      return { ...group, name: visible(model), ...(role === undefined ? {} : { more: `as ${visible(role)}` }) };
    }),
    runs: byRun(modelCalls, runs).map((group) => ({
      ...group,
      name: `${group.run.index + 1}: ${group.run.status}`,
      more: new Date(group.run.began).toLocaleTimeString(),
    })),
  };
}

function nameOf(calls: readonly ModelCall[]): string {
  const [first] = calls;
  return first === undefined ? "" : nodeName(first);
}

/** All calls together. */
function Total({ calls }: { calls: readonly ModelCall[] }): JSX.Element {
  const sum = sumOf(calls);
  const latency = latencyOf(calls);
  const facts: [string, string][] = [
    ["Calls of models", count(sum.calls) + (sum.failed === 0 ? "" : `, ${count(sum.failed)} failed`)],
    ["Tokens in", count(sum.input)],
    ["Tokens out", count(sum.output)],
    ["Tokens in from a cache", count(sum.cached)],
    ["Cost", costText(sum)],
  ];
  if (latency !== undefined) {
    facts.push(["An answer took", duration(latency.mean)], ["95 of 100 took at most", duration(latency.p95)]);
  }
  if (sum.reused > 0) facts.push(["Used again without a call", counted(sum.reused, "answer")]);
  const unknown = unknownCost(sum);
  return (
    <section aria-label="All calls">
      <dl class="facts is-row meters-total">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {unknown !== undefined && <p class="quiet">{unknown} What is not known is not counted as nothing.</p>}
    </section>
  );
}
