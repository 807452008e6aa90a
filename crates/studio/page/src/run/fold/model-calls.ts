// Calls of models, as the nodes tell them that make them.

import type { JsonObject } from "../../api/types.ts";
import { isObject } from "../../parts/json-values.ts";
import type { BudgetUse, ModelCall, Used } from "../model.ts";
import type { Here, Known } from "./known.ts";
import { number, text, textOr } from "./read.ts";

export function modelCall(known: Known, here: Here, data: JsonObject): void {
  const id = text(data, "id");
  const call: ModelCall = {
    seq: here.seq,
    time: here.time,
    run: known.runIndex,
    task: id,
    node: text(data, "name"),
    namespace: here.namespace,
    model: text(data, "model"),
    role: textOr(data, "role", undefined),
    kind: textOr(data, "call", "chat"),
    source: textOr(data, "source", "model"),
    took: numberOr(data, "millis"),
    used: isObject(data.usage) ? usedOf(data.usage) : undefined,
    error: textOr(data, "error", undefined),
    budget: (Array.isArray(data.budget) ? data.budget : []).filter(isObject).map(budgetUse),
  };
  known.model.modelCalls.push(call);
  const task = known.byId.get(id);
  if (task === undefined) return;
  task.modelCalls.push(call);
  task.version += 1;
}

function numberOr(from: JsonObject, field: string): number {
  return field in from ? number(from, field) : 0;
}

/** A cost that is not told is not known. */
function usedOf(usage: JsonObject): Used {
  const cost = typeof usage.cost === "number" ? usage.cost : undefined;
  return {
    input: numberOr(usage, "input"),
    output: numberOr(usage, "output"),
    cached: numberOr(usage, "cache_read"),
    cost,
  };
}

function budgetUse(use: JsonObject): BudgetUse {
  return { unit: text(use, "unit"), spent: number(use, "spent"), limit: number(use, "limit") };
}
