// What the messages of a task took, in tokens: of those that came piece by piece, or else of those that it wrote.

import type { Json, JsonObject } from "../../../api/types.ts";
import { isObject } from "../../../parts/json-values.ts";
import type { Task } from "../../../run/model.ts";

/** The sum of each count over all messages; `undefined` where no message says any. */
export function usageOf(task: Pick<Task, "messages" | "result">): JsonObject | undefined {
  const told = new Map<string, JsonObject>();
  for (const message of task.messages) if (message.usage !== undefined) told.set(message.id, message.usage);
  for (const [id, usage] of written(task.result)) if (!told.has(id)) told.set(id, usage);
  if (told.size === 0) return undefined;
  const sum: Record<string, number> = {};
  for (const usage of told.values()) {
    for (const [name, value] of Object.entries(usage)) {
      if (typeof value === "number" && name.endsWith("_tokens")) sum[name] = (sum[name] ?? 0) + value;
    }
  }
  return sum;
}

/** The usage of messages in what a task wrote. */
function written(result: Json): [string, JsonObject][] {
  if (!isObject(result)) return [];
  const found: [string, JsonObject][] = [];
  for (const value of Object.values(result)) {
    for (const message of Array.isArray(value) ? value : [value]) {
      if (isObject(message) && message.type === "ai" && isObject(message.usage_metadata)) {
        found.push([String(message.id), message.usage_metadata]);
      }
    }
  }
  return found;
}
