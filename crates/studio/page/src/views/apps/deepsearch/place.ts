// Where a research is: which of its steps is under way, and in which namespace its graph runs.

import type { RunModel, Status, Task } from "../../../run/model.ts";
import { namespaceKey } from "../../../run/model.ts";
import { namespaceOf } from "../namespace.ts";

/** The nodes of the graph around DeepSearch's own that are one of its two main graphs. */
const MAIN = ["research", "research_dependency"];

/** The node whose call is the newest; DeepSearch's own graph may also be served alone. */
export function mainNode(model: RunModel): string {
  const newest = model.calls.findLast(({ namespace }) => {
    return namespace.length === 1 && MAIN.includes(namespace[0]?.split(":")[0] ?? "");
  });
  return newest?.namespace[0]?.split(":")[0] ?? "research";
}

/** The namespace of DeepSearch's main graph. */
export function mainNamespace(model: RunModel): string {
  return namespaceOf(model, mainNode(model));
}

export interface Stage {
  id: string;
  name: string;
  /** `undefined` while it has not begun, or was passed by. */
  status: Status | undefined;
}

const STAGES: [id: string, name: string, nodes: string[]][] = [
  ["questions", "Questions", ["entry", "generate_questions", "feedback_handler"]],
  ["outline", "Outline", ["outline", "outline_interaction"]],
  ["sections", "Sections", ["editor_team", "dependency_editor_team"]],
  ["report", "Report", ["reporter", "vlm_chart_generator"]],
  ["checks", "Checks", ["source_tracer", "source_tracer_infer"]],
  ["changes", "Changes", ["user_feedback_processor"]],
  ["done", "Done", ["end"]],
];

/** The stages of the newest research in order. Changes are left out where nobody was asked for any. */
export function stagesOf(model: RunModel): Stage[] {
  const ns = mainNamespace(model);
  const own = model.tasks.filter((task) => namespaceKey(task.namespace) === ns);
  const asked = model.tasks.some((task) => task.node === "listen" && namespaceKey(task.namespace).startsWith(ns));
  return STAGES.filter(([id]) => id !== "changes" || asked).map(([id, name, nodes]) => {
    return { id, name, status: statusOf(own.filter((task) => nodes.includes(task.node))) };
  });
}

/** What is to be told of tasks that came one after the other. */
function statusOf(tasks: readonly Task[]): Status | undefined {
  const open = tasks.find((task) => task.status !== "done");
  return open?.status ?? tasks.at(-1)?.status;
}
