// What the server is asked for to make a schedule or to change one.

import type { Json, JsonObject } from "../../api/types.ts";
import { equal } from "../../parts/json-values.ts";
import { metadataChange } from "../assistants/body.ts";
import { type Completion, type Cron, instantOf, localOf } from "./cron.ts";

/** A schedule as it is written. */
export interface Written {
  schedule: string;
  /** Empty for UTC. */
  timezone: string;
  /** In the time of the browser; empty for no end. */
  end: string;
  completion: Completion;
  input: Json | undefined;
  context: Json | undefined;
  metadata: JsonObject;
}

const isNone = (value: Json | undefined) => value === undefined || value === null || equal(value, {});

export function bodyOfNew(assistant: string, written: Written, hasThread: boolean): JsonObject {
  const body: JsonObject = { assistant_id: assistant, schedule: written.schedule.trim() };
  const end = instantOf(written.end);
  if (written.timezone.trim() !== "") body.timezone = written.timezone.trim();
  if (end !== undefined) body.end_time = end;
  if (!hasThread) body.on_run_completed = written.completion;
  if (written.input !== undefined) body.input = written.input;
  if (written.context !== undefined && !isNone(written.context)) body.context = written.context;
  if (!isNone(written.metadata)) body.metadata = written.metadata;
  return body;
}

/** What differs from the schedule that is there; `was` is what the form began with. */
export function bodyOfChange(cron: Cron, was: Written, written: Written): JsonObject {
  const body: JsonObject = {};
  if (written.schedule.trim() !== cron.schedule) body.schedule = written.schedule.trim();
  const zone = written.timezone.trim();
  // The server takes no zone away; UTC is the one that it has without.
  if (zone !== (cron.timezone ?? "")) body.timezone = zone === "" ? "UTC" : zone;
  const end = instantOf(written.end);
  if (end !== undefined && written.end !== localOf(cron.end_time)) body.end_time = end;
  if (cron.thread_id === null && written.completion !== was.completion) body.on_run_completed = written.completion;
  if (!equal(written.input ?? null, was.input ?? null)) body.input = written.input ?? null;
  const context = isNone(written.context) ? null : (written.context ?? null);
  if (!equal(written.context ?? null, was.context ?? null)) body.context = context;
  const metadata = metadataChange(cron.metadata, written.metadata);
  if (Object.keys(metadata).length > 0) body.metadata = metadata;
  return body;
}
