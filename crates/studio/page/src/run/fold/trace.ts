// The channel `trace`: attempts, calls of models, warnings and losses. Older servers have it not.

import type { JsonObject } from "../../api/types.ts";
import type { Here, Known } from "./known.ts";
import { number, text, Unexpected } from "./read.ts";
import { modelCall } from "./model-calls.ts";
import { begin, finish } from "./tasks.ts";

export function traceEvent(known: Known, here: Here, data: JsonObject, notice: (text: string) => void): void {
  switch (text(data, "kind")) {
    case "attempt":
      begin(known, here, text(data, "id"), text(data, "name"));
      return;
    case "retry": {
      const task = known.byId.get(text(data, "id")) ?? begin(known, here, text(data, "id"), text(data, "name"));
      const attempt = task.attempts.at(-1);
      if (attempt === undefined) return;
      attempt.ended = here.time;
      attempt.status = "failed";
      attempt.error = text(data, "error");
      attempt.waits = number(data, "delay_ms");
      task.status = "waiting";
      task.version += 1;
      return;
    }
    case "finished": {
      // Its result waits for the commit of its step, with which `tasks` tells it.
      const task = known.byId.get(text(data, "id")) ?? begin(known, here, text(data, "id"), text(data, "name"));
      finish(known, task, "done", here.time, undefined);
      return;
    }
    case "model_call":
      modelCall(known, here, data);
      return;
    case "warning":
      notice(text(data, "message"));
      return;
    case "lost":
      notice(`The server lost ${number(data, "events")} events before it wrote them down.`);
      return;
    default:
      throw new Unexpected(`this page does not know the kind \`${text(data, "kind")}\``);
  }
}
