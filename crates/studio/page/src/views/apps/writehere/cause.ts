// Why a task changed or failed, in words (crates/state-machine/src/task/transition.rs).

import type { Json } from "../../../api/types.ts";
import { isObject } from "../../../parts/json-values.ts";
import { listOf, textOf } from "../read.ts";

export function causeOf(cause: Json | undefined): string {
  if (cause === "Start") return "the run began";
  if (cause === "Reopened") return "it is tried again";
  if (!isObject(cause)) return "";
  if (isObject(cause.Failure)) return causeOf(cause.Failure);
  const [[name, about] = ["", null]] = Object.entries(cause);
  const told = isObject(about) ? about : {};
  switch (name) {
    case "Action":
      return "error" in told ? textOf(told.error) : `${actionName(textOf(told.action))}: ${textOf(told.condition)}`;
    case "Exam":
      return textOf(told.condition);
    case "Input":
      return `task ${textOf(told.node)}, which it needs, failed`;
    case "Inner":
      return `what is inside failed: ${listOf(told.nodes).map(textOf).join(", ")}`;
    case "Outer":
      return `the task around it, ${textOf(told.node)}, failed`;
  }
  return "";
}

const ACTIONS: Record<string, string> = {
  plan: "planned",
  execute: "carried out",
  update: "goal brought up to date",
  prior_reflect: "looked at before",
  final_aggregate: "put together",
  planning_post_reflect: "plan looked at",
  execute_post_reflect: "result looked at",
};

/** What was done, in words. */
export function actionName(action: string): string {
  return ACTIONS[action] ?? action.replaceAll("_", " ");
}

