// A schedule as the wire has it, which calls it a cron.

import type { JsonObject } from "../../api/types.ts";

export type Completion = "delete" | "keep";

export interface Cron {
  cron_id: string;
  assistant_id: string;
  /** The thread of its runs; a new one for each where there is none. */
  thread_id: string | null;
  on_run_completed: Completion | null;
  end_time: string | null;
  schedule: string;
  /** UTC where there is none. */
  timezone: string | null;
  created_at: string;
  updated_at: string;
  /** The fields of its runs' requests. */
  payload: JsonObject;
  next_run_date: string | null;
  metadata: JsonObject;
  enabled: boolean;
}

export type Standing = "on" | "off" | "over";

/** Whether it runs. One that is on and has no next time will never run again. */
export function standingOf(cron: Cron): Standing {
  if (!cron.enabled) return "off";
  return cron.next_run_date === null ? "over" : "on";
}

/** An instant as a field of a form has it, in the time of the browser. */
export function localOf(instant: string | null): string {
  if (instant === null) return "";
  const date = new Date(instant);
  if (Number.isNaN(date.getTime())) return "";
  const two = (number: number) => String(number).padStart(2, "0");
  const day = `${String(date.getFullYear()).padStart(4, "0")}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** An instant of a field as the wire has it; nothing for an empty field or one that is no time. */
export function instantOf(local: string): string | undefined {
  const date = new Date(local);
  return local === "" || Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
