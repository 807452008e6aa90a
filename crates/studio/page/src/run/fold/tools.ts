// Calls of tools, beside the tasks that made them.
//
// The events name no task. They are told together with the beginning and the end of the task that made the call.

import type { JsonObject } from "../../api/types.ts";
import type { Task, ToolRun } from "../model.ts";
import { entryOf, type Here, type Known } from "./known.ts";
import { errorText, text, textOr, Unexpected } from "./read.ts";

export function toolEvent(known: Known, here: Here, data: JsonObject): void {
  const event = text(data, "event");
  const id = text(data, "tool_call_id");
  const found = known.tools.get(id);
  switch (event) {
    case "tool-started":
      start(known, here, id, data);
      return;
    case "tool-output-delta": {
      const { tool, task } = found ?? start(known, here, id, data);
      tool.deltas.push(data.delta ?? null);
      if (task !== undefined) task.version += 1;
      return;
    }
    case "tool-finished":
    case "tool-error": {
      const { tool, task } = found ?? start(known, here, id, data);
      tool.ended = here.time;
      if (event === "tool-error") {
        tool.status = "failed";
        tool.error = errorText(data.message) ?? "The tool failed.";
      } else {
        tool.status = "done";
        tool.output = data.output ?? null;
      }
      move(tool, task, toldWith(known, here) ?? task);
      known.tools.delete(id);
      return;
    }
    default:
      throw new Unexpected(`this page does not know the event \`${event}\` of a tool`);
  }
}

function start(known: Known, here: Here, id: string, data: JsonObject): { tool: ToolRun; task: Task | undefined } {
  const tool: ToolRun = {
    id,
    name: textOr(data, "tool_name", ""),
    namespace: here.namespace,
    input: data.input ?? null,
    deltas: [],
    output: null,
    error: undefined,
    status: "running",
    began: here.time,
    ended: undefined,
  };
  const task = toldWith(known, here);
  const started = { tool, task };
  known.tools.set(id, started);
  move(tool, undefined, task);
  return started;
}

/** The task that began or ended with the entry of an event. */
function toldWith(known: Known, here: Here): Task | undefined {
  const latest = known.latest;
  return latest !== undefined && latest.entry === entryOf(here.seq) ? latest.task : undefined;
}

/** Several tasks may begin at once: which of them made the call is known at its end. */
function move(tool: ToolRun, from: Task | undefined, to: Task | undefined): void {
  if (from !== to && from !== undefined) {
    from.tools = from.tools.filter((one) => one !== tool);
    from.version += 1;
  }
  if (to === undefined) return;
  if (!to.tools.includes(tool)) to.tools.push(tool);
  to.version += 1;
}
