// Sums over calls of models: tokens, cost and latency, of all of them, of a run, of a node, of a model.

import { dollars } from "../parts/money.ts";
import { counted } from "../parts/text.ts";
import { type BudgetUse, type ModelCall, nodeKey, place, type RunLife } from "./model.ts";

/** Tokens and cost of some calls. An answer that was there already is no call, and used nothing. */
export interface Sum {
  /** Calls that were made, failed ones included. */
  calls: number;
  failed: number;
  /** Answers that were there already. */
  reused: number;
  input: number;
  output: number;
  cached: number;
  /** Millionths of a dollar, of the calls whose cost is known. */
  cost: number;
  /** Calls whose cost is not known. */
  unpriced: number;
}

/** How long answers took, in milliseconds. */
export interface Latency {
  mean: number;
  /** 95 of 100 answers took no longer. */
  p95: number;
  slowest: ModelCall;
}

/** The calls that have something in common. */
export interface Group {
  key: string;
  calls: ModelCall[];
  sum: Sum;
  latency: Latency | undefined;
}

export function sumOf(calls: readonly ModelCall[]): Sum {
  const sum = { calls: 0, failed: 0, reused: 0, input: 0, output: 0, cached: 0, cost: 0, unpriced: 0 };
  for (const call of calls) {
    if (call.source !== "model") {
      sum.reused += 1;
      continue;
    }
    sum.calls += 1;
    if (call.used === undefined) {
      sum.failed += 1;
      continue;
    }
    sum.input += call.used.input;
    sum.output += call.used.output;
    sum.cached += call.used.cached;
    if (call.used.cost === undefined) sum.unpriced += 1;
    else sum.cost += call.used.cost;
  }
  return sum;
}

/** How long the answers took that a model gave; `undefined` where none did. */
export function latencyOf(calls: readonly ModelCall[]): Latency | undefined {
  const answered = calls.filter((call) => call.source === "model" && call.used !== undefined);
  const slowest = answered.reduce<ModelCall | undefined>((most, call) => (most && most.took >= call.took ? most : call), undefined);
  if (slowest === undefined) return undefined;
  const took = answered.map((call) => call.took).sort((one, other) => one - other);
  const p95 = took[Math.ceil(took.length * 0.95) - 1] ?? slowest.took;
  return { mean: took.reduce((sum, one) => sum + one, 0) / took.length, p95, slowest };
}

/** The calls by what `keyOf` says of them; those that used most come first. */
function groupsBy(calls: readonly ModelCall[], keyOf: (call: ModelCall) => string): Group[] {
  const found = new Map<string, ModelCall[]>();
  for (const call of calls) {
    const key = keyOf(call);
    const known = found.get(key);
    if (known === undefined) found.set(key, [call]);
    else known.push(call);
  }
  const groups = [...found].map(([key, of]) => ({ key, calls: of, sum: sumOf(of), latency: latencyOf(of) }));
  const tokens = ({ sum }: Group) => sum.input + sum.output;
  return groups.sort((one, other) => tokens(other) - tokens(one) || other.sum.calls - one.sum.calls);
}

/** By node: tasks of one node, and graphs inside that several tasks ran, are one. */
export function byNode(calls: readonly ModelCall[]): Group[] {
  return groupsBy(calls, (call) => nodeKey([place(call.namespace)], call.node));
}

/** The name of a node with the nodes that it is inside of. */
export function nodeName({ namespace, node }: Pick<ModelCall, "namespace" | "node">): string {
  return [...namespace.map((segment) => segment.split(":", 1)[0]), node].join(" › ");
}

/** By model, and by role where models have one. */
export function byModel(calls: readonly ModelCall[]): Group[] {
  return groupsBy(calls, (call) => JSON.stringify([call.model, call.role]));
}

/** By run, in the order of the runs. */
export function byRun(calls: readonly ModelCall[], runs: readonly RunLife[]): (Group & { run: RunLife })[] {
  const found = new Map(groupsBy(calls, (call) => String(call.run)).map((group) => [group.key, group]));
  return runs.flatMap((run) => {
    const group = found.get(String(run.index));
    return group === undefined ? [] : [{ ...group, run }];
  });
}

/** What is spent of the budget, as the newest call tells it. Of several models with budgets, those of all of them. */
export function budgetOf(calls: readonly ModelCall[]): readonly BudgetUse[] {
  return calls.findLast((call) => call.budget.length > 0)?.budget ?? [];
}

/** A cost in words. What is not known of it is said, and never counted as nothing. */
export function costText(sum: Pick<Sum, "calls" | "failed" | "cost" | "unpriced">): string {
  if (sum.unpriced === 0) return sum.calls === sum.failed ? "–" : dollars(sum.cost);
  if (sum.cost === 0) return "not known";
  return `${dollars(sum.cost)} + unknown`;
}

/** What of a cost is not known, as a sentence; `undefined` where all of it is. */
export function unknownCost({ unpriced }: Pick<Sum, "unpriced">): string | undefined {
  if (unpriced === 0) return undefined;
  return `The price of ${counted(unpriced, "call")} is not known.`;
}
